/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* `ompdctl tree`: regions, their threads, nested regions below their encountering thread, and tasks. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "foot.h"
#include "format.h"
#include "names.h"
#include "overview.h"
#include "tree.h"

struct builder {
	const struct overview *s;
	const struct style *style;
	/* Lists by index, terminated by OVERVIEW_NONE: regions by enclosing region, explicit tasks by thread. */
	size_t *first_region, *next_region;
	size_t *first_task, *next_task;
	int *region_done, *task_done, *thread_done;
	int too_deep;
};

static size_t *create_index_array(size_t n)
{
	size_t *array = text_calloc(n, sizeof(*array));

	for (size_t i = 0; i < n; i++)
		array[i] = OVERVIEW_NONE;
	return array;
}

static int is_explicit(const struct overview_task *task)
{
	return task->kind && !strcmp(task->kind, "explicit");
}

static void init_builder(struct builder *b, const struct overview *s, const struct style *style)
{
	*b = (struct builder){.s = s, .style = style};
	b->first_region = create_index_array(s->n_parallels);
	b->next_region = create_index_array(s->n_parallels);
	b->first_task = create_index_array(s->n_threads);
	b->next_task = create_index_array(s->n_tasks);
	b->region_done = text_calloc(s->n_parallels, sizeof(int));
	b->task_done = text_calloc(s->n_tasks, sizeof(int));
	b->thread_done = text_calloc(s->n_threads, sizeof(int));
	for (size_t i = s->n_parallels; i--;) {
		size_t outer = s->parallels[i].enclosing;

		if (outer == OVERVIEW_NONE)
			continue;
		b->next_region[i] = b->first_region[outer];
		b->first_region[outer] = i;
	}
	for (size_t i = s->n_tasks; i--;) {
		size_t thread = s->tasks[i].thread;

		if (!is_explicit(&s->tasks[i]) || thread == OVERVIEW_NONE)
			continue;
		b->next_task[i] = b->first_task[thread];
		b->first_task[thread] = i;
	}
}

static void deinit_builder(struct builder *b)
{
	free(b->first_region);
	free(b->next_region);
	free(b->first_task);
	free(b->next_task);
	free(b->region_done);
	free(b->task_done);
	free(b->thread_done);
}

static struct tree_node *add_node(struct builder *b, struct tree_node *parent, struct tree_node *node)
{
	if (tree_node_add(parent, node))
		return node;
	b->too_deep = 1;
	return NULL;
}

/* Return the number of @thread in @region, or -1. If the team is complete, a member's index is its number. */
static int64_t find_thread_number(const struct overview *s, size_t region, size_t thread)
{
	const struct overview_parallel *p = &s->parallels[region];
	int64_t size = format_int(format_member(p->json, "team_size"), -1);

	if (s->threads[thread].parallel == region)
		return format_int(format_member(s->threads[thread].json, "thread_num"), -1);
	if (size < 0 || (size_t)size != p->n_members)
		return -1;
	for (size_t i = 0; i < p->n_members; i++) {
		if (p->members[i] == thread)
			return (int64_t)i;
	}
	return -1;
}

/*
 * Append ", created by thread 0", or the explicit task that created it. Appends nothing when the creator is unknown,
 * or is obvious from the tree: the task @above, or the implicit task of its own thread.
 */
static void add_creator(const struct builder *b, size_t task, size_t above, struct text *t)
{
	const struct overview *s = b->s;
	size_t creator = s->tasks[task].generating;

	if (creator == OVERVIEW_NONE || creator == above)
		return;
	const struct overview_task *c = &s->tasks[creator];
	if (above == OVERVIEW_NONE && !is_explicit(c) && c->thread != OVERVIEW_NONE &&
	    c->thread == s->tasks[task].thread && c->parallel == s->tasks[task].parallel)
		return;
	text_add(t, t->len ? ", created by " : "created by ");
	if (is_explicit(c)) {
		char *function = overview_function(b->style, c->json);

		text_printf(t, "task %s", function);
		free(function);
		if (c->thread == OVERVIEW_NONE)
			return;
		text_add(t, " of ");
	}
	if (c->thread == OVERVIEW_NONE) {
		text_add(t, "the ");
		text_add_safe(t, c->kind ? c->kind : "unknown", b->style->utf8);
		text_add(t, " task");
		return;
	}
	int64_t num = c->parallel == OVERVIEW_NONE ? -1 : find_thread_number(s, c->parallel, c->thread);
	if (num >= 0)
		text_printf(t, "thread %" PRId64, num);
	else
		text_printf(t, "thread (%" PRId64 ")", s->threads[c->thread].tid);
}

