/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The loop of watch: list the processes, examine each, perform the actions of the fulfilled rules, wait. */
#include "watch/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "base/clock.h"
#include "duration.h"
#include "format.h"
#include "interrupt.h"
#include "process_choice.h"
#include "watch/action.h"
#include "watch/rule.h"
#include "watch/sight.h"
#include "watch/visit.h"

#define DEFAULT_INTERVAL_S 10
#define MIN_INTERVAL_S	   0.1
#define MAX_INTERVAL_S	   86400
/* Maximum number of processes. Those with higher ids are not watched. */
#define MAX_WATCHED PROCESSES_MAX

struct watched {
	struct sight sight;
	uint64_t start;		     /* distinguishes it from another process with its id */
	char *program;		     /* NULL: not examined yet; owned */
	int64_t acted_ms[RULES_MAX]; /* time of the last action of each rule; 0: none */
	int is_listed;		     /* it was in the last list */
	int has_failed;		     /* the last examination failed */
	int was_examined;	     /* an examination has succeeded */
};

struct watch {
	const struct args *args;
	const struct style *style;
	follow_write *write;
	struct watch_rules rules;
	struct connection signals;
	struct watched *processes; /* owned */
	size_t n, cap;
	int is_fixed;		     /* the command line names the processes */
	int64_t interval_ms, end_ms; /* end_ms 0: no end */
	long n_events;
	int gone; /* the reader of the output has exited */
	int needs_snapshot, needs_diagnosis;
};

/* Append "  kept FILE", "  error: ...", one line for each item of the array. */
static void show_list(struct buf *out, const struct style *style, struct json_object *list, const char *what)
{
	for (size_t i = 0; i < json_read_length(list); i++) {
		text_printf(out, "  %s ", what);
		text_add_safe(out, json_object_get_string(json_object_array_get_idx(list, i)), style->utf8);
		text_add(out, "\n");
	}
}

static void show_run(struct buf *out, const struct style *style, struct json_object *run)
{
	struct json_object *status = json_read_member(run, "exit"), *number = json_read_member(run, "signal");

	text_add(out, "  ran ");
	text_add_safe(out, json_read_text(run, "program"), style->utf8);
	if (status)
		text_printf(out, ": exit status %lld\n", (long long)json_read_int(status, 0));
	else if (number)
		text_printf(out, ": ended by signal %lld\n", (long long)json_read_int(number, 0));
	else
		text_add(out, json_read_member(run, "timed_out") ? ": killed at its time limit\n"
								 : ": killed, because ompdctl ends\n");
}

static void show_event(struct buf *out, const struct style *style, struct json_object *event)
{
	struct json_object *run = json_read_member(event, "run");
	const char *when = json_read_text(event, "when"), *fact = json_read_text(event, "fact");

	text_printf(out, "%s ", json_read_text(event, "time"));
	text_add_safe(out, json_read_text(event, "program"), style->utf8);
	text_printf(out, " (pid %lld): ", (long long)json_read_int(json_read_member(event, "pid"), 0));
	/* A verdict starts with the same word as its condition. */
	if (!*when || strncmp(fact, when, strlen(when)) != 0) {
		text_add_safe(out, *when ? when : json_read_text(event, "event"), style->utf8);
		text_add(out, *fact ? ": " : "");
	}
	text_add_safe(out, fact, style->utf8);
	text_add(out, "\n");
	show_list(out, style, json_read_member(event, "files"), "kept");
	if (json_read_member(event, "pushed")) {
		text_add(out, "  pushed to ");
		text_add_safe(out, json_read_text(event, "pushed"), style->utf8);
		text_add(out, "\n");
	}
	if (run)
		show_run(out, style, run);
	show_list(out, style, json_read_member(event, "errors"), "error:");
}

/* Print an event. Takes ownership of it. */
static struct error *print_event(struct watch *w, struct json_object *event)
{
	struct buf out = {0};

	if (w->args->json)
		format_json(&out, event, w->args->pretty);
	else
		show_event(&out, w->style, event);
	struct error *f = w->write(out.data, out.len, &w->gone);
	buf_deinit(&out);
	json_object_put(event);
	return f;
}

static struct json_object *create_event(const struct watched *p, const char *kind)
{
	struct json_object *event = json_object_new_object();

	json_object_object_add(event, "time", action_create_time());
	json_object_object_add(event, "event", json_object_new_string(kind));
	json_object_object_add(event, "pid", json_object_new_int(p->sight.pid));
	json_object_object_add(event, "program", json_object_new_string(p->program ? p->program : "?"));
	return event;
}

static void forget_process(struct watched *p)
{
	sight_deinit(&p->sight);
	free(p->program);
}

/* Return the process, which is added if it is new; NULL: it does not exist, or there are too many. */
static struct watched *add_process(struct watch *w, pid_t pid)
{
	struct watched *p = NULL;
	uint64_t start;

