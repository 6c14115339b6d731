/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parses a snapshot's JSON. */
#include "view/facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "rpc/json_read.h"

/* Regions nested deeper are numbered after all others. */
#define FACTS_MAX_DEPTH 64

static int is_initial(const struct facts_parallel *p)
{
	return json_read_int(json_read_member(p->json, "level"), -1) <= 0;
}

/* As calloc(), but an empty array has an address, too. */
static void *create_array(size_t n, size_t size)
{
	return calloc(n ? n : 1, size);
}

/* Return a map from handle to index. A json-c object serves as the hash table. */
static struct json_object *index_handles(struct json_object *array)
{
	struct json_object *map = json_object_new_object();

	for (size_t i = 0; i < json_read_length(array); i++) {
		const char *handle = json_read_string(json_read_member(json_object_array_get_idx(array, i), "handle"));

		if (handle)
			json_object_object_add(map, handle, json_object_new_int64((int64_t)i));
	}
	return map;
}

static size_t find_index(struct json_object *map, struct json_object *object, const char *key)
{
	const char *handle = json_read_string(json_read_member(object, key));
	int64_t i = handle ? json_read_int(json_read_member(map, handle), -1) : -1;

	return i < 0 ? FACTS_NONE : (size_t)i;
}

static size_t get_runtime(const struct facts *s, struct json_object *object)
{
	int64_t i = json_read_int(json_read_member(object, "runtime"), 0);

	return i < 0 || (size_t)i >= s->n_runtimes ? 0 : (size_t)i;
}

/* Write the key of a thread. A thread that several runtimes know has one entry per runtime. */
static void format_tid_key(char key[48], int64_t tid, size_t runtime)
{
	snprintf(key, 48, "%" PRId64 ":%zu", tid, runtime);
}

static size_t find_tid_index(struct json_object *map, struct json_object *tid, size_t runtime)
{
	char key[48];

	if (!json_object_is_type(tid, json_type_int))
		return FACTS_NONE;
	format_tid_key(key, json_read_int(tid, 0), runtime);
	int64_t i = json_read_int(json_read_member(map, key), -1);
	return i < 0 ? FACTS_NONE : (size_t)i;
}

static struct error *init_threads(struct facts *s, struct json_object *parallels, struct json_object *tasks,
				  struct json_object *tids)
{
	struct json_object *array = json_read_member(s->json, "threads");

	s->n_threads = json_read_length(array);
	s->threads = create_array(s->n_threads, sizeof(*s->threads));
	if (!s->threads)
		return &error_nomem;
	for (size_t i = 0; i < s->n_threads; i++) {
		struct facts_thread *t = &s->threads[i];
		const char *comm;
		char key[48];

		t->json = json_object_array_get_idx(array, i);
		t->runtime = get_runtime(s, t->json);
		t->tid = json_read_int(json_read_member(t->json, "tid"), 0);
		comm = json_read_string(json_read_member(t->json, "comm"));
		t->comm = comm ? comm : "";
		t->openmp = json_read_bool(json_read_member(t->json, "openmp"));
		t->parallel = find_index(parallels, t->json, "parallel");
		t->task = find_index(tasks, t->json, "task");
		format_tid_key(key, t->tid, t->runtime);
		json_object_object_add(tids, key, json_object_new_int64((int64_t)i));
	}
	return NULL;
}

static struct error *init_parallels(struct facts *s, struct json_object *parallels, struct json_object *tids)
{
	struct json_object *array = json_read_member(s->json, "parallels");

	s->n_parallels = json_read_length(array);
	s->parallels = create_array(s->n_parallels, sizeof(*s->parallels));
	if (!s->parallels)
		return &error_nomem;
	for (size_t i = 0; i < s->n_parallels; i++) {
		struct facts_parallel *p = &s->parallels[i];
		struct json_object *members;

		p->json = json_object_array_get_idx(array, i);
		p->runtime = get_runtime(s, p->json);
		p->enclosing = find_index(parallels, p->json, "enclosing");
		members = json_read_member(p->json, "threads");
		p->members = create_array(json_read_length(members), sizeof(*p->members));
		if (!p->members)
			return &error_nomem;
		for (size_t m = 0; m < json_read_length(members); m++) {
			size_t thread = find_tid_index(tids, json_object_array_get_idx(members, m), p->runtime);

			if (thread != FACTS_NONE)
				p->members[p->n_members++] = thread;
		}
	}
	return NULL;
}

