/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tree: regions, their threads, nested regions below their encountering thread, and tasks. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "base/cleanup.h"
#include "rpc/json_read.h"
#include "view/node.h"
#include "view/parts.h"
#include "view/state_name.h"
#include "view/value.h"

struct builder {
	const struct facts *s;
	bool numbered;
	int verbose;
	/* Lists by index, terminated by FACTS_NONE: regions by enclosing region, explicit tasks by thread. */
	size_t *first_region, *next_region;
	size_t *first_task, *next_task;
	char *region_done, *task_done, *thread_done;
	int too_deep;
};

static size_t *create_index_array(size_t n)
{
	size_t *array = calloc(n + 1, sizeof(*array));

	for (size_t i = 0; array && i < n; i++)
		array[i] = FACTS_NONE;
	return array;
}

static void list_regions(struct builder *b)
{
	for (size_t i = b->s->n_parallels; i--;) {
		size_t outer = b->s->parallels[i].enclosing;

		if (outer == FACTS_NONE)
			continue;
		b->next_region[i] = b->first_region[outer];
		b->first_region[outer] = i;
	}
}

static void list_tasks(struct builder *b)
{
	for (size_t i = b->s->n_tasks; i--;) {
		size_t thread = b->s->tasks[i].thread;

		if (!facts_is_explicit(&b->s->tasks[i]) || thread == FACTS_NONE)
			continue;
		b->next_task[i] = b->first_task[thread];
		b->first_task[thread] = i;
	}
}

static struct error *builder_init(struct builder *b, const struct facts *s, const struct view_request *request)
{
	*b = (struct builder){.s = s, .numbered = request->numbered, .verbose = request->verbose};
	b->first_region = create_index_array(s->n_parallels);
	b->next_region = create_index_array(s->n_parallels);
	b->first_task = create_index_array(s->n_threads);
	b->next_task = create_index_array(s->n_tasks);
	b->region_done = calloc(s->n_parallels + 1, 1);
	b->task_done = calloc(s->n_tasks + 1, 1);
	b->thread_done = calloc(s->n_threads + 1, 1);
	if (!b->first_region || !b->next_region || !b->first_task || !b->next_task || !b->region_done ||
	    !b->task_done || !b->thread_done)
		return &error_nomem;
	list_regions(b);
	list_tasks(b);
	return NULL;
}

static void builder_deinit(struct builder *b)
{
	free(b->first_region);
	free(b->next_region);
	free(b->first_task);
	free(b->next_task);
	free(b->region_done);
	free(b->task_done);
	free(b->thread_done);
}

static struct node *add_node(struct builder *b, struct node *parent, struct node *node)
{
	struct node *added = node_add(parent, node);

	b->too_deep |= !added;
	return added;
}

/* Return the number of @thread in the team of @region. A thread that is in a nested region has the number only as its
 * place in a complete list of members. -1: not known. */
static int64_t find_thread_number(const struct facts *s, size_t region, size_t thread)
{
	const struct facts_parallel *p = &s->parallels[region];
	int64_t size = json_read_int(json_read_member(p->json, "team_size"), -1);

	if (s->threads[thread].parallel == region)
		return json_read_int(json_read_member(s->threads[thread].json, "thread_num"), -1);
	if (size < 0 || (size_t)size != p->n_members)
		return -1;
	for (size_t i = 0; i < p->n_members; i++) {
		if (p->members[i] == thread)
			return (int64_t)i;
	}
	return -1;
}

/* Append "task fib of thread 0": the task @creator. */
static void add_creator_name(const struct builder *b, const struct facts_task *creator, struct buf *p)
{
	const struct facts *s = b->s;

	if (facts_is_explicit(creator)) {
		phrase_add(p, "task ");
		value_add_function(p, creator->json, b->verbose);
		if (creator->thread == FACTS_NONE)
			return;
		phrase_add(p, " of ");
	}
	if (creator->thread == FACTS_NONE) {
		phrase_printf(p, "the %s task", creator->kind ? creator->kind : "unknown");
		return;
	}
	int64_t num = creator->parallel == FACTS_NONE ? -1 : find_thread_number(s, creator->parallel, creator->thread);
	if (num >= 0)
		phrase_printf(p, "thread %" PRId64, num);
	else
		phrase_printf(p, "thread (%" PRId64 ")", s->threads[creator->thread].tid);
}

/*
 * Append ", created by thread 0", or the explicit task that created it. Appends nothing when the creator is unknown,
 * or is obvious from the tree: the task @above, or the implicit task of its own thread.
 */
