/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrays of structs with a member `tid`, sorted by it. */
#ifndef OMPDD_BASE_BY_TID_H
#define OMPDD_BASE_BY_TID_H

#include <stddef.h>
#include <sys/types.h>

/* Return the index of the first of @n elements of @array, a pointer, with a tid of at least @tid, or @n. */
#define BY_TID_PLACE(array, n, tid_)                                                                                   \
	by_tid_place((array), (n), sizeof(*(array)), offsetof(__typeof__(*(array)), tid), (tid_))

/*
 * The same for a caller that looks up tids in ascending order, each several times. *@near_ is the previous result, of
 * any array. That index is tried first, then the next one.
 */
#define BY_TID_PLACE_NEAR(array, n, tid_, near_)                                                                       \
	by_tid_place_near((array), (n), sizeof(*(array)), offsetof(__typeof__(*(array)), tid), (tid_), (near_))

static inline size_t by_tid_place(const void *array, size_t n, size_t size, size_t offset, pid_t tid)
{
	const char *bytes = array;
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (*(const pid_t *)(bytes + middle * size + offset) < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static inline size_t by_tid_place_near(const void *array, size_t n, size_t size, size_t offset, pid_t tid, size_t *near)
{
	const char *tids = (const char *)array + offset;

	for (size_t i = *near; i < n && i < *near + 2; i++) {
		if (*(const pid_t *)(tids + i * size) == tid)
			return *near = i;
	}
	return *near = by_tid_place(array, n, size, offset, tid);
}

#endif
