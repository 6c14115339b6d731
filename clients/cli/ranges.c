/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sets of numbers as text. */
#include "ranges.h"

#include <inttypes.h>
#include <stdlib.h>

#include "text.h"

#define DOTS ",.."

void ranges_add(struct ranges *r, int64_t number)
{
	if (r->n == r->cap) {
		r->cap = r->cap ? 2 * r->cap : 8;
		r->numbers = text_realloc(r->numbers, r->cap, sizeof(*r->numbers));
	}
	r->numbers[r->n++] = number;
	r->sorted = 0;
}

void ranges_add_all(struct ranges *r, const struct ranges *other)
{
	for (size_t i = 0; i < other->n; i++)
		ranges_add(r, other->numbers[i]);
}

static int compare_numbers(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void sort_ranges(struct ranges *r)
{
	size_t n = 0;

	if (r->sorted || !r->n)
		return;
	qsort(r->numbers, r->n, sizeof(*r->numbers), compare_numbers);
	for (size_t i = 0; i < r->n; i++) {
		if (!n || r->numbers[n - 1] != r->numbers[i])
			r->numbers[n++] = r->numbers[i];
	}
	r->n = n;
	r->sorted = 1;
}

char *ranges_format(struct ranges *r, size_t max_width)
{
	struct text t = {0};
	size_t fits = 0; /* length of t that leaves room for the dots */
	int more = 0;

	sort_ranges(r);
	for (size_t i = 0, last; i < r->n; i = last + 1) {
		for (last = i; last + 1 < r->n && r->numbers[last + 1] == r->numbers[last] + 1;)
			last++;
		text_printf(&t, "%s%" PRId64, i ? "," : "", r->numbers[i]);
		if (last > i)
			text_printf(&t, "-%" PRId64, r->numbers[last]);
		if (!i || t.len + sizeof(DOTS) - 1 <= max_width)
			fits = t.len;
		more = max_width && t.len > max_width && last + 1 < r->n;
		if (more)
			break; /* the rest will be cut */
	}
	if (more || (max_width && t.len > max_width && fits < t.len)) {
		t.len = fits;
		text_add(&t, DOTS);
	}
	return text_take(&t);
}

void ranges_deinit(struct ranges *r)
{
	free(r->numbers);
	*r = (struct ranges){0};
}
