/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the threads that wait for a GIL that another thread holds. */
#include "openmp/python/python_gil.h"

#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>

#include "openmp/python/python.h"
#include "openmp/stacks/stack_names.h"
#include "target/arch/syscalls.h"

/*
 * The condition variable and the mutex of a GIL follow its members `locked` and `switch_number`. The condition variable
 * behind them is for a thread that has released the GIL.
 */
#define COND_OFFSET  16
#define WAITING_SIZE (sizeof(pthread_cond_t) + sizeof(pthread_mutex_t))
/* A thread sleeps for all but a small part of each slice. In a running process, another look finds it asleep. */
#define MAX_LOOKS 10
#define PAUSE_MS  2

static bool is_waiting_word(const struct python *py, const struct python_gil *gil, uint64_t word)
{
	uint64_t start = gil->address + py->layout.gil_locked + COND_OFFSET;

	return word >= start && word - start < WAITING_SIZE;
}

static bool sleeps_on(const struct python *py, const struct python_gil *gil, const struct target_activity *a)
{
	int op = (int)a->args[1] & FUTEX_CMD_MASK;

	return a->known && a->in_syscall && a->syscall == SYS_futex && (op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET) &&
	       is_waiting_word(py, gil, a->args[0]);
}

/* Return whether the threads run while they are examined. */
static bool is_running(struct target *t)
{
	return target_mode(t) == TARGET_OBSERVE && !target_is_stopped_by_other(t);
}

/* Examine again the threads that are not asleep on the GIL. Return the number of threads without a proof. */
static size_t prove_others(const struct python *py, struct snapshot *s)
{
	size_t left = 0;

	for (size_t i = 0; i < py->n_threads; i++) {
		const struct python_gil *gil = &py->gils[py->threads[i].gil];
		uint32_t index = snapshot_find_thread(s, py->threads[i].tid);
		struct target_activity now;

		if (index == SNAPSHOT_NONE || s->threads[index].gil != gil->address || s->threads[index].gil_is_proven)
			continue;
		target_activity(py->t, s->threads[index].tid, &now);
		s->threads[index].gil_is_proven = sleeps_on(py, gil, &now);
		if (s->threads[index].gil_is_proven)
			s->threads[index].activity = now;
		left += !s->threads[index].gil_is_proven;
	}
	return left;
}

void python_gil_find(struct target *t, struct snapshot *s)
{
	struct python py;
	size_t left = 0;

	python_find(t, &py);
	for (size_t i = 0; i < py.n_threads; i++) {
		const struct python_gil *gil = &py.gils[py.threads[i].gil];
		uint32_t index = snapshot_find_thread(s, py.threads[i].tid);
		uint32_t holder = gil->is_held ? snapshot_find_thread(s, gil->tid) : SNAPSHOT_NONE;

		if (index == SNAPSHOT_NONE || holder == SNAPSHOT_NONE || holder == index ||
		    s->threads[index].gil_is_proven)
			continue;
		s->threads[index].gil = gil->address;
		s->threads[index].gil_holder = holder;
		s->threads[index].gil_is_proven = sleeps_on(&py, gil, &s->threads[index].activity);
		left += !s->threads[index].gil_is_proven;
	}
	for (int i = 0; i < MAX_LOOKS && left && is_running(t); i++) {
		if (i)
			poll(NULL, 0, PAUSE_MS);
		left = prove_others(&py, s);
	}
	python_deinit(&py);
}

/*
 * Return whether the innermost exported function of the interpreter on the stack is one that takes the GIL. The
 * functions that it calls have no names, or are the C library's.
 */
static bool is_taking(struct stacks *st, const struct stacks_thread *t)
{
	static const char *const names[] = {"take_gil", "PyEval_RestoreThread", "PyEval_AcquireThread",
					    "PyEval_AcquireLock", "PyGILState_Ensure"};

	for (uint32_t i = 0; i < t->n_frames; i++) {
		const struct stacks_place *place = t->frames[i].place;
		const char *function = stack_places_function(st, t->frames[i].place);
		bool is_interpreter = place->source.module && stack_name_is_support_module(place->source.module->path);

		if (place->module_kind == PLACE_PYTHON || (place->module_kind != PLACE_SYSTEM && !is_interpreter))
			return false;
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]) && function && is_interpreter; k++) {
			if (!strcmp(function, names[k]))
				return true;
		}
		if (is_interpreter && function)
			return false;
	}
	return false;
}

void python_gil_prove(struct stacks *st, struct snapshot *s, bool is_consistent)
{
	for (size_t i = 0; i < s->n_threads; i++) {
		struct snapshot_thread *thread = &s->threads[i];
		size_t number = thread->gil && !thread->gil_is_proven && is_consistent ? stacks_find(st, thread->tid)
										       : SIZE_MAX;
		const struct stacks_thread *t = number == SIZE_MAX ? NULL : stacks_thread(st, number);

		if (thread->gil && !thread->gil_is_proven && !(t && t->end != STACK_MOVED && is_taking(st, t)))
			thread->gil = 0;
	}
}
