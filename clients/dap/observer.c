/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The observer's requests. */
#include "observer.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "custom.h"
#include "format.h"
#include "message.h"
#include "scope.h"

/* What a frame is of. */
struct observed_frame {
	int64_t tid;
	size_t task;
};

#define MAX_FRAMES 200000

struct observer {
	struct session *s;
	struct target target;
	bool has_target, stops, is_core, is_shown;
	struct json_object *beginning; /* the launch or attach that waits; owned */
	struct variables variables;
	struct observed_frame *frames; /* id i + 1 */
	size_t n_frames, cap_frames;
};

struct observer *observer_create(void)
{
	return text_calloc(1, sizeof(struct observer));
}

void observer_init(struct observer *o, struct session *s)
{
	o->s = s;
}

static void forget(struct observer *o)
{
	variables_clear(&o->variables);
	o->n_frames = 0;
}

void observer_destroy(struct observer *o)
{
	if (o->has_target)
		target_close(&o->target);
	forget(o);
	free(o->frames);
	json_object_put(o->beginning);
	free(o);
}

bool observer_stops(struct json_object *request)
{
	const char *mode = message_string(message_get(request, "arguments", NULL), "mode");

	return mode && !strcmp(mode, "stop");
}

/* Beginning */

static void attached(void *arg)
{
	struct observer *o = arg;
	struct json_object *request = o->beginning;

	o->beginning = NULL;
	if (o->target.state != TARGET_READY) {
		session_refuse(o->s, request, o->target.why);
		session_event(o->s, "terminated", NULL);
	} else {
		struct json_object *body = json_object_new_object();
		const char *exe = message_string(o->target.info, "exe");

		message_put_string(body, "name", exe ? exe : "");
		message_put_int(body, "systemProcessId", message_int(o->target.info, "pid", 0));
		message_put_bool(body, "isLocalProcess", !o->s->options->uri);
		message_put_string(body, "startMethod", "attach");
		session_event(o->s, "process", body);
		session_event(o->s, "initialized", NULL);
		session_answer(o->s, request, NULL);
	}
	json_object_put(request);
}

static struct json_object *core_params(struct json_object *arguments, const char *core)
{
	struct json_object *params = json_object_new_object();
	const char *exe = message_string(arguments, "program"), *sysroot = message_string(arguments, "sysroot");

	message_put_string(params, "core", core);
	if (exe)
		message_put_string(params, "exe", exe);
	if (sysroot)
		message_put_string(params, "sysroot", sysroot);
	return params;
}

void observer_begin(struct observer *o, struct json_object *request)
{
	struct json_object *arguments = message_get(request, "arguments", NULL), *params;
	const char *core = message_string(arguments, "coreFile"), *uri = message_string(arguments, "connect");
	const char *token_file = message_string(arguments, "tokenFile");
	int64_t pid = message_int(arguments, "pid", 0);

	o->stops = observer_stops(request);
	o->is_core = core != NULL;
	if (!core && (pid <= 0 || pid > INT32_MAX)) {
		session_refuse(o->s, request, "which process? \"pid\" or \"coreFile\" says it");
		session_event(o->s, "terminated", NULL);
		return;
	}
	o->beginning = json_object_get(request);
	o->has_target = true;
	o->target.attached = attached;
	o->target.arg = o;
	o->target.stacks = "regions";
	target_init(&o->target, &o->s->loop, uri ? uri : o->s->options->uri,
		    token_file ? token_file : o->s->options->token_file);
	if (core) {
		target_attach(&o->target, "target.open_core", core_params(arguments, core));
		return;
	}
	params = json_object_new_object();
	message_put_int(params, "pid", pid);
	message_put_string(params, "mode", o->stops ? "stop" : "observe");
	target_attach(&o->target, "target.attach", params);
}

/* A look that lasts until the client lets it go on: nothing stands for that. */