static void add_creator(const struct builder *b, size_t task, size_t above, struct buf *p)
{
	const struct facts *s = b->s;
	size_t creator = s->tasks[task].generating;

	if (creator == FACTS_NONE || creator == above)
		return;
	const struct facts_task *c = &s->tasks[creator];
	if (above == FACTS_NONE && !facts_is_explicit(c) && c->thread != FACTS_NONE &&
	    c->thread == s->tasks[task].thread && c->parallel == s->tasks[task].parallel)
		return;
	phrase_add(p, p->len ? ", created by " : "created by ");
	add_creator_name(b, c, p);
}

static void put_location(struct node *node, struct json_object *location)
{
	struct buf place = {0};

	node_put(node, "location", json_object_get(location));
	if (value_add_location(&place, location))
		node_put(node, "place", phrase_take_json(&place));
}

/* A region without a location of its own has the place of the call that entered it, which is inferred. */
static void put_call_site(struct node *node, struct json_object *location)
{
	struct buf place = {0};

	if (json_read_member(node->members, "place") || !value_add_location(&place, location))
		return;
	phrase_add(&place, "~");
	node_put(node, "place", phrase_take_json(&place));
}

static struct node *create_task_node(const struct builder *b, size_t task, size_t above, const char *note)
{
	struct json_object *json = b->s->tasks[task].json;
	struct node *node = node_create("task", "explicit task");
	struct buf function = {0};

	if (!node)
		return NULL;
	if (value_add_function(&function, json, b->verbose) || b->verbose)
		phrase_add(&node->text, phrase_text(&function));
	if (*note)
		phrase_printf(&node->text, "%s(%s)", node->text.len ? " " : "", note);
	add_creator(b, task, above, &node->text);
	node_add_handle(node, json_read_member(json, "handle"));
	put_location(node, json_read_member(json, "location"));
	buf_deinit(&function);
	return node;
}

/*
 * Add the explicit tasks of @thread in @region. Each is below the task that it interrupted (scheduling), or else
 * below its creator on the same thread, or else below the thread.
 */
static void add_thread_tasks(struct builder *b, struct node *parent, size_t region, size_t thread, size_t above,
			     size_t depth)
{
	const struct facts *s = b->s;

	for (size_t i = b->first_task[thread]; i != FACTS_NONE; i = b->next_task[i]) {
		const struct facts_task *task = &s->tasks[i];
		size_t under = task->scheduling != FACTS_NONE ? task->scheduling : task->generating;
		int nested = under != FACTS_NONE && facts_is_explicit(&s->tasks[under]) &&
			     s->tasks[under].thread == thread && under != i;

		if (b->task_done[i] || task->parallel != region || (nested ? under != above : above != FACTS_NONE))
			continue;
		b->task_done[i] = 1;
		struct node *node = add_node(
			b, parent, create_task_node(b, i, above, s->threads[thread].task == i ? "" : "suspended"));
		if (node && depth < NODE_MAX_DEPTH)
			add_thread_tasks(b, node, region, thread, i, depth + 1);
	}
}

/* Return whether the wait adds information to the state. A barrier does not: its team is visible in the tree. */
static int is_wait_informative(const struct builder *b, const char *what)
{
	return b->verbose || (strcmp(what, "barrier") && strcmp(what, "dock"));
}

/* Append "waits for lock_a at solve.c:40". */
static void add_thread_text(const struct builder *b, const struct facts_thread *t, const char *state, struct buf *p)
{
	const char *what = json_read_text(json_read_member(t->json, "wait_id"), "what");
	/* "lock  waits for 0x40", but "work  waits for 0x40 (lock)" */
	int said = *what && !strncmp(state, what, strlen(what));
	struct json_object *location = json_read_member(t->json, "location");
	struct buf wait = {0};

	if (value_add_wait(&wait, b->s, t, !said, b->verbose) && is_wait_informative(b, what))
		phrase_printf(p, "waits for %s", phrase_text(&wait));
	buf_deinit(&wait);
	if (location) {
		phrase_add(p, p->len ? " at " : "at ");
		value_add_location(p, location);
	}
}

static struct node *create_thread_node(const struct builder *b, size_t thread, int64_t num, int with_state)
{
	const struct facts_thread *t = &b->s->threads[thread];
	struct node *node = node_create("thread", "thread");

