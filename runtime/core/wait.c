/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The steps of a wait that take time: yielding, sleeping, and what is learnt from how long these took. */
#include "core/wait.h"

#include "core/icv.h"
#include "core/root.h"
#include "os/clock.h"
#include "os/cpus.h"
#include "os/spin.h"
#include "os/thread.h"

enum {
	SPINS_SHARED = 40,     /* at least so many pauses before the first yield, where each thread can have a CPU, */
	SPINS_CROWDED = 2,     /* and where not */
	MIN_PAUSES = 8,	       /* between yields that nobody made use of, */
	MAX_PAUSES = 64,       /* more and more: who yields does not see what happens */
	PAUSES_OF_NEXT = 24,   /* of a thread whose turn comes next: longer than a turn of another CPU's thread takes */
	YIELDS_DEFAULT = 2000, /* before it sleeps: some milliseconds */
	YIELDS_PASSIVE = 10,
	SHARED_YIELDS = 16, /* thread.n_shared, before it goes to another CPU, */
	MAX_MOVES = 8,	    /* and double that each time until then: it may be no use */
	CALLS = 8,	/* a yield that nobody makes use of takes no longer than so many of the shortest system calls */
	LONG = 1000,	/* times such a yield, */
	LONG_TURN = 16, /* and so often for each other thread of ours that may have had its turn: others use the CPU; */
	LINGER = 600,	/* pauses before such a thread sleeps, where there is a CPU for each: some ten microseconds, */
	LINGER_DOUBLE = 75, /* and where there are two threads for each: less than a sleep takes; */
	MANY_FOR_A_CPU = 4, /* from so many on, one that lingers is in the way of too many */
	MOMENT = 2000,	    /* ticks, in which a thread was beaten twice: */
	FALL_BACK = 32,	    /* it pauses so long */
	LONG_FOR = 16,	    /* for so many times what a yield took then, a thread does without; */
	LONG_FOR_MORE =
		100, /* where there are more threads of ours than CPUs: the next one would last as long, for several */
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
static uint32_t n_awake(void)
{
	return __atomic_load_n(&runtime_root.n_threads, __ATOMIC_RELAXED) -
	       __atomic_load_n(&n_asleep, __ATOMIC_RELAXED);
}

/* Whether there is a CPU for each thread, also when those that sleep are awake. */
static bool is_spacious(void)
{
	return __atomic_load_n(&runtime_root.n_threads, __ATOMIC_RELAXED) <= icv_process.num_procs;
}

bool wait_is_crowded(void)
{
	return n_awake() > icv_process.num_procs;
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
 * The CPU was shared once more, without need. The primary thread stays where it is: of two that share a CPU, only one
 * should move. A thread that is bound stays in its place.
 */
static void shared_cpu(struct thread *t)
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

/*
 * How long a yield takes at most that nobody makes use of. Where others want the CPUs from the begin, none is seen that
 * is as short.
 */
static uint32_t longest_idle_yield(void)
{
	static uint32_t longest; /* in the clock's units; atomic, as shortest_yield; 0: not known yet */
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

/* Yield, and learn from how long that takes. Returns whether somebody made use of it. */
static bool yield(struct thread *t)
{
	uint64_t begin = clock_now();
	spin_yield();
	uint64_t end = clock_now(), took = end - begin;
	uint32_t shortest = __atomic_load_n(&shortest_yield, __ATOMIC_RELAXED);

	if (took < shortest)
		__atomic_store_n(&shortest_yield, shortest = (uint32_t)took, __ATOMIC_RELAXED);

	uint32_t longest = longest_idle_yield(), idle = shortest < longest ? shortest : longest;

	if (unlikely(took > (uint64_t)LONG * idle) &&
	    took > (LONG + (uint64_t)LONG_TURN * (n_awake() / icv_process.num_procs)) * idle)
		t->no_yields = end + (is_spacious() ? LONG_FOR : LONG_FOR_MORE) * took;
	else
		t->no_yields = 0;
	return took > shortest + shortest / 2;
}

/* Pauses before a sleep that others' use of the CPU brings. */
static uint16_t linger(void)
{
	uint32_t n_cpus = icv_process.num_procs, n = __atomic_load_n(&runtime_root.n_threads, __ATOMIC_RELAXED);
	uint32_t pauses = LINGER;

	if (n / n_cpus >= MANY_FOR_A_CPU)
		return 0;
	if (n > n_cpus)
		pauses = LINGER_DOUBLE * n_cpus / (n - n_cpus);
	return (uint16_t)(pauses < LINGER ? pauses : LINGER);
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
		/* With more threads than CPUs one that waits is in the way, also while the others sleep. */
		if (t->spins > SPINS_CROWDED && !is_spacious())
			t->spins = SPINS_CROWDED;
		/* Whoever was woken a moment ago is on his way: if nobody waits for the other, both are awake again. */
		if (!w->has_lingered && max_spins == WAIT_SPINS && (w->left = linger())) {
			w->has_lingered = true;
			return true;
		}
		w->yields = max_yields;
		return false;
	}
	w->yields++;

	bool used = yield(t), crowded = wait_is_crowded();

	if (used) {
		uint32_t min = crowded ? SPINS_CROWDED : SPINS_SHARED;

		if (!crowded)
			shared_cpu(t);
		t->spins = t->spins / 4 > min ? t->spins / 4 : min;
		w->pauses = 0;
	} else {
		t->n_shared -= t->n_shared > 0;
		t->spins = t->spins * 2 < WAIT_SPINS ? t->spins * 2 : WAIT_SPINS;
		/* When the machine is crowded, another thread may get this CPU at any moment: do not pause. */
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
	yield(t);
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
