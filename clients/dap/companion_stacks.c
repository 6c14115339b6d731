/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The companion's answer to `stackTrace`: native frames, labels, and the stacks of the encountering threads. */
#include "companion.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "message.h"

/* A `stackTrace` request of the client in progress. */
struct companion_job {
	struct companion_job *next;
	struct companion *companion;
	struct json_object *request;
	uint64_t stop;
	size_t threads[FRAMES_MAX_THREADS];
	size_t n_threads; /* 0: waits for the view */
	bool waits_for_ids;
};

static int64_t get_argument(struct json_object *request, const char *key)
{
	return dap_message_int(dap_message_get(request, "arguments", NULL), key, 0);
}

/* Knowledge about frames */

static void note_frame(struct companion *c, int64_t id, int64_t tid, size_t task)
{
	if (c->n_frames == COMPANION_MAX_NOTED)
		return;
	if (c->n_frames == c->cap_frames) {
		c->cap_frames = c->cap_frames ? 2 * c->cap_frames : 128;
		c->frames = text_realloc(c->frames, c->cap_frames, sizeof(*c->frames));
	}
	c->frames[c->n_frames++] = (struct companion_frame){id, tid, task};
}

static int64_t note_label(struct companion *c, int64_t tid, size_t task)
{
	if (c->n_labels == COMPANION_MAX_NOTED)
		c->n_labels--;
	if (c->n_labels == c->cap_labels) {
		c->cap_labels = c->cap_labels ? 2 * c->cap_labels : 32;
		c->labels = text_realloc(c->labels, c->cap_labels, sizeof(*c->labels));
	}
	int64_t id = MESSAGE_OWN_IDS + (int64_t)c->n_labels;
	c->labels[c->n_labels++] = (struct companion_frame){id, tid, task};
	return id;
}

/* Native stacks */

static struct companion_stack *find_stack(const struct companion *c, int64_t tid)
{
	for (size_t i = 0; i < c->n_stacks; i++) {
		if (c->stacks[i]->tid == tid)
			return c->stacks[i];
	}
	return NULL;
}

struct json_object *companion_frames_of(const struct companion *c, int64_t tid, bool *is_there_ret)
{
	const struct companion_stack *stack = find_stack(c, tid);
	struct json_object *body = stack ? dap_message_get(stack->response, "body", NULL) : NULL;
	struct json_object *frames = dap_message_array(body, "stackFrames");

	*is_there_ret = stack && stack->response;
	/* A stack of this size may be cut, and the missing outer frames may be essential. */
	return dap_message_length(frames) < COMPANION_MAX_FRAMES ? frames : NULL;
}

static void on_stack(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion_stack *stack = arg;

	(void)request;
	if (stack->is_over) {
		free(stack);
		return;
	}
	stack->response = json_object_get(response);
	companion_stack_came(stack->companion);
}

void companion_need_stack(struct companion *c, int64_t tid)
{
	struct json_object *arguments;

	if (find_stack(c, tid))
		return;
	struct companion_stack *stack = text_calloc(1, sizeof(*stack));

	*stack = (struct companion_stack){.tid = tid, .companion = c};
	c->stacks = text_realloc(c->stacks, c->n_stacks + 1, sizeof(struct companion_stack *));
	c->stacks[c->n_stacks++] = stack;
	arguments = json_object_new_object();
	dap_message_put_int(arguments, "threadId", companion_id(c, tid));
	dap_message_put_int(arguments, "startFrame", 0);
	dap_message_put_int(arguments, "levels", COMPANION_MAX_FRAMES);
	companion_ask(c, "stackTrace", arguments, on_stack, stack);
}

void companion_forget_stacks(struct companion *c)
{
	for (size_t i = 0; i < c->n_stacks; i++) {
		struct companion_stack *stack = c->stacks[i];

		if (stack->response) {
			json_object_put(stack->response);
			free(stack);
		} else {
			/* Its response frees it. */
			stack->is_over = true;
		}
	}
	free(c->stacks);
	c->stacks = NULL;
	c->n_stacks = c->n_frames = c->n_labels = 0;
	variables_clear(&c->variables);
}

/* Answers */

/* Pass on the response unchanged, and note the thread of each frame. */
static void on_plain_stack(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion *c = arg;
	struct json_object *body = dap_message_get(response, "body", NULL),
			   *frames = dap_message_array(body, "stackFrames");
	int64_t tid = companion_tid(c, get_argument(request, "threadId")),
		total = dap_message_int(body, "totalFrames", -1);
	const struct view *v = c->target.is_fresh ? c->target.view : NULL;
	size_t thread = v ? view_thread(v, tid) : OVERVIEW_NONE;

	for (size_t i = 0; i < dap_message_length(frames); i++) {
		bool is_first = i == 0 && get_argument(request, "startFrame") == 0;
		size_t task = thread != OVERVIEW_NONE && (is_first || !view_in_region(v, thread))
				      ? v->s.threads[thread].task
				      : OVERVIEW_NONE;

		note_frame(c, dap_message_int(json_object_array_get_idx(frames, i), "id", -1), tid, task);
	}
	if (thread == OVERVIEW_NONE || !view_in_region(v, thread) || total < 0) {
		companion_pass(c, request, response);
		return;
	}
	/* At least a label follows. */
	struct json_object *changed = dap_message_copy(response), *own = dap_message_copy(body);
	dap_message_put_int(own, "totalFrames", total + 1);
	json_object_object_add(changed, "body", own);
	companion_pass(c, request, changed);
	json_object_put(changed);
}

static struct json_object *create_label_frame(int64_t id, const char *label)
{
	struct json_object *frame = json_object_new_object();

