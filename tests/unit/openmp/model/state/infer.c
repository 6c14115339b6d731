/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/model/state/infer: the meaning of each kind of sleep and of each place of the program counter. */
#include "check_main.h"

#include <string.h>
#include <sys/syscall.h>

#include "base/error.h"
#include "fake_target.h"
#include "openmp/model/handle/handles.h"
#include "openmp/model/model.h"
#include "openmp/model/snapshot.h"
#include "openmp/model/state/infer.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"
#include "target/arch/arch.h"

#define GOMP_TEXT  0x20000u
#define CRITICAL   0x21000u /* GOMP_critical_start */
#define ATOMIC	   0x21100u /* GOMP_atomic_start */
#define DOACROSS   0x21200u /* GOMP_doacross_wait; its variant for unsigned long long is at +0x100 */
#define GOMP_DATA  0x28000u
#define PROGRAM	   0x400000u
#define LIBC	   0x700000u
#define SYSCALL	   0x701000u /* syscall() */
#define HEAP	   0x900000u
#define MUTEX	   0xffffffffu
#define SEMAPHORE  0x80000000u
#define GENERATION 8u

static struct target *t;
static struct handles *h;
static struct model *m;
static struct snapshot s;
static struct snapshot_thread threads[2];
static struct snapshot_parallel parallels[1];
static struct plugin_options options = {.libompd = FAKE_LIBOMPD};

/* lea @to(%rip),%rdi */
static void refer(uint64_t from, uint64_t to)
{
	unsigned char code[7] = {0x48, 0x8d, 0x3d};
	int32_t disp = (int32_t)(to - (from + sizeof(code)));

	memcpy(code + 3, &disp, sizeof(disp));
	fake_target_poke(t, from, code, sizeof(code));
}

static void setup(void)
{
	setenv("FAKE_OMPD", "", 1);
	t = fake_target_create(TARGET_STOP);
	/* refer() writes an instruction of this architecture. */
	arch_use(&arch_x86_64);
	size_t gomp = fake_target_add_module(t, "/lib/libgomp.so.1", GOMP_TEXT, 0x30000, NULL, NULL);
	size_t program = fake_target_add_module(t, "/bin/program", PROGRAM, 0x500000, NULL, NULL);

	size_t libc = fake_target_add_module(t, "/lib/libc.so.6", LIBC, 0x800000, NULL, NULL);

	fake_target_add_symbol(t, libc, "syscall", SYSCALL, 32, false);
	fake_target_add_symbol(t, libc, "pthread_cond_wait", SYSCALL + 0x100, 32, false);
	fake_target_map(t, GOMP_TEXT, NULL, 0x10000);
	fake_target_add_symbol(t, gomp, "GOMP_critical_start", CRITICAL, 32, false);
	fake_target_add_symbol(t, gomp, "GOMP_atomic_start", ATOMIC, 32, false);
	fake_target_add_symbol(t, gomp, "GOMP_doacross_wait", DOACROSS, 32, false);
	fake_target_add_symbol(t, gomp, "GOMP_doacross_ull_wait", DOACROSS + 0x100, 32, false);
	fake_target_add_symbol(t, program, ".gomp_critical_user_mine", 0x404000, 8, false);
	fake_target_add_symbol(t, program, "my_lock", 0x404100, 8, false);
	refer(CRITICAL, GOMP_DATA);
	refer(ATOMIC, GOMP_DATA + 4);
	h = handles_create(0);
	ck_assert_no_err(model_create(t, &options, h, &m));
	ck_assert_no_err(model_need_plugin(m));
	target_view_begin(t);
	ck_assert_no_err(model_open(m));

	memset(threads, 0, sizeof(threads));
	memset(parallels, 0, sizeof(parallels));
	s = (struct snapshot){.threads = threads, .n_threads = 2, .parallels = parallels, .n_parallels = 1};
	for (int i = 0; i < 2; i++) {
		threads[i].openmp = true;
		threads[i].state.rc = threads[i].wait_id.rc = ompd_rc_unavailable;
	}
	parallels[0].level.value = 1;
}

static void teardown(void)
{
	model_destroy(m);
	handles_destroy(h);
	target_destroy(t);
}