static void shown(void *arg)
{
	struct observer *o = arg;
	struct json_object *body = json_object_new_object();
	struct json_object *core = format_member(o->target.info, "core");
	int64_t tid = message_int(core, "signal_tid", message_int(o->target.info, "pid", 0));
	const char *signal = message_string(core, "signal_name");

	o->is_shown = true;
	message_put_string(body, "reason", o->is_core ? "exception" : "pause");
	message_put_string(body, "description",
			   o->is_core ? signal ? signal : "core file" : "observed: the process runs on");
	message_put_int(body, "threadId", tid);
	message_put_bool(body, "allThreadsStopped", true);
	session_event(o->s, "stopped", body);
}

static void show(struct observer *o)
{
	forget(o);
	target_look(&o->target);
	target_wait(&o->target, SERVICE_PATIENCE_MS, shown, o);
}

static void answer_configuration_done(struct observer *o, struct json_object *request)
{
	session_answer(o->s, request, NULL);
	show(o);
}

static void answer_pause(struct observer *o, struct json_object *request)
{
	session_answer(o->s, request, NULL);
	show(o);
}

static void answer_continue(struct observer *o, struct json_object *request)
{
	struct json_object *body;

	if (o->is_core) {
		session_refuse(o->s, request, "a core file does not run");
		return;
	}
	body = json_object_new_object();
	message_put_bool(body, "allThreadsContinued", true);
	session_answer(o->s, request, body);
	o->is_shown = false;
	forget(o);
	target_forget(&o->target);
}

/* Threads */

struct asked {
	struct observer *o;
	struct json_object *request; /* owned */
};

static struct asked *ask(struct observer *o, struct json_object *request)
{
	struct asked *a = text_calloc(1, sizeof(*a));

	*a = (struct asked){o, json_object_get(request)};
	return a;
}

static void asked_destroy(struct asked *a)
{
	json_object_put(a->request);
	free(a);
}

static void add_thread(struct json_object *list, int64_t tid, const char *name)
{
	struct json_object *thread = json_object_new_object();

	message_put_int(thread, "id", tid);
	message_put_string(thread, "name", name);
	json_object_array_add(list, thread);
}

static void threads_came(void *arg)
{
	struct asked *a = arg;
	struct observer *o = a->o;
	struct json_object *body = json_object_new_object(), *list = json_object_new_array();
	const struct view *v = o->target.view;

	for (size_t i = 0; v && i < v->s.n_threads; i++) {
		const struct snapshot_thread *t = &v->s.threads[v->order[i]];
		char *name = t->openmp ? view_thread_name(v, v->order[i]) : NULL;
		struct text safe = {0};

		/* One that several runtimes know is told once. */
		if (t->openmp && view_thread(v, t->tid) != v->order[i]) {
			free(name);
			continue;
		}
		text_add_safe(&safe, name ? name : t->comm, 1);
		text_add(&safe, "");
		add_thread(list, t->tid, safe.data);
		text_deinit(&safe);
		free(name);
	}
	/* There must be one. */
	if (!message_length(list))
		add_thread(list, message_int(o->target.info, "pid", 1), "process");
	json_object_object_add(body, "threads", list);
	session_answer(o->s, a->request, body);
	asked_destroy(a);
}

static void answer_threads(struct observer *o, struct json_object *request)
{
	if (!o->is_shown)
		target_look(&o->target);
	target_wait(&o->target, SERVICE_PATIENCE_MS, threads_came, ask(o, request));
}

/* Stacks */

static int64_t note(struct observer *o, int64_t tid, size_t task)
{
	if (o->n_frames == MAX_FRAMES)
		return MAX_FRAMES;
	if (o->n_frames == o->cap_frames) {
		o->cap_frames = o->cap_frames ? 2 * o->cap_frames : 128;
		o->frames = text_realloc(o->frames, o->cap_frames, sizeof(*o->frames));
	}
	o->frames[o->n_frames++] = (struct observed_frame){tid, task};
	return (int64_t)o->n_frames;
}

static void add_source(struct json_object *frame, struct json_object *location)
{
	const char *file = message_string(location, "file");
	struct json_object *source;

	if (!file)
		return;
	const char *slash = strrchr(file, '/');
	source = json_object_new_object();
	message_put_string(source, "name", slash ? slash + 1 : file);
	/* One that is not whole leads nowhere. */
	if (*file == '/')
		message_put_string(source, "path", file);
	json_object_object_add(frame, "source", source);
	message_put_int(frame, "line", message_int(location, "line", 0));
}

