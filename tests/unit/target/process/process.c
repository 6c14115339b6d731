/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/process/process.c and below: memory, identity, threads, modules, symbols and TLS of real processes.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "child_fixture.h"
#include "target/modules/memory_symbols.h"
#include "target/modules/modules.h"
#include "target/process/process_files.h"
#include "target/target.h"

static void attach(void (*body)(void), int n_ready, enum target_mode mode)
{
	attach_child(body, n_ready, mode, 60000);
	target_view_begin(t);
}

/* Reading, by both ways */

static void check_reading(void)
{
	uint64_t value;
	char name[16];

	ck_assert_no_err(target_read(t, (uint64_t)(uintptr_t)&child_marker, &value, 8));
	ck_assert_uint_eq(value, 0x1122334455667788u);
	ck_assert_no_err(target_read_string(t, (uint64_t)(uintptr_t) "sixteen or so", name, 16));
	ck_assert_str_eq(name, "sixteen or so");
	ck_assert_err(target_read(t, 8, &value, 8), ERR_MEMORY_UNREADABLE);
	ck_assert_err(target_read(t, UINT64_MAX - 16, &value, 8), ERR_MEMORY_UNREADABLE);
}

START_TEST(test_read_with_process_vm_readv)
{
	attach(child_sleeper, 1, TARGET_OBSERVE);
	check_reading();
}
END_TEST

START_TEST(test_read_with_proc_mem)
{
	setenv("OMPDD_NO_VM_READV", "1", 1);
	attach(child_sleeper, 1, TARGET_OBSERVE);
	check_reading();
	target_view_begin(t);
	check_reading();
	unsetenv("OMPDD_NO_VM_READV");
}
END_TEST

static unsigned char *hole;

static void sleep_beside_hole(void)
{
	memset(hole, 1, 4096);
	munmap(hole + 4096, 4096);
	child_sleeper();
}