static void sleeps(int thread, uint64_t word, uint32_t expected)
{
	threads[thread].activity = (struct target_activity){
		.known = true,
		.in_syscall = true,
		.syscall = SYS_futex,
		.args = {word, 128 /* WAIT | PRIVATE */, expected},
		.pc = GOMP_TEXT + 0x500,
		.sp = 0x7fff0000,
	};
}

static void runs(uint64_t pc)
{
	threads[0].activity = (struct target_activity){.known = true, .pc = pc};
}

static void assert_state(int state, enum snapshot_wait wait, uint64_t word)
{
	infer_snapshot(m, &s);
	ck_assert_int_eq(threads[0].state.rc, 0);
	ck_assert_int_eq((int)threads[0].state.value, state);
	ck_assert(threads[0].state_is_inferred);
	if (wait == WAIT_UNKNOWN) {
		ck_assert_int_eq(threads[0].wait_id.rc, ompd_rc_unavailable);
		return;
	}
	ck_assert_int_eq(threads[0].wait, wait);
	ck_assert_int_eq(threads[0].wait_id.rc, 0);
	ck_assert(threads[0].wait_is_inferred);
	ck_assert_uint_eq((uint64_t)threads[0].wait_id.value, word);
}

START_TEST(test_barrier)
{
	sleeps(0, HEAP, GENERATION);
	assert_state(ompt_state_wait_barrier, WAIT_BARRIER, HEAP);
}
END_TEST

/* Sets a thread that sleeps in the C library's syscall(). @link: the return address of that call; 0: unknown */
static void sleeps_in_libc(uint64_t pc, uint64_t link)
{
	arch_use(&arch_aarch64);
	sleeps(0, HEAP, GENERATION);
	threads[0].activity.pc = pc;
	threads[0].activity.link = link;
}

START_TEST(test_barrier_through_libc)
{
	sleeps_in_libc(SYSCALL + 8, GOMP_TEXT + 0x500);
	assert_state(ompt_state_wait_barrier, WAIT_BARRIER, HEAP);
}
END_TEST

START_TEST(test_call_through_libc_is_of_its_caller)
{
	sleeps_in_libc(SYSCALL + 8, PROGRAM + 0x500);
	assert_state(ompt_state_work_parallel, WAIT_UNKNOWN, 0);
}
END_TEST

START_TEST(test_call_through_libc_without_its_caller_is_nobodys)
{
	sleeps_in_libc(SYSCALL + 8, 0);
	infer_snapshot(m, &s);
	ck_assert_int_eq(threads[0].state.rc, ompd_rc_unavailable);
	ck_assert_int_eq(threads[0].wait_id.rc, ompd_rc_unavailable);
	/* A stop shows the return address, which is in a register. */
	ck_assert(infer_needs_registers(m, &s));
	threads[0].activity.link = GOMP_TEXT + 0x500;
	ck_assert(!infer_needs_registers(m, &s));
	infer_snapshot(m, &s);
	ck_assert_int_eq(threads[0].state.rc, ompd_rc_ok);
}
END_TEST

START_TEST(test_sleep_in_another_function_of_libc_is_the_programs)
{
	sleeps_in_libc(SYSCALL + 0x108, GOMP_TEXT + 0x500);
	assert_state(ompt_state_work_parallel, WAIT_UNKNOWN, 0);
}
END_TEST

START_TEST(test_dock_of_an_idle_thread_keeps_the_plugins_state)
{
	sleeps(0, HEAP, GENERATION);
	threads[0].state = (struct snapshot_word){0, ompt_state_idle};
	threads[0].parallel.index = SNAPSHOT_NONE;
	infer_snapshot(m, &s);
	ck_assert(!threads[0].state_is_inferred);
	ck_assert_int_eq(threads[0].wait, WAIT_DOCK);
	ck_assert(threads[0].wait_is_inferred);
}
END_TEST

START_TEST(test_dock_is_no_barrier_of_a_team)
{
	sleeps(0, HEAP, GENERATION);
	sleeps(1, HEAP, GENERATION);
	threads[1].state = (struct snapshot_word){0, ompt_state_idle};
	threads[1].parallel.index = SNAPSHOT_NONE;
	assert_state(ompt_state_overhead, WAIT_DOCK, HEAP);
}
END_TEST

