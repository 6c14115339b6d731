/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Records the stacks and OpenMP positions of threads, and compares them. */
#include "methods/diagnose/diagnose_progress.h"

#include <stdlib.h>
#include <string.h>

#include "methods/diagnose/diagnose_sleep.h"
#include "methods/diagnose/observation.h"
#include "openmp/stacks/stack_loop.h"
#include "target/arch/syscalls.h"

/*
 * A thread polls if it came back to a call with a time limit, in which it slept, used a CPU for less than one part in
 * this many of the time, and slept mostly.
 */
#define POLL_PART 5
/* A thread spins if it used a CPU, or waited for one, for more than one part in this many of the time. */
#define SPIN_PART 2
/* Observations of one thread that are needed to call it polling or spinning. */
#define MIN_SEEN 4
/* They must span this time. */
#define MIN_US 500000
/* Bytes of the stack, from the stack pointer on, that are compared. */
#define STACK_BYTES 1024

static uint64_t hash_bytes(const unsigned char *bytes, size_t len)
{
	uint64_t sum = 0xcbf29ce484222325u;

	for (size_t i = 0; i < len; i++)
		sum = (sum ^ bytes[i]) * 0x100000001b3u;
	return sum;
}

/* Record the stack, if it is known. Returns false when out of memory. */
static bool record_stack(struct diagnosis *d, size_t stack, struct progress_thread *ret)
{
	const struct stacks_thread *t = stacks_thread(&d->stacks, stack);
	const struct stack_copy *copy = &d->stacks.copies.copies[stack];

	if (!t || !t->n_frames || t->end == STACK_MOVED || copy->moved)
		return true;
	struct progress_stack *one = calloc(1, sizeof(*one));
	if (!one)
		return false;
	one->registers = copy->registers;
	one->hash = hash_bytes(copy->bytes, copy->len < STACK_BYTES ? copy->len : STACK_BYTES);
	for (uint32_t i = t->n_frames; i-- > 0 && one->n_frames < PROGRESS_MAX_FRAMES;) {
		const struct stacks_frame *frame = &t->frames[i];

		if (frame->kind == FRAME_USER && frame->place->module_kind == PLACE_PROGRAM)
			one->frames[one->n_frames++] = (struct progress_frame){frame->place->pc, frame->sp};
	}
	ret->stack = one;
	return true;
}

/*
 * Return whether thread @tid came back to the call in which it slept at observations.first. A stop or a signal may let
 * a thread run once: a sleep with a time limit then goes on as restart_syscall. The kernel starts a call without one
 * again, and that looks as if the program had called it twice.
 */
static bool has_slept_again(const struct observations *observations, pid_t tid)
{
	const struct target_progress *before = observation_pulse(&observations->first, tid),
				     *after = observation_pulse(&observations->second, tid);

	if (!before || !before->known || !before->is_asleep || !after || !after->known || !after->is_asleep ||
	    before->n_runs == after->n_runs || before->activity.sp != after->activity.sp)
		return false;
	return diagnose_is_timed(&after->activity) &&
	       (before->activity.syscall == after->activity.syscall || before->activity.syscall == SYS_restart_syscall);
}

struct error *progress_record(struct progress_history *h, struct diagnosis *d, const struct observations *observations)
{
	size_t n = d->snapshot.n_threads;
	struct progress_record *record = &h->records[h->n];
	size_t n_stacks = 0;