START_TEST(test_read_stops_at_a_hole)
{
	unsigned char got[3 * 4096];

	hole = mmap(NULL, sizeof(got), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(hole, 2, sizeof(got));
	attach(sleep_beside_hole, 1, TARGET_OBSERVE);
	uint64_t addr = (uint64_t)(uintptr_t)hole;
	ck_assert_err(target_read(t, addr, got, sizeof(got)), ERR_MEMORY_UNREADABLE);
	ck_assert_err(target_read(t, addr + 4092, got, 8), ERR_MEMORY_UNREADABLE);
	ck_assert_no_err(target_read(t, addr, got, 4096));
	ck_assert_uint_eq(got[4095], 1);
	ck_assert_no_err(target_read(t, addr + 8192, got, 4096));
	ck_assert_uint_eq(got[0], 2);
	/* The next view reads all of it at once: the hole does not hide the memory behind it. */
	target_view_begin(t);
	ck_assert_no_err(target_read(t, addr + 8192, got, 4096));
	ck_assert_no_err(target_read(t, addr, got, 4096));
	ck_assert_uint_eq(got[0], 1);
}
END_TEST

/* Identity */

START_TEST(test_exit_is_noticed)
{
	uint64_t value;
	struct maps maps = {0};

	attach(child_sleeper, 1, TARGET_STOP);
	ck_assert_no_err(target_check(t));
	child_end(child);
	child = 0;
	ck_assert_err(target_check(t), ERR_TARGET_EXITED);
	ck_assert_err(target_read(t, (uint64_t)(uintptr_t)&child_marker, &value, 8), ERR_TARGET_EXITED);
	ck_assert_err(target_stop(t, 100), ERR_TARGET_EXITED);
	ck_assert_err(process_files.read_maps(t, &maps), ERR_TARGET_EXITED);
}
END_TEST

static void exec_itself(void)
{
	child_shared->ready = 1;
	while (!child_shared->go)
		usleep(1000);
	execl("/bin/sleep", "sleep", "60", (char *)NULL);
}

START_TEST(test_exec_is_noticed)
{
	attach(exec_itself, 1, TARGET_OBSERVE);
	ck_assert_no_err(target_check(t));
	child_shared->go = 1;
	await_check(ERR_TARGET_EXEC);
}
END_TEST

/* Threads */

START_TEST(test_threads_have_pthread_comm_and_state)
{
	const struct target_thread *threads;
	size_t n;

	attach(child_four_futex, 5, TARGET_OBSERVE);
	ck_assert_no_err(target_threads(t, &threads, &n));
	ck_assert_uint_eq(n, 5);
	ck_assert_int_eq(threads[0].tid, child);
	for (int i = 0; i < 5; i++) {
		const struct target_thread *thread = target_thread_by_tid(t, child_shared->tids[i]);

		ck_assert_ptr_nonnull(thread);
		ck_assert_uint_eq(thread->pthread, child_shared->pthreads[i]);
		ck_assert_ptr_eq(target_thread_by_pthread(t, thread->pthread), thread);
		ck_assert_str_eq(thread->comm, "unit_target_pro");
	}
}
END_TEST

static void check_activity(void)
{
	for (int i = 0; i < 5; i++) {
		struct target_activity a;

		target_activity(t, child_shared->tids[i], &a);
		ck_assert(a.known);
		ck_assert(a.in_syscall);
		ck_assert_int_eq(a.syscall, SYS_futex);
		ck_assert_uint_eq(a.args[0], (uint64_t)(uintptr_t)&child_shared->futex);
		ck_assert_uint_eq(a.args[1], FUTEX_WAIT);
		ck_assert_ptr_nonnull(target_module_at(t, a.pc));
	}
}

static void wait_all_asleep(void)
{
	for (int i = 0; i < 5; i++) {
		while (child_state(child, child_shared->tids[i]) != 'S')
			usleep(1000);
	}
}

START_TEST(test_activity_observed)
{
	attach(child_four_futex, 5, TARGET_OBSERVE);
	wait_all_asleep();
	check_activity();
}
END_TEST

START_TEST(test_activity_stopped)
{
	int64_t us;

	attach(child_four_futex, 5, TARGET_STOP);
	wait_all_asleep();
	ck_assert_no_err(target_stop(t, 60000));
	target_view_begin(t);
	check_activity();
	ck_assert_no_err(target_resume(t, &us));
}
END_TEST

START_TEST(test_activity_of_a_running_thread)
{
	struct target_activity a;
	int64_t us;

	attach(child_four_counting, 5, TARGET_STOP);
	ck_assert_no_err(target_stop(t, 60000));
	target_view_begin(t);
	for (int i = 0; i < 5; i++) {
		target_activity(t, child_shared->tids[i], &a);
		ck_assert(a.known);
		ck_assert(!a.in_syscall || a.syscall == SYS_clock_nanosleep || a.syscall == SYS_restart_syscall);
	}
	target_activity(t, 1, &a);
	ck_assert(!a.known);
	ck_assert_no_err(target_resume(t, &us));
}
END_TEST

/* Modules and symbols */

START_TEST(test_modules_are_those_of_the_program)
{
	const struct target_module *modules;
	size_t n;
	bool libc = false;
	char own[4096];

	attach(child_sleeper, 1, TARGET_OBSERVE);
	ck_assert_no_err(target_modules(t, &modules, &n));
	ssize_t len = readlink("/proc/self/exe", own, sizeof(own) - 1);
	own[len] = '\0';
	ck_assert_str_eq(modules[0].path, own);
	ck_assert_uint_eq(strlen(modules[0].build_id), 40);
	ck_assert_ptr_nonnull(strstr(modules[0].compiler, __VERSION__));
	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_lt(modules[i].start, modules[i].end);
		libc |= strstr(modules[i].path, "libc.so.6") != NULL;
	}
	ck_assert(libc);
	const struct target_module *m = target_module_at(t, (uint64_t)(uintptr_t)&child_marker);
	ck_assert_ptr_eq(m, &modules[0]);
	ck_assert_ptr_null(target_module_at(t, 16));
}
END_TEST