/* What stands for an item of stack.get that is no frame; NULL: it is one. Owned by the caller. */
static char *label_of(struct json_object *item)
{
	const char *kind = message_string(item, "kind");
	struct text t = {0};

	if (format_member(item, "pc") || !kind)
		return NULL;
	if (!strcmp(kind, "parallel")) {
		int64_t number = message_int(item, "thread_num", -1), size = message_int(item, "team_size", -1);

		text_printf(&t, "parallel region (level %lld)", (long long)message_int(item, "level", 0));
		if (number >= 0)
			text_printf(&t, ": thread %lld", (long long)number);
		if (size >= 0)
			text_printf(&t, number >= 0 ? " of %lld" : ": team of %lld", (long long)size);
	} else if (!strcmp(kind, "task")) {
		const char *symbol = format_string(message_get(item, "function", "symbol", NULL));

		text_add(&t, "explicit task");
		if (symbol) {
			text_add(&t, " ");
			text_add_safe(&t, symbol, 1);
		}
	} else {
		const char *entry = message_string(item, "entry");

		text_add(&t, "in ");
		text_add_safe(&t, entry ? entry : "the OpenMP runtime", 1);
	}
	return text_take(&t);
}

static struct json_object *frame_of(struct observer *o, struct json_object *item, int64_t tid, size_t task)
{
	struct json_object *frame = json_object_new_object();
	const char *function = message_string(item, "function"), *pc = message_string(item, "pc");
	char *label = label_of(item);
	struct text name = {0};

	message_put_int(frame, "id", note(o, tid, task));
	message_put_int(frame, "line", 0);
	message_put_int(frame, "column", 0);
	if (label) {
		message_put_string(frame, "name", label);
		message_put_string(frame, "presentationHint", "label");
		free(label);
		return frame;
	}
	text_add_safe(&name, function ? function : pc ? pc : "??", 1);
	message_put_string(frame, "name", name.data);
	text_deinit(&name);
	if (pc)
		message_put_string(frame, "instructionPointerReference", pc);
	add_source(frame, format_member(item, "location"));
	return frame;
}

static struct json_object *stack_body(struct observer *o, struct json_object *request, struct json_object *result)
{
	struct json_object *body = json_object_new_object(), *list = json_object_new_array();
	struct json_object *items = message_array(result, "frames"),
			   *arguments = message_get(request, "arguments", NULL);
	int64_t tid = message_int(arguments, "threadId", 0), start = message_int(arguments, "startFrame", 0);
	int64_t levels = message_int(arguments, "levels", 0), other;
	size_t thread = o->target.view ? view_thread(o->target.view, tid) : SNAPSHOT_NONE;
	size_t task = thread == SNAPSHOT_NONE ? SNAPSHOT_NONE : o->target.view->s.threads[thread].task;
	size_t n = message_length(items), from = start > 0 ? (size_t)start : 0;
	size_t to = levels > 0 && (uint64_t)levels < n ? from + (size_t)levels : n;

	for (size_t i = 0; i < n && i < to; i++) {
		struct json_object *item = json_object_array_get_idx(items, i);
		bool is_boundary = !format_member(item, "pc") && !message_string(item, "entry");

		if (i >= from)
			json_object_array_add(list, frame_of(o, item, tid, task));
		if (!is_boundary)
			continue;
		/* Behind it are the frames of the task around. */
		if (task != SNAPSHOT_NONE)
			task = o->target.view->s.tasks[task].generating;
		other = message_int(item, "thread", 0);
		tid = other ? other : tid;
	}
	json_object_object_add(body, "stackFrames", list);
	message_put_int(body, "totalFrames", (int64_t)n);
	return body;
}

static void stack_came(void *arg, struct json_object *result, struct json_object *error)
{
	struct asked *a = arg;

	if (result && message_length(message_array(result, "frames"))) {
		session_answer(a->o->s, a->request, stack_body(a->o, a->request, result));
	} else {
		const char *message = format_string(message_get(result, "complete", "message", NULL));
		char *why = error ? service_error_text(error) : text_strdup(message ? message : "there are no frames");

		session_refuse(a->o->s, a->request, why);
		free(why);
	}
	asked_destroy(a);
}