	if (!node)
		return NULL;
	number_set_add(&node->tids, t->tid);
	if (num >= 0)
		number_set_add(&node->nums, num);
	if (!with_state)
		return node;
	/*
	 * The primary thread encountered the region and continues after it: it gets a line of its own, separate from
	 * "threads 1-299".
	 */
	node->apart = num == 0;
	if (t->openmp) {
		node->state = state_name_json(json_read_member(t->json, "state"), b->verbose);
		add_thread_text(b, t, json_read_text(node->state, "text"), &node->text);
		put_location(node, json_read_member(t->json, "location"));
	}
	return node;
}

static void add_region(struct builder *b, struct node *parent, size_t region);

/* Add the nested regions that @thread encountered in @region. */
static void add_nested_regions(struct builder *b, struct node *node, size_t region, size_t thread)
{
	const struct facts *s = b->s;

	for (size_t i = b->first_region[region]; i != FACTS_NONE; i = b->next_region[i]) {
		const struct facts_parallel *p = &s->parallels[i];

		if (!b->region_done[i] && p->n_members && p->members[0] == thread)
			add_region(b, node, i);
	}
}

/* Append "; team 1 of a league of 4", if there is a league. */
static void add_league(const struct facts_parallel *p, struct buf *ret)
{
	struct json_object *icvs = json_read_member(p->json, "icvs");
	int64_t n = json_read_int(json_read_member(json_read_member(icvs, "league-size-var"), "int"), 1);
	int64_t number = json_read_int(json_read_member(json_read_member(icvs, "team-num-var"), "int"), 0);

	if (n > 1)
		phrase_printf(ret, "; team %" PRId64 " of a league of %" PRId64, number, n);
}

/* Append "level 1, team of 4: solve; 3 at its barrier; 2 tasks queued". */
static void add_region_text(const struct builder *b, const struct facts_parallel *p, struct buf *ret)
{
	int64_t level = json_read_int(json_read_member(p->json, "level"), -1);
	int64_t size = json_read_int(json_read_member(p->json, "team_size"), -1);
	int64_t queued = json_read_int(json_read_member(p->json, "queued"), 0);
	struct json_object *arrived = json_read_member(p->json, "arrived");
	int64_t n_arrived = json_read_int(json_read_member(arrived, "threads"), 0);
	struct buf function = {0};

	phrase_add(ret, "level ");
	value_add(ret, json_read_member(p->json, "level"), b->verbose);
	phrase_add(ret, ", team of ");
	value_add(ret, json_read_member(p->json, "team_size"), b->verbose);
	if (level > 0 && size == 1)
		phrase_add(ret, " (serialized)");
	if (level == 0)
		add_league(p, ret);
	if (size >= 0 && (size_t)size > p->n_members)
		phrase_printf(ret, " (%zu seen)", p->n_members);
	if (value_add_function(&function, p->json, b->verbose))
		phrase_printf(ret, ": %s", phrase_text(&function));
	buf_deinit(&function);
	if (n_arrived > 0)
		phrase_printf(ret, "; %s%" PRId64 " at its barrier",
			      json_read_bool(json_read_member(arrived, "exact")) ? "" : "at least ", n_arrived);
	/* Several tasks of a taskloop may be one line below. */
	if (queued > 0)
		phrase_printf(ret, "; %" PRId64 " task%s queued", queued, queued == 1 ? "" : "s");
}

static struct node *create_region_node(const struct builder *b, const struct facts_parallel *p)
{
	int initial = json_read_int(json_read_member(p->json, "level"), -1) == 0;
	struct node *node = node_create("region", initial ? "initial region" : "parallel region");

	if (!node)
		return NULL;
	if (b->numbered)
		number_set_add(&node->nums, (int64_t)p->number);
	add_region_text(b, p, &node->text);
	node_add_handle(node, json_read_member(p->json, "handle"));
	put_location(node, json_read_member(p->json, "location"));
	put_call_site(node, json_read_member(json_read_member(p->json, "call_site"), "location"));
	return node;
}

/* Return the note on a task without an executing thread. */
static const char *get_note(const struct facts_task *task)
{
	struct json_object *queued = json_read_member(task->json, "queued");

	if (!queued)
		return "not current";
	return json_read_int(json_read_member(queued, "predecessors"), 0) > 0 ? "waits for others" : "queued";
}

/* Add the tasks of @region that no thread executes. */
static void add_other_tasks(struct builder *b, struct node *node, size_t region)
{
	const struct facts *s = b->s;

	for (size_t i = 0; i < s->n_tasks; i++) {
		if (s->tasks[i].parallel != region || b->task_done[i] || !facts_is_explicit(&s->tasks[i]) ||
		    s->tasks[i].thread != FACTS_NONE)
			continue;
		b->task_done[i] = 1;
		add_node(b, node, create_task_node(b, i, FACTS_NONE, get_note(&s->tasks[i])));
	}
}

