/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Converts the tables of profile.get into frames and nodes, and validates every value. */
#include "recorded.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "base/path.h"
#include "format.h"

static size_t get_length(struct json_object *array)
{
	return json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
}

static int64_t get_int(struct json_object *array, size_t i, int64_t otherwise)
{
	return i < get_length(array) ? json_read_int(json_object_array_get_idx(array, i), otherwise) : otherwise;
}

/* Return a string of the table. Number 0 means not known. */
static const char *get_string(struct json_object *strings, int64_t i)
{
	const char *s = i > 0 && (size_t)i < get_length(strings)
				? json_read_string(json_object_array_get_idx(strings, (size_t)i))
				: NULL;

	return s && *s ? s : NULL;
}

/* Return "main._omp_fn.0", "parallel region solve", "[barrier_implicit]". */
static char *create_name(const struct recorded_frame *f)
{
	struct buf t = {0};

	if (!strcmp(f->kind, "parallel"))
		text_add(&t, "parallel region ");
	else if (!strcmp(f->kind, "task"))
		text_add(&t, "task ");
	else if (!strcmp(f->kind, "state"))
		text_add(&t, "[");
	if (f->function)
		text_add_safe(&t, f->function, 1);
	else
		text_add(&t, "?");
	if (!f->function && f->module) {
		text_add(&t, " in ");
		text_add_safe(&t, path_file_name(f->module), 1);
	}
	if (!strcmp(f->kind, "state"))
		text_add(&t, "]");
	return text_take(&t);
}

static void read_frames(struct json_object *stacks, struct recorded *r)
{
	struct json_object *frames = json_read_member(stacks, "frames"), *strings = json_read_member(stacks, "strings");
	struct json_object *kinds = json_read_member(frames, "kind"), *functions = json_read_member(frames, "function");
	struct json_object *files = json_read_member(frames, "file"), *lines = json_read_member(frames, "line");
	struct json_object *modules = json_read_member(frames, "module");

	r->n_frames = get_length(kinds);
	r->frames = text_calloc(r->n_frames + 1, sizeof(*r->frames));
	for (size_t i = 0; i < r->n_frames; i++) {
		struct recorded_frame *f = &r->frames[i];
		const char *kind = json_read_string(json_object_array_get_idx(kinds, i));

		f->kind = kind ? kind : "user";
		f->function = get_string(strings, get_int(functions, i, 0));
		f->file = get_string(strings, get_int(files, i, 0));
		f->module = get_string(strings, get_int(modules, i, 0));
		f->line = get_int(lines, i, 0) > 0 ? get_int(lines, i, 0) : 0;
		f->name = create_name(f);
	}
}

/* Read the nodes. Returns 0 if they are inconsistent. */
static int read_nodes(struct json_object *stacks, struct recorded *r)
{
	struct json_object *nodes = json_read_member(stacks, "nodes"), *parents = json_read_member(nodes, "parent");
	struct json_object *frames = json_read_member(nodes, "frame"), *times = json_read_member(nodes, "self_us");
	struct json_object *samples = json_read_member(nodes, "samples");

	r->n_nodes = get_length(parents);
	r->nodes = text_calloc(r->n_nodes + 1, sizeof(*r->nodes));
	for (size_t i = 0; i < r->n_nodes; i++) {
		struct recorded_node *n = &r->nodes[i];
		int64_t frame = get_int(frames, i, -1);

		n->parent = get_int(parents, i, -2);
		n->self_us = get_int(times, i, -1);
		n->samples = get_int(samples, i, -1);
		if (n->parent < -1 || n->parent >= (int64_t)i || frame < 0 || (size_t)frame >= r->n_frames ||
		    n->self_us < 0 || n->samples < 0)
			return 0;
		n->frame = (size_t)frame;
		if (__builtin_add_overflow(r->total_us, n->self_us, &r->total_us) ||
		    __builtin_add_overflow(r->samples, n->samples, &r->samples))
			return 0;
	}
	return 1;
}

struct recorded recorded_head(struct json_object *result, const char *program)
{
	struct json_object *profile = json_read_member(result, "profile");
	struct recorded r = {.result = result, .program = program};

	r.pid = json_read_int(json_read_member(result, "pid"), 0);
	r.begun_us = json_read_int(json_read_member(profile, "begun_us"), 0);
	r.elapsed_us = json_read_int(json_read_member(profile, "elapsed_us"), 0);
	r.rate_hz = (double)json_read_int(json_read_member(profile, "rate_hz"), 0);
	return r;
}

