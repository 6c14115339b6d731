/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sets of numbers as text. */
#include "view/number_set.h"

#include <inttypes.h>
#include <stdlib.h>

#include <json-c/json.h>

#include "view/phrase.h"

void number_set_add(struct number_set *s, int64_t number)
{
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 8;
		int64_t *numbers = reallocarray(s->numbers, cap, sizeof(*numbers));

		if (!numbers)
			return;
		s->numbers = numbers;
		s->cap = cap;
	}
	s->numbers[s->n++] = number;
	s->sorted = 0;
}

void number_set_add_all(struct number_set *s, const struct number_set *other)
{
	for (size_t i = 0; i < other->n; i++)
		number_set_add(s, other->numbers[i]);
}

static int compare_numbers(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void sort_numbers(struct number_set *s)
{
	size_t n = 0;

	if (s->sorted || !s->n)
		return;
	qsort(s->numbers, s->n, sizeof(*s->numbers), compare_numbers);
	for (size_t i = 0; i < s->n; i++) {
		if (!n || s->numbers[n - 1] != s->numbers[i])
			s->numbers[n++] = s->numbers[i];
	}
	s->n = n;
	s->sorted = 1;
}

size_t number_set_count(struct number_set *s)
{
	sort_numbers(s);
	return s->n;
}

void number_set_format(struct number_set *s, struct buf *ret)
{
	sort_numbers(s);
	for (size_t i = 0, last; i < s->n; i = last + 1) {
		for (last = i; last + 1 < s->n && s->numbers[last + 1] == s->numbers[last] + 1;)
			last++;
		phrase_printf(ret, "%s%" PRId64, i ? "," : "", s->numbers[i]);
		if (last > i)
			phrase_printf(ret, "-%" PRId64, s->numbers[last]);
	}
}

struct json_object *number_set_text_json(struct number_set *s)
{
	struct buf text = {0};

	number_set_format(s, &text);
	return phrase_take_json(&text);
}

struct json_object *number_set_array_json(struct number_set *s)
{
	struct json_object *array = json_object_new_array();

	sort_numbers(s);
	for (size_t i = 0; i < s->n; i++)
		json_object_array_add(array, json_object_new_int64(s->numbers[i]));
	return array;
}

void number_set_deinit(struct number_set *s)
{
	free(s->numbers);
	*s = (struct number_set){0};
}
