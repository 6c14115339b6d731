/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sets of numbers in the form "0,2,5-299": thread numbers and thread ids. */
#ifndef OMPDD_VIEW_NUMBER_SET_H
#define OMPDD_VIEW_NUMBER_SET_H

#include <stddef.h>
#include <stdint.h>

struct json_object;
struct buf;

/* All zeroes: the empty set. A number that is added twice counts once. Numbers are lost if memory is out. */
struct number_set {
	int64_t *numbers;
	size_t n, cap;
	int sorted;
};

void number_set_add(struct number_set *s, int64_t number);
void number_set_add_all(struct number_set *s, const struct number_set *other);
/* Return the number of distinct numbers. */
size_t number_set_count(struct number_set *s);
/* Append the set as text; nothing if it is empty. */
void number_set_format(struct number_set *s, struct buf *ret);
/* Return the set as text, and as an array. */
struct json_object *number_set_text_json(struct number_set *s);
struct json_object *number_set_array_json(struct number_set *s);
void number_set_deinit(struct number_set *s);

#endif
