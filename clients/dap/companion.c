/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The companion's way of messages, its native adapter and its target. */
#include "companion.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "capabilities.h"
#include "custom.h"
#include "format.h"
#include "message.h"

/* A client that is told when names have come is not let wait for them. */
#define PATIENCE_TOLD_MS 0

bool companion_native_can(const struct companion *c, const char *what)
{
	return message_bool(c->capabilities, what);
}

int companion_patience(const struct companion *c)
{
	return session_client_can(c->s, "supportsInvalidatedEvent") ? PATIENCE_TOLD_MS : c->s->options->patience_ms;
}

/* Sending */

static void send_native(struct companion *c, struct json_object *message)
{
	stream_send(&c->native.stream, message);
	/* Who reads nothing is sent no more than that. */
	stream_pause(&c->s->client, stream_is_full(&c->native.stream));
}

/* The copy of @message for the native adapter, with its number there; the caller owns it. */
static struct json_object *numbered(struct companion *c, struct json_object *message)
{
	struct json_object *copy = message_copy(message);

	message_put_int(copy, "seq", relay_seq(&c->relay));
	return copy;
}

/* Requests that name another request, by the number that the client gave it. */
static void map_cancel(struct companion *c, struct json_object *copy)
{
	struct json_object *arguments = message_get(copy, "arguments", NULL);
	int64_t id = message_int(arguments, "requestId", 0);
	int64_t sent = relay_sent_as(&c->relay, id);

	if (!id)
		return;
	struct json_object *own = message_copy(arguments);
	message_put_int(own, "requestId", sent);
	json_object_object_add(copy, "arguments", own);
}

static void forward_as(struct companion *c, struct json_object *request, struct json_object *message, relay_fn *done)
{
	struct json_object *copy = numbered(c, message);

	if (!strcmp(message_name(request), "cancel"))
		map_cancel(c, copy);
	if (!relay_add(&c->relay, message_int(copy, "seq", 0), request, done, c))
		session_refuse(c->s, request, "too many requests wait for the native adapter's answer");
	else
		send_native(c, copy);
	json_object_put(copy);
}

void companion_forward(struct companion *c, struct json_object *request, relay_fn *done)
{
	if (c->has_native)
		forward_as(c, request, request, done);
	else
		session_refuse(c->s, request, c->native_why ? c->native_why : "the native adapter has ended");
}

void companion_forward_changed(struct companion *c, struct json_object *request, struct json_object *arguments,
			       relay_fn *done)
{
	struct json_object *changed = message_copy(request);

	json_object_object_add(changed, "arguments", arguments);
	forward_as(c, request, changed, done);
	json_object_put(changed);
}

/* So that nobody waits for ever: what an adapter that cannot be asked would have said. */
static void nobody_answers(relay_fn *done, void *arg)
{
	struct json_object *request = message_request("", NULL);
	struct json_object *response = message_failure(request, "the native adapter cannot be asked");

	if (done)
		done(arg, NULL, response);
	json_object_put(response);
	json_object_put(request);
}

void companion_ask(struct companion *c, const char *command, struct json_object *arguments, relay_fn *done, void *arg)
{
	struct json_object *message = message_request(command, arguments), *copy = numbered(c, message);

	json_object_put(message);
	if (!c->has_native || !relay_add(&c->relay, message_int(copy, "seq", 0), NULL, done, arg))
		nobody_answers(done, arg);
	else
		send_native(c, copy);
	json_object_put(copy);
}

void companion_pass(struct companion *c, struct json_object *request, struct json_object *response)
{
	struct json_object *copy = message_copy(response);

	message_put_int(copy, "request_seq", message_int(request, "seq", 0));
	session_send(c->s, copy);
}

/* Stops */

void companion_ran(struct companion *c)
{
	c->is_stopped = false;
	c->stop++;
	target_forget(&c->target);
	companion_forget_stacks(c);
}

/* Requests after which the program runs. */
static bool resumes(const char *command)
{
	static const char *const names[] = {
		"continue",	     "next",	"stepIn",      "stepOut", "stepBack", "reverseContinue", "goto",
		"configurationDone", "restart", "restartFrame"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(command, names[i]))
			return true;
	}
	return false;
}