static struct tree_node *create_task_node(const struct builder *b, size_t task, size_t above, const char *note)
{
	struct tree_node *node = tree_node_create("explicit task");
	char *function = overview_function(b->style, b->s->tasks[task].json);
	struct text t = {0};

	if (strcmp(function, "-"))
		text_add(&t, function);
	if (*note)
		text_printf(&t, "%s(%s)", t.len ? " " : "", note);
	add_creator(b, task, above, &t);
	node->text = text_take(&t);
	free(function);
	return node;
}

/*
 * Add the explicit tasks of @thread in @region. Each is below the task that it interrupted (scheduling), or else
 * below its creator on the same thread, or else below the thread.
 */
static void add_thread_tasks(struct builder *b, struct tree_node *parent, size_t region, size_t thread, size_t above,
			     size_t depth)
{
	const struct overview *s = b->s;

	for (size_t i = b->first_task[thread]; i != OVERVIEW_NONE; i = b->next_task[i]) {
		const struct overview_task *task = &s->tasks[i];
		size_t under = task->scheduling != OVERVIEW_NONE ? task->scheduling : task->generating;
		int nested = under != OVERVIEW_NONE && is_explicit(&s->tasks[under]) &&
			     s->tasks[under].thread == thread && under != i;

		if (b->task_done[i] || task->parallel != region || (nested ? under != above : above != OVERVIEW_NONE))
			continue;
		b->task_done[i] = 1;
		struct tree_node *node = add_node(
			b, parent, create_task_node(b, i, above, s->threads[thread].task == i ? "" : "suspended"));
		if (node && depth < TREE_MAX_DEPTH)
			add_thread_tasks(b, node, region, thread, i, depth + 1);
	}
}

/* Return whether the wait adds information to the state. A barrier does not: its team is visible in the tree. */
static int is_wait_informative(const struct builder *b, const struct overview_thread *thread)
{
	const char *what = format_string(format_member(format_member(thread->json, "wait_id"), "what"));

	return b->style->verbose || !what || (strcmp(what, "barrier") && strcmp(what, "dock"));
}

static struct tree_node *create_thread_node(const struct builder *b, size_t thread, int64_t num, int with_state)
{
	const struct overview_thread *t = &b->s->threads[thread];
	struct tree_node *node = tree_node_create("thread");

	ranges_add(&node->tids, t->tid);
	if (num >= 0)
		ranges_add(&node->nums, num);
	if (!with_state)
		return node;
	/*
	 * The primary thread encountered the region and continues after it: it gets a line of its own, separate from
	 * "threads 1-299".
	 */
	node->apart = num == 0;
	if (t->openmp) {
		struct state_name state = names_state(b->style, format_member(t->json, "state"));
		struct json_object *id = format_member(t->json, "wait_id");
		const char *what = format_string(format_member(id, "what"));
		/* "lock  waits for 0x40", but "work  waits for 0x40 (lock)" */
		int said = what && *what && !strncmp(state.text, what, strlen(what));
		char *wait = overview_wait(b->s, b->style, t, !said);

		node->state = state.text;
		node->colour = state.colour;
		struct text text = {0};

		if (is_wait_informative(b, t) && *wait != '-')
			text_printf(&text, "waits for %s", wait);
		if (format_member(t->json, "location")) {
			text_add(&text, text.len ? " at " : "at ");
			overview_add_location(&text, b->style, format_member(t->json, "location"));
		}
		if (text.len)
			node->text = text_take(&text);
		free(wait);
	}
	return node;
}

static void add_region(struct builder *b, struct tree_node *parent, size_t region);