START_TEST(test_unnamed_critical)
{
	sleeps(0, GOMP_DATA, MUTEX);
	assert_state(ompt_state_wait_critical, WAIT_CRITICAL, GOMP_DATA);
}
END_TEST

START_TEST(test_atomic)
{
	sleeps(0, GOMP_DATA + 4, MUTEX);
	assert_state(ompt_state_wait_atomic, WAIT_ATOMIC, GOMP_DATA + 4);
}
END_TEST

START_TEST(test_another_lock_of_the_runtime)
{
	sleeps(0, GOMP_DATA + 8, MUTEX);
	assert_state(ompt_state_wait_mutex, WAIT_MUTEX, GOMP_DATA + 8);
}
END_TEST

START_TEST(test_named_critical)
{
	sleeps(0, 0x404000, MUTEX);
	assert_state(ompt_state_wait_critical, WAIT_CRITICAL, 0x404000);
}
END_TEST

START_TEST(test_lock_variable)
{
	sleeps(0, 0x404100, MUTEX);
	assert_state(ompt_state_wait_lock, WAIT_LOCK, 0x404100);
}
END_TEST

START_TEST(test_mutex_on_the_heap_may_be_anything)
{
	sleeps(0, HEAP, MUTEX);
	assert_state(ompt_state_wait_mutex, WAIT_MUTEX, HEAP);
}
END_TEST

START_TEST(test_semaphore_in_the_own_frame)
{
	sleeps(0, 0x7fff0040, SEMAPHORE);
	assert_state(ompt_state_wait_taskwait, WAIT_SEMAPHORE, 0x7fff0040);
}
END_TEST

START_TEST(test_semaphore_elsewhere)
{
	sleeps(0, HEAP, SEMAPHORE);
	assert_state(ompt_state_overhead, WAIT_SEMAPHORE, HEAP);
}
END_TEST

START_TEST(test_futex_of_the_program_is_work)
{
	sleeps(0, HEAP, MUTEX);
	threads[0].activity.pc = PROGRAM + 0x100;
	assert_state(ompt_state_work_parallel, WAIT_UNKNOWN, 0);
}
END_TEST

START_TEST(test_running_in_the_runtime)
{
	runs(GOMP_TEXT + 0x100);
	assert_state(ompt_state_overhead, WAIT_UNKNOWN, 0);
}
END_TEST

START_TEST(test_waiting_for_an_iteration)
{
	for (unsigned i = 0; i < 2; i++) {
		threads[0].state.rc = ompd_rc_unavailable;
		runs(DOACROSS + 0x100 * i + 20);
		assert_state(ompt_state_wait_ordered, WAIT_UNKNOWN, 0);
	}
	threads[0].state.rc = ompd_rc_unavailable;
	runs(DOACROSS + 32);
	assert_state(ompt_state_overhead, WAIT_UNKNOWN, 0);
}
END_TEST

START_TEST(test_running_in_the_program)
{
	runs(PROGRAM + 0x100);
	assert_state(ompt_state_work_parallel, WAIT_UNKNOWN, 0);
}
END_TEST

START_TEST(test_running_outside_of_regions)
{
	parallels[0].level.value = 0;
	runs(PROGRAM + 0x100);
	assert_state(ompt_state_work_serial, WAIT_UNKNOWN, 0);
}
END_TEST

START_TEST(test_unknown_activity_stays_unavailable)
{
	infer_snapshot(m, &s);
	ck_assert_int_eq(threads[0].state.rc, ompd_rc_unavailable);
	ck_assert_int_eq(threads[0].wait_id.rc, ompd_rc_unavailable);
}
END_TEST

START_TEST(test_plugins_word_is_kept)
{
	sleeps(0, HEAP, SEMAPHORE);
	threads[0].state = (struct snapshot_word){0, ompt_state_wait_taskgroup};
	threads[0].wait_id = (struct snapshot_word){0, 0x1234};
	infer_snapshot(m, &s);
	ck_assert_int_eq(threads[0].state.value, ompt_state_wait_taskgroup);
	ck_assert(!threads[0].state_is_inferred);
	ck_assert_int_eq(threads[0].wait_id.value, 0x1234);
	ck_assert(!threads[0].wait_is_inferred);
}
END_TEST