static void stopped(struct companion *c, struct json_object *event)
{
	/* lldb's adapter tells of every thread that has a reason to stop: it is one stop all the same. */
	bool is_new = !c->is_stopped;

	if (is_new)
		companion_ran(c);
	c->is_stopped = true;
	if (is_new && c->has_target)
		target_look(&c->target);
	struct json_object *told = message_copy(event), *body = message_copy(message_get(event, "body", NULL));
	json_object_object_add(told, "body", body);
	if (!companion_is_own_stop(c, told))
		session_send(c->s, json_object_get(told));
	json_object_put(told);
	if (is_new)
		companion_plant(c);
}

/* The target */

static void looked(void *arg)
{
	struct companion *c = arg;

	companion_name_regions(c);
}

static void attached(void *arg)
{
	struct companion *c = arg;
	struct text t = {0};

	if (c->target.state == TARGET_READY) {
		if (c->is_stopped)
			target_look(&c->target);
		companion_plant(c);
		return;
	}
	text_printf(&t, "ompdd cannot look at process %lld, so nothing of OpenMP is shown: %s\n", (long long)c->pid,
		    c->target.why);
	session_say(c->s, "console", t.data);
	text_deinit(&t);
	companion_name_regions(c);
	companion_plant(c);
}

static void found_process(struct companion *c, int64_t pid)
{
	struct json_object *params;

	if (pid <= 0 || pid > INT32_MAX || c->pid == pid)
		return;
	c->pid = pid;
	if (!c->has_target) {
		c->has_target = true;
		c->target.looked = looked;
		c->target.attached = attached;
		c->target.arg = c;
		target_init(&c->target, &c->s->loop, c->s->options->uri, c->s->options->token_file);
	}
	params = json_object_new_object();
	message_put_int(params, "pid", pid);
	message_put_string(params, "mode", "observe");
	target_attach(&c->target, "target.attach", params);
}

/* Native messages */

static void native_response(struct companion *c, struct json_object *response)
{
	struct relay_entry entry;

	/* To nobody's request: a client could do nothing with it either. */
	if (!relay_take(&c->relay, message_int(response, "request_seq", 0), &entry))
		return;
	if (entry.done)
		entry.done(entry.arg, entry.request, response);
	else if (entry.request)
		companion_pass(c, entry.request, response);
	relay_entry_deinit(&entry);
}

static void native_event(struct companion *c, struct json_object *event)
{
	const char *name = message_name(event);
	struct json_object *body = message_get(event, "body", NULL);

	if (!strcmp(name, "stopped")) {
		stopped(c, event);
		return;
	}
	if (!strcmp(name, "continued"))
		companion_ran(c);
	else if (!strcmp(name, "process") &&
		 !(format_member(body, "isLocalProcess") && !message_bool(body, "isLocalProcess")))
		found_process(c, message_int(body, "systemProcessId", 0));
	struct json_object *copy = message_copy(event);
	int64_t asked = message_int(body, "requestId", 0);
	if (!strcmp(name, "progressStart") && asked) {
		struct json_object *own = message_copy(body);

		message_put_int(own, "requestId", relay_asked_as(&c->relay, asked));
		json_object_object_add(copy, "body", own);
	}
	session_send(c->s, copy);
}

/* One of the native adapter's own: the client answers it (runInTerminal, startDebugging). */
static void native_request(struct companion *c, struct json_object *request)
{
	struct json_object *copy = message_copy(request);

	/* session_send() gives it that number. */
	if (relay_add(&c->s->to_client, c->s->to_client.last_seq + 1, request, NULL, NULL)) {
		session_send(c->s, copy);
		return;
	}
	json_object_put(copy);
	copy = message_failure(request, "too many requests wait for the client's answer");
	message_put_int(copy, "seq", relay_seq(&c->relay));
	send_native(c, copy);
	json_object_put(copy);
}

static void native_received(void *arg, struct json_object *message)
{
	struct companion *c = arg;
	enum message_type type = message_type(message);

	if (type == MESSAGE_RESPONSE)
		native_response(c, message);
	else if (type == MESSAGE_EVENT)
		native_event(c, message);
	else if (type == MESSAGE_REQUEST)
		native_request(c, message);
	/* What is none of them is nothing that a client could use. */
	stream_pause(&c->native.stream, stream_is_full(&c->s->client));
}

