/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Performs actions one after the other, and collects their results. */
#include "watch/action.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <json-c/json.h>

#include "base/utf8.h"
#include "dump.h"
#include "format.h"
#include "formats/recorded.h"
#include "interrupt.h"
#include "watch/kept.h"
#include "watch/push.h"
#include "watch/run.h"
#include "watch/visit.h"

/* Longest part of a file's name that the program's name gives. */
#define MAX_NAME 48

struct json_object *action_create_time(void)
{
	time_t now = time(NULL);
	struct tm utc;
	char at[32];

	strftime(at, sizeof(at), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	return json_object_new_string(at);
}

/* Return a JSON string; text that is not UTF-8 is written with escapes. */
static struct json_object *create_string(const char *s)
{
	struct buf t = {0};

	if (utf8_is_valid(s, strlen(s)))
		return json_object_new_string(s);
	text_add_safe(&t, s, 1);
	struct json_object *ret = json_object_new_string(t.data);
	buf_deinit(&t);
	return ret;
}

static void append_to(struct json_object *event, const char *key, struct json_object *item)
{
	struct json_object *list = json_read_member(event, key);

	if (!list) {
		list = json_object_new_array();
		json_object_object_add(event, key, list);
	}
	json_object_array_add(list, item);
}

/* Add the failure to the event. Takes ownership of @f. */
static void add_failure(struct json_object *event, const char *step, struct error *f)
{
	struct buf t = {0};

	text_printf(&t, "%s: ", step);
	text_add_safe(&t, f->message, 1);
	append_to(event, "errors", json_object_new_string(t.data));
	buf_deinit(&t);
	error_destroy(f);
}

/* Return the name of a kept file without its time; the caller frees it. */
static char *create_file_name(const struct action *a, const char *ending)
{
	struct buf name = {0};

	text_printf(&name, "%d-%.*s", a->pid, MAX_NAME, a->program);
	for (size_t i = 0; i < name.len; i++) {
		if (!isalnum((unsigned char)name.data[i]) && !strchr("._-", name.data[i]))
			name.data[i] = '_';
	}
	text_add(&name, ending);
	return text_take(&name);
}

static void keep_file(const struct action *a, struct json_object *event, const char *ending, const char *data,
		      size_t len)
{
	const struct kept_limits limits = {a->rule->max_files, a->rule->max_bytes};
	char *name = create_file_name(a, ending), *path = NULL;
	struct error *f = kept_write(a->rule->keep, &limits, name, data, len, &path);

	if (f)
		add_failure(event, "keep", f);
	else
		append_to(event, "files", create_string(path));
	free(path);
	free(name);
}

/* Write a core. The limit of the worker's files ends it before it is larger than the folder may be. */
static struct error *write_core(const struct action *a, int fd)
{
	struct rlimit before, limit;

	if (getrlimit(RLIMIT_FSIZE, &before))
		return failure_create(ERR_OUTPUT, "cannot_write", NULL, "cannot limit the size of the core: %m");
	limit = before;
	if ((rlim_t)a->rule->max_bytes < limit.rlim_cur)
		limit.rlim_cur = (rlim_t)a->rule->max_bytes;
	setrlimit(RLIMIT_FSIZE, &limit);
	struct error *f = dump_into(a->args, a->signals, a->pid, fd);
	setrlimit(RLIMIT_FSIZE, &before);
	return f;
}

static void keep_core(const struct action *a, struct json_object *event)
{
	const struct kept_limits limits = {a->rule->max_files, a->rule->max_bytes};
	char *name = create_file_name(a, ".core"), *path = NULL;
	struct kept_file file;
	struct error *f = kept_begin(&file, a->rule->keep);

	if (!f)
		f = write_core(a, file.fd);
	if (!f)
		f = kept_place(&file, &limits, name, &path);
	kept_abandon(&file);
	if (f)
		add_failure(event, "core", f);
	else
		append_to(event, "files", create_string(path));
	free(path);
	free(name);
}

/*
 * Attach as all commands do: running threads are stopped briefly. If that is not possible, because a debugger holds
 * the process, observe it.
 */
static struct error *attach_process(const struct action *a, struct visit *v)
{
	struct error *f = visit_begin(v, a->args, a->signals, a->pid, a->args->mode);

	if (!f || a->args->mode || interrupt_came())
		return f;
	visit_end(v);
	error_destroy(f);
	return visit_begin(v, a->args, a->signals, a->pid, "observe");
}

/* Store the result of a method in the report, or the reason of its failure. An earlier result stays. */
static void add_result(struct visit *v, const char *method, struct json_object *params, struct json_object *report,
		       const char *key)
{
	struct json_object *before = json_read_member(report, key), *result = NULL;

	if (before && !json_read_member(before, "error")) {
		json_object_put(params);
		return;
	}
	struct error *f = visit_call(v, method, params, &result);
	if (f) {
		struct buf t = {0};

		result = json_object_new_object();
		text_add_safe(&t, f->message, 1);
		json_object_object_add(result, "error", json_object_new_string(t.data));
		buf_deinit(&t);
		error_destroy(f);
	}
	json_object_object_add(report, key, result);
}

/* Examine the process in a mode, for the parts that the report lacks. Returns why it cannot be attached. */
static struct error *complete_report(const struct action *a, const char *mode, struct json_object *report)
{
	struct visit v;
	struct error *f = visit_begin(&v, a->args, a->signals, a->pid, mode);

