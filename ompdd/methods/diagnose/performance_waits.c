/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Findings from samples: threads that wait for other threads of the program. */
#include "methods/diagnose/performance.h"

#include <string.h>

#include "openmp/runtimes/constructs.h"
#include "target/arch/syscalls.h"

/*
 * A member is the reason of an imbalance if it has this share of the work while others wait, in percent. Without a
 * reason of its own, a delay hits each member about equally.
 */
#define LEAST_WORKER_PERCENT 60
/*
 * Or the busiest member of the region has this many percent more work than the mean. Differences of less than a quarter
 * come from caches and from other programs.
 */
#define LEAST_IMBALANCE 1.25
/* Serial time below a fifth of the time is common: reading input, writing results. */
#define LEAST_SERIAL_PERCENT 20
/*
 * Least share of time in which no thread works, in percent. While a thread waits for a CPU others may wait for it, so a
 * tenth is not enough.
 */
#define LEAST_SYNCHRONIZATION_PERCENT 20
/* The same while threads lack CPUs: a released thread that has no CPU seems to wait. */
#define LEAST_WITHOUT_CPUS_PERCENT 50
/* Least part of the samples that must show the state of each thread: one in this many. */
#define LEAST_JUDGED_PART 10
/* Starting and ending a region takes some microseconds. One that takes a thousand loses less than a hundredth to it. */
#define SHORT_REGION_US 1000
/* Shares below this are not worth a line of evidence, in percent. */
#define LEAST_SHOWN_PERCENT 5

/* Write "thread 3", or "one thread". */
static void write_worker(const struct lag_worker *w, struct sentence *ret)
{
	if (w->thread_num >= 0)
		sentence_add(ret, "thread %lld", (long long)w->thread_num);
	else
		sentence_add(ret, "a thread");
}

/* Write "at the end of the region main() at a.c:12", "at the barrier in solve() at a.c:40". */
static void write_wait(const struct performance *p, const struct lag_row *row, struct sentence *ret)
{
	const struct tally_region *region = &p->t->regions[row->region];

	if (row->kind == LAG_IDLE) {
		sentence_add(ret, "in the pool");
		return;
	}
	sentence_add(ret, row->kind == LAG_REGION_END ? "at the end of the region" : "at a barrier");
	struct sentence place = {.len = 0};
	if (performance_place(p, row->kind == LAG_REGION_END || !row->at.function ? &region->place : &row->at, &place))
		sentence_add(ret, row->kind == LAG_BARRIER && row->at.function ? " in %s" : " of %s", place.text);
}

static uint64_t sum_workers(const struct lag_row *row, const enum profile_state *state)
{
	uint64_t sum = state ? 0 : row->other_us;

	for (uint32_t i = 0; i < row->n_workers; i++)
		sum += !state || row->workers[i].state == *state ? row->workers[i].us : 0;
	return sum;
}

/* Return the time of all rows of thread @number in @state. */
static uint64_t sum_thread(const struct lag_row *row, int64_t number, enum profile_state state)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < row->n_workers; i++) {
		if (row->workers[i].thread_num == number && row->workers[i].state == state)
			sum += row->workers[i].us;
	}
	return sum;
}

/* Return the worker in @state with most time; NULL: none. */
static const struct lag_worker *find_worker(const struct lag_row *row, enum profile_state state)
{
	const struct lag_worker *best = NULL;

	for (uint32_t i = 0; i < row->n_workers; i++) {
		const struct lag_worker *w = &row->workers[i];

		if (w->state == state && (!best || w->us > best->us))
			best = w;
	}
	return best;
}

/* Add the places of the workers in @state. */
static void add_workers(const struct performance *p, const struct lag_row *row, enum profile_state state,
			struct performance_finding *f)
{
	uint64_t all = sum_workers(row, NULL);

	for (uint32_t i = 0; i < row->n_workers; i++) {
		const struct lag_worker *w = &row->workers[i];
		struct sentence place = {.len = 0}, *claim;

		if (w->state != state || performance_percent(w->us, all) < LEAST_SHOWN_PERCENT ||
		    f->n_claims + 1 >= PERFORMANCE_MAX_CLAIMS)
			continue;
		claim = performance_claim(f, "samples");
		write_worker(w, claim);
		if (performance_place(p, &w->at, &place))
			sentence_add(claim, " was in %s", place.text);
		else
			sentence_add(claim, " was at an unknown place");
		sentence_add(claim, " for %u %% of that time", performance_percent(w->us, all));
	}
}

