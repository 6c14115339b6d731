/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Growing arrays. A vector is three variables or members of its owner, all zero at first: a pointer to the elements,
 * their number, and the capacity. The owner counts the elements and frees the pointer.
 */
#ifndef OMPDD_BASE_VECTOR_H
#define OMPDD_BASE_VECTOR_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Make room for one more element behind @n elements. Evaluates to false if memory is out; the vector is unchanged then.
 *
 *	if (!VECTOR_GROW(s->rows, s->n_rows, s->cap_rows))
 *		return &error_nomem;
 *	s->rows[s->n_rows++] = row;
 */
#define VECTOR_GROW(items, n, cap) ((n) < (cap) || VECTOR_RESERVE(items, (size_t)(n) + 1, cap))

/* Make room for @n elements in total, with the same result. */
#define VECTOR_RESERVE(items, n, cap)                                                                                  \
	({                                                                                                             \
		size_t vector_cap = (cap);                                                                             \
		void *vector_items = vector_resize((items), (n), &vector_cap, sizeof(*(items)));                       \
		if (vector_items) {                                                                                    \
			(items) = vector_items;                                                                        \
			(cap) = (__typeof__(cap))vector_cap;                                                           \
		}                                                                                                      \
		vector_items != NULL;                                                                                  \
	})

/* Resize @items for at least @n elements of @size bytes, by doubling @*cap. Returns NULL if memory is out. */
void *vector_resize(void *items, size_t n, size_t *cap, size_t size);

#endif
