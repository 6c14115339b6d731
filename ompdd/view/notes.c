/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reasons, collected while a view is built and shown below it. */
#include "view/notes.h"

#include <string.h>

#include <json-c/json.h>

#include "rpc/json_read.h"
#include "view/facts.h"
#include "view/node.h"
#include "view/phrase.h"

void notes_add(struct notes *n, const char *what, struct json_object *value)
{
	const char *reason = json_read_reason(value);
	const char *message = reason ? json_read_string(json_read_member(value, "message")) : NULL;
	const char *why = message ? message : reason;

	if (!why || n->n == NOTES_MAX_REASONS)
		return;
	for (size_t i = 0; i < n->n; i++) {
		if (!strcmp(n->what[i], what) && !strcmp(n->why[i], why))
			return;
	}
	n->what[n->n] = what;
	n->why[n->n++] = why;
}

void notes_add_states(struct notes *n, const struct facts *s)
{
	for (size_t i = 0; i < s->n_threads; i++) {
		struct json_object *state = json_read_member(s->threads[i].json, "state");

		if (!s->threads[i].openmp)
			continue;
		n->inferred |= !strcmp(json_read_text(state, "source"), "inferred");
		notes_add(n, "state", state);
	}
}

struct json_object *notes_json(const struct notes *n)
{
	struct json_object *array = json_object_new_array();

	if (n->too_deep) {
		struct buf text = {0};

		phrase_printf(&text, "deeper than %d levels; the rest is not shown", NODE_MAX_DEPTH);
		json_object_array_add(array, phrase_take_json(&text));
	}
	if (n->without_tasks)
		json_object_array_add(array, json_object_new_string("no tasks"));
	if (n->inferred)
		json_object_array_add(array,
				      json_object_new_string("~ inferred from what the thread does in the kernel "
							     "or where it runs"));
	for (size_t i = 0; i < n->n; i++) {
		struct buf text = {0};

		phrase_printf(&text, "- %s not known: %s", n->what[i], n->why[i]);
		json_object_array_add(array, phrase_take_json(&text));
	}
	return array;
}
