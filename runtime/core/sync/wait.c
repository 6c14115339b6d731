/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The steps of a wait that take time: yielding, sleeping, and learning from their durations. */
#include "core/sync/wait.h"

#include "core/state/icv.h"
#include "core/state/root.h"
#include "os/clock.h"
#include "os/cpus.h"
#include "os/thread.h"

enum {
	SPINS_SHARED = 40,     /* least pauses before the first yield if each thread can have a CPU, */
	SPINS_CROWDED = 2,     /* and if not */
	MIN_PAUSES = 8,	       /* between yields that no thread used, */
	MAX_PAUSES = 64,       /* more and more: a yielding thread sees nothing */
	PAUSES_OF_NEXT = 24,   /* of the thread with the next turn: longer than a turn on another CPU takes */
	YIELDS_DEFAULT = 2000, /* before it sleeps: some milliseconds */
	YIELDS_PASSIVE = 10,
	SHARED_YIELDS = 16, /* thread.n_shared at which it changes the CPU, */
	MAX_MOVES = 8,	    /* doubled each time up to this count, in case it does not help */
	CALLS = 8,	    /* an unused yield takes at most this many of the shortest system calls */
	LONG = 1000,	/* a yield this many times longer than an unused one means that another program used the CPU, */
	LONG_TURN = 16, /* and this many times for each other thread of ours that may have run; */
	LINGER = 600,	/* pauses of such a thread before it sleeps: some ten microseconds */
	MOMENT = 2000,	/* ticks within which a thread was beaten twice: */
	FALL_BACK = 32, /* its pauses then */
	LONG_FOR_FIRST = 4,  /* a thread does without yields for this many times the long yield's duration; */
	LONG_FOR_GROWS = 4,  /* the next long yield, if it comes soon, multiplies this by so many, up to */
	LONG_FOR = 16,	     /* so many, or, with more threads of ours than CPUs, */
	LONG_FOR_MORE = 100, /* so many: the next yield would take as long */
};

static uint32_t max_yields = YIELDS_DEFAULT;
static uint32_t max_spins = WAIT_SPINS;
static uint32_t shortest_yield = UINT32_MAX; /* in the clock's units; atomic, but a lost update is nothing */

void wait_init(void)
{
	switch (icv_process.wait_policy) {
	case WAIT_ACTIVE:
		max_yields = UINT32_MAX;
		break;
	case WAIT_PASSIVE:
		max_yields = YIELDS_PASSIVE;
		break;
	default:
		break;
	}
	/* GOMP_SPINCOUNT: pauses and yields together. */
	if (icv_process.throttled_spin) {
		max_spins = icv_process.spin_count < WAIT_SPINS ? (uint32_t)icv_process.spin_count : WAIT_SPINS;
		max_yields = icv_process.spin_count / MAX_PAUSES < UINT32_MAX
				     ? (uint32_t)(icv_process.spin_count / MAX_PAUSES)
				     : UINT32_MAX;
	}
}

static uint32_t n_asleep; /* atomic */

/* Threads that are awake. */
static uint32_t count_awake(void)
{
	return __atomic_load_n(&runtime_root.n_threads, __ATOMIC_RELAXED) -
	       __atomic_load_n(&n_asleep, __ATOMIC_RELAXED);
}

/* Returns whether each thread has a CPU, even with all sleepers awake. */
static bool is_spacious(void)
{
	return __atomic_load_n(&runtime_root.n_threads, __ATOMIC_RELAXED) <= icv_process.num_procs;
}

bool wait_is_crowded(void)
{
	return count_awake() > icv_process.num_procs;
}

uint32_t wait_first_spins(void)
{
	return max_spins;
}

void wait_forget_others(void)
{
	n_asleep = 0;
}

void wait_count_asleep(int change)
{
	__atomic_fetch_add(&n_asleep, (uint32_t)change, __ATOMIC_RELAXED);
}

/*
 * Called when the CPU was shared without need. The primary thread stays: of two threads that share a CPU, only one
 * should move. A bound thread stays as well.
 */
static void note_shared_cpu(struct thread *t)
{
	t->n_shared += 2;
	if (t->n_shared < SHARED_YIELDS << t->n_moves)
		return;
	t->n_shared = 0;
	if (t->n_moves < MAX_MOVES)
		t->n_moves++;
	if (t->is_pool && !t->place)
		cpus_move();
}

/* A policy of never sleeping is kept. */
static inline bool others_want_cpu(const struct thread *t)
{
	return unlikely(t->no_yields) && max_yields != UINT32_MAX && (int64_t)(t->no_yields - clock_now()) > 0;
}

