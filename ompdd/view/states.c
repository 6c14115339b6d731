/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The states of the threads: how many threads are in each, and the state of each thread as a number. */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "base/cleanup.h"
#include "rpc/json_read.h"
#include "view/parts.h"
#include "view/state_name.h"

/* More distinct states, which only a foreign OMPD library has, count as the last one. */
#define MAX_STATES 64

struct counted_state {
	struct state_name name;
	int64_t count;
};

struct counted_states {
	struct counted_state states[MAX_STATES];
	size_t n;
};

static struct state_name find_name(const struct facts_thread *thread)
{
	if (thread->openmp)
		return state_name_find(json_read_member(thread->json, "state"));
	if (json_read_reason(json_read_member(thread->json, "openmp")))
		return state_name_find(NULL);
	return (struct state_name){"outside", "no OpenMP", '.', STATE_NAME_UNKNOWN + 1};
}

/* Return the index of the state with this text; the number of states if it is new. */
static size_t find_state(const struct counted_states *c, const char *text)
{
	size_t i = 0;

	while (i < c->n && strcmp(c->states[i].name.text, text))
		i++;
	return i;
}

static int compare_states(const void *a, const void *b)
{
	const struct counted_state *x = a, *y = b;

	return x->name.rank - y->name.rank;
}

static void count_states(struct counted_states *c, const struct facts *s)
{
	for (size_t i = 0; i < s->n_threads; i++) {
		struct state_name name = find_name(&s->threads[i]);
		size_t at = find_state(c, name.text);

		if (at == MAX_STATES)
			at--;
		if (at == c->n)
			c->states[c->n++] = (struct counted_state){.name = name};
		c->states[at].count++;
	}
	qsort(c->states, c->n, sizeof(*c->states), compare_states);
}

static void add_counts(struct json_object *o, const struct counted_states *c)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < c->n; i++) {
		const struct state_name *name = &c->states[i].name;
		struct json_object *state = state_name_other_json(name->key, name->text);

		json_object_object_add(state, "letter", json_object_new_string_len(&name->letter, 1));
		json_object_object_add(state, "count", json_object_new_int64(c->states[i].count));
		json_object_array_add(array, state);
	}
	json_object_object_add(o, "states", array);
}

void states_add_counts(struct json_object *o, const struct facts *s)
{
	struct counted_states c = {0};

	count_states(&c, s);
	add_counts(o, &c);
}

void states_add(struct json_object *o, const struct facts *s)
{
	struct json_object *tids = json_object_new_array(), *numbers = json_object_new_array(),
			   *names = json_object_new_array(), *codes = json_object_new_array();
	struct counted_states c = {0};

	count_states(&c, s);
	for (size_t i = 0; i < s->n_threads; i++) {
		const struct facts_thread *t = &s->threads[i];
		size_t code = find_state(&c, find_name(t).text);
		int64_t number = json_read_int(json_read_member(t->json, "thread_num"), -1);

		json_object_array_add(tids, json_object_new_int64(t->tid));
		json_object_array_add(numbers, json_object_new_int64(number));
		json_object_array_add(names, json_object_new_string(t->comm));
		json_object_array_add(codes, json_object_new_int64((int64_t)(code < c.n ? code : c.n - 1)));
	}
	add_counts(o, &c);
	json_object_object_add(o, "tids", tids);
	json_object_object_add(o, "numbers", numbers);
	json_object_object_add(o, "names", names);
	json_object_object_add(o, "codes", codes);
}
