/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Limits for following lists in the target's memory: cycles are detected. Long lists are cut, and
 * so are many lists that are too long in total.
 */
#ifndef OMPDD_LIBOMPD_STEPS_H
#define OMPDD_LIBOMPD_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#include "omp-tools.h"

/* Limit on the elements of all lists in one request. */
#define STEPS_MAX ((size_t)8 * 65536)

struct steps {
	size_t n;
	bool cut; /* at least one element was skipped */
};

/* One list: a remembered element, and the number of elements since. */
struct steps_list {
	ompd_addr_t passed;
	size_t since, until;
};

/* Count one more element. Returns false at the limit. */
static inline bool steps_go_on(struct steps *s)
{
	s->cut |= ++s->n > STEPS_MAX;
	return !s->cut;
}

/*
 * Count the element at @at of @list. Returns false at the end, in a cycle, or at the limit. Brent's
 * method: the remembered element is replaced each time the count doubles. So a cycle is detected
 * after at most three times its length.
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
