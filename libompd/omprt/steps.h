/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How far lists in the target's memory are followed: one that comes round is noticed, and one that is too long is cut,
 * as are many that are too long together.
 */
#ifndef OMPDD_LIBOMPD_OMPRT_STEPS_H
#define OMPDD_LIBOMPD_OMPRT_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#include "omp-tools.h"

/* Of one question, along all its lists. */
#define STEPS_MAX ((size_t)8 * 65536)

struct steps {
	size_t n;
	bool cut; /* something was left out */
};

/* One of its lists: an element that was passed, and how many since. */
struct steps_list {
	ompd_addr_t passed;
	size_t since, until;
};

/* One more element; false: it is enough. */
static inline bool steps_go_on(struct steps *s)
{
	s->cut |= ++s->n > STEPS_MAX;
	return !s->cut;
}

/*
 * The element at @at of @list; false: there is none, it comes round, or it is enough. Each time that twice as many are
 * passed as before the next one is remembered, so a list has come round after three times its circle.
 */
static inline bool steps_along(struct steps *s, struct steps_list *list, ompd_addr_t at)
{
	if (!at)
		return false;
	s->cut |= at == list->passed;
	if (list->since++ >= list->until)
		*list = (struct steps_list){.passed = at, .until = 2 * list->until + 1};
	return steps_go_on(s);
}

#endif
