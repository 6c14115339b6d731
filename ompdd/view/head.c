/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The head of every view: program, process, runtime, and how the target was examined. */
#include <inttypes.h>
#include <string.h>

#include <json-c/json.h>

#include "base/path.h"
#include "rpc/json_read.h"
#include "view/number_set.h"
#include "view/parts.h"
#include "view/value.h"

const char *view_name(enum view_kind kind)
{
	static const char *const names[] = {
		[VIEW_TREE] = "tree",	    [VIEW_THREADS] = "threads",	  [VIEW_TASKS] = "tasks",
		[VIEW_ICVS] = "icvs",	    [VIEW_SNAPSHOT] = "snapshot", [VIEW_STATES] = "states",
		[VIEW_STACKS] = "stacks",   [VIEW_WHY] = "why",		  [VIEW_SLOW] = "slow",
		[VIEW_DEVICES] = "devices",
	};

	return names[kind];
}

/* Return the name of the program: base name of its executable, otherwise of its first thread. */
static struct json_object *program_json(struct json_object *source, struct json_object *info)
{
	const char *name = path_file_name(json_read_text(info, "exe"));
	struct json_object *threads = json_read_member(source, "threads");

	if (!*name && json_read_length(threads))
		name = json_read_text(json_object_array_get_idx(threads, 0), "comm");
	return json_object_new_string(*name ? name : "process");
}

static void add_kind(struct buf *p, struct json_object *runtime, int verbose)
{
	value_add(p, json_read_member(runtime, "kind"), verbose);
	if (json_read_string(json_read_member(runtime, "version")))
		phrase_printf(p, " %s", json_read_text(runtime, "version"));
}

void head_add_runtime(struct buf *p, const struct facts *s, size_t i, int verbose)
{
	struct json_object *runtime = json_object_array_get_idx(s->runtimes, i);
	struct json_object *state = json_read_member(runtime, "state");

	add_kind(p, runtime, verbose);
	phrase_add(p, ", ");
	value_add(p, json_read_member(runtime, "path"), verbose);
	phrase_add(p, ", ");
	if (json_read_string(json_read_member(state, "message")))
		phrase_add(p, json_read_text(state, "message"));
	else if (state)
		value_add(p, state, verbose);
	else
		value_add_count(p, (size_t)json_read_int(json_read_member(runtime, "n_threads"), 0), "thread");
}

/* Append ", core file, SIGABRT in thread 4713". */
static void add_core(struct buf *p, struct json_object *core, int verbose)
{
	struct json_object *name = json_read_member(core, "signal_name");

	phrase_add(p, ", core file");
	if (!json_read_member(core, "signal"))
		return;
	phrase_add(p, json_read_string(name) ? ", " : ", signal ");
	value_add(p, json_read_string(name) ? name : json_read_member(core, "signal"), verbose);
	phrase_add(p, " in thread ");
	value_add(p, json_read_member(core, "signal_tid"), verbose);
}

/* Append how the target was examined: ", stopped for 212 µs". */
static void add_consistency(struct buf *p, struct json_object *source, struct json_object *info, int verbose)
{
	const char *consistency = json_read_text(source, "consistency");

	if (!strcmp(consistency, "stopped")) {
		int64_t us = json_read_int(json_read_member(source, "stopped_us"), 0);

		/* Without a stop of its own, the target was stopped before. */
		phrase_add(p, us ? ", stopped for " : ", stopped");
		if (us)
			value_add_duration(p, us);
	} else if (!strcmp(consistency, "proven")) {
		phrase_add(p, ", not stopped: all slept");
	} else if (!strcmp(consistency, "racy")) {
		struct json_object *core = json_read_member(info, "core");

		if (core)
			add_core(p, core, verbose);
		phrase_add(p, core ? ", copied while its threads ran" : ", not stopped");
	} else if (!strcmp(consistency, "core")) {
		add_core(p, json_read_member(info, "core"), verbose);
	}
}

