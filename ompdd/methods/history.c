/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* history.get: the states that were sampled in the last ten minutes. */
#include "methods/history.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "base/clock.h"
#include "methods/json/json.h"
#include "methods_worker.h"
#include "rpc/json_read.h"
#include "worker/worker.h"

/* Threads that a result has: those of the newest samples. */
#define MAX_THREADS 4096
/* The first character of a code in a result, and the one of a thread that is not in a sample. */
#define FIRST_CODE '0'
#define NO_CODE	   '.'

/* A thread of a result. */
struct row {
	int32_t tid, number;
	uint16_t name;
	char codes[HISTORY_SAMPLES + 1];
};

static uint16_t find_state(struct history *h, struct json_object *state)
{
	return history_find_state(h, json_read_text(state, "key"), json_read_text(state, "text"),
				  *json_read_text(state, "letter"));
}

/* Fill @threads from the arrays of the view. */
static void read_threads(struct history *h, struct json_object *view, struct history_thread *threads, size_t n)
{
	struct json_object *tids = json_read_member(view, "tids"), *numbers = json_read_member(view, "numbers");
	struct json_object *codes = json_read_member(view, "codes"), *states = json_read_member(view, "states");
	struct json_object *names = json_read_member(view, "names");
	uint16_t known[HISTORY_MAX_STATES] = {0};

	for (size_t i = 0; i < json_read_length(states) && i < HISTORY_MAX_STATES; i++)
		known[i] = find_state(h, json_object_array_get_idx(states, i));
	for (size_t i = 0; i < n; i++) {
		int64_t code = json_read_int(json_object_array_get_idx(codes, i), 0);
		int has_name = i < json_read_length(names);
		const char *name = has_name ? json_read_string(json_object_array_get_idx(names, i)) : NULL;

		threads[i] = (struct history_thread){
			.tid = (int32_t)json_read_int(json_object_array_get_idx(tids, i), 0),
			.number = (int32_t)json_read_int(json_object_array_get_idx(numbers, i), -1),
			.code = known[code >= 0 && code < HISTORY_MAX_STATES ? code : 0],
			.name = history_find_name(h, name ?: "")};
	}
}

void history_read(struct history *h, struct json_object *states, int64_t now_ms)
{
	size_t n = json_read_length(json_read_member(states, "tids"));
	struct history_thread *threads;

	if (!n || json_read_length(json_read_member(states, "codes")) != n || !history_is_due(h, now_ms))
		return;
	threads = calloc(n, sizeof(*threads));
	if (!threads)
		return;
	read_threads(h, states, threads, n);
	history_add(h, now_ms, threads, n);
}

static int compare_rows(const void *a, const void *b)
{
	int32_t x = ((const struct row *)a)->tid, y = ((const struct row *)b)->tid;

	return (x > y) - (x < y);
}

/* Find the row of a thread among @n rows in the order of their ids. Returns NULL if it has no row. */
static struct row *find_row(struct row *rows, size_t n, int32_t tid)
{
	struct row key = {.tid = tid};

	return n ? bsearch(&key, rows, n, sizeof(*rows), compare_rows) : NULL;
}

/*
 * Add a row for each new thread of a sample, with its number and name there. Returns the new number of rows, which
 * are in the order of their ids again.
 */
static size_t add_rows(struct row *rows, size_t n, const struct history_sample *s, size_t n_samples, int64_t *left_out)
{
	size_t before = n;

	for (size_t i = 0; i < s->n; i++) {
		if (find_row(rows, before, s->threads[i].tid))
			continue;
		if (n == MAX_THREADS) {
			++*left_out;
			continue;
		}
		rows[n] = (struct row){
			.tid = s->threads[i].tid, .number = s->threads[i].number, .name = s->threads[i].name};
		memset(rows[n].codes, NO_CODE, n_samples);
		n++;
	}
	if (n > before)
		qsort(rows, n, sizeof(*rows), compare_rows);
	return n;
}

static struct json_object *create_states(const struct history *h)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < h->n_states; i++) {
		struct json_object *o = json_object_new_object();

		json_object_object_add(o, "key", json_object_new_string(h->states[i].key));
		json_object_object_add(o, "text", json_object_new_string(h->states[i].text));
		json_object_object_add(o, "letter",
				       json_object_new_string_len(&h->states[i].letter, h->states[i].letter != 0));
		json_object_array_add(array, o);
	}
	return array;
}

static struct json_object *create_threads(const struct history *h, const struct row *rows, size_t n)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < n; i++) {
		struct json_object *o = json_object_new_object();

		json_object_object_add(o, "tid", json_object_new_int(rows[i].tid));
		json_object_object_add(o, "number", json_object_new_int(rows[i].number));
		json_object_object_add(o, "name", json_object_new_string(h->names[rows[i].name]));
		json_object_object_add(o, "codes", json_object_new_string(rows[i].codes));
		json_object_array_add(array, o);
	}
	return array;
}

struct error *history_write(const struct history *h, int64_t now_ms, struct json_object *result)
{
	struct row *rows = calloc(MAX_THREADS, sizeof(*rows));
	struct json_object *ages = json_object_new_array();
	size_t skipped = 0, n = 0;
	int64_t left_out = 0;

	if (!rows) {
		json_object_put(ages);
		return &error_nomem;
	}
	while (skipped < h->n && now_ms - history_get(h, skipped)->at_ms > HISTORY_SAMPLES * HISTORY_EVERY_MS)
		skipped++;
	/* If threads are left out, the oldest samples lose them. */
	for (size_t i = h->n; i-- > skipped;)
		n = add_rows(rows, n, history_get(h, i), h->n - skipped, &left_out);
	for (size_t i = skipped; i < h->n; i++) {
		const struct history_sample *s = history_get(h, i);

		json_object_array_add(ages, json_object_new_int64(now_ms - s->at_ms));
		for (size_t k = 0; k < s->n; k++) {
			struct row *row = find_row(rows, n, s->threads[k].tid);

			if (row)
				row->codes[i - skipped] = (char)(FIRST_CODE + s->threads[k].code);
		}
	}
	json_object_object_add(result, "ages_ms", ages);
	json_object_object_add(result, "states", create_states(h));
	json_object_object_add(result, "threads", create_threads(h, rows, n));
	json_object_object_add(result, "n_threads_left_out", json_object_new_int64(left_out));
	free(rows);
	return NULL;
}

struct error *handle_history_get(struct worker *w, const struct history_get_params *p, struct json_object **ret)
{
	struct error *err = worker_need_target(w);

	(void)p;
	if (err)
		return err;
	struct json_object *o = json_result(w);
	if (!o)
		return &error_nomem;
	json_put(o, "every_ms", json_object_new_int(HISTORY_EVERY_MS));
	err = history_write(w->history, clock_now_ms(), o);
	if (err) {
		json_object_put(o);
		return err;
	}
	*ret = o;
	return NULL;
}
