/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds handles with the routines of the library under test. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

#include "library.h"
#include "reply.h"
#include "tool.h"

/* Bound on walks of regions, tasks and ICVs. */
#define MAX_STEPS 256

union out out;

static const struct target *target;

void fixture_open(const struct target *given)
{
	target = given;
}

/* End the child if a routine that the line needs failed. */
static void need(ompd_rc_t rc, const char *routine)
{
	if (rc != ompd_rc_ok)
		reply_not_asked("%s answered %s", routine, reply_code_name((int)rc));
}

ompd_address_space_handle_t *fixture_space(void)
{
	static ompd_address_space_handle_t *space;

	if (!space)
		need(OMPD(process_initialize)(tool_context(), &space), "ompd_process_initialize");
	return space;
}

size_t fixture_n_threads(void)
{
	return target->n_threads;
}

const struct target_thread *fixture_native(size_t i)
{
	return &target->threads[i];
}

ompd_thread_handle_t *fixture_thread_of(size_t i)
{
	uint64_t id = (uint64_t)target->threads[i].tid;
	ompd_thread_handle_t *thread;
	ompd_rc_t rc = OMPD(get_thread_handle)(fixture_space(), OMPD_THREAD_ID_LWP, sizeof(id), &id, &thread);

	return rc == ompd_rc_ok ? thread : NULL;
}

ompd_thread_handle_t *fixture_thread(void)
{
	static ompd_thread_handle_t *thread;

	if (!thread)
		thread = fixture_thread_of(0);
	if (!thread)
		reply_not_asked("ompd_get_thread_handle fails for the initial thread");
	return thread;
}

ompd_parallel_handle_t *fixture_parallel(void)
{
	static ompd_parallel_handle_t *parallel;

	if (!parallel)
		need(OMPD(get_curr_parallel_handle)(fixture_thread(), &parallel), "ompd_get_curr_parallel_handle");
	return parallel;
}

int fixture_number(ompd_thread_handle_t *thread)
{
	return (int)fixture_icv_value(thread, "thread-num-var");
}

ompd_task_handle_t *fixture_task(void)
{
	static ompd_task_handle_t *task;

	if (!task)
		need(OMPD(get_curr_task_handle)(fixture_thread(), &task), "ompd_get_curr_task_handle");
	return task;
}

ompd_thread_handle_t *fixture_other_thread(void)
{
	for (size_t i = 1; i < target->n_threads; i++) {
		ompd_thread_handle_t *thread = fixture_thread_of(i);

		if (thread)
			return thread;
	}
	reply_not_asked("the program has only one OpenMP thread");
}

ompd_parallel_handle_t *fixture_other_parallel(void)
{
	ompd_parallel_handle_t *parallel;

	need(OMPD(get_enclosing_parallel_handle)(fixture_parallel(), &parallel), "ompd_get_enclosing_parallel_handle");
	return parallel;
}

ompd_task_handle_t *fixture_other_task(void)
{
	ompd_task_handle_t *task;

	need(OMPD(get_generating_task_handle)(fixture_task(), &task), "ompd_get_generating_task_handle");
	return task;
}

int fixture_team_size(ompd_parallel_handle_t *parallel)
{
	return (int)fixture_icv_value(parallel, "team-size-var");
}

/* Return whether @thread executes another task than its implicit task in its region. */
static bool is_in_explicit_task(ompd_thread_handle_t *thread, ompd_task_handle_t **ret)
{
	ompd_parallel_handle_t *parallel;
	ompd_task_handle_t *task;
	int different;

	if (OMPD(get_curr_parallel_handle)(thread, &parallel) != ompd_rc_ok ||
	    OMPD(get_curr_task_handle)(thread, ret) != ompd_rc_ok ||
	    OMPD(get_task_in_parallel)(parallel, fixture_number(thread), &task) != ompd_rc_ok)
		return false;
	return OMPD(task_handle_compare)(*ret, task, &different) == ompd_rc_ok && different;
}

static ompd_thread_handle_t *find_task_thread(ompd_task_handle_t **task)
{
	for (size_t i = 0; i < target->n_threads; i++) {
		ompd_thread_handle_t *thread = fixture_thread_of(i);

		if (thread && is_in_explicit_task(thread, task))
			return thread;
	}
	reply_not_asked("no thread is known to execute an explicit task");
}

ompd_thread_handle_t *fixture_task_thread(void)
{
	ompd_task_handle_t *task;

	return find_task_thread(&task);
}

