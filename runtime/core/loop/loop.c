/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The number of iterations of a loop, and their distribution by each schedule. */
#include "core/loop/loop.h"

#include "core/loop/doacross.h"
#include "core/loop/ordered.h"
#include "core/loop/ranges.h"
#include "core/loop/workshare.h"
#include "core/sync/cancel.h"
#include "core/sync/wait.h"
#include "core/task/reduction.h"
#include "tools/observer.h"
#include "tools/point.h"

uint64_t loop_count_signed(int64_t start, int64_t end, int64_t incr)
{
	if (incr > 0 && start < end)
		return loop_count((uint64_t)end - (uint64_t)start, (uint64_t)incr);
	if (incr < 0 && start > end)
		return loop_count((uint64_t)start - (uint64_t)end, 0 - (uint64_t)incr);
	return 0;
}

uint64_t loop_count_unsigned(bool up, uint64_t start, uint64_t end, uint64_t incr)
{
	if (up ? start >= end : start <= end)
		return 0;
	return up ? loop_count(end - start, incr) : loop_count(start - end, 0 - incr);
}

void loop_setup_schedule(struct thread *t, struct workshare_setup *setup, uint32_t schedule, uint64_t chunk,
			 bool ordered)
{
	uint32_t monotonic = schedule & SCHEDULE_MONOTONIC;
	uint32_t kind = SCHEDULE_KIND(schedule);

	if (kind == SCHEDULE_RUNTIME) {
		const struct icv *icv = t->task->icv;

		kind = SCHEDULE_KIND(icv->run_sched);
		monotonic |= icv->run_sched & SCHEDULE_MONOTONIC;
		chunk = icv->run_sched_chunk;
	}
	if (kind != SCHEDULE_DYNAMIC && kind != SCHEDULE_GUIDED) {
		if (kind != SCHEDULE_STATIC)
			chunk = 0;
		kind = SCHEDULE_STATIC;
	}
	setup->schedule = kind | monotonic;
	setup->work = kind == SCHEDULE_STATIC	 ? ompt_work_loop_static
		      : kind == SCHEDULE_DYNAMIC ? ompt_work_loop_dynamic
						 : ompt_work_loop_guided;
	setup->chunk = chunk;
	setup->ordered = ordered;
}

/*
 * Up to this many chunks per thread, one counter is better than ranges: a thread with an empty range looks at all
 * others.
 */
enum { FEW_CHUNKS = 4 };

static bool has_few_chunks(const struct workshare_setup *setup, uint32_t n_threads)
{
	uint64_t few = (uint64_t)FEW_CHUNKS * n_threads;

	return setup->n <= few || (setup->chunk > 1 && setup->n / few < setup->chunk);
}

static enum loop_kind choose_kind(const struct workshare_setup *setup, uint32_t n_threads)
{
	/* Ranges are taken in larger parts than the chunks that a tool wants to see. */
	bool any_order = !(setup->schedule & SCHEDULE_MONOTONIC) && !setup->ordered &&
			 n_threads <= RANGES_MAX_THREADS && !(point_has_tool() && point_wants_chunks());

	if (n_threads == 1)
		return LOOP_WHOLE;
	switch (SCHEDULE_KIND(setup->schedule)) {
	case SCHEDULE_DYNAMIC:
		return any_order && !has_few_chunks(setup, n_threads) ? LOOP_RANGES : LOOP_DYNAMIC;
	case SCHEDULE_GUIDED:
		return any_order ? LOOP_RANGES_GUIDED : LOOP_GUIDED;
	default:
		return setup->chunk ? LOOP_STATIC_CHUNKS : LOOP_STATIC;
	}
}

void workshare_prepare(struct workshare *ws, const struct workshare_setup *setup, uint32_t n_threads)
{
	ws->kind = (uint8_t)choose_kind(setup, n_threads);
	ws->ordered = setup->ordered;
	ws->work = setup->work;
	ws->start = setup->start;
	ws->incr = setup->incr;
	ws->end = setup->end;
	ws->n = setup->n;
	ws->chunk = setup->chunk ? setup->chunk : 1;
	ws->taken = 0;
	if (ws->kind == LOOP_RANGES || ws->kind == LOOP_RANGES_GUIDED)
		ranges_prepare(ws, n_threads);
	if (setup->ordered)
		ordered_prepare(ws);
}