	if (!f) {
		struct json_object *params = json_object_new_object();

		json_object_object_add(params, "logical", json_object_new_boolean(1));
		add_result(&v, "diagnose.get", NULL, report, "diagnosis");
		add_result(&v, "stack.groups", params, report, "stacks");
	}
	visit_end(&v);
	return f;
}

static int is_complete(struct json_object *report)
{
	struct json_object *diagnosis = json_read_member(report, "diagnosis"),
			   *stacks = json_read_member(report, "stacks");

	return diagnosis && stacks && !json_read_member(diagnosis, "error") && !json_read_member(stacks, "error");
}

static void keep_report(const struct action *a, struct json_object *event)
{
	struct json_object *report = json_object_new_object();
	struct buf text = {0};

	json_object_object_add(report, "time", action_create_time());
	json_object_object_add(report, "pid", json_object_new_int(a->pid));
	json_object_object_add(report, "program", json_object_new_string(a->program));
	json_object_object_add(report, "when", json_object_new_string(a->rule->when));
	json_object_object_add(report, "fact", json_object_new_string(a->fact));
	struct error *f = complete_report(a, a->args->mode, report);
	/* A stop may be impossible (a debugger), or take too long: then observe the process. */
	if (!is_complete(report) && !a->args->mode && !interrupt_came()) {
		error_destroy(f);
		f = complete_report(a, "observe", report);
	}
	if (json_read_member(report, "diagnosis")) {
		format_json(&text, report, 0);
		keep_file(a, event, ".json", text.data, text.len);
		error_destroy(f);
	} else {
		add_failure(event, "keep", f);
	}
	buf_deinit(&text);
	json_object_put(report);
}

/* Record a profile. A signal ends it early, and what was recorded is kept. */
static struct error *record_profile(const struct action *a, struct visit *v, struct json_object **ret)
{
	struct json_object *params = json_object_new_object();
	struct error *f = visit_call(v, "profile.start", NULL, NULL);

	if (!f) {
		interrupt_wait(a->signals, (int64_t)(a->rule->profile_s * 1000));
		v->s.rpc.conn.interrupted = NULL;
		f = visit_call(v, "profile.stop", NULL, NULL);
	}
	json_object_object_add(params, "stacks", json_object_new_boolean(1));
	if (!f)
		return visit_call(v, "profile.get", params, ret);
	json_object_put(params);
	return f;
}

static void push_profile(const struct action *a, struct json_object *event, const struct recorded *r,
			 const struct buf *contents)
{
	const struct push p = {.url = a->rule->push,
			       .program = a->program,
			       .pid = a->pid,
			       .begun_us = r->begun_us,
			       .elapsed_us = r->elapsed_us,
			       .data = contents->data,
			       .len = contents->len};
	struct error *f = push_send(&p, a->signals);

	if (f)
		add_failure(event, "push", f);
	else
		json_object_object_add(event, "pushed", create_string(a->rule->push));
}

static void handle_profile(const struct action *a, struct json_object *event)
{
	struct json_object *result = NULL;
	struct recorded recorded;
	struct buf contents = {0};
	struct visit v;
	struct error *f = attach_process(a, &v);

	if (!f)
		f = record_profile(a, &v, &result);
	visit_end(&v);
	if (!f)
		f = recorded_read(result, a->program, &recorded);
	if (!f) {
		f = pprof_write(&recorded, &contents);
		if (!f && a->rule->keep)
			keep_file(a, event, ".pb.gz", contents.data, contents.len);
		if (!f && a->rule->push && !interrupt_came())
			push_profile(a, event, &recorded, &contents);
		recorded_deinit(&recorded);
	}
	if (f)
		add_failure(event, "profile", f);
	buf_deinit(&contents);
	json_object_put(result);
}

/* Return the paths of the kept files, one per line; the caller frees them. */
static char *create_file_list(struct json_object *event)
{
	struct json_object *files = json_read_member(event, "files");
	struct buf t = {0};

	for (size_t i = 0; i < json_read_length(files); i++)
		text_printf(&t, "%s%s", i ? "\n" : "", json_object_get_string(json_object_array_get_idx(files, i)));
	return text_take(&t);
}

static void run_rule_program(const struct action *a, struct json_object *event)
{
	char *env[6], *files = create_file_list(event);
	struct error *f = NULL;
	struct buf t = {0};

	text_printf(&t, "OMPDD_WATCH_PID=%d", a->pid);
	env[0] = text_take(&t);
	text_printf(&t, "OMPDD_WATCH_PROGRAM=%s", a->program);
	env[1] = text_take(&t);
	text_printf(&t, "OMPDD_WATCH_WHEN=%s", a->rule->when);
	env[2] = text_take(&t);
	text_printf(&t, "OMPDD_WATCH_FACT=%s", a->fact);
	env[3] = text_take(&t);
	text_printf(&t, "OMPDD_WATCH_FILES=%s", files);
	env[4] = text_take(&t);
	env[5] = NULL;
	struct json_object *result = run_program(a->rule->run, env, a->rule->run_limit_s, a->signals, &f);
	if (result) {
		json_object_object_add(result, "program", create_string(a->rule->run));
		json_object_object_add(event, "run", result);
	} else {
		add_failure(event, "run", f);
	}
	for (char **e = env; *e; e++)
		free(*e);
	free(files);
}

struct error *action_check(const struct watch_rule *rule)
{
	struct error *f = rule->push ? push_check(rule->push) : NULL;

	return f || !rule->run ? f : run_check(rule->run);
}

struct error *action_prepare(const struct watch_rule *rule)
{
	return rule->keep ? kept_check(rule->keep) : NULL;
}

void action_perform(const struct action *a, struct json_object *event)
{
	if (a->rule->keep)
		keep_report(a, event);
	if (a->rule->core && !interrupt_came())
		keep_core(a, event);
	if (a->rule->profile_s > 0 && !interrupt_came())
		handle_profile(a, event);
	if (a->rule->run && !interrupt_came())
		run_rule_program(a, event);
}
