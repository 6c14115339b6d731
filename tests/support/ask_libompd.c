/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls every query of a libompd whose target lies. Used by the hostile unit tests and the fuzzer. */
#include "ask_libompd.h"

#include <stdlib.h>

#include "ompd-more.h"
#include "self_target.h"

static void free_text(const char *text)
{
	self_target_callbacks()->free_memory((void *)(uintptr_t)text);
}

static void ask_icvs(ompd_address_space_handle_t *as, void *handle, ompd_scope_t scope)
{
	ompd_icv_id_t id = 0;
	int more = 1;

	while (more) {
		const char *text;
		ompd_scope_t its_scope;
		ompd_word_t value;

		if (ompd_enumerate_icvs(as, id, &id, &text, &its_scope, &more) != ompd_rc_ok)
			return;
		free_text(text);
		if (its_scope != scope)
			continue;
		ompd_get_icv_from_scope(handle, scope, id, &value);
		if (ompd_get_icv_string_from_scope(handle, scope, id, &text) == ompd_rc_ok)
			free_text(text);
	}
}

static void ask_queued(ompd_parallel_handle_t *region)
{
	ompd_task_handle_t **tasks;
	ompd_word_t n, total;
	ompd_rc_t rc = ompd_get_queued_tasks(region, 4, &tasks, &n, &total);

	if (rc != ompd_rc_ok && rc != ompd_rc_incomplete)
		return;
	if (n < 0 || n > 4 || total < n)
		abort();
	for (ompd_word_t i = 0; i < n; i++) {
		ompd_word_t predecessors;

		ompd_get_task_predecessors(tasks[i], &predecessors);
		ompd_rel_task_handle(tasks[i]);
	}
	if (n > 0)
		self_target_callbacks()->free_memory(tasks);
}

/* Ask for the construct's location of one of the handles; the others are NULL. */
static void ask_location(ompd_thread_handle_t *thread, ompd_parallel_handle_t *region, ompd_task_handle_t *task)
{
	const char *text = NULL;

	if (ompd_get_construct_location(thread, region, task, &text) == ompd_rc_ok)
		self_target_callbacks()->free_memory((void *)(uintptr_t)text);
}

static void ask_region(ompd_address_space_handle_t *as, ompd_parallel_handle_t *region, int max_chain)
{
	ompd_parallel_handle_t *outer;
	int n = 0;

	for (; n < max_chain; n++) {
		for (int i = 0; i < 3; i++) {
			ompd_thread_handle_t *thread;
			ompd_task_handle_t *task;

			if (ompd_get_thread_in_parallel(region, i, &thread) == ompd_rc_ok)
				ompd_rel_thread_handle(thread);
			if (ompd_get_task_in_parallel(region, i, &task) == ompd_rc_ok)
				ompd_rel_task_handle(task);
		}
		ask_icvs(as, region, ompd_scope_parallel);
		ask_queued(region);
		ask_location(NULL, region, NULL);
		ompd_rc_t rc = ompd_get_enclosing_parallel_handle(region, &outer);

		ompd_rel_parallel_handle(region);
		if (rc != ompd_rc_ok)
			return;
		region = outer;
	}
	/* Levels decrease from one region to the next: the chain is finite, if long. */
	ompd_rel_parallel_handle(region);
}

static void ask_task(ompd_address_space_handle_t *as, ompd_task_handle_t *task, int max_chain)
{
	ompd_task_handle_t *parent;

	for (int n = 0; n < max_chain; n++) {
		ompd_address_t entry;
		ompd_parallel_handle_t *region;

		ompd_get_task_function(task, &entry);
		ask_location(NULL, NULL, task);
		ask_icvs(as, task, ompd_scope_task);
		ask_icvs(as, task, ompd_scope_implicit_task);
		if (ompd_get_scheduling_task_handle(task, &parent) == ompd_rc_ok)
			ompd_rel_task_handle(parent);
		if (ompd_get_task_parallel_handle(task, &region) == ompd_rc_ok)
			ompd_rel_parallel_handle(region);
		ompd_rc_t rc = ompd_get_generating_task_handle(task, &parent);

		ompd_rel_task_handle(task);
		if (rc != ompd_rc_ok)
			return;
		task = parent;
	}
	ompd_rel_task_handle(task); /* parents may form a circle: the tool's bound ends it */
}

/* @state: the state to assume for the thread; 0: its present state. */
static void ask_awaited(ompd_thread_handle_t *thread, ompd_task_handle_t *task, ompd_word_t state)
{
	ompd_awaited_t *awaited = NULL;
	ompd_word_t n = 0, is_complete;
	ompd_rc_t rc = state ? ompd_get_awaited_as(thread, state, 100, &awaited, &n, &is_complete)
			     : ompd_get_awaited(thread, task, 100, &awaited, &n, &is_complete);

	if (rc != ompd_rc_ok || !n)
		return;
	for (ompd_word_t i = 0; i < n; i++) {
		if (awaited[i].thread_handle)
			ompd_rel_thread_handle(awaited[i].thread_handle);
		else
			ompd_rel_task_handle(awaited[i].task_handle);
	}
	self_target_callbacks()->free_memory(awaited);
}