	if (h->n == PROGRESS_MAX_RECORDS)
		return NULL;
	record->threads = calloc(n ? n : 1, sizeof(*record->threads));
	if (!record->threads)
		return &error_nomem;
	record->n = n;
	h->n++;
	for (size_t i = 0; i < n; i++) {
		const struct snapshot_thread *thread = &d->snapshot.threads[i];
		const struct holder_wait *wait = holders_of(&d->holders, (uint32_t)i);
		size_t stack = stacks_find(&d->stacks, thread->tid);

		record->threads[i] = (struct progress_thread){
			.tid = thread->tid,
			.openmp = thread->progress,
			.has_run = d->threads[i].motion == MOTION_RAN,
			.sleeps = d->threads[i].sleeps,
			.has_slept_again = has_slept_again(observations, thread->tid),
			.is_waiting = wait && !d->threads[i].is_released,
			.wait_id = wait ? wait->wait_id : 0,
			.device_call = wait && wait->kind == HOLDER_DEVICE && thread->entry ? thread->entry->pc : 0,
		};
		if (stack == SIZE_MAX || wait || !thread->openmp || n_stacks == PROGRESS_MAX_STACKS)
			continue;
		n_stacks++;
		if (!record_stack(d, stack, &record->threads[i]))
			return &error_nomem;
	}
	return NULL;
}

/* Return thread @tid of the record, at index @hint unless threads have started or ended; NULL: it is not there. */
static const struct progress_thread *find_thread(const struct progress_record *record, pid_t tid, size_t hint)
{
	if (hint < record->n && record->threads[hint].tid == tid)
		return &record->threads[hint];
	for (size_t i = 0; i < record->n; i++) {
		if (record->threads[i].tid == tid)
			return &record->threads[i];
	}
	return NULL;
}

/* The difference between two stacks of a thread. */
enum difference {
	DIFFERENCE_NONE,    /* the same places, or the same as far as both are known */
	DIFFERENCE_IN_LOOP, /* other places of one loop */
	DIFFERENCE_PLACE,   /* code that no loop of the outer function contains */
	DIFFERENCE_UNKNOWN,
};

static enum difference compare_stacks(struct stack_loops *l, struct target *t, const struct progress_stack *a,
				      const struct progress_stack *b)
{
	uint32_t i = 0;

	while (i < a->n_frames && i < b->n_frames && a->frames[i].pc == b->frames[i].pc &&
	       a->frames[i].sp == b->frames[i].sp)
		i++;
	if (i == a->n_frames || i == b->n_frames)
		return DIFFERENCE_NONE;
	switch (stack_loop_find(l, t, a->frames[i].pc, b->frames[i].pc)) {
	case STACK_LOOP_ONE:
		return DIFFERENCE_IN_LOOP;
	case STACK_LOOP_NONE:
		return DIFFERENCE_PLACE;
	case STACK_LOOP_UNKNOWN:
		break;
	}
	return DIFFERENCE_UNKNOWN;
}

/* The common properties of all observations of one thread. */
struct comparison {
	size_t n_seen, n_asleep; /* with a stack, and asleep; the last one included */
	bool has_run, has_slept_again, has_openmp_moved, has_left_wait, has_place_changed;
	bool is_in_one_place; /* the same place, or one loop */
	size_t n_same;	      /* pairs of observations at the same instruction with the same registers and stack */
	bool has_changed;     /* at the same instruction something was different */
};

static void compare_registers(const struct progress_stack *a, const struct progress_stack *b, struct comparison *c)
{
	unsigned pc = TARGET_REGISTER_PC, sp = TARGET_REGISTER_SP;

	if (a->registers.value[pc] != b->registers.value[pc] || a->registers.value[sp] != b->registers.value[sp])
		return;
	if (a->registers.known == b->registers.known &&
	    !memcmp(a->registers.value, b->registers.value, sizeof(a->registers.value)) && a->hash == b->hash)
		c->n_same++;
	else
		c->has_changed = true;
}

