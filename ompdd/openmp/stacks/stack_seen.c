/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Takes one sample of each running thread and one copy of each sleeping thread's stack, and finds the place of each in
 * the program.
 */
#include "openmp/stacks/stack_seen.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "openmp/model/model.h"
#include "target/modules/emulator.h"
#include "target/sandbox/perf_event.h"
#include "target/unwind/perf.h"

/* Processor time between two samples of a thread. */
#define PERIOD_US   1000
#define PAUSE_MS    2
#define STACK_BYTES 16384u
_Static_assert(STACK_BYTES >= PERF_STACK_BYTES, "a sample fits");

static unsigned char *get_bytes(const struct stack_copies *copies, size_t i)
{
	return copies->bytes + i * STACK_BYTES;
}

/* The bytes at @copy->bytes are copied. */
static void add_copy(struct stack_copies *copies, const struct stack_copy *copy)
{
	struct stack_copy *mine = &copies->copies[copies->n];

	*mine = *copy;
	mine->bytes = get_bytes(copies, copies->n++);
	mine->len = copy->len < STACK_BYTES ? copy->len : STACK_BYTES;
	memcpy(mine->bytes, copy->bytes, mine->len);
}

struct sampled {
	struct stack_copies *copies;
	struct snapshot_thread *thread;
	bool has_one;
};

static void on_sample(void *arg, const struct perf_sample *sample)
{
	struct sampled *to = arg;

	if (to->has_one)
		return;
	to->has_one = true;
	add_copy(to->copies, &sample->copy);
	to->thread->activity = (struct target_activity){
		.known = true,
		.pc = sample->copy.registers.value[TARGET_REGISTER_PC],
		.sp = sample->copy.registers.value[TARGET_REGISTER_SP],
	};
}

/* Return whether the thread has to be sampled: it runs, and is an OpenMP thread. */
static bool is_running(const struct snapshot_thread *thread)
{
	return thread->openmp && !thread->activity.known && thread->kernel_state == 'R';
}

/* Read samples of the threads without one. Return the number of threads still without one. */
static size_t read_samples(struct perf *perf, struct snapshot *s, struct stack_copies *copies)
{
	size_t left = 0;

	for (size_t i = 0; i < s->n_threads; i++) {
		struct sampled to = {.copies = copies, .thread = &s->threads[i]};

		if (!is_running(to.thread) || !perf_watches(perf, to.thread->tid))
			continue;
		perf_read(perf, to.thread->tid, on_sample, &to);
		left += !to.has_one;
	}
	return left;
}

static struct error *sample_threads(struct snapshot *s, unsigned ms, struct stack_copies *copies,
				    struct error **why_ret)
{
	int64_t end_us = clock_now_us() + ms * INT64_C(1000);
	struct perf *perf;
	struct error *err = perf_create(PERIOD_US, &perf);

	if (err)
		return err;
	for (size_t i = 0; i < s->n_threads && !*why_ret; i++) {
		if (is_running(&s->threads[i]))
			err = perf_watch(perf, s->threads[i].tid);
		if (!error_catch(&err, ERR_NO_SUCH_THREAD) && err) {
			*why_ret = err;
			err = NULL;
		}
	}
	while (read_samples(perf, s, copies) && clock_now_us() < end_us)
		poll(NULL, 0, PAUSE_MS);
	perf_destroy(perf);
	return NULL;
}

/* Copy the stack, unless the thread has moved meanwhile. */
static void copy_asleep(struct target *t, const struct snapshot_thread *thread, struct stack_copies *copies)
{
	struct stack_copies one;
	struct target_activity now;
	struct error *err = stack_copies_take_asleep(t, thread->tid, &thread->activity, STACK_BYTES, &one);

	if (err) {
		error_destroy(err);
		return;
	}
	target_activity(t, thread->tid, &now);
	if (memcmp(&now, &thread->activity, sizeof(now)) == 0)
		add_copy(copies, one.copies);
	stack_copies_deinit(&one);
}

struct error *stack_seen_take(struct model *m, struct snapshot *s, unsigned ms, struct stack_seen *ret)
{
	struct target *t = model_target(m);

	*ret = (struct stack_seen){0};
	if (target_emulator(t))
		return NULL;
	size_t n = s->n_threads ? s->n_threads : 1;
	struct stack_copies copies = {.copies = calloc(n, sizeof(*copies.copies)), .bytes = malloc(n * STACK_BYTES)};
	struct error *err = copies.copies && copies.bytes ? NULL : &error_nomem;

	/* Runtimes that report all states themselves do not show which threads sleep: ask the kernel. */
	for (size_t i = 0; i < s->n_threads && !err; i++) {
		struct snapshot_thread *thread = &s->threads[i];

		if (thread->openmp && !thread->activity.known)
			target_activity(t, thread->tid, &thread->activity);
		if (thread->openmp && thread->activity.known)
			copy_asleep(t, thread, &copies);
	}
	if (!err)
		err = sample_threads(s, ms, &copies, &ret->why);
	if (err) {
		stack_copies_deinit(&copies);
		return err;
	}
	err = stacks_of_copies(m, s, &copies, STACK_MAX_FRAMES, &ret->stacks);
	if (err)
		return err;
	ret->wheres = calloc(n, sizeof(*ret->wheres));
	for (size_t i = 0; i < ret->stacks.n_threads && ret->wheres; i++) {
		uint32_t thread = ret->stacks.threads[i].thread;

		if (thread != SNAPSHOT_NONE)
			stack_where_find(&ret->stacks, i, &ret->wheres[thread]);
	}
	return ret->wheres ? NULL : &error_nomem;
}

void stack_seen_deinit(struct stack_seen *seen)
{
	free(seen->wheres);
	seen->wheres = NULL;
	stacks_deinit(&seen->stacks);
	error_destroy(seen->why);
	seen->why = NULL;
}