static inline void begin_loop(struct thread *t, struct loop *l, enum loop_kind kind)
{
	l->next = l->stop = 0;
	l->trip = t->thread_num;
	l->kind = (uint8_t)kind;
	l->is_over = false;
}

/* Returns whether all chunks are given out. A plain load: a late thread need not take the cache line. */
static inline bool has_no_chunk(const struct loop *l, const struct workshare *ws)
{
	return __atomic_load_n(&ws->taken, __ATOMIC_RELAXED) >= l->n_chunks;
}

void loop_join(struct thread *t)
{
	const struct workshare *ws = t->member->share.ws;
	struct loop *l = &t->member->share.loop;

	begin_loop(t, l, ws->kind);
	l->start = ws->start;
	l->incr = ws->incr;
	l->end = ws->end;
	l->n = ws->n;
	l->chunk = ws->chunk;
	l->in_order = LOOP_ANY_ORDER;
	switch (ws->kind) {
	case LOOP_DYNAMIC:
		l->n_chunks = l->n ? loop_count(l->n, l->chunk) : 0;
		l->is_over = has_no_chunk(l, ws);
		break;
	case LOOP_STATIC_CHUNKS:
		l->n_chunks = l->n ? loop_count(l->n, l->chunk) : 0;
		break;
	case LOOP_RANGES:
	case LOOP_RANGES_GUIDED:
		ranges_join(ws, l);
		break;
	default:
		l->chunk = UINT64_MAX;
		break;
	}
	if (unlikely(ws->ordered) && t->n_threads > 1) {
		l->in_order = LOOP_ORDERED;
		l->chunk_begin = l->chunk_end = l->n_regions = 0;
	}
}

void loop_begin_region(struct thread *primary, const struct workshare_setup *setup)
{
	workshare_prepare(workshares_open(primary), setup, primary->n_threads);
}

void loop_join_region(struct thread *t)
{
	workshare_enter_open(t);
	loop_join(t);
}

/* Assigns chunk number @i to the thread. */
static inline bool give_chunk(struct loop *l, uint64_t i)
{
	if (i >= l->n_chunks)
		return false;
	l->next = i * l->chunk;
	l->stop = i == l->n_chunks - 1 ? l->n : l->next + l->chunk;
	return true;
}

void loop_begin(struct thread *t, const struct workshare_setup *setup)
{
	struct loop *l = &t->member->share.loop;
	bool is_static = SCHEDULE_KIND(setup->schedule) == SCHEDULE_STATIC;

	if (t->n_threads > 1 && (!is_static || setup->ordered)) {
		bool first = workshare_enter(t);
		bool has_chunk = false;

		if (first) {
			struct workshare *ws = t->member->share.ws;

			workshare_prepare(ws, setup, t->n_threads);
			/* The first chunk belongs to the first thread, without a request. */
			has_chunk = ws->kind == LOOP_DYNAMIC && !ws->ordered && ws->n;
			ws->taken = has_chunk;
			workshare_publish(t);
		}
		loop_join(t);
		/* If nothing is left, the others are far enough ahead. */
		if (!first && !l->is_over) {
			wait_fall_back(t);
			l->is_over = l->kind == LOOP_DYNAMIC && has_no_chunk(l, t->member->share.ws);
		}
		if (has_chunk) {
			give_chunk(l, 0);
			POINT(chunk, t, l);
		}
		return;
	}
	/* Nothing is shared: all threads have the same run-sched-var (OpenMP 5.2, 11.5.3), so all come here. */
	begin_loop(t, l, choose_kind(setup, t->n_threads));
	l->start = setup->start;
	l->incr = setup->incr;
	l->end = setup->end;
	l->n = setup->n;
	l->in_order = LOOP_ANY_ORDER;
	l->chunk = UINT64_MAX;
	if (l->kind == LOOP_STATIC_CHUNKS) {
		l->chunk = setup->chunk;
		l->n_chunks = l->n ? loop_count(l->n, l->chunk) : 0;
	}
}

void loop_begin_extras(struct thread *t, const struct workshare_setup *setup, const struct loop_extras *extras)
{
	bool first = workshare_enter(t);
	struct workshare *ws = t->member->share.ws;

	if (first) {
		workshare_prepare(ws, setup, t->n_threads);
		if (extras->n_counts)
			doacross_prepare(ws, extras->n_counts, extras->counts, t->n_threads);
		if (extras->memory)
			workshare_memory(t, (size_t)(uintptr_t)*extras->memory);
	}
	if (extras->reductions)
		reduction_workshare_begin(t, ws, extras->reductions, first);
	if (first)
		workshare_publish(t);
	loop_join(t);
	if (extras->n_counts)
		doacross_join(t);
	if (extras->memory)
		*extras->memory = ws->memory;
}