/* Ask at code that the target may not have, with registers that point at the thread. */
static void ask_awaited_at(ompd_thread_handle_t *thread, ompd_addr_t function)
{
	const ompd_addr_t at = (ompd_addr_t)(uintptr_t)thread;
	const uint64_t registers[] = {at, at, at, at, at, at, at, at};
	const ompd_place_t place = {.function = function, .pc = function + 8, .registers = registers, .known = 0xff};
	ompd_awaited_t *awaited = NULL;
	ompd_word_t n = 0, is_complete;

	if (ompd_get_awaited_at(thread, &place, 100, &awaited, &n, &is_complete) != ompd_rc_ok || !n)
		return;
	for (ompd_word_t i = 0; i < n; i++)
		ompd_rel_thread_handle(awaited[i].thread_handle);
	self_target_callbacks()->free_memory(awaited);
}

static void ask_owner(ompd_address_space_handle_t *as, ompd_wait_id_t wait, ompt_mutex_t kind)
{
	ompd_thread_handle_t *thread = NULL;
	ompd_task_handle_t *task = NULL;
	ompd_word_t state;

	if (ompd_get_mutex_owner(as, wait, kind, &state, &thread, &task) != ompd_rc_ok)
		return;
	if (thread)
		ompd_rel_thread_handle(thread);
	if (task)
		ompd_rel_task_handle(task);
}

void ask_libompd_thread(ompd_address_space_handle_t *as, pthread_t pthread, int max_chain)
{
	ompd_thread_handle_t *thread;
	ompd_parallel_handle_t *region;
	ompd_task_handle_t *task;
	uint64_t id = (uint64_t)pthread;
	uint32_t lwp;
	ompd_word_t state;
	ompd_wait_id_t wait = 0;

	if (ompd_get_thread_handle(as, OMPD_THREAD_ID_PTHREAD, sizeof(id), &id, &thread) != ompd_rc_ok)
		return;
	ompd_get_thread_id(thread, OMPD_THREAD_ID_LWP, sizeof(lwp), &lwp);
	ompd_get_state(thread, &state, &wait);
	ompd_get_state(thread, &state, NULL);
	ompd_get_state_asleep(thread, &(ompd_address_t){0, id}, &state);
	ask_location(thread, NULL, NULL);
	ask_awaited(thread, NULL, 0);
	ask_awaited(thread, NULL, ompt_state_wait_ordered);
	ask_awaited(thread, NULL, ompt_state_wait_taskwait);
	ask_awaited_at(thread, (ompd_addr_t)(uintptr_t)thread);
	ask_owner(as, wait ? wait : id, ompt_mutex_lock);
	ask_owner(as, wait ? wait : id, ompt_mutex_nest_lock);
	ask_icvs(as, thread, ompd_scope_thread);
	if (ompd_get_curr_parallel_handle(thread, &region) == ompd_rc_ok)
		ask_region(as, region, max_chain);
	if (ompd_get_curr_task_handle(thread, &task) == ompd_rc_ok)
		ask_task(as, task, max_chain);
	ompd_rel_thread_handle(thread);
}

void ask_libompd_process(ompd_address_space_handle_t *as, const pthread_t *threads, int n_threads, int max_chain)
{
	const char *const *vars;
	const char *text;
	ompd_region_calls_t *regions = NULL;
	ompd_word_t version, n_regions;

	ompd_get_omp_version(as, &version);
	if (ompd_get_region_calls(as, &regions, &n_regions) == ompd_rc_ok)
		self_target_callbacks()->free_memory(regions);
	if (ompd_get_omp_version_string(as, &text) == ompd_rc_ok)
		free_text(text);
	ask_icvs(as, as, ompd_scope_address_space);
	ask_icvs(as, as, ompd_scope_global);
	if (ompd_get_display_control_vars(as, &vars) == ompd_rc_ok)
		ompd_rel_display_control_vars(&vars);
	for (int i = 0; i < n_threads; i++)
		ask_libompd_thread(as, threads[i], max_chain);
}

void ask_libompd(const pthread_t *threads, int n_threads, int max_chain)
{
	ompd_address_space_handle_t *as;

	if (ompd_process_initialize(self_target_context(), &as) != ompd_rc_ok)
		return;
	ask_libompd_process(as, threads, n_threads, max_chain);
	ompd_rel_address_space_handle(as);
}