/* The longest duration of an unused yield. If other programs use the CPUs from the start, no yield is that short. */
static uint32_t get_longest_idle_yield(void)
{
	static uint32_t longest; /* in the clock's units; atomic, like shortest_yield; 0: not known yet */
	uint32_t l = __atomic_load_n(&longest, __ATOMIC_RELAXED);

	if (likely(l))
		return l;
	l = UINT32_MAX / CALLS - 1;
	for (uint32_t i = 0; i < 3; i++) {
		uint64_t begin = clock_now();
		os_thread_id();
		uint64_t took = clock_now() - begin;

		if (took < l)
			l = (uint32_t)took;
	}
	__atomic_store_n(&longest, l = CALLS * (l + 1), __ATOMIC_RELAXED);
	return l;
}

/*
 * A yield that ended at @end took long. A single long yield is noise. If others keep the CPUs busy, the next yield
 * after the time without yields takes long, too.
 */
static void note_long_yield(struct thread *t, uint64_t end, uint64_t took)
{
	uint32_t max = is_spacious() ? LONG_FOR : LONG_FOR_MORE;
	bool is_next = end - t->no_yields < (t->long_for + 1) * took;

	t->long_for = is_next && t->long_for ? t->long_for * LONG_FOR_GROWS : LONG_FOR_FIRST;
	if (t->long_for > max)
		t->long_for = max;
	t->no_yields = end + t->long_for * took;
}

/* Yields, and learns from the duration. Returns whether another thread used the CPU. */
static bool yield_cpu(struct thread *t)
{
	uint64_t begin = clock_now();
	spin_yield();
	uint64_t end = clock_now(), took = end - begin;
	uint32_t shortest = __atomic_load_n(&shortest_yield, __ATOMIC_RELAXED);

	if (took < shortest)
		__atomic_store_n(&shortest_yield, shortest = (uint32_t)took, __ATOMIC_RELAXED);

	uint32_t longest = get_longest_idle_yield(), idle = shortest < longest ? shortest : longest;

	if (unlikely(took > (uint64_t)LONG * idle) &&
	    took > (LONG + (uint64_t)LONG_TURN * (count_awake() / icv_process.num_procs)) * idle)
		note_long_yield(t, end, took);
	return took > idle + idle / 2;
}

bool wait_step_slow(struct waiter *w, struct thread *t)
{
	if (w->yields >= max_yields)
		return false;
	if (w->left) {
		w->left--;
		spin_pause();
		return true;
	}
	if (others_want_cpu(t)) {
		/* With more threads than CPUs a waiting thread is in the way, even while the others sleep. */
		if (t->spins > SPINS_CROWDED && !is_spacious())
			t->spins = SPINS_CROWDED;
		/* A thread that was just woken will arrive soon. If neither sleeps, both are awake again. */
		if (!w->has_lingered && max_spins == WAIT_SPINS && is_spacious()) {
			w->left = LINGER;
			w->has_lingered = true;
			return true;
		}
		w->yields = max_yields;
		return false;
	}
	w->yields++;

	bool used = yield_cpu(t), crowded = wait_is_crowded();

	if (used) {
		uint32_t min = crowded ? SPINS_CROWDED : SPINS_SHARED;

		if (!crowded)
			note_shared_cpu(t);
		t->spins = t->spins / 4 > min ? t->spins / 4 : min;
		w->pauses = 0;
	} else {
		t->n_shared -= t->n_shared > 0;
		t->spins = t->spins * 2 < WAIT_SPINS ? t->spins * 2 : WAIT_SPINS;
		/* On a crowded machine another thread may need this CPU at any moment: do not pause. */
		w->pauses = crowded ? 0 : !w->pauses ? MIN_PAUSES : w->pauses < MAX_PAUSES ? w->pauses * 2 : MAX_PAUSES;
	}
	w->left = w->pauses;
	if (t->spins > max_spins)
		t->spins = max_spins;
	/* The new limit counts from the next wait on. */
	if (w->round < t->spins)
		w->round = t->spins;
	return true;
}

bool wait_step_turn(struct waiter *w, bool is_next)
{
	struct thread *t = thread_peek();

	if (!wait_is_crowded())
		return wait_step(w);
	if (is_next && ++w->round % PAUSES_OF_NEXT) {
		spin_pause();
		return true;
	}
	if (++w->yields >= max_yields || others_want_cpu(t)) {
		waiter_reset(w);
		return false;
	}
	yield_cpu(t);
	return true;
}

void wait_fall_back(struct thread *t)
{
	if (clock_now() - t->beaten < MOMENT && t->beaten_behind == t->barrier_count)
		for (uint32_t i = 0; i < FALL_BACK; i++)
			spin_pause();
	t->beaten = clock_now();
	t->beaten_behind = t->barrier_count;
}
