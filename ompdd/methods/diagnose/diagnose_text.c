/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Findings of diagnose.get as one sentence each: the verdict, and its findings. */
#include "methods/diagnose/diagnose.h"

#include <stdlib.h>

#include "target/modules/emulator.h"

/* Limit for the resources that a sentence on a cycle lists. */
#define MAX_THINGS 16

static uint32_t count_threads(const struct diagnosis *d, const struct waits_finding *f)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n_nodes; i++)
		n += d->waits.nodes[f->nodes[i]].kind == WAITS_THREAD;
	return n;
}

uint32_t diagnose_first_thread(const struct diagnosis *d, const struct waits_finding *f)
{
	for (uint32_t i = 0; i < f->n_nodes; i++) {
		if (d->waits.nodes[f->nodes[i]].kind == WAITS_THREAD)
			return d->waits.nodes[f->nodes[i]].index;
	}
	return WAITS_NONE;
}

/* Return whether threads of the finding run, or wake again and again. */
static bool is_running(const struct waits_finding *f)
{
	return f->kind == FINDING_SLOW || f->kind == FINDING_BUSY || f->kind == FINDING_POLLS ||
	       f->kind == FINDING_SPINS;
}

/* Return the verb for running threads. */
static const char *describe_running(const struct waits_finding *f, bool one)
{
	if (f->kind == FINDING_POLLS)
		return one ? " polls" : " poll";
	if (f->kind == FINDING_SPINS)
		return one ? " spins" : " spin";
	return one ? " runs" : " run";
}

/* Add " at a.c:12" for threads without seen progress. */
static void add_line(const struct diagnosis *d, const struct waits_finding *f, uint32_t thread, struct sentence *t)
{
	struct sentence place = {.len = 0};

	if (is_running(f) && f->kind != FINDING_POLLS && d->waits.is_unproven && diagnose_place(d, thread, &place))
		sentence_add(t, " in %s", place.text);
}

/* Add "which sleeps in read()" or "which are at work", if the threads of the finding do the same. */
static void add_doing(const struct diagnosis *d, const struct waits_finding *f, struct sentence *t)
{
	uint32_t thread = diagnose_first_thread(d, f);
	bool one = count_threads(d, f) == 1;

	if (thread == WAITS_NONE)
		return;
	const struct stack_where *where = &d->where[thread];
	if (d->came_from && d->came_from[thread]) {
		sentence_add(t, " moved between two observations");
		return;
	}
	if (f->kind == FINDING_BUSY && holders_of(&d->holders, thread)) {
		sentence_add(t, one ? " passes one construct of OpenMP after another"
				    : " pass one construct of OpenMP after another");
		return;
	}
	if (is_running(f))
		sentence_add(t, "%s",
			     d->halt == DIAGNOSE_RUNS ? describe_running(f, one)
			     : one		      ? " was at work"
						      : " were at work");
	else if (where->is_mpi)
		sentence_add(t, one ? " waits" : " wait");
	else
		sentence_add(t, one ? " sleeps" : " sleep");
	add_line(d, f, thread, t);
	if (where->outside) {
		sentence_add(t, " in ");
		diagnose_call(t, where->outside);
		diagnose_object(d, thread, t);
	}
	if (d->threads[thread].is_timed && !is_running(f))
		sentence_add(t, " for a limited time");
}

/* Return the number of direct waiters for the resource. A finding without a resource counts all its waiters. */
static uint32_t count_direct(const struct diagnosis *d, const struct waits_finding *f)
{
	uint32_t n = f->thing == WAITS_NONE ? 0 : d->waits.nodes[f->thing].n_waiting;

	return n && n < f->n_waiting ? n : f->n_waiting;
}

static void add_waiting(const struct diagnosis *d, const struct waits_finding *f, struct sentence *t)
{
	uint32_t n = count_direct(d, f);

	sentence_add(t, "%u thread%s for ", n, n == 1 ? " waits" : "s wait");
}

/* Add the number of threads that wait indirectly. */
static void add_more(const struct diagnosis *d, const struct waits_finding *f, struct sentence *t)
{
	uint32_t n = f->n_waiting - count_direct(d, f);

	if (n)
		sentence_add(t, "; %u more %s blocked behind them", n, n == 1 ? "is" : "are");
}