static void compare_all(const struct progress_history *h, struct stack_loops *l, struct target *t, pid_t tid,
			size_t hint, struct comparison *ret)
{
	const struct progress_thread *now = find_thread(&h->records[h->n - 1], tid, hint);
	struct comparison c = {.n_seen = now->stack != NULL,
			       .n_asleep = now->sleeps,
			       .has_slept_again = now->has_slept_again,
			       .is_in_one_place = true};

	for (size_t k = 0; k + 1 < h->n; k++) {
		const struct progress_thread *then = find_thread(&h->records[k], tid, hint);

		if (!then)
			continue;
		c.has_run |= then->has_run;
		c.has_slept_again |= then->has_slept_again;
		if (then->openmp.rc == ompd_rc_ok && now->openmp.rc == ompd_rc_ok &&
		    then->openmp.value != now->openmp.value)
			c.has_openmp_moved = true;
		if (then->is_waiting && (!now->is_waiting || then->wait_id != now->wait_id))
			c.has_left_wait = true;
		/* It has begun or ended a target region, a transfer, or another wait for a device. */
		c.has_left_wait |= then->device_call != now->device_call;
		c.n_asleep += then->sleeps;
		if (!then->stack || !now->stack)
			continue;
		c.n_seen++;
		enum difference difference = compare_stacks(l, t, then->stack, now->stack);
		c.has_place_changed |= difference == DIFFERENCE_PLACE;
		c.is_in_one_place &= difference == DIFFERENCE_NONE || difference == DIFFERENCE_IN_LOOP;
		for (size_t j = k + 1; j < h->n; j++) {
			const struct progress_thread *other = find_thread(&h->records[j], tid, hint);

			if (other && other->stack)
				compare_registers(then->stack, other->stack, &c);
		}
	}
	*ret = c;
}

static enum waits_progress judge_thread(const struct diagnosis *d, const struct comparison *c, uint64_t cpu_us,
					uint64_t wanted_us)
{
	uint64_t interval_us = (uint64_t)d->interval_us;
	bool is_enough = c->n_seen >= MIN_SEEN && c->is_in_one_place && interval_us >= MIN_US;

	if (c->has_openmp_moved)
		return PROGRESS_OPENMP;
	if (is_enough && c->has_slept_again && 2 * c->n_asleep >= c->n_seen && cpu_us < interval_us / POLL_PART)
		return PROGRESS_POLLS;
	if (c->has_left_wait)
		return PROGRESS_OPENMP;
	if (c->has_place_changed)
		return PROGRESS_PLACE;
	if (is_enough && c->n_same && !c->has_changed && wanted_us > interval_us / SPIN_PART)
		return PROGRESS_SPINS;
	return PROGRESS_UNSEEN;
}

void progress_judge(const struct progress_history *h, struct diagnosis *d)
{
	struct stack_loops loops = {.is_known = false};

	for (size_t i = 0; i < d->snapshot.n_threads; i++) {
		struct waits_thread *t = &d->threads[i];
		struct comparison c;

		compare_all(h, &loops, d->w->target, d->snapshot.threads[i].tid, i, &c);
		if (c.has_run && t->motion != MOTION_RAN) {
			t->motion = MOTION_RAN;
			d->n_ran++;
		}
		if (t->motion == MOTION_RAN)
			t->progress = judge_thread(d, &c, d->cpu_ns[i] / 1000, d->wanted_ns[i] / 1000);
	}
	stack_loops_deinit(&loops);
}

/* Return whether the thread sleeps for a time, at a place to which its code comes back. */
static bool may_poll(const struct diagnosis *d, uint32_t thread)
{
	struct stack_loops loops = {.is_known = false};
	uint64_t pc = d->where[thread].pc;
	bool is_in_loop =
		d->threads[thread].is_timed && pc && stack_loop_find(&loops, d->w->target, pc, pc) == STACK_LOOP_ONE;

	stack_loops_deinit(&loops);
	return is_in_loop;
}

bool progress_needs_more(const struct diagnosis *d)
{
	const struct waits *w = &d->waits;

	for (uint32_t i = 0; i < w->n_findings && w->verdict == VERDICT_WAITING; i++) {
		uint32_t thread = diagnose_first_thread(d, &w->findings[i]);

		if (w->findings[i].kind == FINDING_BLOCKED && thread != WAITS_NONE && may_poll(d, thread))
			return true;
	}
	return waits_need_progress(w);
}

void progress_history_deinit(struct progress_history *h)
{
	for (size_t i = 0; i < h->n; i++) {
		for (size_t k = 0; k < h->records[i].n; k++)
			free(h->records[i].threads[k].stack);
		free(h->records[i].threads);
	}
	h->n = 0;
}