	dap_message_put_int(frame, "id", id);
	dap_message_put_string(frame, "name", label);
	dap_message_put_int(frame, "line", 0);
	dap_message_put_int(frame, "column", 0);
	dap_message_put_string(frame, "presentationHint", "label");
	return frame;
}

/* Return frames [start, start + levels) of the merged stack. */
static struct json_object *slice_frames(struct companion *c, const struct frames *f, int64_t start, int64_t levels)
{
	struct json_object *body = json_object_new_object(), *list = json_object_new_array();
	const struct view *v = c->target.view;
	size_t from = start > 0 ? (size_t)start : 0;
	size_t to = levels > 0 && (uint64_t)levels < f->n ? from + (size_t)levels : f->n;

	for (size_t i = from; i < to && i < f->n; i++) {
		const struct frames_item *item = &f->items[i];
		int64_t tid = v->s.threads[item->thread].tid;

		if (item->native) {
			note_frame(c, dap_message_int(item->native, "id", -1), tid, item->task);
			json_object_array_add(list, json_object_get(item->native));
		} else {
			json_object_array_add(list, create_label_frame(note_label(c, tid, item->task), item->label));
		}
	}
	json_object_object_add(body, "stackFrames", list);
	dap_message_put_int(body, "totalFrames", (int64_t)f->n);
	return body;
}

static void answer_job(struct companion *c, struct companion_job *job)
{
	struct json_object *stacks[FRAMES_MAX_THREADS],
		*response = find_stack(c, companion_tid(c, get_argument(job->request, "threadId")))->response;
	struct frames f;
	bool is_there;

	for (size_t i = 0; i < job->n_threads; i++)
		stacks[i] = companion_frames_of(c, c->target.view->s.threads[job->threads[i]].tid, &is_there);
	if (!stacks[0]) {
		/* The request failed, or the stack is too deep: answer without our additions. */
		if (dap_message_bool(response, "success"))
			companion_forward(c, job->request, on_plain_stack);
		else
			companion_pass(c, job->request, response);
		return;
	}
	companion_learn_names(c);
	frames_merge(c->target.view, job->threads, stacks, job->n_threads, &f);
	struct json_object *own = dap_message_copy(response);
	json_object_object_add(
		own, "body",
		slice_frames(c, &f, get_argument(job->request, "startFrame"), get_argument(job->request, "levels")));
	companion_pass(c, job->request, own);
	json_object_put(own);
	frames_deinit(&f);
}

static void finish_job(struct companion_job *job)
{
	struct companion *c = job->companion;

	for (struct companion_job **at = &c->jobs; *at; at = &(*at)->next) {
		if (*at == job) {
			*at = job->next;
			break;
		}
	}
	json_object_put(job->request);
	free(job);
}

void companion_drop_jobs(struct companion *c)
{
	while (c->jobs)
		finish_job(c->jobs);
}

static bool is_ready(const struct companion *c, const struct companion_job *job)
{
	for (size_t i = 0; i < job->n_threads; i++) {
		bool is_there;

		companion_frames_of(c, c->target.view->s.threads[job->threads[i]].tid, &is_there);
		if (!is_there)
			return false;
	}
	return job->n_threads > 0;
}

/* Continue when the view has arrived or failed. */
static void on_view(void *arg)
{
	struct companion_job *job = arg;
	struct companion *c = job->companion;

	job->waits_for_ids = c->n_asked_ids > 0;
	if (job->waits_for_ids)
		return;
	const struct view *v = c->target.is_fresh && job->stop == c->stop ? c->target.view : NULL;
	size_t thread = v ? view_thread(v, companion_tid(c, get_argument(job->request, "threadId"))) : OVERVIEW_NONE;

	if (thread == OVERVIEW_NONE || !view_in_region(v, thread)) {
		companion_forward(c, job->request, on_plain_stack);
		finish_job(job);
		return;
	}
	job->n_threads = frames_threads(v, thread, job->threads);
	for (size_t i = 0; i < job->n_threads; i++)
		companion_need_stack(c, v->s.threads[job->threads[i]].tid);
	companion_stack_came(c);
}

static struct companion_job *find_waiting_job(const struct companion *c)
{
	struct companion_job *job = c->jobs;

	while (job && !job->waits_for_ids)
		job = job->next;
	return job;
}

void companion_ids_came(struct companion *c)
{
	struct companion_job *job;

	while ((job = find_waiting_job(c)))
		on_view(job);
	companion_name_regions(c);
}

void companion_stack_came(struct companion *c)
{
	for (struct companion_job *job = c->jobs, *next; job; job = next) {
		next = job->next;
		/* The program has run meanwhile: the native adapter's answer is passed on. */
		if (job->n_threads && (job->stop != c->stop || !c->target.is_fresh)) {
			companion_forward(c, job->request, on_plain_stack);
			finish_job(job);
		} else if (is_ready(c, job)) {
			answer_job(c, job);
			finish_job(job);
		}
	}
	if (c->n_naming)
		companion_name_regions(c);
}

void companion_stack_trace(struct companion *c, struct json_object *request)
{
	bool is_top = get_argument(request, "startFrame") == 0 && get_argument(request, "levels") == 1;
	struct companion_job *job;

	/* No label is above the first frame. The native adapter handles other number formats. */
	if (is_top || !c->is_stopped || !c->has_target || dap_message_get(request, "arguments", "format", NULL)) {
		companion_forward(c, request, on_plain_stack);
		return;
	}
	job = text_calloc(1, sizeof(*job));
	*job = (struct companion_job){
		.next = c->jobs,
		.companion = c,
		.request = json_object_get(request),
		.stop = c->stop,
	};
	c->jobs = job;
	debuggee_wait(&c->target, companion_patience(c), on_view, job);
}