/* Return the place of the GIL among the nodes of the cycle; f->n_nodes: the cycle has none. */
static uint32_t find_gil(const struct diagnosis *d, const struct waits_finding *f)
{
	uint32_t i = 0;

	while (i < f->n_nodes &&
	       (d->waits.nodes[f->nodes[i]].kind != WAITS_THING || d->waits.nodes[f->nodes[i]].what != HOLDER_GIL))
		i++;
	return i;
}

/* Add what the holder of the GIL waits for, and the threads that wait for the GIL. @at: its place in the cycle. */
static void add_gil_cycle(const struct diagnosis *d, const struct waits_finding *f, uint32_t at, struct sentence *t)
{
	uint32_t gil = f->nodes[at], holder = f->nodes[(at + 1) % f->n_nodes], n_all = f->n_waiting;
	uint32_t *nodes = malloc(d->waits.n_nodes * sizeof(*nodes));
	struct waits_finding waiters = {.nodes = nodes};

	for (uint32_t i = 0; nodes && i < d->waits.n_edges; i++) {
		if (d->waits.edges[i].kind == WAITS_FOR && d->waits.edges[i].to == gil)
			nodes[waiters.n_nodes++] = d->waits.edges[i].from;
	}
	diagnose_thread(d, d->waits.nodes[holder].index, t);
	sentence_add(t, " holds ");
	diagnose_thing(d, gil, t);
	sentence_add(t, " and waits for ");
	diagnose_thing(d, f->nodes[(at + 2) % f->n_nodes], t);
	sentence_add(t, "; ");
	diagnose_threads(d, &waiters, t);
	sentence_add(t, waiters.n_nodes == 1 ? " waits for the GIL" : " wait for the GIL");
	for (uint32_t i = 0; i < f->n_nodes; i++)
		n_all += d->waits.nodes[f->nodes[i]].kind == WAITS_THREAD;
	if (n_all > waiters.n_nodes + 1)
		sentence_add(t, "; %u more %s blocked behind them", n_all - waiters.n_nodes - 1,
			     n_all - waiters.n_nodes == 2 ? "is" : "are");
	free(nodes);
}

static void add_cycle(const struct diagnosis *d, const struct waits_finding *f, struct sentence *t)
{
	const char *comma = ": ";
	uint32_t gil = find_gil(d, f);

	if (gil < f->n_nodes && count_threads(d, f) > 1) {
		add_gil_cycle(d, f, gil, t);
		return;
	}
	if (count_threads(d, f) == 1) {
		diagnose_thread(d, diagnose_first_thread(d, f), t);
		sentence_add(t, " waits for ");
		diagnose_thing(d, f->thing, t);
		sentence_add(t, ", which it holds itself");
	} else {
		diagnose_threads(d, f, t);
		sentence_add(t, " wait for each other");
		for (uint32_t i = 0; i < f->n_nodes && i < MAX_THINGS; i++) {
			enum waits_node_kind kind = d->waits.nodes[f->nodes[i]].kind;

			if (kind == WAITS_THREAD || kind == WAITS_TASK)
				continue;
			sentence_add(t, "%s", comma);
			diagnose_thing(d, f->nodes[i], t);
			comma = ", ";
		}
	}
	if (f->n_waiting)
		sentence_add(t, "; %u more wait%s for them", f->n_waiting, f->n_waiting == 1 ? "s" : "");
}

/* Return the holder's relation to the resource, as a phrase. */
static const char *describe_relation(enum holder_kind what, bool one)
{
	switch (what) {
	case HOLDER_LOCK:
	case HOLDER_NEST_LOCK:
	case HOLDER_MUTEX:
	case HOLDER_PTHREAD:
	case HOLDER_GIL:
	case HOLDER_RWLOCK:
	case HOLDER_STREAM:
	case HOLDER_ARENA:
		return one ? " holds it and" : " hold it and";
	case HOLDER_JOIN:
		return one ? " has not ended and" : " have not ended and";
	case HOLDER_CRITICAL:
	case HOLDER_ATOMIC:
		return one ? " executes it and" : " execute it and";
	case HOLDER_ORDERED:
		return one ? " has the turn and" : " have the turn and";
	case HOLDER_SINGLE:
		return one ? " executes it and" : " execute it and";
	case HOLDER_BARRIER:
		return one ? " has not arrived and" : " have not arrived and";
	case HOLDER_TASKWAIT:
	case HOLDER_TASKGROUP:
		return one ? " executes one and" : " execute them and";
	case HOLDER_NONE:
	case HOLDER_DEVICE:
	case HOLDER_CONDITION:
	case HOLDER_SEMAPHORE:
	case HOLDER_KINDS:
		break;
	}
	return "";
}

