/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stacks as gdb shows them, equal ones once, and logical stacks with the boundaries of regions and tasks. */
#include <inttypes.h>
#include <string.h>

#include <json-c/json.h>

#include "base/path.h"
#include "rpc/json_read.h"
#include "view/node.h"
#include "view/parts.h"
#include "view/value.h"

static void add_place(struct buf *p, struct json_object *frame)
{
	struct json_object *location = json_read_member(frame, "location");
	const char *file = json_read_text(location, "file"), *module = json_read_text(frame, "module");

	if (*file)
		phrase_printf(p, " at %s:%" PRId64, file, json_read_int(json_read_member(location, "line"), 0));
	else if (*module)
		phrase_printf(p, " from %s", module);
}

/* Append "work() at /home/u/solve.c:40 (inlined)". */
static void add_frame_text(struct buf *p, struct json_object *frame, int verbose)
{
	const char *function = json_read_string(json_read_member(frame, "function"));
	const char *pc = json_read_text(frame, "pc");
	struct json_object *device = json_read_member(frame, "device");
	int is_python = !strcmp(json_read_text(frame, "kind"), "python");

	if (!function || (verbose && !is_python))
		phrase_printf(p, "%s in ", *pc ? pc : "?");
	phrase_add(p, function ? function : "??");
	/* Names of C++ functions already have their parameters. Python's "<module>" has none. */
	if (!function || (!strchr(function, '(') && *function != '<'))
		phrase_add(p, "()");
	add_place(p, frame);
	if (json_read_bool(json_read_member(frame, "inlined")))
		phrase_add(p, " (inlined)");
	if (device && json_read_reason(device))
		phrase_add(p, ", on a device");
	else if (device)
		phrase_printf(p, ", on device %" PRId64, json_read_int(device, 0));
}

/* Put the function's name and a short place: "work", "solve.c:40"; without debug information the module. */
static void put_name(struct node *node, struct json_object *frame)
{
	const char *function = json_read_string(json_read_member(frame, "function"));
	struct buf place = {0};

	node_put(node, "name", json_object_new_string(function ? function : json_read_text(frame, "pc")));
	if (!value_add_location(&place, json_read_member(frame, "location")))
		phrase_add(&place, path_file_name(json_read_text(frame, "module")));
	node_put(node, "place", phrase_take_json(&place));
}

/* Append ", encountered by thread 4711" if the following frames are on another thread's stack. */
static void add_thread(struct buf *p, struct json_object *item, const char *verb, int64_t *thread)
{
	int64_t next = json_read_int(json_read_member(item, "thread"), 0);

	if (next && next != *thread)
		phrase_printf(p, ", %s by thread %" PRId64, verb, next);
	if (next)
		*thread = next;
}

static void add_region(struct buf *p, struct json_object *item, int verbose)
{
	int64_t number = json_read_int(json_read_member(item, "thread_num"), -1);
	int64_t size = json_read_int(json_read_member(item, "team_size"), -1);
	int initial = json_read_int(json_read_member(item, "level"), -1) == 0;

	phrase_add(p, initial ? "initial region level " : "parallel region level ");
	value_add(p, json_read_member(item, "level"), verbose);
	if (number >= 0)
		phrase_printf(p, ", thread %" PRId64, number);
	if (size >= 0)
		phrase_printf(p, number >= 0 ? " of %" PRId64 : ", team of %" PRId64, size);
}

static void add_construct(struct buf *p, struct json_object *item)
{
	const char *entry = json_read_string(json_read_member(item, "entry"));
	const char *construct = json_read_text(item, "construct");

	phrase_printf(p, "in %s", entry ? entry : "the OpenMP runtime");
	if (*construct && strcmp(construct, "api"))
		phrase_printf(p, " (%s)", construct);
}

static void add_boundary_text(struct buf *p, struct json_object *item, int64_t *thread, int verbose)
{
	const char *kind = json_read_text(item, "kind");

	if (!strcmp(kind, "parallel")) {
		add_region(p, item, verbose);
	} else if (!strcmp(kind, "task")) {
		phrase_add(p, "explicit task ");
		value_add(p, json_read_member(item, "function"), verbose);
	} else {
		add_construct(p, item);
	}
	add_thread(p, item, strcmp(kind, "task") ? "encountered" : "generated", thread);
}

static void add_missing(struct node *stack, struct json_object *complete, int has_frames, int verbose)
{
	struct json_object *message = json_read_member(complete, "message");
	struct node *node = node_add(stack, node_create("missing", ""));

	if (!node)
		return;
	phrase_add(&node->text, has_frames ? "further frames are missing: " : "no frames: ");
	value_add(&node->text, message ? message : complete, verbose);
}

