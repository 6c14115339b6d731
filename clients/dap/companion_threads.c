/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The companion's answer to `threads`: the native one, with OpenMP's names and in OpenMP's order. */
#include "companion.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "message.h"

/* Time without a request of the client before the native adapter gets requests that only names need. */
#define QUIET_MS 250

/* A native answer that waits until the names are known. */
struct companion_held {
	struct companion_held *next;
	struct companion *companion;
	struct json_object *request, *response;
	uint64_t timer;
};

/* Rank of a native thread: in the order of the view, other threads after them in their native order. */
struct ranked {
	size_t rank, came;
	struct json_object *thread;
};

static int compare_ranks(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->came < y->came ? -1 : x->came > y->came;
}

static struct json_object *rename_thread(const struct view *v, struct json_object *thread, size_t index)
{
	struct json_object *copy = dap_message_copy(thread);
	char *name = view_thread_name(v, index);

	dap_message_put_string(copy, "name", name);
	free(name);
	return copy;
}

/* Return the native list with names and order of the view @v. The caller owns it. */
static struct json_object *name_threads(const struct companion *c, const struct view *v, struct json_object *threads)
{
	size_t n = dap_message_length(threads);
	struct ranked *ranked = text_calloc(n, sizeof(*ranked));
	size_t *ranks = text_calloc(v->s.n_threads, sizeof(*ranks));
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < v->s.n_threads; i++)
		ranks[v->order[i]] = i;
	for (size_t i = 0; i < n; i++) {
		struct json_object *thread = json_object_array_get_idx(threads, i);
		size_t index = view_thread(v, companion_tid(c, dap_message_int(thread, "id", 0)));

		ranked[i] = (struct ranked){SIZE_MAX, i, NULL};
		if (index != OVERVIEW_NONE) {
			ranked[i].rank = ranks[index];
			ranked[i].thread = rename_thread(v, thread, index);
		} else {
			ranked[i].thread = json_object_get(thread);
		}
	}
	qsort(ranked, n, sizeof(*ranked), compare_ranks);
	for (size_t i = 0; i < n; i++)
		json_object_array_add(list, ranked[i].thread);
	free(ranked);
	free(ranks);
	return list;
}

/* Return whether the client can be notified of names later; then its own requests come first. */
static bool is_notifiable(const struct companion *c)
{
	return dap_session_client_can(c->s, "supportsInvalidatedEvent");
}

static void on_quiet(void *arg);
static size_t count_missing_stacks(struct companion *c, bool ask);

static void await_quiet(struct companion *c, int ms)
{
	if (!c->quiet_timer)
		c->quiet_timer = loop_timer(&c->s->loop, ms, on_quiet, c);
}

/* Return whether @threads lacks a thread of the view. */
static bool is_incomplete(const struct companion *c, struct json_object *threads)
{
	const struct view *v = c->target.view;
	size_t known = 0;

	for (size_t i = 0; i < dap_message_length(threads); i++) {
		int64_t id = dap_message_int(json_object_array_get_idx(threads, i), "id", 0);

		known += view_thread(v, companion_tid(c, id)) != OVERVIEW_NONE;
	}
	return known < v->s.n_threads;
}

static void on_threads(void *arg, struct json_object *request, struct json_object *response);

static void answer_threads(struct companion *c, struct json_object *request, struct json_object *response)
{
	struct json_object *body = dap_message_get(response, "body", NULL);
	struct json_object *threads = dap_message_array(body, "threads");

	bool is_known = c->target.view && c->target.is_fresh && threads;

	/* The first answer of lldb-dap 21 is the list from before the program ran. */
	if (is_known && c->is_stopped && c->has_native && c->asked_again != c->stop && is_incomplete(c, threads)) {
		c->asked_again = c->stop;
		companion_forward(c, request, on_threads);
		return;
	}
	if (is_known) {
		struct json_object *changed = dap_message_copy(response), *own = dap_message_copy(body);

		json_object_object_add(own, "threads", name_threads(c, c->target.view, threads));
		json_object_object_add(changed, "body", own);
		companion_pass(c, request, changed);
		json_object_put(changed);
		if (is_notifiable(c) && count_missing_stacks(c, false)) {
			c->was_nameless = true;
			await_quiet(c, QUIET_MS);
		}
		return;
	}
	c->was_nameless |= c->target.is_looking;
	companion_pass(c, request, response);
}