/* Add the nested regions that @thread encountered in @region. */
static void add_nested_regions(struct builder *b, struct tree_node *node, size_t region, size_t thread)
{
	const struct overview *s = b->s;

	for (size_t i = b->first_region[region]; i != OVERVIEW_NONE; i = b->next_region[i]) {
		const struct overview_parallel *p = &s->parallels[i];

		if (!b->region_done[i] && p->n_members && p->members[0] == thread)
			add_region(b, node, i);
	}
}

/* Append "; team 1 of a league of 4", if there is a league. */
static void add_league(const struct overview_parallel *p, struct text *t)
{
	struct json_object *icvs = format_member(p->json, "icvs");
	int64_t n = format_int(format_member(format_member(icvs, "league-size-var"), "int"), 1);
	int64_t number = format_int(format_member(format_member(icvs, "team-num-var"), "int"), 0);

	if (n > 1)
		text_printf(t, "; team %" PRId64 " of a league of %" PRId64, number, n);
}

static char *create_region_text(const struct builder *b, size_t region)
{
	const struct overview_parallel *p = &b->s->parallels[region];
	int64_t level = format_int(format_member(p->json, "level"), -1);
	int64_t size = format_int(format_member(p->json, "team_size"), -1);
	int64_t queued = format_int(format_member(p->json, "queued"), 0);
	struct json_object *arrived = format_member(p->json, "arrived");
	int64_t n_arrived = format_int(format_member(arrived, "threads"), 0);
	char *function = overview_function(b->style, p->json);
	struct text t = {0};

	text_add(&t, "level ");
	format_value(&t, b->style, format_member(p->json, "level"));
	text_add(&t, ", team of ");
	format_value(&t, b->style, format_member(p->json, "team_size"));
	if (level > 0 && size == 1)
		text_add(&t, " (serialized)");
	if (level == 0)
		add_league(p, &t);
	if (size >= 0 && (size_t)size > p->n_members)
		text_printf(&t, " (%zu seen)", p->n_members);
	if (*function != '-') {
		text_add(&t, ": ");
		text_add(&t, function);
	}
	free(function);
	if (n_arrived > 0)
		text_printf(&t, "; %s%" PRId64 " at its barrier",
			    format_is_true(format_member(arrived, "exact")) ? "" : "at least ", n_arrived);
	/* Several tasks of a taskloop may be one line below. */
	if (queued > 0)
		text_printf(&t, "; %" PRId64 " task%s queued", queued, queued == 1 ? "" : "s");
	return text_take(&t);
}

/* Return the note on a task without an executing thread. */
static const char *get_note(const struct overview_task *task)
{
	struct json_object *queued = format_member(task->json, "queued");

	if (!queued)
		return "not current";
	return format_int(format_member(queued, "predecessors"), 0) > 0 ? "waits for others" : "queued";
}

static void add_region(struct builder *b, struct tree_node *parent, size_t region)
{
	const struct overview *s = b->s;
	const struct overview_parallel *p = &s->parallels[region];
	int initial = format_int(format_member(p->json, "level"), -1) == 0;
	struct tree_node *node = tree_node_create(initial ? "initial region" : "parallel region");

	b->region_done[region] = 1;
	node->text = create_region_text(b, region);
	node = add_node(b, parent, node);
	if (!node)
		return;
	for (size_t i = 0; i < p->n_members; i++) {
		size_t thread = p->members[i];
		int here = s->threads[thread].parallel == region;
		int64_t num = find_thread_number(s, region, thread);

		if (here && b->thread_done[thread])
			continue;
		b->thread_done[thread] |= here;
		struct tree_node *member = add_node(b, node, create_thread_node(b, thread, num, here));
		if (!member)
			return;
		add_thread_tasks(b, member, region, thread, OVERVIEW_NONE, 0);
		add_nested_regions(b, member, region, thread);
	}
	/* Show regions here if it is not known that their first thread is in this one: otherwise they would be lost. */
	for (size_t i = b->first_region[region]; i != OVERVIEW_NONE; i = b->next_region[i]) {
		if (!b->region_done[i])
			add_region(b, node, i);
	}
	for (size_t i = 0; i < s->n_tasks; i++) {
		if (s->tasks[i].parallel != region || b->task_done[i] || !is_explicit(&s->tasks[i]) ||
		    s->tasks[i].thread != OVERVIEW_NONE)
			continue;
		b->task_done[i] = 1;
		add_node(b, node, create_task_node(b, i, OVERVIEW_NONE, get_note(&s->tasks[i])));
	}
}

