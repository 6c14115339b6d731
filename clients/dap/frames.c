/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Matches a thread's frames with its tasks, by the names that compilers and runtimes create. */
#include "frames.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "function_names.h"
#include "message.h"

/* The end of the frames of one step of a thread's chain, and the first frame of the enclosing step. */
struct stretch {
	size_t end, next;
};

static const char *get_name(struct json_object *stack, size_t i)
{
	const char *name = dap_message_string(json_object_array_get_idx(stack, i), "name");

	return name ? name : "";
}

static bool is_body(const struct view *v, struct json_object *stack, size_t i)
{
	return function_names_is_body(v->names, get_name(stack, i));
}

static bool is_fork(const struct view *v, struct json_object *stack, size_t i)
{
	return function_names_is_fork(v->names, get_name(stack, i));
}

static bool is_runtime(const struct view *v, struct json_object *stack, size_t i)
{
	return function_names_is_runtime(v->names, get_name(stack, i));
}

/*
 * Return the end of the next body from @from on: the index after its outermost frame. @n: no body before the next
 * fork.
 */
static size_t find_body_end(const struct view *v, struct json_object *stack, size_t from, size_t n, size_t *fork_ret)
{
	*fork_ret = n;
	for (size_t i = from; i < n; i++) {
		if (is_fork(v, stack, i)) {
			*fork_ret = i;
			return n;
		}
		if (is_body(v, stack, i) && (i + 1 == n || !is_body(v, stack, i + 1)))
			return i + 1;
	}
	return n;
}

static size_t skip_runtime(const struct view *v, struct json_object *stack, size_t from, size_t n, bool with_fork)
{
	while (from < n && is_runtime(v, stack, from) && (with_fork || !is_fork(v, stack, from)))
		from++;
	return from;
}

/* Return the index after the fork that called the body which ends at @end, or after the runtime's frames if there is
 * no fork. */
static size_t skip_fork(const struct view *v, struct json_object *stack, size_t end, size_t n)
{
	for (size_t i = end; i < n && !is_body(v, stack, i); i++) {
		if (is_fork(v, stack, i))
			return i + 1;
	}
	return skip_runtime(v, stack, end, n, true);
}

/*
 * Match a region whose body is over: its thread waits in the runtime, and may execute tasks there. A tail call may
 * have removed the fork. @task is the stretch of the preceding task; NULL: none. Returns false if no frame shows it.
 */
static bool match_end(const struct view *v, struct json_object *stack, size_t at, size_t n, const struct stretch *task,
		      struct stretch *ret)
{
	size_t behind = task ? at : skip_runtime(v, stack, at, n, true);

	*ret = (struct stretch){behind, behind};
	return behind > (task ? task->end : at);
}

/*
 * Find the stretches of the @chain of a thread on its @stack. Returns false if frames and tasks contradict each
 * other. Only the last step may have no frames: a team's thread that has finished its part waits without any.
 */
static bool match_stack(const struct view *v, struct json_object *stack, const struct view_chain *chain,
			struct stretch *ret)
{
	size_t n = dap_message_length(stack), at = 0, fork = n;

	for (size_t i = 0; i < chain->n; i++) {
		size_t end = find_body_end(v, stack, at, n, &fork);

		if (chain->steps[i].leaves) {
			ret[i] = (struct stretch){n, n};
			return end == n || find_body_end(v, stack, end, n, &fork) == n;
		}
		bool is_lost = end == n && fork == n;
		if (end == n && !chain->steps[i].is_region)
			return false;
		if (is_lost && ((i && chain->steps[i - 1].is_region) ||
				!match_end(v, stack, at, n, i ? &ret[i - 1] : NULL, &ret[i])))
			return false;
		if (is_lost)
			;
		else if (end == n)
			ret[i] = (struct stretch){fork, fork + 1};
		else if (chain->steps[i].is_region)
			ret[i] = (struct stretch){end, skip_fork(v, stack, end, n)};
		else
			ret[i] = (struct stretch){end, skip_runtime(v, stack, end, n, false)};
		at = ret[i].next;
	}
	return chain->is_whole && find_body_end(v, stack, at, n, &fork) == n && fork == n;
}

static struct frames_item *add_item(struct frames *f)
{
	TEXT_GROW(f->items, f->n, f->cap);
	f->items[f->n] = (struct frames_item){.task = FACTS_NONE};
	return &f->items[f->n++];
}

static void add_frames(struct frames *f, struct json_object *stack, size_t thread, size_t task, size_t from, size_t to)
{
	for (; from < to; from++) {
		struct frames_item *item = add_item(f);

		item->native = json_object_array_get_idx(stack, from);
		item->thread = thread;
		item->task = task;
	}
}

static void add_number(const struct view *v, size_t thread, size_t parallel, struct buf *t)
{
	const struct facts_parallel *p = &v->s.parallels[parallel];
	int64_t size = dap_message_int(p->json, "team_size", -1);
	int64_t number = v->s.threads[thread].parallel == parallel
				 ? dap_message_int(v->s.threads[thread].json, "thread_num", -1)
				 : -1;

	/* If the team is complete, a member's index is its number. */
	for (size_t i = 0; number < 0 && i < p->n_members && size >= 0 && (size_t)size == p->n_members; i++) {
		if (p->members[i] == thread)
			number = (int64_t)i;
	}
	if (number >= 0)
		text_printf(t, ": thread %" PRId64, number);
	if (size >= 0)
		text_printf(t, number >= 0 ? " of %" PRId64 : ": team of %" PRId64, size);
}