START_TEST(test_symbols_of_program_and_libraries)
{
	struct target_symbol s;
	char name[64];
	uint64_t offset;

	attach(child_sleeper, 1, TARGET_OBSERVE);
	ck_assert_no_err(target_symbol(t, "child_marker", NULL, &s));
	ck_assert_uint_eq(s.address, (uint64_t)(uintptr_t)&child_marker);
	ck_assert_uint_eq(s.size, 8);
	ck_assert_no_err(target_symbol(t, "getppid", "libc.so", &s));
	ck_assert_uint_eq(s.address, (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "getppid"));
	ck_assert_err(target_symbol(t, "child_marker", "libc.so", &s), ERR_SYMBOL_NOT_FOUND);
	ck_assert_err(target_symbol(t, "no_such_symbol", NULL, &s), ERR_SYMBOL_NOT_FOUND);
	ck_assert(target_symbol_at(t, (uint64_t)(uintptr_t)&child_sleeper + 1, name, sizeof(name), &offset));
	ck_assert_str_eq(name, "child_sleeper");
	ck_assert_uint_eq(offset, 1);
	ck_assert(target_symbol_at(t, (uint64_t)(uintptr_t)&child_sleeper, name, 4, &offset));
	ck_assert_str_eq(name, "chi");
	ck_assert(!target_symbol_at(t, 16, name, sizeof(name), &offset));
}
END_TEST

static void load_library_late(void)
{
	child_shared->ready = 1;
	while (!child_shared->go)
		usleep(1000);
	dlopen("libz.so.1", RTLD_NOW);
	child_shared->ready = 2;
	child_sleeper();
}

START_TEST(test_modules_follow_dlopen)
{
	struct target_symbol s;

	attach(load_library_late, 1, TARGET_OBSERVE);
	ck_assert_err(target_symbol(t, "no_such_symbol", NULL, &s), ERR_SYMBOL_NOT_FOUND);
	const struct target_module *modules;
	size_t before, after;
	ck_assert_no_err(target_modules(t, &modules, &before));
	child_shared->go = 1;
	child_wait_ready(2);
	target_view_begin(t);
	ck_assert_no_err(target_modules(t, &modules, &after));
	/* libelf itself needs libz: it was loaded then. */
	ck_assert_uint_ge(after, before);
	ck_assert_no_err(target_symbol(t, "zlibVersion", "libz", &s));
}
END_TEST

static const struct link_map *own_libc(void)
{
	struct link_map *map;

	ck_assert_int_eq(dlinfo(dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD), RTLD_DI_LINKMAP, &map), 0);
	return map;
}

START_TEST(test_symbols_from_memory_alone)
{
	const struct link_map *libc = own_libc();
	struct symbols *s;
	struct symbols_entry e;

	attach(child_sleeper, 1, TARGET_OBSERVE);
	for (int with_dynamic = 0; with_dynamic < 2; with_dynamic++) {
		ck_assert_no_err(memory_symbols_create(
			t, libc->l_addr, with_dynamic ? (uint64_t)(uintptr_t)libc->l_ld : 0, libc->l_addr, &s));
		ck_assert(symbols_find(s, "getppid", symbols_hash("getppid"), &e));
		ck_assert_uint_eq(libc->l_addr + e.value, (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "getppid"));
		symbols_destroy(s);
	}
	ck_assert_err(memory_symbols_create(t, 0, 0, (uint64_t)(uintptr_t)&child_marker, &s), ERR_SYMBOL_NOT_FOUND);
}
END_TEST

/* Copies @from to @to, executable. */
static void copy_file(const char *from, const char *to)
{
	char command[256];

	snprintf(command, sizeof(command), "cp %s %s && chmod +x %s", from, to, to);
	ck_assert_int_eq(system(command), 0);
}

static char copied[64];

static void exec_copy(void)
{
	execl(copied, copied, "60", (char *)NULL);
}

/* Waits until the child, which runs another program by then, sleeps in a system call. */
static void wait_system_call(long number)
{
	char path[64];
	long nr = -1;

	snprintf(path, sizeof(path), "/proc/%d/syscall", child);
	for (int i = 0; i < 300000 && nr != number; i++) {
		FILE *f = fopen(path, "r");

		if (!f || fscanf(f, "%ld", &nr) != 1)
			nr = -1;
		if (f)
			fclose(f);
		usleep(1000);
	}
	ck_assert_int_eq(nr, number);
}

