/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A list that one thread fills while the other waits for it. */
#include "target/process/thread_texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/by_tid.h"
#include "base/clock.h"
#include "base/helper_thread.h"
#include "target/proc/observe.h"

/* The time for which a thread's activity predicts the data to be read. */
#define MAX_AGE_US 1000000

struct thread_text {
	pid_t tid;
	struct target_thread name; /* only its comm is used */
	struct target_activity activity;
};

static int compare_tids(const void *a, const void *b)
{
	pid_t x = ((const struct thread_text *)a)->tid, y = ((const struct thread_text *)b)->tid;

	return (x > y) - (x < y);
}

static void on_names(void *arg)
{
	struct thread_texts *texts = arg;

	for (size_t i = 0; i < texts->n; i++)
		observe_comm(texts->taskfd, &texts->threads[i].name);
}

static void on_activities(void *arg)
{
	struct thread_texts *texts = arg;

	for (size_t i = 0; i < texts->n; i++)
		observe_activity(texts->taskfd, texts->threads[i].tid, &texts->threads[i].activity);
}

void thread_texts_begin(struct thread_texts *texts, struct helper_thread *const *helper, int taskfd,
			const struct target_thread *threads, size_t n)
{
	if (texts->helper || !helper || !n)
		return;
	texts->threads = calloc(n, sizeof(*texts->threads));
	if (!texts->threads)
		return;
	for (size_t i = 0; i < n; i++)
		texts->threads[i] = (struct thread_text){.tid = threads[i].tid, .name.tid = threads[i].tid};
	qsort(texts->threads, n, sizeof(*texts->threads), compare_tids);
	texts->n = n;
	texts->taskfd = taskfd;
	texts->helper = helper;
	texts->is_waited_for = true;
	helper_thread_begin(*helper, on_names, texts);
}

void thread_texts_begin_activities(struct thread_texts *texts)
{
	if (!texts->helper || texts->has_activities)
		return;
	texts->has_activities = true;
	texts->is_waited_for = true;
	texts->asked_us = clock_now_us();
	helper_thread_begin(*texts->helper, on_activities, texts);
}

static struct thread_text *find_text(struct thread_texts *texts, pid_t tid)
{
	if (texts->is_waited_for) {
		helper_thread_await(*texts->helper);
		texts->is_waited_for = false;
	}
	size_t at = BY_TID_PLACE_NEAR(texts->threads, texts->n, tid, &texts->found);
	return at < texts->n && texts->threads[at].tid == tid ? &texts->threads[at] : NULL;
}

void thread_texts_deinit(struct thread_texts *texts)
{
	if (texts->is_waited_for)
		helper_thread_await(*texts->helper);
	free(texts->threads);
	*texts = (struct thread_texts){0};
}

bool thread_texts_name(struct thread_texts *texts, struct target_thread *thread)
{
	const struct thread_text *text = find_text(texts, thread->tid);

	if (!text || !text->name.comm[0])
		return false;
	memcpy(thread->comm, text->name.comm, sizeof(thread->comm));
	return true;
}

bool thread_texts_activity(struct thread_texts *texts, pid_t tid, struct target_activity *ret)
{
	if (!texts->has_activities || clock_now_us() - texts->asked_us > MAX_AGE_US)
		return false;
	const struct thread_text *text = find_text(texts, tid);

	if (!text)
		return false;
	*ret = text->activity;
	return true;
}