static void add_label(const struct view *v, struct frames *f, size_t thread, const struct view_step *step)
{
	struct frames_item *item = add_item(f);
	struct buf t = {0};

	item->thread = thread;
	item->task = step->task;
	if (step->is_region) {
		if (step->parallel == FACTS_NONE) {
			text_add(&t, "parallel region");
		} else {
			view_add_region(v, step->parallel, &t);
			add_number(v, thread, step->parallel, &t);
		}
	} else {
		view_add_task(v, step->task, &t);
	}
	size_t other = step->outer == FACTS_NONE ? FACTS_NONE : v->s.tasks[step->outer].thread;
	if (other != FACTS_NONE && other != thread)
		text_printf(&t, ", %s by thread %" PRId64, step->is_region ? "encountered" : "generated",
			    v->s.threads[other].tid);
	item->label = text_take(&t);
}

/* Return the step of @chain whose task encloses the region that was given to another thread. Its frames and all
 * outer ones are needed. */
static size_t find_outer(const struct view_chain *chain, const struct view_step *left)
{
	for (size_t i = 0; i < chain->n; i++) {
		if (chain->steps[i].is_region && chain->steps[i].parallel == left->parallel)
			return i + 1;
	}
	/* The thread is not in the region itself: it may be about to enter it, or may have left it. */
	return SIZE_MAX;
}

size_t frames_threads(const struct view *v, size_t thread, size_t ret[FRAMES_MAX_THREADS])
{
	struct view_chain *chain = text_calloc(1, sizeof(*chain));
	size_t n = 0;

	while (n < FRAMES_MAX_THREADS) {
		ret[n++] = thread;
		view_chain_of(v, thread, chain);
		if (!chain->n || !chain->steps[chain->n - 1].leaves)
			break;
		size_t outer = chain->steps[chain->n - 1].outer;
		thread = outer == FACTS_NONE ? FACTS_NONE : v->s.tasks[outer].thread;
		bool is_known = thread != FACTS_NONE;
		for (size_t i = 0; i < n; i++)
			is_known &= ret[i] != thread;
		if (!is_known)
			break;
	}
	free(chain);
	return n;
}

/* Return the index after main(): the frames of the C library's start-up are useless below another thread's frames. */
static size_t find_end(struct json_object *stack, bool is_first)
{
	size_t n = dap_message_length(stack);

	for (size_t i = 0; i < n && !is_first; i++) {
		if (!strcmp(get_name(stack, i), "main"))
			return i + 1;
	}
	return n;
}

/* Append the frames of one thread and its labels, from step @step of its chain on. Returns false if nothing is
 * known; then nothing is appended. */
static bool merge_stack(const struct view *v, struct frames *f, size_t thread, struct json_object *stack,
			const struct view_chain *chain, size_t step, bool is_first)
{
	struct stretch *stretches = text_calloc(chain->n, sizeof(*stretches));
	size_t n = find_end(stack, is_first), from = 0, task = v->s.threads[thread].task;
	bool fits = match_stack(v, stack, chain, stretches);

	if (fits || is_first) {
		if (fits && step > 0) {
			from = stretches[step - 1].next;
			task = chain->steps[step - 1].outer;
		}
		for (size_t i = step; i < chain->n; i++) {
			const struct view_step *s = &chain->steps[i];
			size_t to = fits && !s->leaves ? stretches[i].end : n;

			/* Without a match, all frames come before the last label. */
			if (!fits && !s->leaves)
				continue;
			add_frames(f, stack, thread, fits ? s->task : FACTS_NONE, from, to);
			add_label(v, f, thread, s);
			from = to;
			task = s->outer;
		}
		add_frames(f, stack, thread, fits || !chain->n ? task : FACTS_NONE, from, n);
	}
	free(stretches);
	return fits || is_first;
}

size_t frames_merge(const struct view *v, const size_t *threads, struct json_object *const *stacks, size_t n,
		    struct frames *ret)
{
	struct view_chain *chain = text_calloc(1, sizeof(*chain));
	struct view_step left = {0};

	*ret = (struct frames){0};
	for (size_t i = 0; i < n && stacks[i]; i++) {
		size_t step = 0;

		view_chain_of(v, threads[i], chain);
		if (i > 0)
			step = find_outer(chain, &left);
		if (step == SIZE_MAX || !merge_stack(v, ret, threads[i], stacks[i], chain, step, i == 0))
			break;
		if (!chain->n || !chain->steps[chain->n - 1].leaves)
			break;
		left = chain->steps[chain->n - 1];
	}
	free(chain);
	return ret->n;
}

void frames_deinit(struct frames *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->items[i].label);
	free(f->items);
	*f = (struct frames){0};
}

size_t frames_caller(const struct view *v, size_t thread, size_t parallel, struct json_object *stack)
{
	struct view_chain *chain = text_calloc(1, sizeof(*chain));
	struct stretch *stretches;
	size_t found = FACTS_NONE;

	view_chain_of(v, thread, chain);
	stretches = text_calloc(chain->n, sizeof(*stretches));
	if (match_stack(v, stack, chain, stretches)) {
		for (size_t i = 0; i < chain->n; i++) {
			if (chain->steps[i].is_region && chain->steps[i].parallel == parallel &&
			    !chain->steps[i].leaves && stretches[i].next < dap_message_length(stack))
				found = stretches[i].next;
		}
	}
	free(stretches);
	free(chain);
	return found;
}

const char *frames_function(const struct view *v, size_t thread, size_t parallel, struct json_object *stack)
{
	size_t frame = frames_caller(v, thread, parallel, stack);

	return frame == FACTS_NONE ? NULL : get_name(stack, frame);
}
