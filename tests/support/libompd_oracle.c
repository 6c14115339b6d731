/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The common part of the oracle tests: parking, observing, comparing. */
#include "libompd_oracle.h"

#include <check.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "self_target.h"

struct oracle_view oracle_views[ORACLE_MAX_VIEWS];
int oracle_count;
ompd_address_space_handle_t *oracle_process;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int n_parked, wanted_parked, wanted_recorded;
static bool released;
static void (*observe)(void);

static void record(int tag)
{
	struct oracle_view *v = &oracle_views[oracle_count];

	ck_assert_int_lt(oracle_count, ORACLE_MAX_VIEWS);
	memset(v, 0, sizeof(*v));
	v->thread = pthread_self();
	v->tid = gettid();
	v->tag = tag;
	v->level = omp_get_level();
	v->active_level = omp_get_active_level();
	v->thread_num = omp_get_thread_num();
	v->num_threads = omp_get_num_threads();
	v->max_threads = omp_get_max_threads();
	v->dynamic = omp_get_dynamic();
	v->max_active_levels = omp_get_max_active_levels();
	v->in_final = omp_in_final();
	v->bind = (int)omp_get_proc_bind();
	v->thread_limit = omp_get_thread_limit();
	omp_get_schedule(&v->schedule, &v->chunk);
	for (int i = 0; i <= v->level && i < ORACLE_MAX_LEVEL; i++) {
		v->ancestor[i] = omp_get_ancestor_thread_num(i);
		v->team_size[i] = omp_get_team_size(i);
	}
	oracle_count++;
}

void oracle_record(int tag)
{
	self_target_register();
	pthread_mutex_lock(&lock);
	record(tag);
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

void oracle_park(int tag)
{
	self_target_register();
	pthread_mutex_lock(&lock);
	record(tag);
	n_parked++;
	pthread_cond_broadcast(&changed);
	while (!released)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

void oracle_wait_asleep(int tag)
{
	char path[64], line[256];

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)oracle_view(tag)->tid);
	for (int tries = 0; tries < 300000; tries++) {
		FILE *file = fopen(path, "r");

		ck_assert_ptr_nonnull(file);
		ck_assert_ptr_nonnull(fgets(line, sizeof(line), file));
		fclose(file);
		const char *end = strrchr(line, ')');

		if (end && end[2] == 'S')
			return;
		usleep(1000);
	}
	ck_abort_msg("the thread never slept");
}

uint64_t oracle_sleeps_on(int tag)
{
	char path[64];
	unsigned long word;
	long number;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", (int)oracle_view(tag)->tid);
	FILE *file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fscanf(file, "%ld %lx", &number, &word), 2);
	fclose(file);
	ck_assert_int_eq(number, SYS_futex);
	return word;
}

bool oracle_runtime_is_ours(void)
{
	return dlsym(RTLD_DEFAULT, "ompd_layout") != NULL;
}

bool oracle_runtime_is_libomp(void)
{
	return dlsym(RTLD_DEFAULT, "__kmpc_fork_call") != NULL;
}

const struct oracle_view *oracle_view(int tag)
{
	for (int i = 0; i < oracle_count; i++)
		if (oracle_views[i].tag == tag)
			return &oracle_views[i];
	ck_abort_msg("no view with tag %d", tag);
	return NULL;
}

uint64_t oracle_thread_pointer(const struct oracle_view *view)
{
	uint64_t behind = 0;

#if defined(__aarch64__)
	behind = (uint64_t)(uintptr_t)__builtin_thread_pointer() - (uint64_t)pthread_self();
#endif
	return (uint64_t)view->thread + behind;
}

static void *observer_main(void *unused)
{
	pthread_mutex_lock(&lock);
	while (n_parked < wanted_parked || oracle_count < wanted_recorded)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);

	int64_t before = self_target.live_blocks;

	ck_assert_int_eq(ompd_initialize(202111, self_target_callbacks()), ompd_rc_ok);
	ompd_rc_t rc = ompd_process_initialize(self_target_context(), &oracle_process);

	ck_assert_msg(rc == ompd_rc_ok, "process_initialize: rc %d: %s", rc, self_target.printed);
	observe();
	ck_assert_int_eq(ompd_rel_address_space_handle(oracle_process), ompd_rc_ok);
	ck_assert_int_eq(ompd_finalize(), ompd_rc_ok);
	ck_assert_int_eq(self_target.live_blocks, before);

	pthread_mutex_lock(&lock);
	released = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return unused;
}

