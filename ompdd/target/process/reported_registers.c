/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Registers reported by another debugger. If that debugger resumes a thread, a context switch precedes the thread's
 * next stop, and the kernel counts context switches. An unchanged count proves that the thread has not run.
 */
#include "target/process/reported_registers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/by_tid.h"
#include "base/cleanup.h"
#include "base/vector.h"
#include "target/proc/observe.h"
#include "target/proc/proc.h"

#define STATUS_SIZE 8192

struct reported_thread {
	pid_t tid;
	uint64_t switches;
	struct target_registers registers;
};

/* Read the number of context switches of the thread; return false if no tracer has stopped it. */
static bool read_switches(int taskfd, pid_t tid, uint64_t *ret)
{
	char path[32], text[STATUS_SIZE];

	snprintf(path, sizeof(path), "%d/status", tid);
	return proc_read(taskfd, path, text, sizeof(text)) > 0 && strstr(text, "\nState:\tt") &&
	       proc_parse_switches(text, ret);
}

/* Return whether the thread is stopped at @registers, with the same count before and after that check. */
static bool is_unchanged(int taskfd, pid_t tid, const struct target_registers *registers, uint64_t *ret_switches)
{
	struct target_activity activity = {0};
	uint64_t before, after;

	if (!read_switches(taskfd, tid, &before))
		return false;
	observe_activity(taskfd, tid, &activity);
	if (!activity.known || activity.pc != registers->value[TARGET_REGISTER_PC] ||
	    activity.sp != registers->value[TARGET_REGISTER_SP])
		return false;
	if (!read_switches(taskfd, tid, &after) || before != after)
		return false;
	*ret_switches = after;
	return true;
}

/* Forget the threads that have run since. */
static void prune_threads(struct reported_registers *t, int taskfd)
{
	size_t n = 0;
	uint64_t switches;

	for (size_t i = 0; i < t->n; i++) {
		if (read_switches(taskfd, t->threads[i].tid, &switches) && switches == t->threads[i].switches)
			t->threads[n++] = t->threads[i];
	}
	t->n = n;
}

struct error *reported_registers_set(struct reported_registers *t, int taskfd, pid_t tid,
				     const struct target_registers *registers, bool *ret_taken)
{
	struct reported_thread thread = {.tid = tid, .registers = *registers};

	*ret_taken = is_unchanged(taskfd, tid, registers, &thread.switches);
	if (!*ret_taken)
		return NULL;
	if (t->n == t->cap)
		prune_threads(t, taskfd);
	if (!VECTOR_GROW(t->threads, t->n, t->cap))
		return &error_nomem;
	size_t i = BY_TID_PLACE(t->threads, t->n, tid);
	if (i == t->n || t->threads[i].tid != tid) {
		memmove(&t->threads[i + 1], &t->threads[i], (t->n - i) * sizeof(*t->threads));
		t->n++;
	}
	t->threads[i] = thread;
	return NULL;
}

void reported_registers_get(const struct reported_registers *t, int taskfd, pid_t tid, struct target_registers *ret)
{
	size_t i = BY_TID_PLACE(t->threads, t->n, tid);
	uint64_t switches;

	if (i == t->n || t->threads[i].tid != tid)
		return;
	if (is_unchanged(taskfd, tid, &t->threads[i].registers, &switches) && switches == t->threads[i].switches)
		*ret = t->threads[i].registers;
}

void reported_registers_deinit(struct reported_registers *t)
{
	free(t->threads);
	*t = (struct reported_registers){0};
}
