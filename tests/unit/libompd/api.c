/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every OMPD routine refuses every wrong argument and does not change its results. */
#include <elf.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "code/decode.h"
#include "libompd_oracle.h"
#include "ompd-more.h"
#include "self_target.h"

static ompd_address_space_handle_t *as;
static ompd_thread_handle_t *thread;
static ompd_parallel_handle_t *region;
static ompd_task_handle_t *task;

/* Results, and the values that they must keep. */
static struct results {
	ompd_address_space_handle_t *as;
	ompd_thread_handle_t *thread;
	ompd_parallel_handle_t *region;
	ompd_task_handle_t *task;
	ompd_word_t word, word2;
	const char *string;
	ompd_thread_id_t *kinds;
	ompd_size_t *sizes;
	ompd_icv_id_t id;
	ompd_scope_t scope;
	int number;
	ompd_wait_id_t wait;
	ompd_address_t address;
	ompd_frame_info_t frame;
	const char *const *vars;
	uint64_t thread_id;
} r;

static const struct results untouched = {
	.word = 77,
	.word2 = 78,
	.id = 79,
	.number = 80,
	.wait = 81,
	.thread_id = 82,
};

static void setup(void)
{
	uint64_t id = (uint64_t)pthread_self();

	volatile int entered = 0;

#pragma omp parallel num_threads(2)
	entered = 1; /* gcc drops an empty region */
	ck_assert_int_eq(entered, 1);
	self_target_reset();
	self_target_register();
	r = untouched;
	ck_assert_int_eq(ompd_initialize(202111, self_target_callbacks()), ompd_rc_ok);
	ck_assert_int_eq(ompd_process_initialize(self_target_context(), &as), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_thread_handle(as, OMPD_THREAD_ID_PTHREAD, sizeof(id), &id, &thread), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_curr_parallel_handle(thread, &region), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_curr_task_handle(thread, &task), ompd_rc_ok);
}

static void teardown(void)
{
	ompd_rel_task_handle(task);
	ompd_rel_parallel_handle(region);
	ompd_rel_thread_handle(thread);
	ompd_rel_address_space_handle(as);
	ompd_finalize();
	ck_assert_int_eq(self_target.live_blocks, 0);
}