static struct error *init_tasks(struct facts *s, struct json_object *parallels, struct json_object *tasks,
				struct json_object *tids)
{
	struct json_object *array = json_read_member(s->json, "tasks");

	s->n_tasks = json_read_length(array);
	s->tasks = create_array(s->n_tasks, sizeof(*s->tasks));
	if (!s->tasks)
		return &error_nomem;
	for (size_t i = 0; i < s->n_tasks; i++) {
		struct facts_task *t = &s->tasks[i];

		t->json = json_object_array_get_idx(array, i);
		t->kind = json_read_string(json_read_member(t->json, "kind"));
		t->parallel = find_index(parallels, t->json, "parallel");
		t->generating = find_index(tasks, t->json, "generating");
		t->scheduling = find_index(tasks, t->json, "scheduling");
		t->thread = find_tid_index(tids, json_read_member(t->json, "thread"), get_runtime(s, t->json));
	}
	return NULL;
}

/* Number the regions that @outer encloses, each followed by its nested ones. @depth limits a cycle. */
static void number_regions(struct facts *s, size_t outer, size_t depth, size_t *last)
{
	for (size_t i = 0; i < s->n_parallels && depth < FACTS_MAX_DEPTH; i++) {
		struct facts_parallel *p = &s->parallels[i];

		if (p->enclosing != outer || i == outer || p->number)
			continue;
		if (!is_initial(p))
			p->number = ++*last;
		number_regions(s, i, depth + 1, last);
	}
}

void facts_number_regions(struct facts *s)
{
	size_t last = 0;

	number_regions(s, FACTS_NONE, 0, &last);
	/* Enclosing regions form a cycle only in an inconsistent snapshot. */
	for (size_t i = 0; i < s->n_parallels; i++) {
		if (!s->parallels[i].number && !is_initial(&s->parallels[i]))
			s->parallels[i].number = ++last;
	}
}

struct error *facts_init(struct facts *s, struct json_object *snapshot)
{
	struct json_object *parallels = index_handles(json_read_member(snapshot, "parallels"));
	struct json_object *tasks = index_handles(json_read_member(snapshot, "tasks"));
	struct json_object *tids = json_object_new_object();

	*s = (struct facts){.json = snapshot, .task_index = tasks};
	s->runtimes = json_read_member(snapshot, "runtimes");
	s->n_runtimes = json_read_length(s->runtimes);
	if (s->n_runtimes == 0 || s->n_runtimes > FACTS_MAX_RUNTIMES)
		s->n_runtimes = 1;
	struct error *err = init_threads(s, parallels, tasks, tids);
	if (!err)
		err = init_parallels(s, parallels, tids);
	if (!err)
		err = init_tasks(s, parallels, tasks, tids);
	json_object_put(parallels);
	json_object_put(tids);
	return err;
}

void facts_deinit(struct facts *s)
{
	for (size_t i = 0; s->parallels && i < s->n_parallels; i++)
		free(s->parallels[i].members);
	free(s->threads);
	free(s->parallels);
	free(s->tasks);
	json_object_put(s->task_index);
	*s = (struct facts){0};
}

struct json_object *facts_region(const struct facts *s, size_t parallel)
{
	return parallel == FACTS_NONE ? NULL : s->parallels[parallel].json;
}

size_t facts_find_task(const struct facts *s, struct json_object *handle)
{
	int64_t i = json_read_int(
		json_read_string(handle) ? json_read_member(s->task_index, json_read_string(handle)) : NULL, -1);

	return i < 0 ? FACTS_NONE : (size_t)i;
}

int facts_is_explicit(const struct facts_task *task)
{
	return task->kind && !strcmp(task->kind, "explicit");
}