/* Add how many of the waiting threads used a CPU. */
static void add_awake(const struct lag_row *row, struct performance_finding *f)
{
	unsigned percent = performance_percent(row->awake_us, row->wait_us);

	if (percent >= LEAST_SHOWN_PERCENT)
		sentence_add(performance_claim(f, "samples"), "the waiting threads used a CPU for %u %% of their wait",
			     percent);
}

static const char *find_threads(uint32_t n)
{
	return n == 1 ? "1 thread waits" : "the others wait";
}

/* Return the kernel's CPU time of a thread for work in regions, as far as samples divide it; 0: not known. */
static double work_time(const struct performance *p, const struct tally_thread *thread)
{
	const uint64_t *us = thread->state_us;
	uint64_t used_us =
		us[PROFILE_WORK] + us[PROFILE_SERIAL] + us[PROFILE_OVERHEAD] + us[PROFILE_UNKNOWN] + thread->awake_us;

	for (size_t i = 0; i < p->n_threads && used_us; i++) {
		if (p->threads[i].tid == thread->tid)
			return (double)p->threads[i].cpu_us * (double)us[PROFILE_WORK] / (double)used_us;
	}
	return 0;
}

/*
 * Return whether members with thread number @number used more CPU time for work than the mean. A thread that waits for
 * a CPU looks busy in samples, but uses none.
 */
static bool used_more(const struct performance *p, int64_t number)
{
	double all = 0, own = 0;
	uint32_t n = 0, n_own = 0;

	for (uint32_t i = 0; i < p->t->n_threads; i++) {
		const struct tally_thread *thread = &p->t->threads[i];
		double time = thread->thread_num < 0 ? 0 : work_time(p, thread);

		if (thread->thread_num < 0)
			continue;
		n++;
		all += time;
		n_own += thread->thread_num == number;
		own += thread->thread_num == number ? time : 0;
	}
	return n > 1 && n_own && own * n >= all * n_own * LEAST_IMBALANCE && own > 0;
}

/* Return whether the place of the wait is not known, and another row of the same region has one. */
static bool is_covered(const struct performance *p, const struct lag_row *row)
{
	for (uint32_t i = 0; i < p->t->lags.n_rows && row->kind == LAG_BARRIER && !row->at.function; i++) {
		const struct lag_row *other = &p->t->lags.rows[i];

		if (other->region == row->region && other != row && other->few_us >= row->few_us / 2)
			return true;
	}
	return false;
}

static void find_imbalance(struct performance *p, const struct lag_row *row)
{
	const struct tally_region *region = &p->t->regions[row->region];
	const struct lag_worker *worker = find_worker(row, PROFILE_WORK);
	double imbalance = 0;

	if (row->kind == LAG_IDLE || !worker || worker->thread_num < 0 || is_covered(p, row))
		return;
	uint64_t work_us = sum_workers(row, &(enum profile_state){PROFILE_WORK});
	bool is_one =
		performance_percent(sum_thread(row, worker->thread_num, PROFILE_WORK), work_us) >= LEAST_WORKER_PERCENT;
	bool is_uneven = tally_imbalance(region, &imbalance) && imbalance >= LEAST_IMBALANCE;
	uint64_t asleep_us = sum_workers(row, &(enum profile_state){PROFILE_ASLEEP});
	if ((!is_one && !is_uneven) || row->few_us <= asleep_us)
		return;
	struct performance_finding *f = performance_add(p, "imbalance", row->few_us - asleep_us);
	if (!f)
		return;
	/* The others may wait for a thread that has no CPU: waits for a CPU may explain all that is lost. */
	f->is_candidate = p->lacks_cpus && (f->lost_us <= p->ready_us || !used_more(p, worker->thread_num));
	f->place = row->kind == LAG_BARRIER && row->at.function ? row->at : region->place;
	sentence_add(&f->title, "imbalance: ");
	if (is_one)
		write_worker(worker, &f->title);
	else
		sentence_add(&f->title, "few members of the team");
	sentence_add(&f->title, is_one ? " works while %s " : " work while %s ", find_threads(row->max_waiters));
	write_wait(p, row, &f->title);
	sentence_add(&f->title, ": %u %% of the time of all threads", performance_percent(f->lost_us, p->thread_us));
	if (is_uneven)
		sentence_add(performance_claim(f, "samples"),
			     "the busiest member had %.1f times the mean work of the region's members", imbalance);
	add_workers(p, row, PROFILE_WORK, f);
	add_awake(row, f);
	sentence_add(&f->advice, "spread this work over the team: schedule(dynamic), smaller chunks, or tasks");
}