void oracle_run(void (*program)(void), int parked, int recorded, void (*observer)(void))
{
	pthread_t thread;

	self_target_reset();
	oracle_count = n_parked = 0;
	released = false;
	wanted_parked = parked;
	wanted_recorded = recorded;
	observe = observer;
	ck_assert_int_eq(pthread_create(&thread, NULL, observer_main, NULL), 0);
	program();
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
}

void oracle_allow_nesting(int levels)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
	omp_set_nested(1);
#pragma GCC diagnostic pop
	omp_set_max_active_levels(levels);
}

ompd_thread_handle_t *oracle_thread(const struct oracle_view *view)
{
	ompd_thread_handle_t *handle = NULL;
	uint32_t lwp = (uint32_t)view->tid;

	ck_assert_int_eq(ompd_get_thread_handle(oracle_process, OMPD_THREAD_ID_LWP, sizeof(lwp), &lwp, &handle),
			 ompd_rc_ok);
	return handle;
}

static ompd_icv_id_t icv_id(const char *name)
{
	ompd_icv_id_t id = ompd_icv_undefined;
	int more = 1;

	while (more) {
		const char *found;
		ompd_scope_t scope;

		ck_assert_int_eq(ompd_enumerate_icvs(oracle_process, id, &id, &found, &scope, &more), ompd_rc_ok);
		bool match = !strcmp(found, name);

		self_target_callbacks()->free_memory((void *)(uintptr_t)found);
		if (match)
			return id;
	}
	ck_abort_msg("no ICV %s", name);
	return 0;
}

ompd_rc_t oracle_icv(void *handle, ompd_scope_t scope, const char *name, ompd_word_t *value)
{
	return ompd_get_icv_from_scope(handle, scope, icv_id(name), value);
}

ompd_rc_t oracle_icv_string(void *handle, ompd_scope_t scope, const char *name, char *text, size_t size)
{
	const char *string;
	ompd_rc_t rc = ompd_get_icv_string_from_scope(handle, scope, icv_id(name), &string);

	if (rc == ompd_rc_ok) {
		snprintf(text, size, "%s", string);
		self_target_callbacks()->free_memory((void *)(uintptr_t)string);
	}
	return rc;
}

static void check_icv(void *handle, ompd_scope_t scope, const char *name, long expected)
{
	ompd_word_t value = -12345;
	ompd_rc_t rc = oracle_icv(handle, scope, name, &value);

	ck_assert_msg(rc == ompd_rc_ok || rc == ompd_rc_incomplete, "%s: rc %d", name, rc);
	ck_assert_msg(value == expected, "%s: %ld, expected %ld", name, (long)value, expected);
}

/*
 * libgomp lists its root thread only where the outermost region started threads. Under a serialized
 * outermost region a worker below has no way to the root, which is thread 0 of all those regions.
 */
static bool root_may_be_unknown(const struct oracle_view *v, int level)
{
	bool is_root = true;

	if (v->level < 1 || v->team_size[1] != 1)
		return false;
	for (int i = 1; i <= v->level; i++)
		is_root = is_root && !v->ancestor[i];
	for (int i = 1; i <= level; i++)
		if (v->ancestor[i])
			return false;
	return !is_root;
}

/* Check the regions from the innermost one outwards. Each must contain the view's ancestor thread. */
static void check_regions(ompd_thread_handle_t *thread, const struct oracle_view *v)
{
	ompd_parallel_handle_t *region, *outer;
	ompd_thread_handle_t *member;
	ompd_word_t size;
	int cmp = -1;

	ck_assert_int_eq(ompd_get_curr_parallel_handle(thread, &region), ompd_rc_ok);
	check_icv(region, ompd_scope_parallel, "active-levels-var", v->active_level);
	for (int level = v->level; level >= 0; level--) {
		check_icv(region, ompd_scope_parallel, "levels-var", level);
		check_icv(region, ompd_scope_parallel, "team-size-var", v->team_size[level]);
		check_icv(region, ompd_scope_parallel, "ompd-team-size-var", v->team_size[level]);

		ompd_rc_t rc = ompd_get_thread_in_parallel(region, v->ancestor[level], &member);

		ck_assert_msg(rc == ompd_rc_ok || (rc == ompd_rc_unavailable && root_may_be_unknown(v, level)),
			      "thread %d of level %d: rc %d", v->ancestor[level], level, rc);
		if (level == v->level) {
			ck_assert_int_eq(ompd_thread_handle_compare(thread, member, &cmp), ompd_rc_ok);
			ck_assert_int_eq(cmp, 0);
		}
		if (rc == ompd_rc_ok)
			ck_assert_int_eq(ompd_rel_thread_handle(member), ompd_rc_ok);
		ck_assert_int_eq(oracle_icv(region, ompd_scope_parallel, "team-size-var", &size), ompd_rc_ok);
		ck_assert_int_eq(ompd_get_thread_in_parallel(region, (int)size, &member), ompd_rc_bad_input);

		rc = ompd_get_enclosing_parallel_handle(region, &outer);
		ck_assert_int_eq(rc, level ? ompd_rc_ok : ompd_rc_unavailable);
		ck_assert_int_eq(ompd_rel_parallel_handle(region), ompd_rc_ok);
		region = outer;
	}
}