static void release_held_answer(struct companion_held *h)
{
	struct companion *c = h->companion;

	for (struct companion_held **at = &c->held; *at; at = &(*at)->next) {
		if (*at == h) {
			*at = h->next;
			break;
		}
	}
	loop_timer_cancel(&c->s->loop, h->timer);
	answer_threads(c, h->request, h->response);
	json_object_put(h->request);
	json_object_put(h->response);
	free(h);
}

void companion_drop_held(struct companion *c)
{
	while (c->held)
		release_held_answer(c->held);
}

static void on_timeout(void *arg)
{
	struct companion_held *h = arg;

	h->companion->was_nameless = true;
	h->timer = 0;
	release_held_answer(h);
}

static bool is_pending(const struct companion *c)
{
	return c->target.is_looking || c->n_naming > 0 || c->n_asked_ids > 0;
}

static void on_threads(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion *c = arg;
	struct companion_held *h;

	/* A running process is sampled on request. */
	if (!c->is_stopped && !c->target.is_looking && c->has_target)
		debuggee_look(&c->target);
	if (!is_pending(c) || !dap_message_bool(response, "success")) {
		answer_threads(c, request, response);
		return;
	}
	h = text_calloc(1, sizeof(*h));
	*h = (struct companion_held){
		.next = c->held,
		.companion = c,
		.request = json_object_get(request),
		.response = json_object_get(response),
		.timer = loop_timer(&c->s->loop, companion_patience(c), on_timeout, h),
	};
	c->held = h;
}

void companion_threads(struct companion *c, struct json_object *request)
{
	companion_forward(c, request, on_threads);
}

void companion_learn_names(struct companion *c)
{
	struct view *v = c->target.view;

	for (size_t i = 0; v && c->target.is_fresh && i < v->s.n_parallels; i++) {
		size_t thread = v->numbers[i] && !v->functions[i] ? view_who_met(v, i) : OVERVIEW_NONE;
		bool is_there;
		struct json_object *stack =
			thread == OVERVIEW_NONE ? NULL : companion_frames_of(c, v->s.threads[thread].tid, &is_there);
		const char *name = stack ? frames_function(v, thread, i, stack) : NULL;

		if (name)
			view_set_function(v, i, name);
	}
}

/* Return the number of stacks that are missing for names of regions. With @ask, request them. */
static size_t count_missing_stacks(struct companion *c, bool ask)
{
	const struct view *v = c->target.view;
	size_t n = 0, missing = 0;

	for (size_t i = 0; v && c->target.is_fresh && c->is_stopped && i < v->s.n_parallels; i++) {
		size_t thread = v->numbers[i] && !v->functions[i] ? view_who_met(v, i) : OVERVIEW_NONE;
		bool is_there;

		if (thread == OVERVIEW_NONE || n++ >= COMPANION_MAX_NAMED)
			continue;
		companion_frames_of(c, v->s.threads[thread].tid, &is_there);
		if (is_there)
			continue;
		missing++;
		if (ask)
			companion_need_stack(c, v->s.threads[thread].tid);
	}
	return missing;
}

static void name_regions(struct companion *c, bool ask)
{
	/* The threads of stacks are not known yet: it is repeated when the ids arrive. */
	if (c->n_asked_ids)
		return;
	companion_learn_names(c);
	c->n_naming = ask ? count_missing_stacks(c, true) : 0;
	if (is_pending(c))
		return;
	while (c->held)
		release_held_answer(c->held);
	if (c->was_nameless && is_notifiable(c)) {
		struct json_object *body = json_object_new_object(), *areas = json_object_new_array();

		json_object_array_add(areas, json_object_new_string("threads"));
		json_object_array_add(areas, json_object_new_string("stacks"));
		json_object_object_add(body, "areas", areas);
		dap_session_event(c->s, "invalidated", body);
	}
	c->was_nameless = false;
	custom_events_looked(c->s, &c->target);
}

void companion_name_regions(struct companion *c)
{
	name_regions(c, !is_notifiable(c) || c->n_naming);
}

/* Handle the timer: a list was sent without names some time ago. */
static void on_quiet(void *arg)
{
	struct companion *c = arg;
	int64_t left = c->asked_ms + QUIET_MS - loop_now_ms();

	c->quiet_timer = 0;
	if (!c->is_stopped || !c->was_nameless)
		return;
	if (left > 0 || c->relay.n)
		await_quiet(c, left > 0 ? (int)left : QUIET_MS);
	else
		name_regions(c, true);
}