static void add_region(struct builder *b, struct node *parent, size_t region)
{
	const struct facts *s = b->s;
	const struct facts_parallel *p = &s->parallels[region];

	b->region_done[region] = 1;
	struct node *node = add_node(b, parent, create_region_node(b, p));
	if (!node)
		return;
	for (size_t i = 0; i < p->n_members; i++) {
		size_t thread = p->members[i];
		int here = s->threads[thread].parallel == region;
		int64_t num = find_thread_number(s, region, thread);

		if (here && b->thread_done[thread])
			continue;
		b->thread_done[thread] |= here;
		struct node *member = add_node(b, node, create_thread_node(b, thread, num, here));
		if (!member)
			return;
		add_thread_tasks(b, member, region, thread, FACTS_NONE, 0);
		add_nested_regions(b, member, region, thread);
	}
	/* Show regions here if it is not known that their first thread is in this one: otherwise they would be lost. */
	for (size_t i = b->first_region[region]; i != FACTS_NONE; i = b->next_region[i]) {
		if (!b->region_done[i])
			add_region(b, node, i);
	}
	add_other_tasks(b, node, region);
}

static struct node *create_other_node(const struct builder *b, size_t thread)
{
	struct node *node = create_thread_node(b, thread, -1, 1);

	if (!node)
		return NULL;
	node->kind = "other_thread";
	node->noun = "other thread";
	if (*b->s->threads[thread].comm)
		phrase_printf(&node->text, "(%s)", b->s->threads[thread].comm);
	return node;
}

/* Add the threads outside all regions: idle pool threads, below their runtime, and threads without OpenMP. */
static void add_outsiders(struct builder *b, struct node *root, struct node **runtimes)
{
	const struct facts *s = b->s;

	for (int openmp = 1; openmp >= 0; openmp--) {
		for (size_t i = 0; i < s->n_threads; i++) {
			const struct facts_thread *t = &s->threads[i];

			if (b->thread_done[i] || t->openmp != openmp)
				continue;
			struct node *node = openmp ? add_node(b, runtimes[t->runtime], create_thread_node(b, i, -1, 1))
						   : add_node(b, root, create_other_node(b, i));
			if (node)
				add_thread_tasks(b, node, t->parallel, i, FACTS_NONE, 0);
		}
	}
}

/* Find the node for each runtime's children: the root, if there is only one runtime. */
static struct error *add_runtimes(struct builder *b, struct node *root, struct node **runtimes)
{
	for (size_t i = 0; i < b->s->n_runtimes; i++) {
		runtimes[i] = root;
		if (b->s->n_runtimes == 1)
			continue;
		struct node *node = add_node(b, root, node_create("runtime", "runtime"));
		if (!node)
			return &error_nomem;
		number_set_add(&node->nums, (int64_t)i);
		head_add_runtime(&node->text, b->s, i, b->verbose);
		node->apart = 1;
		runtimes[i] = node;
	}
	return NULL;
}

static struct error *build_tree(struct builder *b, struct node *root)
{
	struct node *runtimes[FACTS_MAX_RUNTIMES];
	const struct facts *s = b->s;
	struct error *err = add_runtimes(b, root, runtimes);

	for (size_t i = 0; i < s->n_parallels && !err; i++) {
		if (s->parallels[i].enclosing == FACTS_NONE && !b->region_done[i])
			add_region(b, runtimes[s->parallels[i].runtime], i);
	}
	/* The remaining regions hang on a cycle of enclosing regions, which only a corrupted target has. */
	for (size_t i = 0; i < s->n_parallels && !err; i++) {
		if (!b->region_done[i])
			add_region(b, runtimes[s->parallels[i].runtime], i);
	}
	if (!err)
		add_outsiders(b, root, runtimes);
	return err;
}

struct error *tree_add(struct json_object *o, const struct view_request *request, const struct facts *s,
		       struct notes *notes)
{
	_cleanup_(builder_deinit) struct builder b;
	struct error *err = builder_init(&b, s, request);
	struct node *root = node_create("process", "process");

	if (!err && !root)
		err = &error_nomem;
	if (!err)
		err = build_tree(&b, root);
	if (!err && request->fold)
		node_fold(root, request->fold_above);
	if (!err) {
		json_object_object_add(o, "nodes", node_array_json(root));
		states_add_counts(o, s);
	}
	notes->too_deep = b.too_deep;
	notes_add_states(notes, s);
	node_destroy(root);
	return err;
}