/* Return whether the holder itself waits for the lock, to write next. */
static bool is_next_writer(const struct diagnosis *d, const struct waits_finding *f)
{
	uint32_t thread = diagnose_first_thread(d, f);

	return f->what == HOLDER_RWLOCK && thread != WAITS_NONE && d->snapshot.threads[thread].outside;
}

static void add_end(const struct diagnosis *d, const struct waits_finding *f, struct sentence *t)
{
	add_waiting(d, f, t);
	diagnose_thing(d, f->thing, t);
	sentence_add(t, ": ");
	diagnose_threads(d, f, t);
	sentence_add(t, "%s",
		     is_next_writer(d, f) ? " is the next to write and"
					  : describe_relation(f->what, count_threads(d, f) == 1));
	add_doing(d, f, t);
}

/* Add that threads wait at different barriers. Two of them are enough: each blocks the other. */
static void add_different(const struct diagnosis *d, const struct waits_finding *f, struct sentence *t)
{
	uint32_t n = count_threads(d, f), thread = diagnose_first_thread(d, f);
	uint32_t region = thread == WAITS_NONE ? SNAPSHOT_NONE : d->snapshot.threads[thread].parallel.index;
	const struct snapshot_word *size = region == SNAPSHOT_NONE ? NULL : &d->snapshot.parallels[region].team_size;

	if (size && size->rc == ompd_rc_ok && size->value == (int64_t)n)
		sentence_add(t, n == 2 ? "both threads of the team" : "all threads of the team");
	else
		diagnose_threads(d, f, t);
	sentence_add(t, " wait at different barriers");
	if (f->n_waiting)
		sentence_add(t, "; %u more wait%s for them", f->n_waiting, f->n_waiting == 1 ? "s" : "");
}

static void add_elsewhere(const struct diagnosis *d, const struct waits_finding *f, struct sentence *t)
{
	const struct holder *holder = &d->waits.nodes[f->thing].wait->holders[0];

	add_waiting(d, f, t);
	diagnose_thing(d, f->thing, t);
	if (holder->process)
		sentence_add(t, ", which thread %d of process %d held when it forked this one", (int)holder->tid,
			     (int)holder->process);
	else
		sentence_add(t, ", but its holder is not a thread of this process");
	if (f->is_proven)
		sentence_add(t, ": no thread of this process can release it");
	add_more(d, f, t);
}

void diagnose_finding_title(const struct diagnosis *d, const struct waits_finding *f, struct sentence *t)
{
	switch (f->kind) {
	case FINDING_CYCLE:
		add_cycle(d, f, t);
		break;
	case FINDING_ENDED:
		add_waiting(d, f, t);
		diagnose_thing(d, f->thing, t);
		sentence_add(t, ", but its holder has ended");
		add_more(d, f, t);
		break;
	case FINDING_ELSEWHERE:
		add_elsewhere(d, f, t);
		break;
	case FINDING_IDLE:
		add_waiting(d, f, t);
		diagnose_thing(d, f->thing, t);
		sentence_add(t, ": ");
		diagnose_threads(d, f, t);
		sentence_add(t, " holds it, has left its region and is idle");
		add_more(d, f, t);
		break;
	case FINDING_DIFFERENT:
		add_different(d, f, t);
		break;
	case FINDING_ALL_WAIT:
		add_waiting(d, f, t);
		diagnose_thing(d, f->thing, t);
		sentence_add(t, d->snapshot.n_threads == 1 ? ", and the process has no other thread"
							   : ", and every other thread of the process waits, too");
		sentence_add(t, ": no thread can release it");
		break;
	case FINDING_DEVICE:
		diagnose_device(d, f, t);
		break;
	case FINDING_LOST_TEAM:
		sentence_add(t, "a barrier waits for threads that this process does not have%s",
			     d->snapshot.origin == TARGET_IMAGE_FORKED ? ": a fork copies only the thread that calls it"
								       : "");
		break;
	case FINDING_BLOCKED:
	case FINDING_POLLS:
	case FINDING_SPINS:
	case FINDING_SLOW:
		if (f->thing != WAITS_NONE) {
			add_end(d, f, t);
			add_more(d, f, t);
			break;
		}
		diagnose_threads(d, f, t);
		add_doing(d, f, t);
		if (f->kind == FINDING_BLOCKED)
			sentence_add(t, ", and tasks wait for a thread");
		break;
	case FINDING_TASK_QUEUED:
		add_waiting(d, f, t);
		sentence_add(t, "%s that no thread has started", f->n_nodes == 1 ? "a task" : "tasks");
		add_more(d, f, t);
		break;
	case FINDING_DEPENDENCE:
		add_waiting(d, f, t);
		sentence_add(t, "a task that waits for %u other tasks", d->waits.nodes[f->nodes[0]].n_predecessors);
		add_more(d, f, t);
		break;
	case FINDING_DETACHED:
		add_waiting(d, f, t);
		sentence_add(t, "a detached task: its code has ended, but its event is not fulfilled");
		add_more(d, f, t);
		break;
	case FINDING_UNKNOWN:
		add_waiting(d, f, t);
		diagnose_thing(d, f->thing, t);
		sentence_add(t, "; its holder is not known");
		add_more(d, f, t);
		break;
	case FINDING_OUTSIDE:
	case FINDING_BUSY:
	case FINDING_KINDS:
		diagnose_threads(d, f, t);
		add_doing(d, f, t);
		break;
	}
}