/* Append ", libgomp 12, 5 threads (4 OpenMP)". A thread that several runtimes know counts once. */
static void add_snapshot(struct buf *p, const struct facts *s, int verbose)
{
	struct json_object *runtime = json_read_member(s->json, "runtime");
	struct number_set tids = {0}, openmp = {0};

	if (s->n_runtimes > 1) {
		phrase_printf(p, ", %zu OpenMP runtimes", s->n_runtimes);
	} else if (json_read_member(runtime, "kind")) {
		phrase_add(p, ", ");
		add_kind(p, runtime, verbose);
	}
	for (size_t i = 0; i < s->n_threads; i++) {
		number_set_add(&tids, s->n_runtimes > 1 ? s->threads[i].tid : (int64_t)i);
		if (s->threads[i].openmp)
			number_set_add(&openmp, s->n_runtimes > 1 ? s->threads[i].tid : (int64_t)i);
	}
	size_t n = number_set_count(&tids), n_openmp = number_set_count(&openmp);
	phrase_add(p, ", ");
	value_add_count(p, n, "thread");
	if (n_openmp != n)
		phrase_printf(p, " (%zu OpenMP)", n_openmp);
	number_set_deinit(&tids);
	number_set_deinit(&openmp);
}

/* Append ", 5 threads" of the groups of stack.groups, or of the one thread of stack.get. */
static void add_stacks(struct buf *p, struct json_object *source)
{
	struct json_object *groups = json_read_member(source, "groups");
	size_t n = json_read_member(source, "thread") != NULL;

	for (size_t i = 0; i < json_read_length(groups); i++)
		n += json_read_length(json_read_member(json_object_array_get_idx(groups, i), "threads"));
	phrase_add(p, ", ");
	value_add_count(p, n, "thread");
}

/* Append ", libgomp, 5 threads" of diagnose.get. */
static void add_diagnosis(struct buf *p, struct json_object *source)
{
	const char *kind = json_read_text(json_read_member(source, "runtime"), "kind");
	int64_t n = json_read_int(json_read_member(json_read_member(source, "threads"), "all"), 0);

	phrase_printf(p, "%s%s, ", *kind ? ", " : "", kind);
	value_add_count(p, n > 0 ? (size_t)n : 0, "thread");
}

/* Append "mode observe, plugin ompdd libompd 1.0, /home/u/solver". */
static struct json_object *target_line_json(struct json_object *source, struct json_object *info, int verbose)
{
	struct json_object *version = json_read_member(json_read_member(source, "plugin"), "version_string");
	struct buf line = {0};

	phrase_add(&line, "mode ");
	value_add(&line, json_read_member(info, "mode"), verbose);
	if (version) {
		phrase_add(&line, ", plugin ");
		value_add(&line, version, verbose);
	}
	phrase_add(&line, ", ");
	value_add(&line, json_read_member(info, "exe"), verbose);
	return phrase_take_json(&line);
}

/* Return the lines below the heading: one per runtime if there are several, and a tree's line on the target. */
static struct json_object *lines_json(const struct view_request *request, struct json_object *source,
				      struct json_object *info, const struct facts *s)
{
	struct json_object *lines = json_object_new_array();

	for (size_t i = 0; s && s->n_runtimes > 1 && i < s->n_runtimes; i++) {
		struct buf line = {0};

		phrase_printf(&line, "runtime %zu: ", i);
		head_add_runtime(&line, s, i, request->verbose);
		json_object_array_add(lines, phrase_take_json(&line));
	}
	if (request->kind == VIEW_TREE || request->kind == VIEW_SNAPSHOT)
		json_object_array_add(lines, target_line_json(source, info, request->verbose));
	return lines;
}

static struct json_object *heading_json(const struct view_request *request, struct json_object *source,
					struct json_object *info, const struct facts *s)
{
	struct buf heading = {0};

	phrase_printf(&heading, "(pid %" PRId64 ")", json_read_int(json_read_member(source, "pid"), 0));
	if (s)
		add_snapshot(&heading, s, request->verbose);
	else if (request->kind == VIEW_STACKS)
		add_stacks(&heading, source);
	else if (request->kind != VIEW_DEVICES)
		add_diagnosis(&heading, source);
	add_consistency(&heading, source, info, request->verbose);
	return phrase_take_json(&heading);
}

void head_add(struct json_object *o, const struct view_request *request, struct json_object *source,
	      struct json_object *info, const struct facts *s)
{
	static const char *const members[] = {"target",	 "pid",	   "epoch",    "consistency", "stopped_us",
					      "runtime", "plugin", "runtimes", "warnings"};

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
		struct json_object *value = json_read_member(source, members[i]);

		if (value)
			json_object_object_add(o, members[i], json_object_get(value));
	}
	json_object_object_add(o, "view", json_object_new_string(view_name(request->kind)));
	json_object_object_add(o, "program", program_json(source, info));
	json_object_object_add(o, "heading", heading_json(request, source, info, s));
	json_object_object_add(o, "lines", lines_json(request, source, info, s));
}
