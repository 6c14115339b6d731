/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An OMPD library that reads no target: it has a small world of its own, and faults on demand. The environment variable
 * FAKE_OMPD names its fault, if any. Unit tests of openmp/ and methods/ load it.
 * The world: threads with kernel ids 100.. (FAKE_OMPD_THREADS of them, default 4) are a team (region 2, level 1). Its
 * parent is the implicit region 1 of thread 100. Task 10 is the initial task, task 20+n the implicit task of thread n.
 * Thread 1 executes explicit task 5, which its implicit task generated. The implicit task is interrupted for it. Thread
 * id 199 is not an OpenMP thread.
 */
#include <omp-tools.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct object {
	int id;
};

static const ompd_callbacks_t *callbacks;
static const char *fault = "";
static int n_threads = 4;

static int is(const char *name)
{
	return strcmp(fault, name) == 0;
}

static void read_environment(void)
{
	const char *n = getenv("FAKE_OMPD_THREADS");

	fault = getenv("FAKE_OMPD") ? getenv("FAKE_OMPD") : "";
	n_threads = n ? atoi(n) : 4;
}

static ompd_rc_t make(int id, void *ret)
{
	void *p;
	ompd_rc_t rc = callbacks->alloc_memory(sizeof(struct object), &p);

	if (rc != ompd_rc_ok)
		return rc;
	((struct object *)p)->id = id;
	*(void **)ret = p;
	return ompd_rc_ok;
}

static ompd_rc_t give_string(const char *text, const char **ret)
{
	void *p;

	/* Old libraries return constants where the tool frees. */
	if (is("constants")) {
		*ret = text;
		return ompd_rc_ok;
	}
	if (callbacks->alloc_memory(strlen(text) + 1, &p) != ompd_rc_ok)
		return ompd_rc_nomem;
	*ret = strcpy(p, text);
	return ompd_rc_ok;
}

static ompd_rc_t release(void *p)
{
	if (is("frees_twice"))
		callbacks->free_memory(p);
	callbacks->free_memory(p);
	return ompd_rc_ok;
}

static int id_of(void *p)
{
	return ((struct object *)p)->id;
}

static ompd_rc_t compare(void *a, void *b, int *ret)
{
	if (is("cannot_compare"))
		return ompd_rc_error;
	*ret = (id_of(a) > id_of(b)) - (id_of(a) < id_of(b));
	return ompd_rc_ok;
}

#ifndef FAKE_WITHOUT_GET_STATE
OMPD_API ompd_rc_t ompd_get_state(ompd_thread_handle_t *thread, ompd_word_t *state, ompd_wait_id_t *wait_id)
{
	(void)thread;
	if (is("crash")) {
		int *volatile nowhere = (int *)16; /* NULL would trigger the undefined behaviour sanitizer */

		*nowhere = 1;
	}
	if (is("abort"))
		abort();
	if (is("exit"))
		exit(0);
	if (is("_exit"))
		_exit(0);
	while (is("hang"))
		;
	if (is("wild_rc"))
		return (ompd_rc_t)77;
	*state = id_of(thread) == 100 ? ompt_state_work_parallel : ompt_state_wait_barrier;
	*wait_id = id_of(thread) == 100 ? 0 : 0x5000;
	return ompd_rc_ok;
}
#endif

OMPD_API ompd_rc_t ompd_get_api_version(ompd_word_t *version)
{
	read_environment();
	*version = is("old") ? 201511 : 202111;
	return ompd_rc_ok;
}

OMPD_API ompd_rc_t ompd_get_version_string(const char **string)
{
	*string = is("llvm") ? "LLVM OpenMP 5.0 Debugging Library" : "fake";
	return ompd_rc_ok;
}

OMPD_API ompd_rc_t ompd_initialize(ompd_word_t version, const ompd_callbacks_t *table)
{
	read_environment();
	if (version != 202111)
		return ompd_rc_unsupported;
	callbacks = table;
	if (is("prints"))
		printf("this must not reach the protocol\n");
	return ompd_rc_ok;
}

OMPD_API ompd_rc_t ompd_finalize(void)
{
	callbacks = NULL;
	return ompd_rc_ok;
}