const char *diagnose_halted(const struct diagnosis *d)
{
	return d->halt == DIAGNOSE_FROZEN ? "the whole process is frozen with its control group (docker pause, "
					    "systemctl freeze, a scheduler)"
					  : "the whole process is stopped by a signal (^Z, SIGSTOP) or by a debugger";
}

/* Add why running threads give no verdict. */
static void add_unproven(const struct diagnosis *d, struct sentence *t)
{
	if (d->waits.n_findings && d->waits.findings[0].kind == FINDING_SPINS)
		sentence_add(t, ": this may be a livelock");
	if (d->interval_us)
		sentence_add(t, "; no progress of OpenMP was seen in %.1f s", (double)d->interval_us / 1e6);
	else
		sentence_add(t, "; one moment does not show whether running threads make progress");
}

/* Add that threads wait, or may wait, without a finding that explains it. */
static void add_unknown(const struct diagnosis *d, struct sentence *t)
{
	const char *emulator = target_emulator(d->w->target);

	if (!emulator || d->waits.n_waiting) {
		sentence_add(t, "%u threads wait for something unknown", d->waits.n_waiting);
		return;
	}
	sentence_add(t, "the runtime's memory does not show the states of its threads");
	for (size_t i = 0; i < d->snapshot.n_parallels; i++) {
		const struct snapshot_parallel *p = &d->snapshot.parallels[i];

		if (p->n_arrived.rc == ompd_rc_ok && p->n_arrived.value > 0 && p->team_size.rc == ompd_rc_ok)
			sentence_add(t, "; %lld of %lld threads of a team are at its barrier",
				     (long long)p->n_arrived.value, (long long)p->team_size.value);
	}
}

void diagnose_title(const struct diagnosis *d, struct sentence *ret)
{
	const struct waits *w = &d->waits;

	switch (w->verdict) {
	case VERDICT_DEADLOCK:
		sentence_add(ret, "deadlock: ");
		break;
	case VERDICT_BLOCKED:
		sentence_add(ret, "blocked: ");
		break;
	case VERDICT_WAITING:
		sentence_add(ret, "waiting: ");
		if (d->halt != DIAGNOSE_RUNS)
			sentence_add(ret, "%s%s", diagnose_halted(d), w->n_findings ? "; it was stopped while " : "");
		if (!w->n_findings)
			return;
		break;
	case VERDICT_BUSY:
		sentence_add(ret, "not hung: ");
		break;
	case VERDICT_IDLE:
		sentence_add(ret, "no thread does anything in OpenMP");
		return;
	case VERDICT_UNKNOWN:
		sentence_add(ret, "not known: ");
		break;
	}
	if (w->n_findings)
		diagnose_finding_title(d, &w->findings[0], ret);
	else
		add_unknown(d, ret);
	if (w->is_unproven && w->verdict == VERDICT_UNKNOWN)
		add_unproven(d, ret);
	if (w->is_unseen && !target_emulator(d->w->target))
		sentence_add(ret, "; it is not known whether the running threads do work%s",
			     d->view.consistency == VIEW_RACY ? " without a stop" : "");
}
