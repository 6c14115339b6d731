/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* clang-format off */
/*
 * How a loop is cut into ranges, and how a thread takes from its own range or from another's.
 *
 * Iterations are given out in units of chunk << shift, so that there are less than 2^24 units. A range is one word:
 *
 *	bits	content
 *	0-23	first unit
 *	24-47	end
 *	48-63	round of the struct workshare in which the word was written
 *
 * A word of another round is untouched: the range is the thread's part of an even distribution. The first thread thus
 * need not write all words, and a late thread finds its part, or what others left of it. Each use of the struct for
 * such a loop increments the round. When rounds overflow, or the number of threads changes, all words are cleared: a
 * word of the present round is never an old one.
 *
 * A word only names the thread that executes its units, so all accesses are relaxed: what the iterations need was
 * published with the construct. Taken units do not come back, so within a round a word never returns to an earlier
 * value.
 *
 * The last unit is in no range. The first thread without other work gets it, and gets nothing afterwards: gcc's code
 * recognises the last iteration, for lastprivate, by the value of the thread's loop variable at its end.
 */
/* clang-format on */
#include "core/loop/ranges.h"

#include <stddef.h>
#include <stdlib.h>

#include "core/state/team.h"
#include "core/state/thread.h"
#include "core/state/worksharing.h"
#include "os/memory.h"
#include "os/spin.h"

enum {
	UNIT_BITS = 24,
	ROUND_SHIFT = 48,
	/*
	 * If a thread's part has at least this many chunks, two are a unit; with twice as many, four; up to
	 * 2^MAX_SHIFT. That saves atomic operations and costs at most 1/COARSE of a part in balance.
	 */
	COARSE = 1024,
	MAX_SHIFT = 3,
};

#define UNIT_MASK ((1u << UNIT_BITS) - 1)

struct range {
	uint32_t begin, end;
};

static inline uint64_t pack_range(uint16_t round, struct range r)
{
	return (uint64_t)round << ROUND_SHIFT | (uint64_t)r.end << UNIT_BITS | r.begin;
}

static __attribute__((cold)) void make_room(struct workshare *ws, uint32_t n_threads)
{
	free(ws->ranges);
	ws->ranges = memory_zalloc_line((size_t)n_threads * CACHE_LINE);
	ws->ranges_room = n_threads;
}

void ranges_prepare(struct workshare *ws, uint32_t n_threads)
{
	uint64_t n_chunks = ws->n ? loop_count(ws->n, ws->chunk) : 0;
	uint32_t shift = 0;

	if (ws->kind == LOOP_RANGES)
		while (shift < MAX_SHIFT && n_chunks >> shift >= (uint64_t)COARSE * n_threads)
			shift++;
	while (n_chunks >> shift >= UNIT_MASK)
		shift++;
	ws->shift = (uint8_t)shift;
	if (unlikely(ws->ranges_room < n_threads))
		make_room(ws, n_threads);
	if (unlikely(ws->round == UINT16_MAX || ws->n_ranges != n_threads)) {
		ws->round = 0;
		ws->n_ranges = (uint16_t)n_threads;
		for (uint32_t i = 0; i < n_threads; i++)
			*workshare_range(ws, i) = 0;
	}
	ws->round++;
}

void ranges_join(const struct workshare *ws, struct loop *l)
{
	l->unit = l->chunk << ws->shift;
	l->n_chunks = l->n ? loop_count(l->n, l->unit) : 0;
	l->round = ws->round;
	/* Each atomic operation gives its units to the program at once. */
	l->chunk = UINT64_MAX;
}

/* Decodes @word for thread @i of @n_threads. */
static inline struct range unpack_range(const struct loop *l, uint64_t word, uint32_t i, uint32_t n_threads)
{
	uint32_t n_units, each, more;

	if (word >> ROUND_SHIFT == l->round)
		return (struct range){(uint32_t)word & UNIT_MASK, (uint32_t)(word >> UNIT_BITS) & UNIT_MASK};
	n_units = (uint32_t)l->n_chunks - 1; /* without the last */
	each = n_units / n_threads;
	more = n_units % n_threads;
	if (i < more)
		return (struct range){i * (each + 1), (i + 1) * (each + 1)};
	return (struct range){i * each + more, (i + 1) * each + more};
}

