/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Findings from the kernel's counters: too few CPUs, a CPU quota, other programs, waits for memory. */
#include "methods/diagnose/performance.h"

#include <string.h>

#include "openmp/model/walk/walk.h"
#include "worker/capture/capture.h"
#include "worker/context/emit.h"

/* A thread is busy from one part in this many of the time on. */
#define BUSY_PART 2
/*
 * Least share of their CPUs that the busy threads used, in percent. With less, other programs had the CPUs, and threads
 * that want little were ready for long.
 */
#define LEAST_USE_PERCENT 50
/*
 * Least share of the wanted time, in percent, for which the busy threads had no CPU. Ready threads always wait a
 * little: the kernel moves them between CPUs only now and then.
 */
#define LEAST_READY_PERCENT 10
/* The same for waits that other programs cause: less is usual on a machine in normal use. */
#define LEAST_OTHER_PERCENT 20
/* Least share of the CPU quota's periods in which it was used up, in percent: fewer are short peaks. */
#define LEAST_THROTTLED_PERCENT 10
/*
 * Waiting threads that used less of the CPU time are not the reason for a lack of CPUs, in percent. A runtime that lets
 * threads sleep also spins for a moment before.
 */
#define LEAST_SPIN_PERCENT 20
/* Least number of samples for a share of the CPU time: fewer may be chance. */
#define LEAST_CPU_SAMPLES 50
/* Least time in which threads waited for memory, in percent of the recording. */
#define LEAST_PRESSURE_PERCENT 20

/* The busy threads that may use only certain CPUs. */
struct crowd {
	const struct target_cpus *cpus;
	unsigned n_cpus;
	size_t n;
	uint64_t cpu_us, ready_us;
};

bool performance_is_busy(const struct performance *p, const struct performance_thread *t)
{
	return (t->cpu_us + t->ready_us) * BUSY_PART >= p->elapsed_us;
}

static void count_crowd(const struct performance *p, const struct target_cpus *cpus, struct crowd *ret)
{
	*ret = (struct crowd){.cpus = cpus, .n_cpus = target_cpus_count(cpus)};
	for (size_t i = 0; i < p->n_threads; i++) {
		const struct performance_thread *t = &p->threads[i];

		if (!t->cpus || !performance_is_busy(p, t) || !target_cpus_are_in(t->cpus, cpus))
			continue;
		ret->n++;
		ret->cpu_us += t->cpu_us;
		ret->ready_us += t->ready_us;
	}
}