static void check_task(ompd_thread_handle_t *thread, const struct oracle_view *v)
{
	ompd_task_handle_t *task;
	ompd_parallel_handle_t *region, *of_task;
	int cmp = -1;

	ck_assert_int_eq(ompd_get_curr_task_handle(thread, &task), ompd_rc_ok);
	check_icv(task, ompd_scope_task, "nthreads-var", v->max_threads);
	check_icv(task, ompd_scope_task, "dyn-var", v->dynamic);
	check_icv(task, ompd_scope_task, "max-active-levels-var", v->max_active_levels);
	check_icv(task, ompd_scope_task, "final-task-var", v->in_final);
	check_icv(task, ompd_scope_task, "ompd-final-var", v->in_final);
	check_icv(task, ompd_scope_task, "bind-var", v->bind);
	check_icv(task, ompd_scope_task, "thread-limit-var", v->thread_limit);
	check_icv(task, ompd_scope_task, "run-sched-var", (long)(unsigned)v->schedule);

	ck_assert_int_eq(ompd_get_task_parallel_handle(task, &of_task), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_curr_parallel_handle(thread, &region), ompd_rc_ok);
	ck_assert_int_eq(ompd_parallel_handle_compare(region, of_task, &cmp), ompd_rc_ok);
	ck_assert_int_eq(cmp, 0);
	ck_assert_int_eq(ompd_rel_parallel_handle(region), ompd_rc_ok);
	ck_assert_int_eq(ompd_rel_parallel_handle(of_task), ompd_rc_ok);
	ck_assert_int_eq(ompd_rel_task_handle(task), ompd_rc_ok);
}

void oracle_check_view(const struct oracle_view *v)
{
	ompd_thread_handle_t *thread = oracle_thread(v), *same;
	uint32_t lwp = 0;
	uint64_t pthread = 0;
	int cmp = -1;

	ck_assert_int_eq(ompd_get_thread_id(thread, OMPD_THREAD_ID_LWP, sizeof(lwp), &lwp), ompd_rc_ok);
	ck_assert_uint_eq(lwp, (uint32_t)v->tid);
	ck_assert_int_eq(ompd_get_thread_id(thread, OMPD_THREAD_ID_PTHREAD, sizeof(pthread), &pthread), ompd_rc_ok);
	ck_assert_uint_eq(pthread, (uint64_t)v->thread);
	ck_assert_int_eq(
		ompd_get_thread_handle(oracle_process, OMPD_THREAD_ID_PTHREAD, sizeof(pthread), &pthread, &same),
		ompd_rc_ok);
	ck_assert_int_eq(ompd_thread_handle_compare(thread, same, &cmp), ompd_rc_ok);
	ck_assert_int_eq(cmp, 0);
	ck_assert_int_eq(ompd_rel_thread_handle(same), ompd_rc_ok);

	check_icv(thread, ompd_scope_thread, "thread-num-var", v->thread_num);
	check_icv(thread, ompd_scope_thread, "ompd-thread-num-var", v->thread_num);
	check_regions(thread, v);
	check_task(thread, v);
	ck_assert_int_eq(ompd_rel_thread_handle(thread), ompd_rc_ok);
}

void oracle_check_all(void)
{
	for (int i = 0; i < oracle_count; i++)
		oracle_check_view(&oracle_views[i]);
}

void oracle_check_state(int tag, ompd_word_t expected)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(tag));
	ompd_word_t state = -1;
	ompd_wait_id_t wait = 0;

	ck_assert_int_eq(ompd_get_state(thread, &state, &wait), ompd_rc_ok);
	ck_assert_int_eq(state, expected);
	ck_assert_uint_ne(wait, 0);
	ompd_rel_thread_handle(thread);
}

void oracle_check_at_work(int tag)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(tag));
	ompd_word_t state = -1;

	ck_assert_int_eq(ompd_get_state(thread, &state, NULL),
			 oracle_runtime_is_ours() ? ompd_rc_ok : ompd_rc_unavailable);
	ck_assert_int_eq(state, oracle_runtime_is_ours() ? (int)ompt_state_work_parallel : -1);
	ompd_rel_thread_handle(thread);
}