#define REFUSED(call, expected)                                                                                        \
	do {                                                                                                           \
		ompd_rc_t rc_ = (call);                                                                                \
		ck_assert_msg(rc_ == (expected), "%s: rc %d", #call, rc_);                                             \
		ck_assert_msg(!memcmp(&r, &untouched, sizeof(r)), "%s wrote a result", #call);                         \
	} while (0)
#define BAD(call)   REFUSED(call, ompd_rc_bad_input)
#define STALE(call) REFUSED(call, ompd_rc_stale_handle)

/* For each routine, handles of the three other kinds, and invalid pointers. */
static uint64_t junk[16] = {0x1111111111111111};
#define AS_WRONG(i)                                                                                                    \
	((ompd_address_space_handle_t *[]){NULL, (void *)thread, (void *)region, (void *)task, (void *)junk}[i])
#define TH_WRONG(i) ((ompd_thread_handle_t *[]){NULL, (void *)as, (void *)region, (void *)task, (void *)junk}[i])
#define PH_WRONG(i) ((ompd_parallel_handle_t *[]){NULL, (void *)as, (void *)thread, (void *)task, (void *)junk}[i])
#define TK_WRONG(i) ((ompd_task_handle_t *[]){NULL, (void *)as, (void *)thread, (void *)region, (void *)junk}[i])
#define N_WRONG	    5

/* A handle of another kind than the scope's is live, but incompatible with the scope. */
#define SCOPE(call) REFUSED(call, other_kind ? ompd_rc_incompatible : ompd_rc_stale_handle)

static void check_refused(ompd_address_space_handle_t *a, ompd_thread_handle_t *t, ompd_parallel_handle_t *p,
			  ompd_task_handle_t *k, bool other_kind)
{
	uint64_t id = (uint64_t)pthread_self();

	STALE(ompd_device_initialize(a, self_target_context(), OMPD_DEVICE_KIND_HOST, 4, &id, &r.as));
	STALE(ompd_rel_address_space_handle(a));
	STALE(ompd_get_device_thread_id_kinds(a, &r.kinds, &r.sizes, &r.number));
	STALE(ompd_get_omp_version(a, &r.word));
	STALE(ompd_get_omp_version_string(a, &r.string));
	STALE(ompd_get_thread_in_parallel(p, 0, &r.thread));
	STALE(ompd_get_thread_handle(a, OMPD_THREAD_ID_PTHREAD, 8, &id, &r.thread));
	STALE(ompd_rel_thread_handle(t));
	STALE(ompd_thread_handle_compare(t, thread, &r.number));
	STALE(ompd_thread_handle_compare(thread, t, &r.number));
	STALE(ompd_get_thread_id(t, OMPD_THREAD_ID_PTHREAD, 8, &r.thread_id));
	STALE(ompd_get_device_from_thread(t, &r.as));
	STALE(ompd_get_curr_parallel_handle(t, &r.region));
	STALE(ompd_get_enclosing_parallel_handle(p, &r.region));
	STALE(ompd_get_task_parallel_handle(k, &r.region));
	STALE(ompd_rel_parallel_handle(p));
	STALE(ompd_parallel_handle_compare(p, region, &r.number));
	STALE(ompd_parallel_handle_compare(region, p, &r.number));
	STALE(ompd_get_curr_task_handle(t, &r.task));
	STALE(ompd_get_generating_task_handle(k, &r.task));
	STALE(ompd_get_scheduling_task_handle(k, &r.task));
	STALE(ompd_get_task_in_parallel(p, 0, &r.task));
	STALE(ompd_rel_task_handle(k));
	STALE(ompd_task_handle_compare(k, task, &r.number));
	STALE(ompd_task_handle_compare(task, k, &r.number));
	STALE(ompd_get_task_function(k, &r.address));
	STALE(ompd_get_task_frame(k, &r.frame, &r.frame));
	STALE(ompd_enumerate_states(a, ompt_state_undefined, &r.word, &r.string, &r.word2));
	STALE(ompd_get_state(t, &r.word, &r.wait));
	STALE(ompd_get_display_control_vars(a, &r.vars));
	STALE(ompd_enumerate_icvs(a, 0, &r.id, &r.string, &r.scope, &r.number));
	SCOPE(ompd_get_icv_from_scope(a, ompd_scope_address_space, 19, &r.word));
	SCOPE(ompd_get_icv_from_scope(t, ompd_scope_thread, 21, &r.word));
	SCOPE(ompd_get_icv_from_scope(p, ompd_scope_parallel, 14, &r.word));
	SCOPE(ompd_get_icv_from_scope(k, ompd_scope_task, 7, &r.word));
	SCOPE(ompd_get_icv_from_scope(k, ompd_scope_implicit_task, 31, &r.word));
	SCOPE(ompd_get_icv_string_from_scope(a, ompd_scope_address_space, 19, &r.string));
	SCOPE(ompd_get_icv_string_from_scope(k, ompd_scope_task, 7, &r.string));
	SCOPE(ompd_get_tool_data(a, ompd_scope_address_space, &r.word, &r.address));
	SCOPE(ompd_get_tool_data(t, ompd_scope_thread, &r.word, &r.address));
	SCOPE(ompd_get_tool_data(p, ompd_scope_parallel, &r.word, &r.address));
	SCOPE(ompd_get_tool_data(k, ompd_scope_task, &r.word, &r.address));
}

START_TEST(test_api_wrong_handles)
{
	int i = _i;

	check_refused(AS_WRONG(i), TH_WRONG(i), PH_WRONG(i), TK_WRONG(i), i > 0 && i < N_WRONG - 1);
}
END_TEST

/* Their memory is not read: it may be reused. */
START_TEST(test_api_released_handles)
{
	ompd_address_space_handle_t *a, *keep;
	ompd_thread_handle_t *t;
	ompd_parallel_handle_t *p;
	ompd_task_handle_t *k;
	uint64_t id = (uint64_t)pthread_self();

	ck_assert_int_eq(ompd_process_initialize(self_target_context(), &keep), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_device_from_thread(thread, &a), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_thread_handle(a, OMPD_THREAD_ID_PTHREAD, sizeof(id), &id, &t), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_curr_parallel_handle(t, &p), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_curr_task_handle(t, &k), ompd_rc_ok);
	ck_assert_int_eq(ompd_rel_task_handle(k), ompd_rc_ok);
	ck_assert_int_eq(ompd_rel_parallel_handle(p), ompd_rc_ok);
	ck_assert_int_eq(ompd_rel_thread_handle(t), ompd_rc_ok);
	ck_assert_int_eq(ompd_rel_address_space_handle(a), ompd_rc_ok);
	check_refused(a, t, p, k, false);
	ompd_rel_address_space_handle(keep);
}
END_TEST

/* Create many handles and release them in another order: each is live until its release. */
START_TEST(test_api_many_handles)
{
	enum { N = 3000, STEP = 1009 };
	static ompd_task_handle_t *handles[N];
	ompd_word_t number;

	for (int i = 0; i < N; i++)
		ck_assert_int_eq(ompd_get_curr_task_handle(thread, &handles[i]), ompd_rc_ok);
	for (int i = 0; i < N; i++) {
		ompd_task_handle_t *handle = handles[(i * STEP) % N], *next = handles[(i + 1) * STEP % N];

		ck_assert_int_eq(ompd_rel_task_handle(handle), ompd_rc_ok);
		ck_assert_int_eq(ompd_rel_task_handle(handle), ompd_rc_stale_handle);
		ck_assert_int_eq(ompd_get_icv_from_scope(next, ompd_scope_task, 23, &number),
				 i == N - 1 ? ompd_rc_stale_handle : ompd_rc_ok);
	}
	ck_assert_int_eq(ompd_get_icv_from_scope(task, ompd_scope_task, 23, &number), ompd_rc_ok);
}
END_TEST

START_TEST(test_api_null_results)
{
	uint64_t id = (uint64_t)pthread_self();

	BAD(ompd_get_api_version(NULL));
	BAD(ompd_get_version_string(NULL));
	BAD(ompd_process_initialize(NULL, &r.as));
	BAD(ompd_process_initialize(self_target_context(), NULL));
	BAD(ompd_device_initialize(as, NULL, OMPD_DEVICE_KIND_HOST, 4, &id, &r.as));
	BAD(ompd_device_initialize(as, self_target_context(), OMPD_DEVICE_KIND_HOST, 0, &id, &r.as));
	BAD(ompd_device_initialize(as, self_target_context(), OMPD_DEVICE_KIND_HOST, 4, NULL, &r.as));
	BAD(ompd_device_initialize(as, self_target_context(), OMPD_DEVICE_KIND_HOST, 4, &id, NULL));
	BAD(ompd_get_device_thread_id_kinds(as, NULL, &r.sizes, &r.number));
	BAD(ompd_get_device_thread_id_kinds(as, &r.kinds, NULL, &r.number));
	BAD(ompd_get_device_thread_id_kinds(as, &r.kinds, &r.sizes, NULL));
	BAD(ompd_get_omp_version(as, NULL));
	BAD(ompd_get_omp_version_string(as, NULL));
	BAD(ompd_get_thread_in_parallel(region, 0, NULL));
	BAD(ompd_get_thread_handle(as, OMPD_THREAD_ID_PTHREAD, 8, NULL, &r.thread));
	BAD(ompd_get_thread_handle(as, OMPD_THREAD_ID_PTHREAD, 8, &id, NULL));
	BAD(ompd_thread_handle_compare(thread, thread, NULL));
	BAD(ompd_get_thread_id(thread, OMPD_THREAD_ID_PTHREAD, 8, NULL));
	BAD(ompd_get_device_from_thread(thread, NULL));
	BAD(ompd_get_curr_parallel_handle(thread, NULL));
	BAD(ompd_get_enclosing_parallel_handle(region, NULL));
	BAD(ompd_get_task_parallel_handle(task, NULL));
	BAD(ompd_parallel_handle_compare(region, region, NULL));
	BAD(ompd_get_curr_task_handle(thread, NULL));
	BAD(ompd_get_generating_task_handle(task, NULL));
	BAD(ompd_get_scheduling_task_handle(task, NULL));
	BAD(ompd_get_task_in_parallel(region, 0, NULL));
	BAD(ompd_task_handle_compare(task, task, NULL));
	BAD(ompd_get_task_function(task, NULL));
	BAD(ompd_get_task_frame(task, NULL, &r.frame));
	BAD(ompd_get_task_frame(task, &r.frame, NULL));
	BAD(ompd_enumerate_states(as, ompt_state_undefined, NULL, &r.string, &r.word2));
	BAD(ompd_enumerate_states(as, ompt_state_undefined, &r.word, NULL, &r.word2));
	BAD(ompd_enumerate_states(as, ompt_state_undefined, &r.word, &r.string, NULL));
	BAD(ompd_get_state(thread, NULL, &r.wait));
	BAD(ompd_get_display_control_vars(as, NULL));
	BAD(ompd_rel_display_control_vars(NULL));
	BAD(ompd_rel_display_control_vars(&r.vars));
	BAD(ompd_enumerate_icvs(as, 0, NULL, &r.string, &r.scope, &r.number));
	BAD(ompd_enumerate_icvs(as, 0, &r.id, NULL, &r.scope, &r.number));
	BAD(ompd_enumerate_icvs(as, 0, &r.id, &r.string, NULL, &r.number));
	BAD(ompd_enumerate_icvs(as, 0, &r.id, &r.string, &r.scope, NULL));
	BAD(ompd_get_icv_from_scope(as, ompd_scope_address_space, 19, NULL));
	BAD(ompd_get_icv_string_from_scope(as, ompd_scope_address_space, 19, NULL));
	BAD(ompd_get_tool_data(thread, ompd_scope_thread, NULL, &r.address));
	BAD(ompd_get_tool_data(thread, ompd_scope_thread, &r.word, NULL));
}
END_TEST

/* 29 ICVs of OpenMP 5.2 and eight names of OMPD and aliases; our runtime has seven more of 6.0. */
static uint64_t n_icvs(void)
{
	return oracle_runtime_is_ours() ? 44 : 37;
}

START_TEST(test_api_wrong_values)
{
	uint64_t id = (uint64_t)pthread_self();

	BAD(ompd_get_thread_handle(as, OMPD_THREAD_ID_PTHREAD, 4, &id, &r.thread));
	BAD(ompd_get_thread_handle(as, OMPD_THREAD_ID_LWP, 2, &id, &r.thread));
	BAD(ompd_get_thread_id(thread, OMPD_THREAD_ID_PTHREAD, 4, &r.thread_id));
	BAD(ompd_get_thread_id(thread, OMPD_THREAD_ID_LWP, 1, &r.thread_id));
	BAD(ompd_get_thread_in_parallel(region, -1, &r.thread));
	BAD(ompd_get_thread_in_parallel(region, 1, &r.thread));
	BAD(ompd_get_thread_in_parallel(region, 0x7fffffff, &r.thread));
	BAD(ompd_get_task_in_parallel(region, -1, &r.task));
	BAD(ompd_get_task_in_parallel(region, 1, &r.task));
	BAD(ompd_enumerate_states(as, 5, &r.word, &r.string, &r.word2));
	BAD(ompd_enumerate_states(as, -1, &r.word, &r.string, &r.word2));
	BAD(ompd_enumerate_states(as, ompt_state_overhead, &r.word, &r.string, &r.word2));
	BAD(ompd_enumerate_icvs(as, n_icvs(), &r.id, &r.string, &r.scope, &r.number));
	BAD(ompd_enumerate_icvs(as, UINT64_MAX, &r.id, &r.string, &r.scope, &r.number));
	BAD(ompd_get_icv_from_scope(as, ompd_scope_address_space, 0, &r.word));
	BAD(ompd_get_icv_from_scope(as, ompd_scope_address_space, n_icvs() + 1, &r.word));
	BAD(ompd_get_icv_from_scope(region, ompd_scope_parallel, n_icvs() + 1, &r.word));
	BAD(ompd_get_icv_from_scope(as, ompd_scope_address_space, UINT64_MAX, &r.word));
	BAD(ompd_get_icv_from_scope(as, 0, 19, &r.word));
	BAD(ompd_get_icv_from_scope(as, ompd_scope_teams, 19, &r.word));
	BAD(ompd_get_icv_from_scope(as, (ompd_scope_t)99, 19, &r.word));
	REFUSED(ompd_get_icv_from_scope(as, ompd_scope_thread, 21, &r.word), ompd_rc_incompatible);
	BAD(ompd_get_tool_data(as, (ompd_scope_t)0, &r.word, &r.address));
	/* Thread id kinds that this platform lacks are unsupported, not wrong. */
	ck_assert_int_eq(ompd_get_thread_handle(as, OMPD_THREAD_ID_WINTHREAD, 8, &id, &r.thread), ompd_rc_unsupported);
	ck_assert_int_eq(ompd_get_thread_id(thread, OMPD_THREAD_ID_CUDALOGICAL, 8, &r.thread_id), ompd_rc_unsupported);
	ck_assert_int_eq(ompd_device_initialize(as, self_target_context(), OMPD_DEVICE_KIND_CUDA, 8, &id, &r.as),
			 ompd_rc_unsupported);
	BAD(ompd_device_initialize(as, self_target_context(), OMPD_DEVICE_KIND_HOST, 2, &id, &r.as));
	/* This program has no OMPT tool, and libgomp has no OMPT. */
	ck_assert_int_eq(ompd_get_tool_data(task, ompd_scope_task, &r.word, &r.address),
			 oracle_runtime_is_ours() ? ompd_rc_unavailable : ompd_rc_unsupported);
	ck_assert(!memcmp(&r, &untouched, sizeof(r)));
}
END_TEST

/* A thread id without a thread. */
START_TEST(test_api_unknown_thread)
{
	uint32_t lwp = 1;
	uint64_t heap = (uint64_t)(uintptr_t)as, null = 0;

	ck_assert_int_eq(ompd_get_thread_handle(as, OMPD_THREAD_ID_LWP, sizeof(lwp), &lwp, &r.thread),
			 ompd_rc_unavailable);
	BAD(ompd_get_thread_handle(as, OMPD_THREAD_ID_PTHREAD, sizeof(heap), &heap, &r.thread));
	BAD(ompd_get_thread_handle(as, OMPD_THREAD_ID_PTHREAD, sizeof(null), &null, &r.thread));
}
END_TEST

START_TEST(test_api_before_initialize)
{
	ompd_word_t version = 0;
	const char *string = NULL;
	ompd_callbacks_t table = *self_target_callbacks();

	r = untouched;
	ck_assert_int_eq(ompd_get_api_version(&version), ompd_rc_ok);
	ck_assert_int_eq(version, 202111);
	ck_assert_int_eq(ompd_get_version_string(&string), ompd_rc_ok);
	ck_assert_ptr_nonnull(strstr(string, "libompd"));
	const struct decode_arch *own = decode_arch;
	ck_assert_int_eq(ompd_use_processor(own == &decode_x86_64 ? EM_AARCH64 : EM_X86_64), ompd_rc_ok);
	ck_assert_ptr_ne(decode_arch, own);
	ck_assert_int_eq(ompd_use_processor(EM_S390), ompd_rc_unsupported);
	ck_assert_int_eq(ompd_use_processor(-1), ompd_rc_unsupported);
	ck_assert_int_eq(ompd_use_processor(0x10000 + own->elf_machine), ompd_rc_unsupported);
	ck_assert_ptr_ne(decode_arch, own);
	ck_assert_int_eq(ompd_use_processor(own->elf_machine), ompd_rc_ok);
	ck_assert_ptr_eq(decode_arch, own);
	ck_assert_int_eq(ompd_finalize(), ompd_rc_unsupported);
	ck_assert_int_eq(ompd_process_initialize(self_target_context(), &r.as), ompd_rc_error);
	ck_assert_int_eq(ompd_rel_thread_handle(NULL), ompd_rc_error);
	ck_assert_int_eq(ompd_enumerate_icvs(NULL, 0, &r.id, &r.string, &r.scope, &r.number), ompd_rc_error);
	ck_assert(!memcmp(&r, &untouched, sizeof(r)));

	ck_assert_int_eq(ompd_initialize(202111, NULL), ompd_rc_bad_input);
	ck_assert_int_eq(ompd_initialize(201611, &table), ompd_rc_unsupported);
	ck_assert_int_eq(ompd_initialize(0x5000602, &table), ompd_rc_unsupported);
	table.read_memory = NULL;
	ck_assert_int_eq(ompd_initialize(202111, &table), ompd_rc_bad_input);
	memset(&table, 0, sizeof(table));
	ck_assert_int_eq(ompd_initialize(202111, &table), ompd_rc_bad_input);

	static const ompd_word_t versions[] = {201811, 202011, 202111, 202411};

	for (size_t i = 0; i < 4; i++) {
		ck_assert_int_eq(ompd_initialize(versions[i], self_target_callbacks()), ompd_rc_ok);
		ck_assert_int_eq(ompd_initialize(versions[i], self_target_callbacks()), ompd_rc_ok);
		ck_assert_int_eq(ompd_initialize(1, self_target_callbacks()), ompd_rc_unsupported);
		ck_assert_int_eq(ompd_get_api_version(&version), ompd_rc_ok);
		ck_assert_int_eq(version, versions[i] == 202411 ? 202411 : 202111);
		ck_assert_int_eq(ompd_finalize(), ompd_rc_ok);
		ck_assert_int_eq(ompd_finalize(), ompd_rc_unsupported);
	}
}
END_TEST

static void free_text(const char *text)
{
	self_target_callbacks()->free_memory((void *)(uintptr_t)text);
}

/* The scopes that today's tools have handles for: LLVM's gdb plugin stops at any other scope. */
static bool is_known_scope(ompd_scope_t scope)
{
	return scope == ompd_scope_address_space || scope == ompd_scope_thread || scope == ompd_scope_parallel ||
	       scope == ompd_scope_task;
}

/* LLVM's numbers, which are built into some tools. */
START_TEST(test_api_numbers_that_tools_know)
{
	static const struct {
		ompd_icv_id_t id;
		const char *name;
	} known[] = {{7, "nthreads-var"},      {12, "tool-libraries-var"}, {15, "active-levels-var"},
		     {16, "thread-limit-var"}, {19, "num-procs-var"},	   {22, "ompd-thread-num-var"},
		     {26, "implicit-task-var"}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		ck_assert_int_eq(ompd_enumerate_icvs(as, known[i].id - 1, &r.id, &r.string, &r.scope, &r.number),
				 ompd_rc_ok);
		ck_assert_str_eq(r.string, known[i].name);
		free_text(r.string);
	}
}
END_TEST

START_TEST(test_api_enumerations_are_complete)
{
	ompd_word_t state = ompt_state_undefined, more_states = 1;
	ompd_icv_id_t id = 0;
	int n = 0, aliases = 0, more = 1;

	while (more_states) {
		ompd_word_t before = state;

		ck_assert_int_eq(ompd_enumerate_states(as, state, &state, &r.string, &more_states), ompd_rc_ok);
		ck_assert_int_eq(strncmp(r.string, "ompt_state_", 11), 0);
		ck_assert(before == ompt_state_undefined || state > before);
		free_text(r.string);
		n++;
	}
	ck_assert_int_eq(n, 22);
	for (n = 0; more; n++) {
		ck_assert_int_eq(ompd_enumerate_icvs(as, id, &id, &r.string, &r.scope, &more), ompd_rc_ok);
		ck_assert_int_eq(id, n + 1);
		ck_assert_msg(is_known_scope(r.scope), "%s: scope %d", r.string, r.scope);
		aliases += !strncmp(r.string, "ompd-", 5);
		free_text(r.string);
	}
	ck_assert_uint_eq((uint64_t)n, n_icvs());
	ck_assert_int_eq(aliases, 7);
}
END_TEST

START_TEST(test_api_host_has_two_thread_id_kinds)
{
	ck_assert_int_eq(ompd_get_device_thread_id_kinds(as, &r.kinds, &r.sizes, &r.number), ompd_rc_ok);
	ck_assert_int_eq(r.number, 2);
	ck_assert_uint_eq(r.kinds[0], OMPD_THREAD_ID_PTHREAD);
	ck_assert_uint_eq(r.sizes[0], sizeof(pthread_t));
	ck_assert_uint_eq(r.kinds[1], OMPD_THREAD_ID_LWP);
	ck_assert_uint_eq(r.sizes[1], sizeof(int));
	free_text((const char *)r.kinds);
	free_text((const char *)r.sizes);
}
END_TEST

/* Handles do not refer to each other: the first one may be released first. */
START_TEST(test_api_release_in_any_order)
{
	ompd_address_space_handle_t *own;
	ompd_parallel_handle_t *of_task;
	ompd_word_t number = -1;
	int cmp = -1;

	ck_assert_int_eq(ompd_rel_address_space_handle(as), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_device_from_thread(thread, &own), ompd_rc_ok);
	ck_assert_int_eq(ompd_rel_thread_handle(thread), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_task_parallel_handle(task, &of_task), ompd_rc_ok);
	ck_assert_int_eq(ompd_rel_task_handle(task), ompd_rc_ok);
	ck_assert_int_eq(ompd_parallel_handle_compare(of_task, region, &cmp), ompd_rc_ok);
	ck_assert_int_eq(cmp, 0);
	ck_assert_int_eq(ompd_rel_parallel_handle(region), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_thread_in_parallel(of_task, 0, &thread), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_curr_task_handle(thread, &task), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_icv_from_scope(of_task, ompd_scope_parallel, 14, &number), ompd_rc_ok);
	ck_assert_int_eq(number, 0);
	as = own;
	region = of_task;
}
END_TEST

START_TEST(test_api_compare_orders_64_bits)
{
	ompd_address_space_handle_t *other;
	ompd_thread_handle_t *of_other;
	uint64_t id = (uint64_t)pthread_self();
	int cmp = -1;

	/* Two address space handles of the same process are one process. */
	ck_assert_int_eq(ompd_process_initialize(self_target_context(), &other), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_thread_handle(other, OMPD_THREAD_ID_PTHREAD, sizeof(id), &id, &of_other), ompd_rc_ok);
	ck_assert_int_eq(ompd_thread_handle_compare(thread, of_other, &cmp), ompd_rc_ok);
	ck_assert_int_eq(cmp, 0);
	ompd_rel_thread_handle(of_other);
	ompd_rel_address_space_handle(other);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("api");
	TCase *tcase = tcase_create("bad_input");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, test_api_wrong_handles, 0, N_WRONG);
	tcase_add_test(tcase, test_api_released_handles);
	tcase_add_test(tcase, test_api_many_handles);
	tcase_add_test(tcase, test_api_null_results);
	tcase_add_test(tcase, test_api_wrong_values);
	tcase_add_test(tcase, test_api_unknown_thread);
	tcase_add_test(tcase, test_api_numbers_that_tools_know);
	tcase_add_test(tcase, test_api_enumerations_are_complete);
	tcase_add_test(tcase, test_api_host_has_two_thread_id_kinds);
	tcase_add_test(tcase, test_api_release_in_any_order);
	tcase_add_test(tcase, test_api_compare_orders_64_bits);
	suite_add_tcase(suite, tcase);

	TCase *library = tcase_create("library");

	tcase_add_test(library, test_api_before_initialize);
	suite_add_tcase(suite, library);
	return check_main(suite);
}
