/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waits for notifications of the daemon, prints each as it arrives, and cleans up before ompdctl exits. */
#include "follow.h"

#include <string.h>
#include <time.h>

#include <json-c/json.h>

#include "follow_break.h"
#include "follower.h"
#include "format.h"
#include "hit.h"
#include "info.h"
#include "interrupt.h"

static struct error *follow_events(struct follower *f)
{
	for (int last = 0; !last;) {
		struct json_object *event;
		struct error *failure = follower_next_event(f, &event);

		if (failure)
			return failure;
		if (f->s->args->json)
			format_json(&f->out, event, f->s->args->pretty);
		else
			event_show(event, f->style, &f->out);
		last = (f->target && follower_is_last(event)) || ++f->n == f->s->args->count;
		json_object_put(event);
		failure = follower_flush(f);
		if (failure)
			return failure;
		last |= f->gone;
	}
	return NULL;
}

/* Return whether @event says that the thread of the step has exited, so that the step cannot finish. */
static int has_ended(struct json_object *event, int64_t thread)
{
	static const char *const ends[] = {"thread_exited", NULL};

	return follower_is_one_of(event, ends) && json_read_int(json_read_member(event, "tid"), 0) == thread;
}

static struct error *follow_step(struct follower *f)
{
	static const char *const ends[] = {"stopped", "breakpoint", NULL};
	const struct args *args = f->s->args;
	struct json_object *params = follower_params(f);
	struct json_object *answer = NULL;
	struct error *failure = NULL;

	/* A launched program is already stopped, in main(). */
	if (!json_read_member(f->s->info, "stop"))
		failure = follower_call(f, "target.stop", follower_params(f));
	json_object_object_add(params, "kind", json_object_new_string(args->step));
	if (args->thread)
		json_object_object_add(params, "thread", json_object_new_int64(args->thread));
	if (failure)
		json_object_put(params);
	else
		failure = conversation_call(f->s, "target.step", params, &answer);
	int64_t thread = json_read_int(json_read_member(answer, "thread"), 0);
	json_object_put(answer);
	if (failure && args->program)
		return follower_call_last(f, "target.kill", failure);
	for (int last = 0; !last && !failure;) {
		struct json_object *event;

		failure = follower_next_event(f, &event);
		if (failure)
			break;
		last = follower_is_last(event);
		if (last && !args->json) {
			event_show(event, f->style, &f->out);
			failure = follower_flush(f);
		} else if (follower_is_one_of(event, ends) &&
			   (json_read_member(event, "reason") || json_read_member(event, "breakpoint"))) {
			last = 1;
			failure = hit_report(f, event);
			if (!failure)
				failure = follower_say_runs_on(f);
		} else if (!last && has_ended(event, thread)) {
			failure = failure_create(ERR_ANSWER, "thread_exited",
						 "the program continues; ompdctl threads lists its threads",
						 "thread %lld has ended, so its step cannot end", (long long)thread);
		}
		json_object_put(event);
	}
	return failure;
}

/* Wait until no region is left, or the target can no longer be examined. */
static struct error *await_serialized(struct follower *f, int64_t *left_ret)
{
	const struct timespec pause = {.tv_nsec = 100000000};

	for (;;) {
		struct json_object *info;
		struct error *failure = conversation_call(f->s, "target.info", follower_params(f), &info);
		const char *state = failure ? NULL : json_read_string(json_read_member(info, "state"));

		*left_ret =
			failure ? 0 : json_read_int(json_read_member(json_read_member(info, "serialize"), "left"), 0);
		int is_over = failure || !*left_ret || (state && !strcmp(state, "exited"));
		if (!failure)
			json_object_put(info);
		if (is_over)
			return failure;
		nanosleep(&pause, NULL);
	}
}

static struct error *follow_serialize(struct follower *f)
{
	const struct args *args = f->s->args;
	int64_t count = args->count ? args->count : 1, left = 0;
	struct json_object *params = follower_params(f);

	json_object_object_add(params, "count", json_object_new_int64(count));
	struct error *failure = follower_call(f, "target.serialize", params);
	if (failure && args->program)
		return follower_call_last(f, "target.kill", failure);
	if (!failure && json_read_member(f->s->info, "stop"))
		failure = follower_resume(f);
	if (!failure)
		failure = await_serialized(f, &left);
	if (failure)
		return failure;
	if (args->json) {
		struct json_object *o = json_object_new_object();

		json_object_object_add(o, "serialized", json_object_new_int64(count - left));
		json_object_object_add(o, "left", json_object_new_int64(left));
		format_json(&f->out, o, args->pretty);
		json_object_put(o);
	} else {
		text_add_count(&f->out, (size_t)(count - left), "region");
		text_add(&f->out, " had one thread\n");
	}
	failure = follower_flush(f);
	return failure || left ? failure : follower_say_runs_on(f);
}

static struct error *follow_command(struct follower *f)
{
	switch ((int)f->s->args->command) {
	case COMMAND_BREAK:
		return follow_breakpoints(f);
	case COMMAND_STEP:
		return follow_step(f);
	case COMMAND_SERIALIZE:
		return follow_serialize(f);
	default:
		return follow_events(f);
	}
}

struct error *follow(struct conversation *s, const struct style *style, follow_write *write)
{
	struct follower f = {.s = s, .style = style, .write = write, .target = s->args->target};
	int is_attached_for_this = s->args->pid && !args_is_private(s->args);
	struct connection *c = &s->rpc.conn;
	struct error *failure = conversation_open(s);

	if (!failure)
		failure = follower_subscribe(&f);
	if (!failure && is_attached_for_this)
		interrupt_catch(c);
	if (!failure && (s->args->pid || s->args->program)) {
		failure = conversation_attach(s);
		f.target = json_read_string(json_read_member(s->info, "target"));
	}
	if (!failure)
		failure = follow_command(&f);
	/* Detach a target that was attached for this command. A launched program remains a target of the daemon. */
	c->interrupted = NULL;
	if (is_attached_for_this)
		failure = conversation_detach(s, failure);
	interrupt_release(c);
	buf_deinit(&f.out);
	return failure;
}
