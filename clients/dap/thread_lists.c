/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists of threads, and the wait for their names. */
#include "thread_lists.h"

#include <stdlib.h>

#include <json-c/json.h>

#include "base/clock.h"
#include "message.h"

/* Time without a request of the client before the native adapter gets requests that only names need. */
#define QUIET_MS 250

struct held_list {
	struct held_list *next;
	struct thread_lists *lists;
	struct json_object *request, *response; /* owned */
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

/* Return the index in @v of a native @thread, or FACTS_NONE. */
static size_t find_thread(const struct thread_lists *t, const struct view *v, struct json_object *thread)
{
	return view_thread(v, thread_ids_tid(t->ids, dap_message_int(thread, "id", 0)));
}

/* Return the native list with names and order of the view @v. The caller owns it. */
static struct json_object *name_threads(const struct thread_lists *t, const struct view *v, struct json_object *threads)
{
	size_t n = dap_message_length(threads);
	struct ranked *ranked = text_calloc(n, sizeof(*ranked));
	size_t *ranks = text_calloc(v->s.n_threads, sizeof(*ranks));
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < v->s.n_threads; i++)
		ranks[v->order[i]] = i;
	for (size_t i = 0; i < n; i++) {
		struct json_object *thread = json_object_array_get_idx(threads, i);
		size_t index = find_thread(t, v, thread);

		if (index == FACTS_NONE)
			ranked[i] = (struct ranked){SIZE_MAX, i, json_object_get(thread)};
		else
			ranked[i] = (struct ranked){ranks[index], i, rename_thread(v, thread, index)};
	}
	qsort(ranked, n, sizeof(*ranked), compare_ranks);
	for (size_t i = 0; i < n; i++)
		json_object_array_add(list, ranked[i].thread);
	free(ranked);
	free(ranks);
	return list;
}

/* Return whether @threads lacks a thread of the view @v. */
static bool is_incomplete(const struct thread_lists *t, const struct view *v, struct json_object *threads)
{
	size_t known = 0;

	for (size_t i = 0; i < dap_message_length(threads); i++)
		known += find_thread(t, v, json_object_array_get_idx(threads, i)) != FACTS_NONE;
	return known < v->s.n_threads;
}

/* Return the view whose regions stacks can name; NULL: none, since the process runs. */
static struct view *get_stopped_view(const struct thread_lists *t)
{
	return t->target->is_stopped ? debuggee_view(t->target) : NULL;
}

static void on_quiet(void *arg);

static void await_quiet(struct thread_lists *t, int ms)
{
	if (!t->quiet_timer)
		t->quiet_timer = loop_timer(&t->client->loop, ms, on_quiet, t);
}

static void on_threads(void *arg, struct json_object *request, struct json_object *response);

static void answer_threads(struct thread_lists *t, struct json_object *request, struct json_object *response)
{
	struct json_object *body = dap_message_get(response, "body", NULL);
	struct json_object *threads = dap_message_array(body, "threads");
	const struct view *v = debuggee_view(t->target);

	if (!v || !threads) {
		t->was_nameless |= t->target->is_sampling;
		dap_client_pass(t->client, request, response);
		return;
	}
	/* The first answer of lldb-dap 21 is the list from before the program ran. */
	if (t->target->is_stopped && t->adapter->is_open && t->repeated != t->target->stop &&
	    is_incomplete(t, v, threads)) {
		t->repeated = t->target->stop;
		adapter_forward(t->adapter, request, on_threads, t);
		return;
	}
	struct json_object *own = dap_message_copy(body);
	json_object_object_add(own, "threads", name_threads(t, v, threads));
	dap_client_pass_changed(t->client, request, response, own);
	if (dap_client_can_refresh(t->client) && native_stacks_count_missing(t->stacks, get_stopped_view(t), false)) {
		t->was_nameless = true;
		await_quiet(t, QUIET_MS);
	}
}

static void release_list(struct held_list *h)
{
	struct thread_lists *t = h->lists;

	for (struct held_list **at = &t->held; *at; at = &(*at)->next) {
		if (*at == h) {
			*at = h->next;
			break;
		}
	}
	loop_timer_cancel(&t->client->loop, h->timer);
	answer_threads(t, h->request, h->response);
	json_object_put(h->request);
	json_object_put(h->response);
	free(h);
}

void thread_lists_release(struct thread_lists *t)
{
	while (t->held)
		release_list(t->held);
}

static void on_timeout(void *arg)
{
	struct held_list *h = arg;

	h->lists->was_nameless = true;
	h->timer = 0;
	release_list(h);
}

static bool is_pending(const struct thread_lists *t)
{
	return t->target->is_sampling || t->n_missing > 0 || thread_ids_are_pending(t->ids);
}

static void on_threads(void *arg, struct json_object *request, struct json_object *response)
{
	struct thread_lists *t = arg;
	struct held_list *h;

	/* A running process is sampled on request. */
	if (!t->target->is_stopped && !t->target->is_sampling)
		debuggee_sample(t->target);
	if (!is_pending(t) || !dap_message_bool(response, "success")) {
		answer_threads(t, request, response);
		return;
	}
	h = text_calloc(1, sizeof(*h));
	*h = (struct held_list){
		.next = t->held,
		.lists = t,
		.request = json_object_get(request),
		.response = json_object_get(response),
		.timer = loop_timer(&t->client->loop, dap_client_patience(t->client), on_timeout, h),
	};
	t->held = h;
}

void thread_lists_request(struct thread_lists *t, struct json_object *request)
{
	adapter_forward(t->adapter, request, on_threads, t);
}

static void report_new_names(struct thread_lists *t)
{
	struct json_object *body = json_object_new_object(), *areas = json_object_new_array();

	json_object_array_add(areas, json_object_new_string("threads"));
	json_object_array_add(areas, json_object_new_string("stacks"));
	json_object_object_add(body, "areas", areas);
	dap_client_send_event(t->client, "invalidated", body);
}

static void name_regions(struct thread_lists *t, bool request)
{
	/* The threads of stacks are not known yet: it is repeated when the ids arrive. */
	if (thread_ids_are_pending(t->ids))
		return;
	native_stacks_name_regions(t->stacks, debuggee_view(t->target));
	t->n_missing = request ? native_stacks_count_missing(t->stacks, get_stopped_view(t), true) : 0;
	if (is_pending(t))
		return;
	thread_lists_release(t);
	if (t->was_nameless && dap_client_can_refresh(t->client))
		report_new_names(t);
	t->was_nameless = false;
	custom_events_sampled(t->custom);
}

void thread_lists_update(struct thread_lists *t)
{
	name_regions(t, !dap_client_can_refresh(t->client) || t->n_missing);
}

void thread_lists_stack_arrived(struct thread_lists *t)
{
	if (t->n_missing)
		thread_lists_update(t);
}

void thread_lists_note_request(struct thread_lists *t)
{
	t->last_request_ms = clock_now_ms();
}

/* Handle the timer: a list was sent without names some time ago. */
static void on_quiet(void *arg)
{
	struct thread_lists *t = arg;
	int64_t left = t->last_request_ms + QUIET_MS - clock_now_ms();

	t->quiet_timer = 0;
	if (!t->target->is_stopped || !t->was_nameless)
		return;
	if (left > 0 || t->adapter->relay.n)
		await_quiet(t, left > 0 ? (int)left : QUIET_MS);
	else
		name_regions(t, true);
}
