/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Frames by id, the contents of their scopes, and the answers about variables. */
#include "frame_scopes.h"

#include <stdio.h>
#include <stdlib.h>

#include <json-c/json.h>

#include "format.h"
#include "message.h"

/* Frames */

static void append_frame(struct scoped_frames *list, int64_t id, int64_t tid, size_t task)
{
	TEXT_GROW(list->frames, list->n, list->cap);
	list->frames[list->n++] = (struct scoped_frame){id, tid, task};
}

void frame_scopes_note(struct frame_scopes *s, int64_t id, int64_t tid, size_t task)
{
	if (s->native.n < FRAME_SCOPES_MAX)
		append_frame(&s->native, id, tid, task);
}

int64_t frame_scopes_add(struct frame_scopes *s, int64_t tid, size_t task)
{
	/* At the limit, the last frame is replaced. */
	s->own.n -= s->own.n == FRAME_SCOPES_MAX;
	int64_t id = MESSAGE_OWN_IDS + (int64_t)s->own.n;

	append_frame(&s->own, id, tid, task);
	return id;
}

bool frame_scopes_is_own(const struct frame_scopes *s, int64_t id)
{
	return id >= MESSAGE_OWN_IDS && (uint64_t)(id - MESSAGE_OWN_IDS) < s->own.n;
}

const struct scoped_frame *frame_scopes_find(const struct frame_scopes *s, int64_t id)
{
	if (frame_scopes_is_own(s, id))
		return &s->own.frames[id - MESSAGE_OWN_IDS];
	for (size_t i = s->native.n; i-- > 0;) {
		if (s->native.frames[i].id == id)
			return &s->native.frames[i];
	}
	return NULL;
}

void frame_scopes_forget(struct frame_scopes *s)
{
	s->native.n = s->own.n = 0;
	variables_clear(&s->variables);
	device_tree_forget(&s->devices);
}

void frame_scopes_deinit(struct frame_scopes *s)
{
	frame_scopes_forget(s);
	free(s->native.frames);
	free(s->own.frames);
}

/* Scopes */

/* Return @object without members that are useless for a reader: handles, and members with a scope of their own. */
static struct json_object *copy_visible_members(struct json_object *object)
{
	static const char *const hidden[] = {"handle",	   "parallel",	 "task",     "icvs",
					     "generating", "scheduling", "enclosing"};
	struct json_object *copy = dap_message_copy(object);

	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		json_object_object_del(copy, hidden[i]);
	return copy;
}

static struct json_object *create_region(const struct view *v, size_t parallel)
{
	struct json_object *region = copy_visible_members(v->s.parallels[parallel].json);
	struct json_object *members = json_object_new_object();
	size_t enclosing = v->s.parallels[parallel].enclosing;

	if (v->s.parallels[parallel].number)
		dap_message_put_int(region, "number", (int64_t)v->s.parallels[parallel].number);
	if (v->functions[parallel])
		dap_message_put_string(region, "construct in", v->functions[parallel]);
	for (size_t i = 0; i < v->s.parallels[parallel].n_members; i++) {
		size_t thread = v->s.parallels[parallel].members[i];
		char *name = view_thread_name(v, thread);
		char tid[32];

		snprintf(tid, sizeof(tid), "%lld", (long long)v->s.threads[thread].tid);
		dap_message_put_string(members, tid, name);
		free(name);
	}
	json_object_object_add(region, "threads", members);
	if (enclosing != FACTS_NONE) {
		struct buf t = {0};

		view_add_region(v, enclosing, &t);
		dap_message_put_string(region, "within", t.data);
		buf_deinit(&t);
	}
	return region;
}

void frame_scopes_prepare(struct frame_scopes *s, const struct view *v, debuggee_fn *done, void *arg)
{
	if (v)
		device_tree_request(&s->devices, s->target, done, arg);
	else
		done(arg);
}

/* Append the scopes of a task. */
static void list_task(struct frame_scopes *s, size_t task, const struct view *v, struct json_object *scopes)
{
	if (view_icvs(v, task))
		variables_add_scope(&s->variables, scopes, "Task ICVs", view_icvs(v, task));
	else
		variables_add_later(&s->variables, scopes, "Task ICVs", task);
	if (v->s.tasks[task].parallel != FACTS_NONE) {
		struct json_object *region = create_region(v, v->s.tasks[task].parallel);

		variables_add_scope(&s->variables, scopes, "Region", region);
		json_object_put(region);
	}
}

void frame_scopes_list(struct frame_scopes *s, const struct scoped_frame *frame, const struct view *v,
		       struct json_object *scopes)
{
	size_t thread = v && frame ? view_thread(v, frame->tid) : FACTS_NONE;

	if (thread == FACTS_NONE)
		return;
	struct json_object *own = copy_visible_members(v->s.threads[thread].json);
	variables_add_scope(&s->variables, scopes, "Thread", own);
	json_object_put(own);
	if (frame->task != FACTS_NONE)
		list_task(s, frame->task, v, scopes);
	variables_add_scope(&s->variables, scopes, "Devices", s->devices.lines);
}

/* Variables */

static void answer_variables(struct frame_scopes *s, struct json_object *request)
{
	struct json_object *arguments = dap_message_get(request, "arguments", NULL), *list, *body;
	int64_t reference = dap_message_int(arguments, "variablesReference", 0);

	list = variables_list(&s->variables, reference, dap_message_int(arguments, "start", 0),
			      dap_message_int(arguments, "count", 0));
	if (!list) {
		dap_client_refuse(s->client, request, "cannot show these variables: they belong to an earlier stop");
		return;
	}
	body = json_object_new_object();
	json_object_object_add(body, "variables", list);
	dap_client_answer(s->client, request, body);
}

/* Return the control variables; NULL: not known yet. */
static struct json_object *find_icvs(const struct frame_scopes *s, size_t task)
{
	const struct view *v = s->target->view;

	return v && task < v->s.n_tasks ? view_icvs(v, task) : NULL;
}

/* A request for control variables that are looked up. */
struct icvs_request {
	struct frame_scopes *scopes;
	struct json_object *request; /* owned */
	uint64_t stop;
};

static void on_icvs(void *arg)
{
	struct icvs_request *a = arg;
	struct frame_scopes *s = a->scopes;
	int64_t reference = dap_message_int(dap_message_get(a->request, "arguments", NULL), "variablesReference", 0);
	size_t task;

	if (a->stop != s->target->stop) {
		dap_client_refuse(s->client, a->request, "cannot show these variables: the program has run meanwhile");
	} else if (!variables_waits(&s->variables, reference, &task)) {
		answer_variables(s, a->request);
	} else if (find_icvs(s, task)) {
		variables_fill(&s->variables, reference, find_icvs(s, task));
		answer_variables(s, a->request);
	} else {
		dap_client_refuse(s->client, a->request,
				  "cannot show the control variables of this task: ompdd could not read them");
	}
	json_object_put(a->request);
	free(a);
}

void frame_scopes_answer(struct frame_scopes *s, struct json_object *request)
{
	int64_t reference = dap_message_int(dap_message_get(request, "arguments", NULL), "variablesReference", 0);
	struct icvs_request *a;
	size_t task;

	if (!variables_waits(&s->variables, reference, &task)) {
		answer_variables(s, request);
		return;
	}
	a = text_calloc(1, sizeof(*a));
	*a = (struct icvs_request){s, json_object_get(request), s->target->stop};
	if (find_icvs(s, task))
		on_icvs(a);
	else
		debuggee_request_icvs(s->target, on_icvs, a);
}