/* Add the threads outside all regions: idle pool threads, below their runtime, and threads without OpenMP. */
static void add_outsiders(struct builder *b, struct tree_node *root, struct tree_node **runtimes)
{
	const struct overview *s = b->s;

	for (int openmp = 1; openmp >= 0; openmp--) {
		for (size_t i = 0; i < s->n_threads; i++) {
			const struct overview_thread *t = &s->threads[i];
			struct tree_node *node;

			if (b->thread_done[i] || t->openmp != openmp)
				continue;
			node = create_thread_node(b, i, -1, 1);
			if (!openmp) {
				struct text text = {0};

				node->noun = "other thread";
				text_add(&text, "(");
				text_add_safe(&text, t->comm, b->style->utf8);
				text_add(&text, ")");
				node->text = text_take(&text);
			}
			node = add_node(b, openmp ? runtimes[t->runtime] : root, node);
			if (node)
				add_thread_tasks(b, node, t->parallel, i, OVERVIEW_NONE, 0);
		}
	}
}

static void show_target(const struct overview *s, const struct style *style, struct text *out)
{
	struct json_object *plugin = format_member(s->json, "plugin");
	const char *dots = style->utf8 ? "\342\200\246" : "..";
	struct text line = {0};

	text_add(&line, "mode ");
	format_value(&line, style, format_member(s->info, "mode"));
	if (format_member(plugin, "version_string")) {
		text_add(&line, ", plugin ");
		format_value(&line, style, format_member(plugin, "version_string"));
	}
	text_add(&line, ", ");
	format_value(&line, style, format_member(s->info, "exe"));
	if (style->width > 2 && text_width(line.data) > (size_t)style->width) {
		line.len = text_fit(line.data, (size_t)style->width - text_width(dots));
		text_add(&line, dots);
	}
	text_add_coloured(out, style, COLOUR_DIM, line.data);
	text_add(out, "\n");
	text_deinit(&line);
}

/* Find the node for each runtime's children: the root, if there is only one runtime. */
static void add_runtimes(struct builder *b, struct tree_node *root, struct tree_node **runtimes)
{
	for (size_t i = 0; i < b->s->n_runtimes; i++) {
		runtimes[i] = root;
		if (b->s->n_runtimes == 1)
			continue;
		struct tree_node *node = tree_node_create("runtime");
		struct text t = {0};

		ranges_add(&node->nums, (int64_t)i);
		overview_runtime(b->s, b->style, i, &t);
		node->text = text_take(&t);
		node->apart = 1;
		runtimes[i] = add_node(b, root, node);
	}
}

void tree_show(const struct overview *s, const struct style *style, struct text *out)
{
	struct tree_node *root = tree_node_create("process"), *runtimes[OVERVIEW_MAX_RUNTIMES];
	struct foot foot = {0};
	struct builder b;

	init_builder(&b, s, style);
	add_runtimes(&b, root, runtimes);
	for (size_t i = 0; i < s->n_parallels; i++) {
		if (s->parallels[i].enclosing == OVERVIEW_NONE && !b.region_done[i])
			add_region(&b, runtimes[s->parallels[i].runtime], i);
	}
	/* The remaining regions hang on a cycle of enclosing regions, which only a corrupted target has. */
	for (size_t i = 0; i < s->n_parallels; i++) {
		if (!b.region_done[i])
			add_region(&b, runtimes[s->parallels[i].runtime], i);
	}
	add_outsiders(&b, root, runtimes);
	if (!style->all)
		tree_fold(root);
	if (s->info)
		show_target(s, style, out);
	tree_draw(root, style, out);
	if (b.too_deep)
		text_printf(out, "deeper than %d levels; the rest is not shown\n", TREE_MAX_DEPTH);
	foot_note_states(&foot, s);
	foot_show(&foot, style, out);
	tree_node_destroy(root);
	deinit_builder(&b);
}