	if (!sight_read_start("/proc", pid, &start))
		return NULL;
	for (size_t i = 0; i < w->n && !p; i++)
		p = w->processes[i].sight.pid == pid ? &w->processes[i] : NULL;
	if (p && p->start == start)
		return p;
	if (p) {
		forget_process(p);
	} else {
		if (w->n == MAX_WATCHED)
			return NULL;
		TEXT_GROW(w->processes, w->n, w->cap);
		p = &w->processes[w->n++];
	}
	*p = (struct watched){.sight = {.pid = pid}, .start = start};
	return p;
}

/* Get the processes that are to be watched now. */
static struct error *list_processes(struct watch *w)
{
	const char *user = w->args->user, *name = w->args->filters[0];
	struct json_object *result;
	/* Root watches the processes of all users. */
	struct error *f = user || !geteuid() ? process_choice_list(w->args, user, name, &w->signals, &result)
					     : process_choice_list_own(w->args, name, &w->signals, &result);
	struct json_object *list = json_read_member(result, "processes");
	for (size_t i = 0; i < w->n; i++)
		w->processes[i].is_listed = 0;
	for (size_t i = 0; !f && i < json_read_length(list); i++) {
		struct json_object *pid = json_read_member(json_object_array_get_idx(list, i), "pid");
		struct watched *p = add_process(w, (pid_t)json_read_int(pid, 0));

		if (p)
			p->is_listed = 1;
	}
	json_object_put(result);
	return f;
}

/* Remove the processes that have ended, or that are no longer listed. */
static struct error *remove_processes(struct watch *w)
{
	struct error *f = NULL;
	size_t kept = 0;

	for (size_t i = 0; i < w->n; i++) {
		struct watched *p = &w->processes[i];
		uint64_t start;
		int is_there = sight_read_start("/proc", p->sight.pid, &start) && start == p->start;

		if (is_there && (w->is_fixed || p->is_listed)) {
			w->processes[kept++] = *p;
			continue;
		}
		if (!f && !is_there && p->program)
			f = print_event(w, create_event(p, "ended"));
		forget_process(p);
	}
	w->n = kept;
	return f;
}

static struct error *examine_process(struct watch *w, struct watched *p)
{
	struct json_object *snapshot = NULL, *diagnosis = NULL;
	struct visit v;
	struct error *f =
		visit_begin(&v, w->args, &w->signals, p->sight.pid, w->args->mode ? w->args->mode : "observe");

	if (!f && !p->program)
		p->program = visit_create_program_name(&v);
	if (!f && w->needs_diagnosis)
		f = visit_call(&v, "diagnose.get", NULL, &diagnosis);
	if (!f && w->needs_snapshot)
		f = visit_call(&v, "snapshot.get", NULL, &snapshot);
	visit_end(&v);
	if (!f)
		sight_update(&p->sight, "/proc", snapshot, diagnosis, clock_now_ms());
	json_object_put(snapshot);
	json_object_put(diagnosis);
	return f;
}

static struct error *apply_rule(struct watch *w, struct watched *p, size_t i)
{
	const struct watch_rule *rule = &w->rules.items[i];
	int64_t now_ms = clock_now_ms();
	struct buf fact = {0}, safe = {0};

	if (p->acted_ms[i] && now_ms - p->acted_ms[i] < (int64_t)(rule->every_s * 1000))
		return NULL;
	if (!sight_fulfils(&p->sight, rule, p->sight.examined_ms, &fact)) {
		buf_deinit(&fact);
		return NULL;
	}
	text_add_safe(&safe, fact.data ? fact.data : "", 1);
	buf_deinit(&fact);
	struct json_object *event = create_event(p, "acted");
	const struct action a = {.args = w->args,
				 .signals = &w->signals,
				 .rule = rule,
				 .pid = p->sight.pid,
				 .program = p->program,
				 .fact = safe.data ? safe.data : ""};
	json_object_object_add(event, "rule", json_object_new_int((int)i + 1));
	json_object_object_add(event, "when", json_object_new_string(rule->when));
	json_object_object_add(event, "fact", json_object_new_string(a.fact));
	action_perform(&a, event);
	buf_deinit(&safe);
	p->acted_ms[i] = clock_now_ms();
	w->n_events++;
	return print_event(w, event);
}

static int is_over(const struct watch *w)
{
	return interrupt_came() || w->gone || (w->args->count && w->n_events >= w->args->count) ||
	       (w->end_ms && clock_now_ms() >= w->end_ms);
}

/* Report a failed examination, the first time. Takes ownership of @f. Returns a failure that ends the program. */
static struct error *handle_failure(struct watch *w, struct watched *p, struct error *f)
{
	uint64_t start;
	int is_first = !p->has_failed;