START_TEST(test_rebuilt_executable_is_not_used)
{
	struct target_symbol before, after;
	char dir[] = "/tmp/ompdd-test-XXXXXX";
	Dl_info variable, own;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(copied, sizeof(copied), "%s/program", dir);
	copy_file("/bin/sleep", copied);
	child = child_start(exec_copy);
	wait_system_call(SYS_clock_nanosleep);
	ck_assert_no_err(target_attach(child, TARGET_OBSERVE, 200, &t));
	target_view_begin(t);
	/*
	 * /bin/sleep has no .symtab. Where programs have copies of libc's variables, like this one, stdout is in its
	 * .dynsym.
	 */
	ck_assert_no_err(target_symbol(t, "stdout", NULL, &before));
	if (dladdr(&stdout, &variable) && dladdr((void *)(uintptr_t)exec_copy, &own) &&
	    variable.dli_fbase == own.dli_fbase)
		ck_assert_str_eq(before.module->path, copied);
	target_destroy(t);
	/* A new build: another file with the same name and other symbols. */
	unlink(copied);
	copy_file("/proc/self/exe", copied);
	ck_assert_no_err(target_attach(child, TARGET_OBSERVE, 200, &t));
	target_view_begin(t);
	ck_assert_no_err(target_symbol(t, "stdout", NULL, &after));
	ck_assert_uint_eq(after.address, before.address);
	ck_assert_err(target_symbol(t, "child_marker", NULL, &after), ERR_SYMBOL_NOT_FOUND);
	unlink(copied);
	rmdir(dir);
}
END_TEST

/* Thread-local storage */

START_TEST(test_tls_of_program_and_libc)
{
	struct target_symbol own, libc;
	const struct target_thread *threads;
	size_t n;

	attach(child_four_futex, 5, TARGET_OBSERVE);
	wait_all_asleep();
	ck_assert_no_err(target_threads(t, &threads, &n));
	ck_assert_no_err(target_symbol(t, "child_tls_marker", NULL, &own));
	ck_assert(own.is_tls);
	ck_assert_no_err(target_symbol(t, "errno", "libc.so", &libc));
	for (int i = 0; i < 5; i++) {
		const struct target_thread *thread = target_thread_by_tid(t, child_shared->tids[i]);
		uint64_t addr, value;

		ck_assert_no_err(target_tls_address(t, thread, &own, &addr));
		ck_assert_no_err(target_read(t, addr, &value, 8));
		ck_assert_uint_eq(value, 1000 + (uint64_t)i);
		ck_assert_no_err(target_tls_address(t, thread, &libc, &addr));
		ck_assert_uint_eq(addr, child_shared->errno_addresses[i]);
	}
}
END_TEST

START_TEST(test_tls_of_a_thread_without_descriptor)
{
	struct target_symbol own;
	struct target_thread stranger = {.tid = 4711};
	uint64_t addr;

	attach(child_four_futex, 5, TARGET_OBSERVE);
	ck_assert_no_err(target_symbol(t, "child_tls_marker", NULL, &own));
	ck_assert_err(target_tls_address(t, &stranger, &own, &addr), ERR_SYMBOL_NOT_FOUND);
	stranger.pthread = 0x1000; /* nothing is there */
	ck_assert_err(target_tls_address(t, &stranger, &own, &addr), ERR_SYMBOL_NOT_FOUND);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_process");
	TCase *read = tcase_create("read");
	TCase *identity = tcase_create("check");
	TCase *threads = tcase_create("threads");
	TCase *symbols = tcase_create("symbols");
	TCase *tls = tcase_create("tls");
	TCase *all[] = {read, identity, threads, symbols, tls};

	tcase_add_test(read, test_read_with_process_vm_readv);
	tcase_add_test(read, test_read_with_proc_mem);
	tcase_add_test(read, test_read_stops_at_a_hole);
	tcase_add_test(identity, test_exit_is_noticed);
	tcase_add_test(identity, test_exec_is_noticed);
	tcase_add_test(threads, test_threads_have_pthread_comm_and_state);
	tcase_add_test(threads, test_activity_observed);
	tcase_add_test(threads, test_activity_stopped);
	tcase_add_test(threads, test_activity_of_a_running_thread);
	tcase_add_test(symbols, test_modules_are_those_of_the_program);
	tcase_add_test(symbols, test_symbols_of_program_and_libraries);
	tcase_add_test(symbols, test_modules_follow_dlopen);
	tcase_add_test(symbols, test_symbols_from_memory_alone);
	tcase_add_test(symbols, test_rebuilt_executable_is_not_used);
	tcase_add_test(tls, test_tls_of_program_and_libc);
	tcase_add_test(tls, test_tls_of_a_thread_without_descriptor);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		tcase_set_timeout(all[i], 30);
		tcase_add_checked_fixture(all[i], NULL, teardown);
		suite_add_tcase(suite, all[i]);
	}
	return check_main(suite);
}
