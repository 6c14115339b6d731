/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* speedscope's own JSON format: one sampled profile, weighted in microseconds of threads. */
#include "recorded.h"

#include <stdlib.h>

#include <json-c/json.h>

#include "format.h"

static struct json_object *create_frames_json(const struct recorded *r)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < r->n_frames; i++) {
		const struct recorded_frame *f = &r->frames[i];
		struct json_object *o = json_object_new_object();

		json_object_object_add(o, "name", json_object_new_string(f->name));
		if (f->file)
			json_object_object_add(o, "file", json_object_new_string(f->file));
		if (f->file && f->line)
			json_object_object_add(o, "line", json_object_new_int64(f->line));
		json_object_array_add(array, o);
	}
	return array;
}

static struct json_object *create_profile_json(const struct recorded *r)
{
	struct json_object *o = json_object_new_object(), *samples = json_object_new_array();
	struct json_object *weights = json_object_new_array();
	size_t *stack = text_calloc(RECORDED_MAX_DEPTH, sizeof(*stack));

	for (size_t i = 0; i < r->n_nodes; i++) {
		size_t n = r->nodes[i].self_us ? recorded_stack(r, i, stack) : 0;
		struct json_object *sample = n ? json_object_new_array() : NULL;

		for (size_t k = n; k > 0; k--)
			json_object_array_add(sample, json_object_new_int64((int64_t)stack[k - 1]));
		if (!n)
			continue;
		json_object_array_add(samples, sample);
		json_object_array_add(weights, json_object_new_int64(r->nodes[i].self_us));
	}
	free(stack);
	json_object_object_add(o, "type", json_object_new_string("sampled"));
	json_object_object_add(o, "name", json_object_new_string(r->program));
	json_object_object_add(o, "unit", json_object_new_string("microseconds"));
	json_object_object_add(o, "startValue", json_object_new_int64(0));
	json_object_object_add(o, "endValue", json_object_new_int64(r->total_us));
	json_object_object_add(o, "samples", samples);
	json_object_object_add(o, "weights", weights);
	return o;
}

struct error *speedscope_write(const struct recorded *r, struct buf *out)
{
	struct json_object *o = json_object_new_object(), *shared = json_object_new_object();
	struct json_object *profiles = json_object_new_array();

	json_object_object_add(o, "$schema",
			       json_object_new_string("https://www.speedscope.app/file-format-schema.json"));
	json_object_object_add(o, "exporter", json_object_new_string("ompdctl " OMPDD_VERSION));
	json_object_object_add(o, "name", json_object_new_string(r->program));
	json_object_object_add(shared, "frames", create_frames_json(r));
	json_object_object_add(o, "shared", shared);
	json_object_array_add(profiles, create_profile_json(r));
	json_object_object_add(o, "profiles", profiles);
	format_json(out, o, 0);
	json_object_put(o);
	return NULL;
}