	/* A process that has just ended is reported by remove_processes(). */
	if (interrupt_came() || !sight_read_start("/proc", p->sight.pid, &start) || start != p->start) {
		error_destroy(f);
		return NULL;
	}
	if (w->is_fixed && w->n == 1 && !p->was_examined)
		return f;
	p->has_failed = 1;
	p->sight.examined_ms = p->sight.still_since_ms = 0;
	struct json_object *event = create_event(p, "failed");
	struct buf t = {0};
	text_add_safe(&t, f->message, 1);
	json_object_object_add(event, "fact", json_object_new_string(t.data));
	buf_deinit(&t);
	error_destroy(f);
	if (is_first)
		return print_event(w, event);
	json_object_put(event);
	return NULL;
}

static struct error *serve_process(struct watch *w, struct watched *p)
{
	struct error *f = examine_process(w, p);

	if (f)
		return handle_failure(w, p, f);
	p->has_failed = 0;
	p->was_examined = 1;
	for (size_t i = 0; i < w->rules.n && !f && !is_over(w); i++)
		f = apply_rule(w, p, i);
	return f;
}

static struct error *serve_all(struct watch *w)
{
	int64_t next_ms = clock_now_ms();

	while (!is_over(w)) {
		struct error *f = w->is_fixed ? NULL : list_processes(w);

		if (f && interrupt_came()) {
			error_destroy(f);
			return NULL;
		}
		if (!f)
			f = remove_processes(w);
		if (!f && w->is_fixed && !w->n)
			return NULL;
		for (size_t i = 0; i < w->n && !f && !is_over(w); i++)
			f = serve_process(w, &w->processes[i]);
		if (f)
			return f;
		next_ms += w->interval_ms;
		int64_t now_ms = clock_now_ms(), wake_ms = next_ms;
		if (wake_ms < now_ms)
			next_ms = wake_ms = now_ms;
		if (w->end_ms && wake_ms > w->end_ms)
			wake_ms = w->end_ms;
		if (!is_over(w))
			interrupt_wait(&w->signals, wake_ms - now_ms);
	}
	return NULL;
}

static struct error *read_rules(struct watch *w)
{
	const struct args *args = w->args;
	struct error *f = args->rules ? watch_rules_read(&w->rules, args->rules) : NULL;

	for (size_t i = 0; i < args->n_rule_words && !f; i++)
		f = args->rule_words[i].is_condition ? watch_rules_add(&w->rules, args->rule_words[i].text)
						     : watch_rules_extend(&w->rules, args->rule_words[i].text);
	if (!f)
		f = watch_rules_check(&w->rules);
	for (size_t i = 0; i < w->rules.n && !f; i++) {
		if (w->rules.items[i].core && args->mode && strcmp(args->mode, "stop") != 0)
			return failure_usage("omit -m observe", "when %s: core needs a stop, which shows the registers",
					     w->rules.items[i].when);
		enum watch_condition condition = w->rules.items[i].condition;

		w->needs_snapshot |= condition != WHEN_DEADLOCK;
		w->needs_diagnosis |= condition == WHEN_DEADLOCK || condition == WHEN_NO_PROGRESS;
		f = action_check(&w->rules.items[i]);
		if (!f && !args->check_rules)
			f = action_prepare(&w->rules.items[i]);
	}
	return f;
}

static struct error *prepare(struct watch *w, const struct processes *processes)
{
	double interval_s = DEFAULT_INTERVAL_S;
	struct error *f = w->args->interval ? duration_parse("--interval", w->args->interval, &interval_s) : NULL;

	if (!f && (interval_s < MIN_INTERVAL_S || interval_s > MAX_INTERVAL_S))
		f = failure_usage(NULL, "--interval needs a time from 0.1 s to 24 h, not '%s'", w->args->interval);
	if (!f)
		f = read_rules(w);
	if (f)
		return f;
	w->interval_ms = (int64_t)(interval_s * 1000);
	w->is_fixed = processes->n > 0;
	w->end_ms = w->args->seconds > 0 ? clock_now_ms() + (int64_t)(w->args->seconds * 1000) : 0;
	for (size_t i = 0; i < processes->n; i++) {
		if (!add_process(w, (pid_t)processes->pids[i]))
			return failure_create(ERR_ANSWER, "no_such_process", "ompdctl ps lists the OpenMP processes",
					      "process %ld does not exist", processes->pids[i]);
	}
	return NULL;
}

struct error *watch_run(const struct args *args, const struct processes *processes, const struct style *style,
			follow_write *write)
{
	struct watch w = {.args = args, .style = style, .write = write};
	struct error *f = prepare(&w, processes);

	if (!f && !args->check_rules) {
		interrupt_catch(&w.signals);
		f = serve_all(&w);
		interrupt_forget(&w.signals);
	}
	for (size_t i = 0; i < w.n; i++)
		forget_process(&w.processes[i]);
	free(w.processes);
	watch_rules_deinit(&w.rules);
	return f;
}
