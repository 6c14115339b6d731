/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Report on our processes: process.list, then a worker for each of our processes in that list. */
#include "postmortem.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "base/clock.h"
#include "draw.h"
#include "format.h"
#include "offspring.h"
#include "conversation.h"

/* All processes share the time limit: the previous ones have used some of it. */
static void prepare_conversation(struct postmortem *p, struct conversation *s, struct args *args, int64_t end_ms)
{
	int64_t left_s = (end_ms - clock_now_ms()) / 1000;

	args->timeout_s = left_s > 0 ? (long)left_s : 1;
	conversation_init(s, args);
	s->rpc.conn.interrupted = p->interrupted;
	s->rpc.conn.waiting_mask = p->mask;
}

static struct json_object *create_failure_json(const struct error *f)
{
	struct json_object *o = json_object_new_object();

	if (f->answer)
		return answer_parse(f->answer, strlen(f->answer));
	json_object_object_add(o, "message", json_object_new_string(f->message));
	if (error_name(f))
		json_object_object_add(o, "name", json_object_new_string(error_name(f)));
	return o;
}

/* Get a view of the target. The result on which it is based, or the reason of the failure, is stored in @report under
 * @key. Returns the view, owned by the caller; NULL: none, and @out has the reason. */
static struct json_object *request_view(struct postmortem *p, struct conversation *s, const char *name,
					struct json_object *report, const char *key)
{
	struct json_object *params = json_object_new_object(), *view = NULL, *reason;

	json_object_object_add(params, "target", json_object_get(json_read_member(s->info, "target")));
	json_object_object_add(params, "view", json_object_new_string(name));
	json_object_object_add(params, "fold", json_object_new_boolean(!p->style->all));
	json_object_object_add(params, "verbose", json_object_new_boolean(p->style->verbose));
	json_object_object_add(params, "logical", json_object_new_boolean(1));
	json_object_object_add(params, "raw", json_object_new_boolean(1));
	struct error *f = conversation_call(s, "view.get", params, &view);
	if (!f) {
		json_object_object_add(report, key, json_object_get(json_read_member(view, "raw")));
		return view;
	}
	text_printf(&p->out, "%s: not known: ", key);
	text_add_safe(&p->out, f->message, p->style->utf8);
	text_add(&p->out, "\n");
	reason = json_object_new_object();
	json_object_object_add(reason, "error", create_failure_json(f));
	json_object_object_add(report, key, reason);
	error_destroy(f);
	return NULL;
}

/* Report one view. Returns 0 if it is not known. */
static int report_view(struct postmortem *p, struct conversation *s, const char *name, struct json_object *report,
		       const char *key)
{
	struct json_object *view = request_view(p, s, name, report, key);

	if (view)
		draw_view(view, p->style, &p->out);
	json_object_put(view);
	return view != NULL;
}

/* Append "── process 4711, rank 3 of 16 ──". */
static void add_heading(struct postmortem *p, struct json_object *process)
{
	struct json_object *rank = json_read_member(process, "rank");
	const char *line = p->style->utf8 ? "\342\224\200\342\224\200" : "--";
	struct buf t = {0};

	text_printf(&t, "%s process %lld, ", line, (long long)json_read_int(json_read_member(process, "pid"), 0));
	format_value(&t, p->style, json_read_member(process, "name"));
	if (rank)
		text_printf(&t, ", rank %lld", (long long)json_read_int(json_read_member(rank, "number"), 0));
	if (json_read_member(rank, "size"))
		text_printf(&t, " of %lld", (long long)json_read_int(json_read_member(rank, "size"), 0));
	text_printf(&t, " %s", line);
	text_add(&p->out, "\n");
	text_add_coloured(&p->out, p->style, COLOUR_BOLD, t.data);
	text_add(&p->out, "\n");
	buf_deinit(&t);
}

static void report_process(struct postmortem *p, struct json_object *report, int64_t end_ms)
{
	struct args args = *p->args;
	struct conversation s;

	args.command = COMMAND_TREE;
	args.program = NULL;
	args.pid = json_read_int(json_read_member(report, "pid"), 0);
	prepare_conversation(p, &s, &args, end_ms);
	struct error *f = conversation_open_alone(&s);
	if (!f)
		f = conversation_attach(&s);
	if (f) {
		text_add_safe(&p->out, f->message, p->style->utf8);
		text_add(&p->out, "\n");
		json_object_object_add(report, "error", create_failure_json(f));
		error_destroy(f);
	} else {
		/* Without a diagnosis: the regions and their threads. */
		if (!report_view(p, &s, "why", report, "diagnosis"))
			report_view(p, &s, "tree", report, "snapshot");
		text_add(&p->out, "\n");
		report_view(p, &s, "stacks", report, "stacks");
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
	struct error *f = conversation_ask(&s);
	if (f) {
		text_add(&p->out, "cannot find its OpenMP processes: ");
		text_add_safe(&p->out, f->message, p->style->utf8);
		text_add(&p->out, "\n");
		error_destroy(f);
		conversation_deinit(&s);
		return NULL;
	}
	struct json_object *all = json_read_member(s.result, "processes");
	size_t n = offspring_list(getpid(), &pids);
	size_t n_all = json_object_is_type(all, json_type_array) ? json_object_array_length(all) : 0;

	mine = json_object_new_array();
	for (size_t i = 0; i < n_all; i++) {
		struct json_object *process = json_object_array_get_idx(all, i);

		if (is_one_of(pids, n, json_read_int(json_read_member(process, "pid"), 0)))
			json_object_array_add(mine, json_object_get(process));
	}
	free(pids);
	conversation_deinit(&s);
	return mine;
}

struct json_object *postmortem_make(struct postmortem *p)
{
	int64_t end_ms = clock_now_ms() + p->args->timeout_s * 1000;
	struct json_object *report = json_object_new_object(), *processes = list_processes(p, end_ms);
	size_t n = processes ? json_object_array_length(processes) : 0;
	size_t looked = 0;

	if (processes && !n)
		text_add(&p->out, "none of its processes uses OpenMP\n");
	for (; looked < n && looked < POSTMORTEM_MAX_PROCESSES; looked++) {
		struct json_object *process = json_object_array_get_idx(processes, looked);

		if ((p->interrupted && *p->interrupted) || clock_now_ms() >= end_ms)
			break;
		add_heading(p, process);
		report_process(p, process, end_ms);
		p->write(&p->out);
	}
	if (looked < n)
		text_printf(&p->out, "\n%zu more OpenMP processes were not examined\n", n - looked);
	p->write(&p->out);
	json_object_object_add(report, "processes", processes ? processes : json_object_new_array());
	json_object_object_add(report, "n_not_looked_at", json_object_new_int64((int64_t)(n - looked)));
	return report;
}