/* Assigns the units of @r to the thread. */
static inline void give_range(struct loop *l, struct range r)
{
	l->next = r.begin * l->unit;
	l->stop = r.end == l->n_chunks ? l->n : r.end * l->unit;
}

/*
 * The number of units out of @n that a thread takes at once. Guided: three quarters of its share, where one counter
 * would give all of it.
 */
static inline uint32_t get_part(const struct loop *l, uint32_t n)
{
	return l->kind == LOOP_RANGES_GUIDED && n > 3 ? n - n / 4 : 1;
}

/* Takes from the front of the thread's own range. */
static inline bool take_units(struct thread *t, struct loop *l, uint64_t *word)
{
	uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED);

	for (;;) {
		struct range r = unpack_range(l, old, t->thread_num, t->n_threads);
		uint32_t n;

		if (r.begin >= r.end)
			return false;
		n = get_part(l, r.end - r.begin);
		if (likely(__atomic_compare_exchange_n(word, &old,
						       pack_range(l->round, (struct range){r.begin + n, r.end}), false,
						       __ATOMIC_RELAXED, __ATOMIC_RELAXED))) {
			give_range(l, (struct range){r.begin, r.begin + n});
			return true;
		}
	}
}

/*
 * Takes the rear half of @victim's range. Units that are not executed at once become the thief's range, which is
 * empty.
 */
static bool steal_units(struct thread *t, struct loop *l, uint64_t *own, uint64_t *word, uint32_t victim)
{
	uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED);

	for (;;) {
		struct range r = unpack_range(l, old, victim, t->n_threads);
		uint32_t n, at, now;

		if (r.begin >= r.end)
			return false;
		n = (r.end - r.begin + 1) / 2;
		at = r.end - n;
		if (!__atomic_compare_exchange_n(word, &old, pack_range(l->round, (struct range){r.begin, at}), false,
						 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			continue;
		now = get_part(l, n);
		/* No thread steals from an empty range, so this store has no race. */
		if (n > now)
			__atomic_store_n(own, pack_range(l->round, (struct range){at + now, r.end}), __ATOMIC_RELAXED);
		give_range(l, (struct range){at, at + now});
		return true;
	}
}

/* Takes the last unit if it is free. Any other work of this thread is done by now. */
static bool take_last_unit(struct workshare *ws, struct loop *l)
{
	uint64_t not_taken = 0;

	l->is_over = true;
	if (!l->n_chunks ||
	    !__atomic_compare_exchange_n(&ws->taken, &not_taken, 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return false;
	give_range(l, (struct range){(uint32_t)l->n_chunks - 1, (uint32_t)l->n_chunks});
	return true;
}

static __attribute__((noinline)) bool find_elsewhere(struct thread *t, struct workshare *ws, struct loop *l,
						     uint64_t *own)
{
	uint32_t victim = t->thread_num;

	for (uint32_t i = 1; i < t->n_threads; i++) {
		victim = victim + 1 == t->n_threads ? 0 : victim + 1;
		if (steal_units(t, l, own, workshare_range(ws, victim), victim))
			return true;
	}
	return take_last_unit(ws, l);
}

bool ranges_refill(struct thread *t, struct loop *l)
{
	struct workshare *ws = t->member->share.ws;
	uint64_t *own = workshare_range(ws, t->thread_num);

	if (likely(l->n_chunks > 1) && likely(take_units(t, l, own)))
		return true;
	if (l->is_over || __atomic_load_n(&ws->taken, __ATOMIC_RELAXED)) {
		l->is_over = true;
		return false;
	}
	return l->n_chunks > 1 ? find_elsewhere(t, ws, l, own) : take_last_unit(ws, l);
}
