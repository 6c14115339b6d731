/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A sorted list of threads and their registers. */
#include "target/standing.h"

#include <stdlib.h>

void standing_deinit(struct standing *s)
{
	free(s->threads);
	*s = (struct standing){0};
}

void standing_clear(struct standing *s)
{
	s->n = 0;
	s->failed = s->unsorted = false;
}

void standing_add(pid_t tid, const struct arch_registers *registers, void *arg)
{
	struct standing *s = arg;

	if (s->n == s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 64;
		struct standing_thread *more = realloc(s->threads, cap * sizeof(*more));

		if (!more) {
			s->failed = true;
			return;
		}
		s->threads = more;
		s->cap = cap;
	}
	struct standing_thread *t = &s->threads[s->n++];
	s->unsorted |= s->n > 1 && t[-1].tid > tid;
	t->tid = tid;
	t->has_registers = registers != NULL;
	if (registers)
		t->registers = *registers;
}

static int compare_tids(const void *a, const void *b)
{
	pid_t x = ((const struct standing_thread *)a)->tid, y = ((const struct standing_thread *)b)->tid;

	return (x > y) - (x < y);
}

void standing_sort(struct standing *s)
{
	if (s->unsorted)
		qsort(s->threads, s->n, sizeof(*s->threads), compare_tids);
	s->unsorted = false;
}

const struct standing_thread *standing_find(const struct standing *s, pid_t tid)
{
	struct standing_thread key = {.tid = tid};

	return s->n ? bsearch(&key, s->threads, s->n, sizeof(key), compare_tids) : NULL;
}
