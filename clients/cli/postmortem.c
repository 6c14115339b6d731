/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Report on our processes: process.list, then a worker for each of our processes in that list. */
#include "postmortem.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "format.h"
#include "offspring.h"
#include "conversation.h"
#include "overview.h"
#include "stacks.h"
#include "why.h"

/* All processes share the time limit: the previous ones have used some of it. */
static void prepare_conversation(struct postmortem *p, struct conversation *s, struct args *args, int64_t end_ms)
{
	int64_t left_s = (end_ms - connection_now_ms()) / 1000;

	args->timeout_s = left_s > 0 ? (long)left_s : 1;
	conversation_init(s, args);
	s->rpc.conn.interrupted = p->interrupted;
	s->rpc.conn.waiting_mask = p->mask;
}

static struct json_object *create_failure_json(const struct failure *f)
{
	struct json_object *o = json_object_new_object();

	if (f->answer)
		return json_object_get(f->answer);
	json_object_object_add(o, "message", json_object_new_string(f->message));
	if (f->name)
		json_object_object_add(o, "name", json_object_new_string(f->name));
	return o;
}

/* Send one request about the target. Its result, or the reason of the failure, is stored in @report under @key.
 * Returns the result, borrowed; NULL: none, and @out has the reason. */
static struct json_object *request_result(struct postmortem *p, struct conversation *s, const char *method,
					  struct json_object *params, struct json_object *report, const char *key)
{
	struct json_object *result = NULL, *reason;
	struct failure *f = conversation_call(s, method, params, &result);

	if (!f) {
		json_object_object_add(report, key, result);
		return result;
	}
	text_printf(&p->out, "%s: not known: ", key);
	text_add_safe(&p->out, f->message, p->style->utf8);
	text_add(&p->out, "\n");
	reason = json_object_new_object();
	json_object_object_add(reason, "error", create_failure_json(f));
	json_object_object_add(report, key, reason);
	failure_destroy(f);
	return NULL;
}

static struct json_object *create_target_params(const struct conversation *s)
{
	struct json_object *params = json_object_new_object();

	json_object_object_add(params, "target", json_object_get(format_member(s->info, "target")));
	return params;
}

/* Report why it hangs. Returns 0 if that is not known. */
static int report_diagnosis(struct postmortem *p, struct conversation *s, struct json_object *report)
{
	struct json_object *reason = request_result(p, s, "diagnose.get", create_target_params(s), report, "diagnosis");

	if (reason)
		why_show(reason, s->info, p->style, &p->out);
	return reason != NULL;
}

/* Report the regions and their threads instead. */
static void report_state(struct postmortem *p, struct conversation *s, struct json_object *report)
{
	struct json_object *params = create_target_params(s);

	json_object_object_add(params, "stacks", json_object_new_string("regions"));
	struct json_object *state = request_result(p, s, "snapshot.get", params, report, "snapshot");
	if (!state)
		return;
	struct overview snapshot;
	overview_init(&snapshot, state, s->info);
	overview_head(&snapshot, p->style, &p->out);
	tree_show(&snapshot, p->style, &p->out);
	overview_foot(&snapshot, p->style, &p->out);
	overview_deinit(&snapshot);
}

static void report_stacks(struct postmortem *p, struct conversation *s, struct json_object *report)
{
	struct json_object *params = create_target_params(s);

	json_object_object_add(params, "logical", json_object_new_boolean(1));
	struct json_object *stacks = request_result(p, s, "stack.groups", params, report, "stacks");
	if (stacks)
		stacks_show(stacks, s->info, p->style, &p->out);
}

