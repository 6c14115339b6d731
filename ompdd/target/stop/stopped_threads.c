/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A sorted list of threads and their registers. */
#include "target/stop/stopped_threads.h"

#include <stdlib.h>

#include "base/vector.h"

void stopped_threads_deinit(struct stopped_threads *s)
{
	free(s->threads);
	*s = (struct stopped_threads){0};
}

void stopped_threads_clear(struct stopped_threads *s)
{
	s->n = 0;
	s->failed = s->unsorted = false;
}

void stopped_threads_add(pid_t tid, const struct arch_registers *registers, void *arg)
{
	struct stopped_threads *s = arg;

	if (!VECTOR_GROW(s->threads, s->n, s->cap)) {
		s->failed = true;
		return;
	}
	struct stopped_thread *t = &s->threads[s->n++];
	s->unsorted |= s->n > 1 && t[-1].tid > tid;
	t->tid = tid;
	t->has_registers = registers != NULL;
	if (registers)
		t->registers = *registers;
}

static int compare_tids(const void *a, const void *b)
{
	pid_t x = ((const struct stopped_thread *)a)->tid, y = ((const struct stopped_thread *)b)->tid;

	return (x > y) - (x < y);
}

void stopped_threads_sort(struct stopped_threads *s)
{
	if (s->unsorted)
		qsort(s->threads, s->n, sizeof(*s->threads), compare_tids);
	s->unsorted = false;
}

const struct stopped_thread *stopped_threads_find(const struct stopped_threads *s, pid_t tid)
{
	struct stopped_thread key = {.tid = tid};

	return s->n ? bsearch(&key, s->threads, s->n, sizeof(key), compare_tids) : NULL;
}