START_TEST(test_thread_that_is_not_openmp)
{
	sleeps(0, HEAP, GENERATION);
	threads[0].openmp = false;
	infer_snapshot(m, &s);
	ck_assert_int_eq(threads[0].state.rc, ompd_rc_unavailable);
}
END_TEST

/* Only names count as evidence: those that only the compiler or libgomp use. */
START_TEST(test_linked_into_the_program)
{
	teardown();
	t = fake_target_create(TARGET_STOP);
	size_t program = fake_target_add_module(t, "/bin/program", PROGRAM, 0x500000, NULL, NULL);
	fake_target_add_symbol(t, program, "GOMP_parallel", 0x401000, 32, false);
	fake_target_add_symbol(t, program, "gomp_team_barrier_wait_end", 0x401100, 32, false);
	fake_target_add_symbol(t, program, "work._omp_fn.0", 0x401200, 32, false);
	fake_target_add_symbol(t, program, "main", 0x401300, 32, false);
	fake_target_add_symbol(t, program, "free_team", 0x401400, 32, false);
	h = handles_create(0);
	ck_assert_no_err(model_create(t, &options, h, &m));
	const struct {
		uint64_t pc;
		int state; /* -1: not set */
	} cases[] = {
		{0x401010, ompt_state_overhead},
		{0x401110, ompt_state_overhead},
		{0x401210, ompt_state_work_parallel},
		{0x401310, ompt_state_work_parallel},
		{0x401410, -1},
		{0x480000, -1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		threads[0].state = (struct snapshot_word){ompd_rc_unavailable, 0};
		runs(cases[i].pc);
		infer_snapshot(m, &s);
		ck_assert_int_eq(threads[0].state.rc, cases[i].state < 0 ? ompd_rc_unavailable : ompd_rc_ok);
		ck_assert(cases[i].state < 0 || threads[0].state.value == cases[i].state);
	}
	threads[0].state = (struct snapshot_word){ompd_rc_unavailable, 0};
	runs(0x480000);
	threads[0].activity.in_syscall = true;
	threads[0].activity.syscall = SYS_nanosleep;
	assert_state(ompt_state_work_parallel, WAIT_UNKNOWN, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("infer");
	TCase *c = tcase_create("infer_snapshot");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, test_barrier);
	tcase_add_test(c, test_barrier_through_libc);
	tcase_add_test(c, test_call_through_libc_is_of_its_caller);
	tcase_add_test(c, test_call_through_libc_without_its_caller_is_nobodys);
	tcase_add_test(c, test_sleep_in_another_function_of_libc_is_the_programs);
	tcase_add_test(c, test_dock_of_an_idle_thread_keeps_the_plugins_state);
	tcase_add_test(c, test_dock_is_no_barrier_of_a_team);
	tcase_add_test(c, test_unnamed_critical);
	tcase_add_test(c, test_atomic);
	tcase_add_test(c, test_another_lock_of_the_runtime);
	tcase_add_test(c, test_named_critical);
	tcase_add_test(c, test_lock_variable);
	tcase_add_test(c, test_mutex_on_the_heap_may_be_anything);
	tcase_add_test(c, test_semaphore_in_the_own_frame);
	tcase_add_test(c, test_semaphore_elsewhere);
	tcase_add_test(c, test_futex_of_the_program_is_work);
	tcase_add_test(c, test_running_in_the_runtime);
	tcase_add_test(c, test_waiting_for_an_iteration);
	tcase_add_test(c, test_running_in_the_program);
	tcase_add_test(c, test_running_outside_of_regions);
	tcase_add_test(c, test_unknown_activity_stays_unavailable);
	tcase_add_test(c, test_plugins_word_is_kept);
	tcase_add_test(c, test_thread_that_is_not_openmp);
	tcase_add_test(c, test_linked_into_the_program);
	suite_add_tcase(suite, c);
	return check_main(suite);
}