/* Append "── process 4711, rank 3 of 16 ──". */
static void add_heading(struct postmortem *p, struct json_object *process)
{
	struct json_object *rank = format_member(process, "rank");
	const char *line = p->style->utf8 ? "\342\224\200\342\224\200" : "--";
	struct text t = {0};

	text_printf(&t, "%s process %lld, ", line, (long long)format_int(format_member(process, "pid"), 0));
	format_value(&t, p->style, format_member(process, "name"));
	if (rank)
		text_printf(&t, ", rank %lld", (long long)format_int(format_member(rank, "number"), 0));
	if (format_member(rank, "size"))
		text_printf(&t, " of %lld", (long long)format_int(format_member(rank, "size"), 0));
	text_printf(&t, " %s", line);
	text_add(&p->out, "\n");
	text_add_coloured(&p->out, p->style, COLOUR_BOLD, t.data);
	text_add(&p->out, "\n");
	text_deinit(&t);
}

static void report_process(struct postmortem *p, struct json_object *report, int64_t end_ms)
{
	struct args args = *p->args;
	struct conversation s;

	args.command = COMMAND_TREE;
	args.program = NULL;
	args.pid = format_int(format_member(report, "pid"), 0);
	prepare_conversation(p, &s, &args, end_ms);
	struct failure *f = conversation_open_alone(&s);
	if (!f)
		f = conversation_attach(&s);
	if (f) {
		text_add_safe(&p->out, f->message, p->style->utf8);
		text_add(&p->out, "\n");
		json_object_object_add(report, "error", create_failure_json(f));
		failure_destroy(f);
	} else {
		if (!report_diagnosis(p, &s, report))
			report_state(p, &s, report);
		text_add(&p->out, "\n");
		report_stacks(p, &s, report);
	}
	conversation_deinit(&s);
}

static int is_one_of(const pid_t *pids, size_t n, int64_t pid)
{
	for (size_t i = 0; i < n; i++) {
		if (pids[i] == pid)
			return 1;
	}
	return 0;
}

/* Return the items of process.list that are our processes; NULL: none, with a reason in @out. */
static struct json_object *list_processes(struct postmortem *p, int64_t end_ms)
{
	struct args args = *p->args;
	struct json_object *mine = NULL;
	pid_t *pids = NULL;
	struct conversation s;

	args.command = COMMAND_PS;
	args.program = NULL;
	prepare_conversation(p, &s, &args, end_ms);
	struct failure *f = conversation_ask(&s);
	if (f) {
		text_add(&p->out, "its OpenMP processes are not known: ");
		text_add_safe(&p->out, f->message, p->style->utf8);
		text_add(&p->out, "\n");
		failure_destroy(f);
		conversation_deinit(&s);
		return NULL;
	}
	struct json_object *all = format_member(s.result, "processes");
	size_t n = offspring_list(getpid(), &pids);
	size_t n_all = json_object_is_type(all, json_type_array) ? json_object_array_length(all) : 0;

	mine = json_object_new_array();
	for (size_t i = 0; i < n_all; i++) {
		struct json_object *process = json_object_array_get_idx(all, i);

		if (is_one_of(pids, n, format_int(format_member(process, "pid"), 0)))
			json_object_array_add(mine, json_object_get(process));
	}
	free(pids);
	conversation_deinit(&s);
	return mine;
}

struct json_object *postmortem_make(struct postmortem *p)
{
	int64_t end_ms = connection_now_ms() + p->args->timeout_s * 1000;
	struct json_object *report = json_object_new_object(), *processes = list_processes(p, end_ms);
	size_t n = processes ? json_object_array_length(processes) : 0;
	size_t looked = 0;

	if (processes && !n)
		text_add(&p->out, "none of its processes uses OpenMP\n");
	for (; looked < n && looked < POSTMORTEM_MAX_PROCESSES; looked++) {
		struct json_object *process = json_object_array_get_idx(processes, looked);

		if ((p->interrupted && *p->interrupted) || connection_now_ms() >= end_ms)
			break;
		add_heading(p, process);
		report_process(p, process, end_ms);
		p->write(&p->out);
	}
	if (looked < n)
		text_printf(&p->out, "\n%zu more OpenMP processes were not looked at\n", n - looked);
	p->write(&p->out);
	json_object_object_add(report, "processes", processes ? processes : json_object_new_array());
	json_object_object_add(report, "n_not_looked_at", json_object_new_int64((int64_t)(n - looked)));
	return report;
}