static void native_over(void *arg, const char *why)
{
	struct companion *c = arg;

	if (why) {
		text_printf(&c->native.log, "%s%s", c->native.log.len ? "\n" : "", why);
		/* It speaks another protocol: nothing is to be had from it. */
		native_leave(&c->native);
	}
	native_bury(&c->native);
}

/* Every request that waits is answered, and the session is over. */
static void native_ended(void *arg, const char *words)
{
	struct companion *c = arg;
	struct text t = {0};

	c->has_native = false;
	if (c->s->is_leaving || c->s->mode == SESSION_OBSERVER || c->s->client.ended) {
		if (c->s->mode != SESSION_OBSERVER)
			session_leave(c->s);
		return;
	}
	free(c->native_why);
	c->native_why = text_strdup(words);
	while (c->relay.n) {
		struct relay_entry e;
		bool is_goodbye;

		relay_take(&c->relay, c->relay.entries[0].seq, &e);
		is_goodbye = e.request && (!strcmp(message_name(e.request), "disconnect") ||
					   !strcmp(message_name(e.request), "terminate"));
		if (is_goodbye)
			session_answer(c->s, e.request, NULL);
		else if (e.request)
			session_refuse(c->s, e.request, words);
		else
			nobody_answers(e.done, e.arg);
		relay_entry_deinit(&e);
	}
	text_printf(&t, "%s\n", words);
	session_say(c->s, "stderr", t.data);
	text_deinit(&t);
	session_event(c->s, "terminated", NULL);
	companion_ran(c);
	c->s->mode = SESSION_OVER;
}

bool companion_start(struct companion *c, struct json_object *wish)
{
	free(c->native_why);
	c->native_why = NULL;
	c->has_native = native_open(&c->native, &c->s->loop, wish, &c->native_why);
	if (c->has_native)
		companion_listen(c);
	return c->has_native;
}

void companion_listen(struct companion *c)
{
	c->has_native = true;
	c->native.stream.received = native_received;
	c->native.stream.over = native_over;
	c->native.stream.arg = c;
	c->native.ended = native_ended;
	c->native.arg = c;
}

/* Requests of the client's */

static void initialized(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion *c = arg;
	struct json_object *body = message_get(response, "body", NULL);

	json_object_put(c->capabilities);
	c->capabilities = json_object_get(body);
	if (!message_bool(response, "success")) {
		companion_pass(c, request, response);
		return;
	}
	struct json_object *changed = message_copy(response);
	json_object_object_add(changed, "body", capabilities_with_ours(body));
	companion_pass(c, request, changed);
	json_object_put(changed);
}

void companion_initialize(struct companion *c, struct json_object *request)
{
	companion_forward(c, request, initialized);
}

static void begun(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion *c = arg;
	int64_t pid = message_int(message_get(request, "arguments", NULL), "pid", 0);

	/* Not every adapter tells which process it is. */
	if (message_bool(response, "success") && !strcmp(message_name(request), "attach") && !c->pid)
		found_process(c, pid);
	companion_pass(c, request, response);
}

void companion_begin(struct companion *c, struct json_object *request)
{
	static const char *const ours[] = {"mode", "nativeAdapter", "connect", "tokenFile"};
	struct json_object *arguments = message_copy(message_get(request, "arguments", NULL));

	if (!c->has_native) {
		session_refuse(c->s, request, c->native_why ? c->native_why : "there is no native adapter");
		json_object_put(arguments);
		return;
	}
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		json_object_object_del(arguments, ours[i]);
	c->is_launch = !strcmp(message_name(request), "launch");
	companion_forward_changed(c, request, arguments, begun);
}

/* Our own questions have something to free. */
static void drop_questions(struct companion *c)
{
	struct relay_entry e;

	while (c->relay.n) {
		relay_take(&c->relay, c->relay.entries[0].seq, &e);
		if (!e.request)
			nobody_answers(e.done, e.arg);
		relay_entry_deinit(&e);
	}
	relay_deinit(&c->relay);
}