static void find_serial(struct performance *p, const struct lag_row *row)
{
	const struct tally_region *outside = &p->t->regions[row->region];
	const struct lag_worker *worker = find_worker(row, PROFILE_SERIAL);
	uint64_t lost_us = sum_workers(row, &(enum profile_state){PROFILE_SERIAL});
	unsigned percent = performance_percent(outside->state_us[PROFILE_SERIAL], p->elapsed_us);

	if (row->kind != LAG_IDLE || !worker || percent < LEAST_SERIAL_PERCENT ||
	    performance_percent(row->lone_us, row->wait_us) < LEAST_SERIAL_PERCENT)
		return;
	struct performance_finding *f = performance_add(p, "serial", lost_us);
	struct sentence place = {.len = 0};
	if (!f)
		return;
	f->place = worker->at;
	sentence_add(&f->title, "serial part: one thread works outside of parallel regions for %u %% of the time",
		     percent > 100 ? 100 : percent);
	if (performance_place(p, &worker->at, &place))
		sentence_add(&f->title, ", most in %s", place.text);
	add_workers(p, row, PROFILE_SERIAL, f);
	add_awake(row, f);
	sentence_add(&f->advice, "execute this part in parallel, or less often");
}

static void find_calls(struct performance *p, const struct lag_row *row)
{
	const struct lag_worker *worker = find_worker(row, PROFILE_ASLEEP);
	const char *call = worker ? syscall_name(worker->syscall) : NULL;
	struct sentence place = {.len = 0};

	if (!worker)
		return;
	struct performance_finding *f =
		performance_add(p, "system_call", sum_workers(row, &(enum profile_state){PROFILE_ASLEEP}));
	if (!f)
		return;
	f->place = worker->at;
	sentence_add(&f->title, "system call: ");
	write_worker(worker, &f->title);
	if (call)
		sentence_add(&f->title, " sleeps in %s()", call);
	else
		sentence_add(&f->title, " sleeps in system call %ld", worker->syscall);
	if (performance_place(p, &worker->at, &place))
		sentence_add(&f->title, ", called in %s,", place.text);
	sentence_add(&f->title, " while %s ", find_threads(row->max_waiters));
	write_wait(p, row, &f->title);
	sentence_add(&f->title, ": %u %% of the time of all threads", performance_percent(f->lost_us, p->thread_us));
	add_workers(p, row, PROFILE_ASLEEP, f);
	add_awake(row, f);
	sentence_add(&f->advice, "let the other threads work meanwhile: do this in a task, or while a region runs");
}

/* Locks */

static const char *lock_noun(enum profile_state state)
{
	switch ((int)state) {
	case PROFILE_CRITICAL:
		return "critical";
	case PROFILE_ATOMIC:
		return "atomic";
	case PROFILE_LOCK:
		return "lock";
	default:
		return "a lock";
	}
}

static void write_lock(const struct performance *p, const struct tally_lock *lock, struct sentence *ret)
{
	const char *symbol = lock->name ? texts_get(&p->t->texts, lock->name) : NULL;
	size_t len;
	const char *critical = symbol ? construct_critical_name(symbol, &len) : NULL;

	sentence_add(ret, "%s", lock_noun(lock->state));
	if (critical && len)
		sentence_add(ret, "(%.*s)", len > 60 ? 60 : (int)len, critical);
	else if (symbol && !critical)
		sentence_add(ret, " %.60s", symbol);
	else if (!critical && lock->state == PROFILE_LOCK)
		sentence_add(ret, " at 0x%llx", (unsigned long long)lock->address);
}

static void find_contention(struct performance *p, const struct tally_lock *lock)
{
	struct performance_finding *f = performance_add(p, "contention", lock->wait_us);
	struct sentence place = {.len = 0};

	if (!f)
		return;
	sentence_add(&f->title, "contention: threads waited for ");
	write_lock(p, lock, &f->title);
	uint32_t best = 0;
	for (uint32_t i = 1; i < lock->n_places; i++)
		best = lock->places[i].wait_us > lock->places[best].wait_us ? i : best;
	if (lock->n_places && performance_place(p, &lock->places[best].place, &place)) {
		f->place = lock->places[best].place;
		sentence_add(&f->title, " in %s", place.text);
	}
	sentence_add(&f->title, " for %u %% of the time of all threads",
		     performance_percent(lock->wait_us, p->thread_us));
	sentence_add(performance_claim(f, "samples"), "up to %u thread%s waited at once", lock->max_waiters,
		     lock->max_waiters == 1 ? "" : "s");
	for (uint32_t i = 0; i < lock->n_holders && i < 3; i++) {
		struct sentence at = {.len = 0};

		if (performance_place(p, &lock->holders[i].place, &at) && !lock->holders[i].is_inferred)
			sentence_add(performance_claim(f, "samples"), "a holder was in %s", at.text);
	}
	sentence_add(&f->advice,
		     "hold it for less time: move work out of it, use a reduction or atomic, or several locks");
}