OMPD_API ompd_rc_t ompd_process_initialize(ompd_address_space_context_t *context,
					   ompd_address_space_handle_t **host_handle)
{
	ompd_address_t address = {0, 0x1000};
	uint64_t word;

	if (is("incompatible")) {
		callbacks->print_string("a layout from the future\n", 0);
		return ompd_rc_incompatible;
	}
	if (is("reads"))
		return callbacks->read_memory(context, NULL, &address, sizeof(word), &word);
	if (is("ok_without_handle"))
		return ompd_rc_ok;
	return make(1, host_handle);
}

OMPD_API ompd_rc_t ompd_device_initialize(ompd_address_space_handle_t *host, ompd_address_space_context_t *context,
					  ompd_device_t kind, ompd_size_t size, void *id,
					  ompd_address_space_handle_t **ret)
{
	(void)host, (void)context, (void)kind, (void)size, (void)id, (void)ret;
	return ompd_rc_unsupported;
}

OMPD_API ompd_rc_t ompd_rel_address_space_handle(ompd_address_space_handle_t *handle)
{
	return release(handle);
}

OMPD_API ompd_rc_t ompd_get_omp_version(ompd_address_space_handle_t *handle, ompd_word_t *version)
{
	(void)handle;
	*version = 202111;
	return ompd_rc_ok;
}

OMPD_API ompd_rc_t ompd_get_omp_version_string(ompd_address_space_handle_t *handle, const char **string)
{
	(void)handle;
	return give_string("a fake (GCC 99)", string);
}

OMPD_API ompd_rc_t ompd_get_thread_in_parallel(ompd_parallel_handle_t *parallel, int num, ompd_thread_handle_t **ret)
{
	int size = id_of(parallel) == 2 ? n_threads : 1;

	if (num < 0 || num >= size)
		return ompd_rc_bad_input;
	return make(100 + num, ret);
}

OMPD_API ompd_rc_t ompd_get_thread_handle(ompd_address_space_handle_t *handle, ompd_thread_id_t kind, ompd_size_t size,
					  const void *id, ompd_thread_handle_t **ret)
{
	int tid;

	(void)handle;
	if (kind != OMPD_THREAD_ID_LWP || size != sizeof(tid))
		return ompd_rc_unsupported;
	memcpy(&tid, id, sizeof(tid));
	if (is("no_threads") || tid < 100 || tid >= 100 + n_threads)
		return ompd_rc_unavailable;
	if (is("null_handle"))
		return ompd_rc_ok;
	return make(tid, ret);
}

OMPD_API ompd_rc_t ompd_rel_thread_handle(ompd_thread_handle_t *thread)
{
	return release(thread);
}

OMPD_API ompd_rc_t ompd_thread_handle_compare(ompd_thread_handle_t *a, ompd_thread_handle_t *b, int *ret)
{
	return compare(a, b, ret);
}

OMPD_API ompd_rc_t ompd_get_thread_id(ompd_thread_handle_t *thread, ompd_thread_id_t kind, ompd_size_t size, void *ret)
{
	int tid = id_of(thread);

	if (kind != OMPD_THREAD_ID_LWP || size != sizeof(tid))
		return ompd_rc_unsupported;
	memcpy(ret, &tid, sizeof(tid));
	return ompd_rc_ok;
}

OMPD_API ompd_rc_t ompd_get_curr_parallel_handle(ompd_thread_handle_t *thread, ompd_parallel_handle_t **ret)
{
	(void)thread;
	return make(2, ret);
}

/* As in ompd-more.h. Without a fault it acts like a library without this counter. */
OMPD_API ompd_rc_t ompd_get_barrier_arrived(ompd_parallel_handle_t *parallel, ompd_word_t *n);
OMPD_API ompd_rc_t ompd_get_barrier_arrived(ompd_parallel_handle_t *parallel, ompd_word_t *n)
{
	(void)parallel;
	if (is("arrived_wild"))
		return (ompd_rc_t)77;
	if (!is("arrived") && !is("arrived_negative"))
		return ompd_rc_unsupported;
	*n = is("arrived") ? 2 : -2;
	return ompd_rc_ok;
}