/* What the other adapter can do is told to the client, then it is asked what the client asked. */
static void initialized_anew(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion *c = arg;
	struct json_object *begins = c->begins, *before = c->capabilities;
	struct json_object *now = capabilities_with_ours(message_get(response, "body", NULL));
	struct json_object *told = json_object_new_object();

	(void)request;
	c->begins = NULL;
	c->capabilities = json_object_get(message_get(response, "body", NULL));
	json_object_object_add(told, "capabilities", capabilities_change(before, now));
	json_object_put(now);
	json_object_put(before);
	session_event(c->s, "capabilities", told);
	companion_begin(c, begins);
	json_object_put(begins);
}

void companion_drop_native(struct companion *c)
{
	if (!c->has_native)
		return;
	c->has_native = false;
	native_replace(&c->native);
	drop_questions(c);
}

void companion_change_native(struct companion *c, struct json_object *wish, struct json_object *request)
{
	companion_drop_native(c);
	if (!companion_start(c, wish)) {
		session_refuse(c->s, request, c->native_why);
		session_event(c->s, "terminated", NULL);
		return;
	}
	c->begins = json_object_get(request);
	companion_ask(c, "initialize", json_object_get(c->s->initialize), initialized_anew, c);
}

static void disconnected(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion *c = arg;

	c->has_left = message_bool(response, "success");
	companion_pass(c, request, response);
}

/* Ours, or changed on the way. */
static const struct {
	const char *command;
	void (*handle)(struct companion *c, struct json_object *request);
} handlers[] = {
	{"threads", companion_threads},
	{"stackTrace", companion_stack_trace},
	{"scopes", companion_scopes},
	{"variables", companion_variables},
	{"setFunctionBreakpoints", companion_set_function_breakpoints},
	{"setExceptionBreakpoints", companion_set_exception_breakpoints},
};

void companion_request(struct companion *c, struct json_object *request)
{
	const char *command = message_name(request);
	const char *needs = capabilities_needed(command);
	struct json_object *frame = message_get(request, "arguments", "frameId", NULL);

	c->asked_ms = loop_now_ms();
	if (custom_handles(command)) {
		custom_request(c->s, &c->target, c->has_target, request);
		return;
	}
	if (!c->has_native) {
		session_refuse(c->s, request, c->native_why ? c->native_why : "there is no native adapter");
		return;
	}
	for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++) {
		if (!strcmp(command, handlers[i].command)) {
			handlers[i].handle(c, request);
			return;
		}
	}
	if (needs && !companion_native_can(c, needs)) {
		struct text t = {0};

		text_printf(&t, "%s: the native adapter %s does not offer that", command, c->native.name);
		session_refuse(c->s, request, t.data);
		text_deinit(&t);
		return;
	}
	if (frame && companion_label(c, format_int(frame, 0))) {
		session_refuse(c->s, request,
			       "this is a label between frames: it has no code and no variables of its own");
		return;
	}
	if (resumes(command)) {
		companion_arm(c);
		companion_ran(c);
	}
	companion_forward(c, request, strcmp(command, "disconnect") != 0 ? NULL : disconnected);
}

void companion_response(struct companion *c, struct json_object *response)
{
	struct relay_entry entry;

	if (!relay_take(&c->s->to_client, message_int(response, "request_seq", 0), &entry))
		return;
	struct json_object *copy = message_copy(response);
	message_put_int(copy, "request_seq", entry.asked);
	message_put_int(copy, "seq", relay_seq(&c->relay));
	if (c->has_native)
		send_native(c, copy);
	json_object_put(copy);
	relay_entry_deinit(&entry);
}

void companion_init(struct companion *c, struct session *s)
{
	c->s = s;
}

void companion_deinit(struct companion *c)
{
	/* One that holds no program any more is of no use to anybody, should it hang. */
	if (c->has_native && c->has_left)
		native_replace(&c->native);
	c->has_native = false;
	if (c->has_target)
		target_close(&c->target);
	companion_drop_jobs(c);
	companion_drop_held(c);
	json_object_put(c->begins);
	native_deinit(&c->native);
	drop_questions(c);
	json_object_put(c->capabilities);
	free(c->native_why);
	companion_forget_stacks(c);
	free(c->frames);
	free(c->labels);
	events_deinit(&c->events);
}