/* The same division as in gcc's own code for schedule(static), so that both give a thread the same iterations. */
static bool refill_static(struct thread *t, struct loop *l)
{
	uint64_t each, more, number = t->thread_num;

	if (l->is_over || !l->n)
		return false;
	l->is_over = true;
	if (l->n <= UINT32_MAX) {
		each = (uint32_t)l->n / t->n_threads;
		more = (uint32_t)l->n % t->n_threads;
	} else {
		each = l->n / t->n_threads;
		more = l->n % t->n_threads;
	}
	if (number < more) {
		l->next = number * (each + 1);
		l->stop = l->next + each + 1;
	} else {
		l->next = number * each + more;
		l->stop = l->next + each;
	}
	return l->next < l->stop;
}

static bool refill_dynamic(struct loop *l, struct workshare *ws)
{
	uint64_t i;

	/* At most one attempt in vain per thread: the counter cannot overflow. */
	if (l->is_over)
		return false;
	i = __atomic_fetch_add(&ws->taken, 1, __ATOMIC_RELAXED);
	l->is_over = i + 1 >= l->n_chunks;
	return give_chunk(l, i);
}

/* An equal part of the remainder, but at least a chunk. */
static bool refill_guided(struct thread *t, struct loop *l, struct workshare *ws)
{
	uint64_t taken = __atomic_load_n(&ws->taken, __ATOMIC_RELAXED);
	uint64_t part;

	do {
		uint64_t left = l->n - taken;

		if (!left)
			return false;
		part = (left - 1) / t->n_threads + 1;
		if (part < ws->chunk)
			part = ws->chunk < left ? ws->chunk : left;
	} while (!__atomic_compare_exchange_n(&ws->taken, &taken, taken + part, false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	l->next = taken;
	l->stop = taken + part;
	return true;
}

static inline bool is_cancelled(const struct thread *t)
{
	return unlikely(__atomic_load_n(&t->team->cancelled, __ATOMIC_RELAXED)) && cancel_ends_workshare(t);
}

static inline bool refill_loop(struct thread *t, struct loop *l)
{
	if (is_cancelled(t))
		return false;
	switch (l->kind) {
	case LOOP_RANGES:
	case LOOP_RANGES_GUIDED:
		return ranges_refill(t, l);
	case LOOP_DYNAMIC:
		return refill_dynamic(l, t->member->share.ws);
	case LOOP_GUIDED:
		return refill_guided(t, l, t->member->share.ws);
	case LOOP_STATIC:
		return refill_static(t, l);
	case LOOP_STATIC_CHUNKS: {
		uint64_t i = l->trip;

		l->trip += t->n_threads;
		return give_chunk(l, i);
	}
	default:
		if (l->is_over || !l->n)
			return false;
		l->is_over = true;
		l->next = 0;
		l->stop = l->n;
		return true;
	}
}

static __attribute__((noinline)) bool refill_in_order(struct thread *t, struct loop *l)
{
	bool is_ordered = l->in_order == LOOP_ORDERED;

	/* The previous chunk. It is empty before the first one. */
	if (is_ordered)
		ordered_leave_chunk(t, l);
	else
		doacross_leave_chunk(t, l);
	if (!refill_loop(t, l)) {
		l->in_order = LOOP_ANY_ORDER;
		return false;
	}
	l->chunk_begin = l->next;
	l->chunk_end = l->stop;
	l->n_regions = 0;
	if (!is_ordered)
		doacross_enter_chunk(t, l);
	return true;
}

/* The loop was reported to a tool. */
static __attribute__((cold, noinline)) bool refill_and_report(struct thread *t, struct loop *l)
{
	bool more = l->in_order ? refill_in_order(t, l) : refill_loop(t, l);

	if (more)
		POINT(chunk, t, l);
	return more;
}

bool loop_refill(struct thread *t, struct loop *l)
{
	if (unlikely(l->work))
		return refill_and_report(t, l);
	if (unlikely(l->in_order))
		return refill_in_order(t, l);
	return refill_loop(t, l);
}