static void answer_stack_trace(struct observer *o, struct json_object *request)
{
	struct json_object *params = json_object_new_object();
	int64_t tid = message_int(message_get(request, "arguments", NULL), "threadId", 0);

	if (tid <= 0 || tid > INT32_MAX) {
		json_object_put(params);
		session_refuse(o->s, request, "there is no such thread");
		return;
	}
	message_put_int(params, "thread", tid);
	message_put_bool(params, "logical", true);
	target_call(&o->target, "stack.get", params, stack_came, ask(o, request));
}

static void answer_scopes(struct observer *o, struct json_object *request)
{
	int64_t id = message_int(message_get(request, "arguments", NULL), "frameId", 0);
	struct json_object *body, *scopes;

	if (id < 1 || (uint64_t)id > o->n_frames) {
		session_refuse(o->s, request, "there is no such frame any more");
		return;
	}
	const struct observed_frame *frame = &o->frames[id - 1];
	const struct view *v = o->target.view;
	size_t thread = v ? view_thread(v, frame->tid) : SNAPSHOT_NONE;
	body = json_object_new_object();
	scopes = json_object_new_array();
	if (thread != SNAPSHOT_NONE)
		scope_add(&o->variables, v, thread, frame->task, scopes);
	json_object_object_add(body, "scopes", scopes);
	session_answer(o->s, request, body);
}

static void answer_variables(struct observer *o, struct json_object *request)
{
	struct json_object *arguments = message_get(request, "arguments", NULL), *body;
	struct json_object *list =
		variables_list(&o->variables, message_int(arguments, "variablesReference", 0),
			       message_int(arguments, "start", 0), message_int(arguments, "count", 0));

	if (!list) {
		session_refuse(o->s, request, "these variables are of an earlier look");
		return;
	}
	body = json_object_new_object();
	json_object_object_add(body, "variables", list);
	session_answer(o->s, request, body);
}

/* Breakpoints that nothing can be planted for. */
static void answer_no_breakpoints(struct observer *o, struct json_object *request)
{
	struct json_object *asked = message_array(message_get(request, "arguments", NULL), "breakpoints");
	struct json_object *body = json_object_new_object(), *list = json_object_new_array();

	for (size_t i = 0; i < message_length(asked); i++) {
		struct json_object *one = json_object_new_object();

		message_put_bool(one, "verified", false);
		message_put_string(one, "message", "mode observe stops nothing");
		json_object_array_add(list, one);
	}
	json_object_object_add(body, "breakpoints", list);
	session_answer(o->s, request, body);
}

static void answer_disconnect(struct observer *o, struct json_object *request)
{
	session_answer(o->s, request, NULL);
	session_event(o->s, "terminated", NULL);
	session_leave(o->s);
}

static const struct {
	const char *command;
	void (*handle)(struct observer *o, struct json_object *request);
} handlers[] = {
	{"configurationDone", answer_configuration_done},
	{"continue", answer_continue},
	{"disconnect", answer_disconnect},
	{"pause", answer_pause},
	{"scopes", answer_scopes},
	{"setBreakpoints", answer_no_breakpoints},
	{"setExceptionBreakpoints", answer_no_breakpoints},
	{"setFunctionBreakpoints", answer_no_breakpoints},
	{"stackTrace", answer_stack_trace},
	{"threads", answer_threads},
	{"variables", answer_variables},
};

void observer_request(struct observer *o, struct json_object *request)
{
	const char *command = message_name(request);

	if (custom_handles(command)) {
		custom_request(o->s, &o->target, o->has_target, request);
		return;
	}
	for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++) {
		if (!strcmp(command, handlers[i].command) && o->has_target) {
			handlers[i].handle(o, request);
			return;
		}
	}
	if (!strcmp(command, "disconnect")) {
		answer_disconnect(o, request);
		return;
	}
	struct text t = {0};
	text_printf(&t, "%s: %s", command,
		    o->has_target ? "ompdd alone does not do that; a native debugger does (\"mode\": \"companion\")"
				  : "no process is attached");
	session_refuse(o->s, request, t.data);
	text_deinit(&t);
}