/* As in ompd-more.h: returns the text in FAKE_OMPD_LOCATION. */
OMPD_API ompd_rc_t ompd_get_construct_location(ompd_thread_handle_t *thread, ompd_parallel_handle_t *parallel,
					       ompd_task_handle_t *task, const char **location);
OMPD_API ompd_rc_t ompd_get_construct_location(ompd_thread_handle_t *thread, ompd_parallel_handle_t *parallel,
					       ompd_task_handle_t *task, const char **location)
{
	const char *text = getenv("FAKE_OMPD_LOCATION");

	(void)thread, (void)parallel, (void)task;
	if (is("location_wild"))
		return (ompd_rc_t)77;
	if (is("location_null"))
		return ompd_rc_ok;
	return text ? give_string(text, location) : ompd_rc_unsupported;
}

OMPD_API ompd_rc_t ompd_get_enclosing_parallel_handle(ompd_parallel_handle_t *parallel, ompd_parallel_handle_t **ret)
{
	if (is("endless"))
		return make(id_of(parallel) + 1, ret);
	if (id_of(parallel) == 2)
		return make(1, ret);
	if (is("cyclic"))
		return make(2, ret);
	return ompd_rc_unavailable;
}

OMPD_API ompd_rc_t ompd_get_task_parallel_handle(ompd_task_handle_t *task, ompd_parallel_handle_t **ret)
{
	return make(id_of(task) == 10 ? 1 : 2, ret);
}

OMPD_API ompd_rc_t ompd_rel_parallel_handle(ompd_parallel_handle_t *parallel)
{
	return release(parallel);
}

OMPD_API ompd_rc_t ompd_parallel_handle_compare(ompd_parallel_handle_t *a, ompd_parallel_handle_t *b, int *ret)
{
	return compare(a, b, ret);
}

OMPD_API ompd_rc_t ompd_get_curr_task_handle(ompd_thread_handle_t *thread, ompd_task_handle_t **ret)
{
	return make(id_of(thread) == 101 ? 5 : 20 + id_of(thread) - 100, ret);
}

OMPD_API ompd_rc_t ompd_get_generating_task_handle(ompd_task_handle_t *task, ompd_task_handle_t **ret)
{
	if (id_of(task) == 5)
		return make(21, ret);
	if (id_of(task) != 10)
		return make(10, ret);
	if (is("cyclic"))
		return make(20, ret);
	return ompd_rc_unavailable;
}

OMPD_API ompd_rc_t ompd_get_scheduling_task_handle(ompd_task_handle_t *task, ompd_task_handle_t **ret)
{
	return id_of(task) == 5 ? make(21, ret) : ompd_rc_unavailable;
}

OMPD_API ompd_rc_t ompd_get_task_in_parallel(ompd_parallel_handle_t *parallel, int num, ompd_task_handle_t **ret)
{
	if (id_of(parallel) != 2 || num < 0 || num >= n_threads)
		return ompd_rc_bad_input;
	return make(20 + num, ret);
}

OMPD_API ompd_rc_t ompd_rel_task_handle(ompd_task_handle_t *task)
{
	return release(task);
}

OMPD_API ompd_rc_t ompd_task_handle_compare(ompd_task_handle_t *a, ompd_task_handle_t *b, int *ret)
{
	return compare(a, b, ret);
}

OMPD_API ompd_rc_t ompd_get_task_function(ompd_task_handle_t *task, ompd_address_t *ret)
{
	if (id_of(task) != 5)
		return ompd_rc_unavailable;
	*ret = (ompd_address_t){0, 0x401000};
	return ompd_rc_ok;
}

OMPD_API ompd_rc_t ompd_get_task_frame(ompd_task_handle_t *task, ompd_frame_info_t *exit_frame,
				       ompd_frame_info_t *enter_frame)
{
	(void)task, (void)exit_frame, (void)enter_frame;
	return ompd_rc_unavailable;
}