/* Start and end of regions */

static void add_calls(const struct performance *p, struct performance_finding *f)
{
	const struct tally_region *best = NULL;
	struct sentence place = {.len = 0};

	for (uint32_t i = 0; i < p->t->n_regions; i++) {
		const struct tally_region *r = &p->t->regions[i];

		if (r->has_calls && r->calls && (!best || r->calls > best->calls))
			best = r;
	}
	if (!best) {
		f->is_candidate = true;
		sentence_add(performance_claim(f, "samples"),
			     "estimated from samples: this runtime does not count how often regions start");
		return;
	}
	struct sentence *claim = performance_claim(f, "plugin");
	sentence_add(claim, "the region");
	if (performance_place(p, &best->place, &place))
		sentence_add(claim, " %s", place.text);
	sentence_add(claim, " started %.0f times per second, with %.2f µs of work of all its members each",
		     (double)best->calls * 1e6 / (double)p->elapsed_us,
		     (double)best->state_us[PROFILE_WORK] / (double)best->calls);
	f->place = best->place;
}

/* Return whether the runtime counts regions, and all start too seldom for their start and end to matter. */
static bool are_long(const struct performance *p)
{
	bool is_counted = false;
	uint64_t n = 0;

	for (uint32_t i = 0; i < p->t->n_regions; i++) {
		is_counted |= p->t->regions[i].has_calls;
		n += p->t->regions[i].has_calls ? p->t->regions[i].calls : 0;
	}
	return is_counted && n * SHORT_REGION_US < p->elapsed_us;
}

/* Return the row of waits in a region with most time in which no member works; NULL: none. */
static const struct lag_row *find_idle_row(const struct performance *p, uint64_t *barrier_us_ret)
{
	const struct lag_row *best = NULL;

	*barrier_us_ret = 0;
	for (uint32_t i = 0; i < p->t->lags.n_rows; i++) {
		const struct lag_row *row = &p->t->lags.rows[i];

		*barrier_us_ret += row->kind == LAG_BARRIER && row->at.function ? row->all_wait_us : 0;
		if (row->kind != LAG_IDLE && row->all_wait_us && (!best || row->all_wait_us > best->all_wait_us))
			best = row;
	}
	return best;
}

static void find_synchronization(struct performance *p)
{
	uint64_t idle_us = p->t->lags.idle_us, judged_us = p->t->lags.judged_us, barrier_us;
	const struct lag_row *best = find_idle_row(p, &barrier_us);
	unsigned percent = performance_percent(idle_us, judged_us);

	if (judged_us * LEAST_JUDGED_PART < p->thread_us || are_long(p) ||
	    percent < (p->lacks_cpus ? LEAST_WITHOUT_CPUS_PERCENT : LEAST_SYNCHRONIZATION_PERCENT))
		return;
	struct performance_finding *f = performance_add(p, "synchronization", p->thread_us / 100 * percent);
	if (!f)
		return;
	f->is_candidate = p->lacks_cpus;
	if (best && 2 * barrier_us > idle_us) {
		sentence_add(&f->title, "synchronization: no thread works for %u %% of the time, all wait ", percent);
		write_wait(p, best, &f->title);
		f->place = best->at;
		f->is_candidate = true;
		sentence_add(&f->advice, "use fewer barriers: nowait, or more work between them");
	} else {
		sentence_add(&f->title,
			     "short regions: no thread works for %u %% of the time: all start or end regions", percent);
		f->place = best ? p->t->regions[best->region].place : (struct tally_place){0};
		add_calls(p, f);
		sentence_add(&f->advice, "put more work into each region: one region around the loop that starts them");
	}
}

void performance_find_waits(struct performance *p)
{
	size_t first = p->n_findings;

	for (uint32_t i = 0; i < p->t->lags.n_rows; i++) {
		find_imbalance(p, &p->t->lags.rows[i]);
		find_serial(p, &p->t->lags.rows[i]);
		find_calls(p, &p->t->lags.rows[i]);
	}
	for (uint32_t i = 0; i < p->t->n_locks; i++)
		find_contention(p, &p->t->locks[i]);
	find_synchronization(p);
	/* A worker that gets a CPU only when threads of the program sleep sees too many waits. */
	for (size_t i = first; i < p->n_findings; i++)
		p->findings[i].is_candidate |= p->is_sparse;
}