/* Find the CPUs that most busy threads share, if these are more threads than CPUs, and had to wait. */
static bool find_crowd(const struct performance *p, struct crowd *ret)
{
	bool found = false;

	/* More busy threads than CPUs cannot all run. */
	for (size_t i = 0; i < p->n_threads; i++) {
		struct crowd one;

		if (!p->threads[i].cpus || !performance_is_busy(p, &p->threads[i]))
			continue;
		if (i && p->threads[i - 1].cpus && !memcmp(p->threads[i].cpus, p->threads[i - 1].cpus, sizeof(p->cpus)))
			continue;
		count_crowd(p, p->threads[i].cpus, &one);
		if (!one.n_cpus || one.n <= one.n_cpus ||
		    one.ready_us * 100 < (one.cpu_us + one.ready_us) * LEAST_READY_PERCENT ||
		    performance_percent(one.cpu_us, one.n_cpus * p->elapsed_us) < LEAST_USE_PERCENT)
			continue;
		if (found && one.ready_us <= ret->ready_us)
			continue;
		*ret = one;
		found = true;
	}
	return found;
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static void write_use(const struct performance *p, uint64_t cpu_us, uint64_t ready_us, struct performance_finding *f)
{
	sentence_add(performance_claim(f, "kernel"), "they used %.1f CPUs, and were ready for %.1f more",
		     (double)cpu_us / (double)p->elapsed_us, (double)ready_us / (double)p->elapsed_us);
}

/* Write "CPU 3" or "2 CPUs". */
static void write_cpus(const struct crowd *c, struct sentence *ret)
{
	for (unsigned i = 0; c->n_cpus == 1 && i < TARGET_MAX_CPUS; i++) {
		if (c->cpus->bits[i / 64] >> i % 64 & 1) {
			sentence_add(ret, "CPU %u", i);
			return;
		}
	}
	sentence_add(ret, "%u CPU%s", c->n_cpus, plural(c->n_cpus));
}

static void write_bound(const struct performance *p, const struct crowd *c, struct performance_finding *f)
{
	sentence_add(&f->title, "bound: %zu busy threads share ", c->n);
	write_cpus(c, &f->title);
	sentence_add(&f->title, " by their own affinity: they waited for a CPU for %u %% of their time",
		     performance_percent(c->ready_us, c->cpu_us + c->ready_us));
	sentence_add(performance_claim(f, "kernel"), "the threads of the process may use %u CPUs together", p->n_cpus);
	sentence_add(&f->advice, "bind each thread to a CPU of its own: OMP_PLACES=threads OMP_PROC_BIND=close, or ");
	sentence_add(&f->advice, "remove the calls that bind threads");
}

/*
 * Return the share of the CPU time that waiting threads used, in percent. Where the kernel gives no samples by CPU
 * time, the stopped threads show it: a thread that was only woken is still in its system call.
 */
static unsigned find_spin_percent(const struct performance *p)
{
	const uint64_t *us = p->t->state_us;

	if (p->t->cpu_samples >= LEAST_CPU_SAMPLES)
		return performance_percent(p->t->cpu_wait_samples, p->t->cpu_samples);
	if (p->t->cpu_samples || !p->s->stopped_us)
		return 0;
	return performance_percent(p->t->awake_us,
				   p->t->awake_us + us[PROFILE_WORK] + us[PROFILE_SERIAL] + us[PROFILE_OVERHEAD]);
}

static struct error *capture_icvs(struct worker *w, void *arg)
{
	struct snapshot *s = arg;

	snapshot_deinit(s);
	return walk_snapshot(worker_model(w), w->client, w->epoch, SNAPSHOT_ICVS, w->plugin_options.timeout_ms, s);
}

static bool can_be_passive(struct worker *w)
{
	struct snapshot s = {0};
	struct view view;
	struct error *err = worker_check_target(w);

	if (!err)
		err = worker_capture(w, capture_icvs, &s, &view);
	bool ret = !err && diagnose_can_be_passive(&s, worker_model(w));
	error_destroy(err);
	snapshot_deinit(&s);
	return ret;
}

static void write_spinning(const struct performance *p, const struct crowd *c, struct performance_finding *f)
{
	f->kind = "spinning";
	sentence_add(&f->title,
		     "spinning: threads that wait used %u %% of the CPU time, and %zu busy threads share %u CPU%s",
		     find_spin_percent(p), c->n, c->n_cpus, plural(c->n_cpus));
	if (can_be_passive(p->w))
		sentence_add(&f->advice, "OMP_WAIT_POLICY=passive lets waiting threads sleep");
	else
		sentence_add(&f->advice, "use at most %u thread%s: OMP_NUM_THREADS=%u", c->n_cpus, plural(c->n_cpus),
			     c->n_cpus);
}

static void write_oversubscribed(const struct performance *p, const struct crowd *c, struct performance_finding *f)
{
	const struct lags *l = &p->t->lags;
	uint64_t n = l->n_region_samplings ? l->n_region_samplings : 1;
	/* The means: while a region ends and the next one starts, one sampling may show both. */
	unsigned n_teams = (unsigned)((2 * l->teams + n) / (2 * n)),
		 n_threads = (unsigned)((2 * l->team_threads + n) / (2 * n));

	if (n_teams > 1) {
		f->kind = "pools";
		sentence_add(&f->title, "pools: %u teams at once, with %u threads together, on %u CPU%s: ", n_teams,
			     n_threads, c->n_cpus, plural(c->n_cpus));
		sentence_add(&f->advice, "let the teams share the CPUs: OMP_NUM_THREADS=%u, or fewer teams at once",
			     c->n_cpus > n_teams ? c->n_cpus / n_teams : 1);
	} else {
		sentence_add(&f->title, "oversubscribed: %zu busy threads on %u CPU%s: ", c->n, c->n_cpus,
			     plural(c->n_cpus));
		sentence_add(&f->advice, "use at most %u thread%s: OMP_NUM_THREADS=%u", c->n_cpus, plural(c->n_cpus),
			     c->n_cpus);
	}
	sentence_add(&f->title, "they waited for a CPU for %u %% of their time",
		     performance_percent(c->ready_us, c->cpu_us + c->ready_us));
}

static void find_crowds(struct performance *p)
{
	struct crowd c = {.n = 0};

	if (!find_crowd(p, &c))
		return;
	struct performance_finding *f = performance_add(p, "oversubscribed", c.ready_us);
	if (!f)
		return;
	p->lacks_cpus = true;
	if (c.n_cpus < p->n_cpus) {
		f->kind = "bound";
		write_bound(p, &c, f);
	} else if (find_spin_percent(p) >= LEAST_SPIN_PERCENT) {
		write_spinning(p, &c, f);
	} else {
		write_oversubscribed(p, &c, f);
	}
	write_use(p, c.cpu_us, c.ready_us, f);
}

static void find_quota(struct performance *p)
{
	if (!p->has_quota || !p->quota.n_throttled ||
	    performance_percent(p->quota.n_throttled, p->quota.n_periods) < LEAST_THROTTLED_PERCENT)
		return;
	p->is_throttled = true;
	struct performance_finding *f = performance_add(p, "quota", p->ready_us);
	if (!f)
		return;
	p->lacks_cpus = true;
	sentence_add(&f->title, "quota: the kernel stopped the threads in %llu of %llu periods: ",
		     (unsigned long long)p->quota.n_throttled, (unsigned long long)p->quota.n_periods);
	sentence_add(&f->title, "the control group may use %.1f CPUs",
		     (double)p->quota.quota_us / (double)p->quota.period_us);
	sentence_add(performance_claim(f, "kernel"), "the limit is that of %.200s",
		     *p->quota.group ? p->quota.group : "/");
	write_use(p, p->cpu_us, p->ready_us, f);
	unsigned fits = (unsigned)(p->quota.quota_us / p->quota.period_us);
	sentence_add(&f->advice,
		     "raise the CPU limit of the control group, or use at most %u thread%s: OMP_NUM_THREADS=%u",
		     fits ? fits : 1, plural(fits ? fits : 1), fits ? fits : 1);
}

/* Threads wait for a CPU, and neither their number, nor their affinity, nor a quota explains it. */
static void find_other_load(struct performance *p)
{
	uint64_t cpu_us = 0, ready_us = 0;

	if (p->lacks_cpus || p->is_throttled)
		return;
	for (size_t i = 0; i < p->n_threads; i++) {
		if (!performance_is_busy(p, &p->threads[i]))
			continue;
		cpu_us += p->threads[i].cpu_us;
		ready_us += p->threads[i].ready_us;
	}
	if (performance_percent(ready_us, cpu_us + ready_us) < LEAST_OTHER_PERCENT)
		return;
	struct performance_finding *f = performance_add(p, "other_load", ready_us);
	if (!f)
		return;
	p->lacks_cpus = true;
	f->is_candidate = true;
	sentence_add(&f->title, "other load: threads waited for a CPU for %u %% of their time, on %u CPU%s",
		     performance_percent(ready_us, cpu_us + ready_us), p->n_cpus, plural(p->n_cpus));
	write_use(p, cpu_us, ready_us, f);
	sentence_add(&f->advice, "run it where no other program uses these CPUs");
}

static void find_memory(struct performance *p)
{
	struct performance_finding *f = performance_add(p, "page_faults", p->t->fault_us);

	if (f) {
		sentence_add(&f->title, "page faults: threads slept in page faults for %u %% of their time",
			     performance_percent(p->t->fault_us, p->thread_us));
		sentence_add(performance_claim(f, "kernel"), "%llu pages were read from a device",
			     (unsigned long long)p->major_faults);
		sentence_add(&f->advice, "give the program more memory, or let it use less at a time");
	}
	if (performance_percent(p->pressure_us, p->elapsed_us) < LEAST_PRESSURE_PERCENT)
		return;
	f = performance_add(p, "memory_pressure", p->pressure_us);
	if (!f)
		return;
	/* The group may have other processes. */
	f->is_candidate = true;
	sentence_add(&f->title, "memory pressure: threads of the control group waited for memory for %u %% of the time",
		     performance_percent(p->pressure_us, p->elapsed_us));
	sentence_add(performance_claim(f, "kernel"), "memory.pressure of the control group grew by %.1f s",
		     (double)p->pressure_us / 1e6);
	sentence_add(&f->advice, "raise the memory limit of the control group, or let the program use less memory");
}

void performance_find_cpu(struct performance *p)
{
	if (p->has_counters) {
		find_quota(p);
		if (!p->is_throttled)
			find_crowds(p);
		find_other_load(p);
	}
	find_memory(p);
}