/* Add the frames and boundaries of @source, a group or one stack. @thread: the stack's own thread, or 0. */
static struct error *add_items(struct node *stack, struct json_object *source, int64_t thread, int verbose)
{
	struct json_object *items = json_read_member(source, "frames"),
			   *complete = json_read_member(source, "complete");
	int64_t number = 0;

	for (size_t i = 0; i < json_read_length(items); i++) {
		struct json_object *item = json_object_array_get_idx(items, i);
		const char *kind = json_read_text(item, "kind");
		int is_python = !strcmp(kind, "python"), is_frame = is_python || json_read_member(item, "pc");

		/* Frames below main(): gdb hides these, too. */
		if (!strcmp(kind, "start") && !verbose)
			continue;
		const char *shown = !is_frame				 ? "boundary"
				    : is_python || !strcmp(kind, "user") ? "frame"
									 : "other_frame";
		struct node *node = node_add(stack, node_create(shown, ""));
		if (!node)
			return &error_nomem;
		if (is_frame) {
			node_put(node, "number", json_object_new_int64(number++));
			node_put(node, "frame", json_object_get(item));
			put_name(node, item);
			add_frame_text(&node->text, item, verbose);
		} else {
			node_put(node, "boundary", json_object_get(item));
			add_boundary_text(&node->text, item, &thread, verbose);
		}
	}
	if (!json_read_bool(complete))
		add_missing(stack, complete, number > 0, verbose);
	return NULL;
}

/* Return whether the process certainly has no OpenMP state. Other reasons leave that open. */
static int is_without_openmp(struct json_object *openmp)
{
	const char *name = json_read_text(openmp, "name");

	return !json_read_reason(openmp) || !strcmp(name, "no_openmp_runtime") || !strcmp(name, "openmp_not_started");
}

/* Add the threads @first to @first + @n of @threads to the stack: its label, and whether they have OpenMP. */
static void add_threads(struct node *stack, struct json_object *threads, size_t first, size_t n)
{
	size_t openmp = 0, without = 0;

	stack->count = n;
	for (size_t i = first; i < first + n; i++) {
		struct json_object *thread = json_object_array_get_idx(threads, i);
		int64_t num = json_read_int(json_read_member(thread, "thread_num"), -1);

		number_set_add(&stack->tids, json_read_int(json_read_member(thread, "tid"), 0));
		openmp += json_read_bool(json_read_member(thread, "openmp"));
		without += is_without_openmp(json_read_member(thread, "openmp"));
		if (num >= 0)
			number_set_add(&stack->nums, num);
	}
	if (openmp < n)
		phrase_add(&stack->text, openmp ? "some without OpenMP" : without ? "no OpenMP" : "OpenMP not known");
}

static struct error *add_stack(struct node *root, struct json_object *source, struct json_object *threads, size_t first,
			       size_t n, int verbose)
{
	struct node *stack = node_add(root, node_create("stack", "thread"));
	struct json_object *thread = n ? json_object_array_get_idx(threads, first) : NULL;

	if (!stack)
		return &error_nomem;
	add_threads(stack, threads, first, n);
	return add_items(stack, source, n == 1 ? json_read_int(json_read_member(thread, "tid"), 0) : 0, verbose);
}

static struct error *add_group(struct node *root, const struct view_request *request, struct json_object *group)
{
	struct json_object *threads = json_read_member(group, "threads");
	size_t n = json_read_length(threads), step = request->fold ? n : 1;
	struct error *err = NULL;

	for (size_t i = 0; i < n && !err; i += step)
		err = add_stack(root, group, threads, i, step, request->verbose);
	return err;
}

/* Add the stack of stack.get. */
static struct error *add_single(struct node *root, const struct view_request *request, struct json_object *source)
{
	struct json_object *threads = json_object_new_array();

	json_object_array_add(threads, json_object_get(json_read_member(source, "thread")));
	struct error *err = add_stack(root, source, threads, 0, 1, request->verbose);
	json_object_put(threads);
	return err;
}

struct error *stacks_add(struct json_object *o, const struct view_request *request, struct json_object *source)
{
	struct json_object *groups = json_read_member(source, "groups");
	struct node *root = node_create("process", "process");
	struct error *err = root ? NULL : &error_nomem;

	for (size_t i = 0; i < json_read_length(groups) && !err; i++)
		err = add_group(root, request, json_object_array_get_idx(groups, i));
	if (!err && json_read_member(source, "thread"))
		err = add_single(root, request, source);
	if (!err)
		json_object_object_add(o, "nodes", node_array_json(root));
	node_destroy(root);
	return err;
}