OMPD_API ompd_rc_t ompd_enumerate_states(ompd_address_space_handle_t *handle, ompd_word_t current, ompd_word_t *next,
					 const char **name, ompd_word_t *more)
{
	(void)handle;
	*next = current == ompt_state_undefined ? 0x200 : current + 1;
	*more = is("endless_states") || *next < 0x201;
	return give_string(*next == 0x200 ? "fake_state" : "bad name!", name);
}

OMPD_API ompd_rc_t ompd_get_display_control_vars(ompd_address_space_handle_t *handle, const char *const **vars)
{
	static const char *const list[] = {"OMP_FAKE=1", "OMP_\xff=2", NULL};

	(void)handle;
	*vars = list;
	return ompd_rc_ok;
}

OMPD_API ompd_rc_t ompd_rel_display_control_vars(const char *const **vars)
{
	return *vars ? ompd_rc_ok : ompd_rc_bad_input;
}

static const struct {
	const char *name;
	ompd_scope_t scope;
} icvs[] = {
	{"levels-var", ompd_scope_parallel},
	{"active-levels-var", ompd_scope_parallel},
	{"team-size-var", ompd_scope_parallel},
	{"thread-num-var", ompd_scope_thread},
	{"ompd-thread-num-var", ompd_scope_thread},
	{"explicit-task-var", ompd_scope_task},
	{"nthreads-var", ompd_scope_task},
	{"run-sched-var", ompd_scope_task},
	{"place-partition-var", ompd_scope_implicit_task},
	{"num-procs-var", ompd_scope_address_space},
	{"wait-policy-var", ompd_scope_global},
};
#define N_ICVS (sizeof(icvs) / sizeof(icvs[0]))

OMPD_API ompd_rc_t ompd_enumerate_icvs(ompd_address_space_handle_t *handle, ompd_icv_id_t current, ompd_icv_id_t *next,
				       const char **name, ompd_scope_t *scope, int *more)
{
	(void)handle;
	*next = is("cyclic_icvs") ? 1 : current + 1;
	*more = is("cyclic_icvs") || *next < N_ICVS;
	*scope = icvs[*next - 1].scope;
	return give_string(icvs[*next - 1].name, name);
}

OMPD_API ompd_rc_t ompd_get_icv_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t id, ompd_word_t *value)
{
	int object = id_of(handle);
	const char *name = id >= 1 && id <= N_ICVS ? icvs[id - 1].name : "";

	(void)scope;
	if (strcmp(name, "levels-var") == 0 || strcmp(name, "active-levels-var") == 0)
		*value = object == 1 ? 0 : 1;
	else if (strcmp(name, "team-size-var") == 0)
		*value = object == 1 ? 1 : is("wild_size") ? INT64_MAX : n_threads;
	else if (strstr(name, "thread-num-var"))
		*value = object - 100;
	else if (strcmp(name, "explicit-task-var") == 0)
		*value = object == 5;
	else if (strcmp(name, "num-procs-var") == 0)
		*value = 2;
	else if (strcmp(name, "run-sched-var") == 0)
		*value = 1;
	else if (strcmp(name, "nthreads-var") == 0) {
		*value = 3;
		return ompd_rc_incomplete;
	} else if (strcmp(name, "wait-policy-var") == 0)
		return ompd_rc_incompatible;
	else
		return ompd_rc_unavailable;
	return ompd_rc_ok;
}

OMPD_API ompd_rc_t ompd_get_icv_string_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t id,
						  const char **string)
{
	const char *name = id >= 1 && id <= N_ICVS ? icvs[id - 1].name : "";

	(void)handle, (void)scope;
	if (strcmp(name, "run-sched-var") == 0)
		return give_string("static,7", string);
	if (strcmp(name, "nthreads-var") == 0)
		return give_string("3,5", string);
	if (strcmp(name, "wait-policy-var") == 0)
		return give_string("passive", string);
	if (strcmp(name, "place-partition-var") == 0)
		return ompd_rc_unavailable;
	return ompd_rc_unsupported;
}

OMPD_API ompd_rc_t ompd_get_tool_data(void *handle, ompd_scope_t scope, ompd_word_t *value, ompd_address_t *ptr)
{
	(void)handle, (void)scope, (void)value, (void)ptr;
	return ompd_rc_unsupported;
}