ompd_task_handle_t *fixture_explicit_task(void)
{
	ompd_task_handle_t *task;

	find_task_thread(&task);
	return task;
}

ompd_thread_handle_t *fixture_idle_thread(void)
{
	ompd_word_t state;
	ompd_wait_id_t wait;

	for (size_t i = 0; i < target->n_threads; i++) {
		ompd_thread_handle_t *thread = fixture_thread_of(i);

		if (thread && OMPD(get_state)(thread, &state, &wait) == ompd_rc_ok && state == ompt_state_idle)
			return thread;
	}
	reply_not_asked("no thread is known to be idle");
}

const struct target_thread *fixture_foreign_thread(void)
{
	for (size_t i = 0; i < target->n_threads; i++) {
		if (!fixture_thread_of(i))
			return &target->threads[i];
	}
	reply_not_asked("all threads of the program are OpenMP threads");
}

ompd_parallel_handle_t *fixture_outermost(void)
{
	ompd_parallel_handle_t *parallel = fixture_parallel(), *outer;

	for (int i = 0; i < MAX_STEPS; i++) {
		if (OMPD(get_enclosing_parallel_handle)(parallel, &outer) != ompd_rc_ok)
			return parallel;
		parallel = outer;
	}
	reply_wrong("more than %d regions enclose each other", MAX_STEPS);
}

ompd_task_handle_t *fixture_initial_task(void)
{
	ompd_task_handle_t *task = fixture_task(), *outer;

	for (int i = 0; i < MAX_STEPS; i++) {
		if (OMPD(get_generating_task_handle)(task, &outer) != ompd_rc_ok)
			return task;
		task = outer;
	}
	reply_wrong("more than %d tasks generated each other", MAX_STEPS);
}

void *fixture_released_space(void)
{
	ompd_address_space_handle_t *space = fixture_space();

	need(OMPD(rel_address_space_handle)(space), "ompd_rel_address_space_handle");
	return space;
}

void *fixture_released_thread(void)
{
	ompd_thread_handle_t *thread = fixture_thread();

	need(OMPD(rel_thread_handle)(thread), "ompd_rel_thread_handle");
	return thread;
}

void *fixture_released_parallel(void)
{
	ompd_parallel_handle_t *parallel = fixture_parallel();

	need(OMPD(rel_parallel_handle)(parallel), "ompd_rel_parallel_handle");
	return parallel;
}

void *fixture_released_task(void)
{
	ompd_task_handle_t *task = fixture_task();

	need(OMPD(rel_task_handle)(task), "ompd_rel_task_handle");
	return task;
}

void *fixture_garbage(void)
{
	static uint64_t garbage[64];

	memset(garbage, 0x5a, sizeof(garbage));
	fixture_space(); /* the library is initialised for a process */
	return garbage;
}

ompd_icv_id_t fixture_icv(const char *name, ompd_scope_t *scope)
{
	ompd_icv_id_t id = ompd_icv_undefined;
	int more = 1;

	for (int i = 0; more && i < MAX_STEPS; i++) {
		const char *found;

		need(OMPD(enumerate_icvs)(fixture_space(), id, &id, &found, scope, &more), "ompd_enumerate_icvs");
		if (found && strcmp(found, name) == 0)
			return id;
	}
	reply_not_asked("%s is not enumerated", name);
}

void *fixture_handle(ompd_scope_t scope)
{
	switch (scope) {
	case ompd_scope_global:
	case ompd_scope_address_space:
		return fixture_space();
	case ompd_scope_thread:
		return fixture_thread();
	case ompd_scope_parallel:
		return fixture_parallel();
	case ompd_scope_implicit_task:
	case ompd_scope_task:
		return fixture_task();
	case ompd_scope_teams:
	case ompd_scope_target:
	default:
		reply_not_asked("there is no handle for the scope %d", (int)scope);
	}
}

ompd_word_t fixture_icv_value(void *handle, const char *name)
{
	ompd_scope_t scope;
	ompd_icv_id_t id = fixture_icv(name, &scope);
	ompd_word_t value;

	need(OMPD(get_icv_from_scope)(handle, scope, id, &value), "ompd_get_icv_from_scope");
	return value;
}

static int sign_of(int number)
{
	return (number > 0) - (number < 0);
}

ompd_rc_t fixture_check_order(int first, int second, bool is_one)
{
	if (is_one != (first == 0) || sign_of(first) != -sign_of(second))
		reply_wrong("the results are %d and %d", first, second);
	return ompd_rc_ok;
}