struct error *recorded_span(const struct recorded *parts, size_t n, int64_t *begun_us_ret, int64_t *elapsed_us_ret)
{
	int64_t begun_us = parts[0].begun_us, end_us = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t part_end_us;

		if (parts[i].begun_us < 0 || parts[i].elapsed_us < 0 ||
		    __builtin_add_overflow(parts[i].begun_us, parts[i].elapsed_us, &part_end_us))
			return failure_create(ERR_CONNECT, "bad_answer", NULL,
					      "the times of the profiles are too large or negative");
		begun_us = parts[i].begun_us < begun_us ? parts[i].begun_us : begun_us;
		end_us = part_end_us > end_us ? part_end_us : end_us;
	}
	*begun_us_ret = begun_us;
	*elapsed_us_ret = end_us - begun_us;
	return NULL;
}

struct error *recorded_read(struct json_object *result, const char *program, struct recorded *ret)
{
	struct json_object *stacks = json_read_member(result, "stacks");
	struct recorded r = recorded_head(result, program);

	read_frames(stacks, &r);
	if (!json_object_is_type(json_read_member(stacks, "nodes"), json_type_object) || !read_nodes(stacks, &r)) {
		recorded_deinit(&r);
		return failure_create(ERR_CONNECT, "bad_answer", NULL,
				      "the answer to profile.get has no tree of stacks");
	}
	*ret = r;
	return NULL;
}

/* Append the frames and nodes of @part below a frame for its process. Returns 0 if a sum is too large. */
static int append_part(struct recorded *r, const struct recorded *part)
{
	size_t first_frame = r->n_frames, first_node = r->n_nodes;
	struct recorded_frame *process = &r->frames[r->n_frames++];
	struct buf name = {0};

	text_add_safe(&name, part->program, 1);
	text_printf(&name, " (pid %lld)", (long long)part->pid);
	process->kind = "user";
	process->function = process->name = text_take(&name);
	r->nodes[r->n_nodes++] = (struct recorded_node){.parent = -1, .frame = first_frame};
	for (size_t i = 0; i < part->n_frames; i++) {
		struct recorded_frame *f = &r->frames[r->n_frames++];

		*f = part->frames[i];
		f->name = text_strdup(part->frames[i].name);
	}
	for (size_t i = 0; i < part->n_nodes; i++) {
		struct recorded_node *n = &r->nodes[r->n_nodes++];

		*n = part->nodes[i];
		n->parent = n->parent < 0 ? (int64_t)first_node : n->parent + (int64_t)first_node + 1;
		n->frame += first_frame + 1;
	}
	return !__builtin_add_overflow(r->total_us, part->total_us, &r->total_us) &&
	       !__builtin_add_overflow(r->samples, part->samples, &r->samples);
}

struct error *recorded_merge(const struct recorded *parts, size_t n, struct recorded *ret)
{
	struct recorded r = parts[0];
	int is_valid = 1;

	struct error *f = recorded_span(parts, n, &r.begun_us, &r.elapsed_us);
	if (f)
		return f;
	r.n_frames = r.n_nodes = 0;
	r.total_us = r.samples = 0;
	size_t n_frames = n, n_nodes = n;
	for (size_t i = 0; i < n; i++) {
		n_frames += parts[i].n_frames;
		n_nodes += parts[i].n_nodes;
	}
	r.frames = text_calloc(n_frames, sizeof(*r.frames));
	r.nodes = text_calloc(n_nodes, sizeof(*r.nodes));
	for (size_t i = 0; i < n && is_valid; i++)
		is_valid = append_part(&r, &parts[i]);
	if (!is_valid) {
		recorded_deinit(&r);
		return failure_create(ERR_CONNECT, "bad_answer", NULL, "the times of the profiles are too large");
	}
	*ret = r;
	return NULL;
}

void recorded_deinit(struct recorded *r)
{
	for (size_t i = 0; i < r->n_frames; i++)
		free(r->frames[i].name);
	free(r->frames);
	free(r->nodes);
	*r = (struct recorded){0};
}

size_t recorded_stack(const struct recorded *r, size_t i, size_t *ret)
{
	size_t n = 0;

	for (int64_t at_node = (int64_t)i; at_node >= 0 && n < RECORDED_MAX_DEPTH; at_node = r->nodes[at_node].parent)
		ret[n++] = r->nodes[at_node].frame;
	return n;
}
