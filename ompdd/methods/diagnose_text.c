/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Findings of diagnose.get as one sentence each: the verdict, and its findings. */
#include "methods/diagnose.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <omp-tools.h>

#include "methods/json.h"
#include "openmp/model/model.h"
#include "openmp/stacks/stack_names.h"
#include "rpc/utf8.h"
#include "target/demangle.h"
#include "target/emulator.h"

/* Limit for names that the target chooses. */
#define MAX_NAME   60
#define MAX_RANGES 8

void sentence_add(struct sentence *t, const char *format, ...)
{
	size_t left = sizeof(t->text) - t->len;
	va_list args;

	va_start(args, format);
	int n = vsnprintf(t->text + t->len, left, format, args);
	va_end(args);
	if (n > 0)
		t->len += (size_t)n < left ? (size_t)n : left - 1;
}

static void add_json(struct sentence *t, struct json_object *text)
{
	const char *name = json_object_get_string(text);

	sentence_add(t, strlen(name) > MAX_NAME ? "%.*s…" : "%.*s", MAX_NAME, name);
	json_object_put(text);
}

/* Add a function's name without its parameters, which mostly exceed the line. */
static void add_function(struct sentence *t, const char *symbol)
{
	struct json_object *text = json_function(symbol);
	const char *name = json_object_get_string(text);
	ptrdiff_t len = demangle_parameters(name) - name;

	sentence_add(t, len > MAX_NAME ? "%.*s…()" : "%.*s()", len > MAX_NAME ? MAX_NAME : (int)len, name);
	json_object_put(text);
}

struct json_object *diagnose_call_json(const char *symbol)
{
	char name[MAX_NAME * 4];
	const char *plain = stack_name_public(symbol);

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(plain, "@"), plain);
	return json_function(name);
}

void diagnose_call(struct sentence *t, const char *symbol)
{
	struct json_object *name = diagnose_call_json(symbol);

	add_function(t, json_object_get_string(name));
	json_object_put(name);
}

bool diagnose_place(const struct diagnosis *d, uint32_t thread, struct sentence *ret)
{
	const struct stack_where *where = &d->where[thread];

	if (!where->pc && !where->file)
		return false;
	if (where->function)
		add_function(ret, where->function);
	else
		sentence_add(ret, "0x%llx", (unsigned long long)where->pc);
	if (where->file) {
		const char *slash = strrchr(where->file, '/');

		sentence_add(ret, " at %.60s:%d", slash ? slash + 1 : where->file, where->line);
	}
	return true;
}

static void add_variable(const struct diagnosis *d, uint64_t address, struct sentence *t)
{
	char symbol[JSON_MAX_SYMBOL];
	const char *critical;
	uint64_t offset;
	size_t len;

	if (!address)
		return;
	if (!target_object_at(d->w->target, address, symbol, sizeof(symbol), &offset)) {
		sentence_add(t, " at 0x%llx", (unsigned long long)address);
	} else if ((critical = json_critical(symbol, &len))) {
		if (len)
			sentence_add(t, "(%.*s)", len > MAX_NAME ? MAX_NAME : (int)len, critical);
	} else {
		sentence_add(t, " ");
		add_json(t, json_variable(symbol));
		if (offset)
			sentence_add(t, "+0x%llx", (unsigned long long)offset);
	}
}

bool diagnose_is_at_end(const struct diagnosis *d, uint32_t thread)
{
	const struct snapshot_word *state = &d->snapshot.threads[thread].state;

	return d->threads[thread].is_at_end ||
	       (state->rc == ompd_rc_ok && state->value == ompt_state_wait_barrier_implicit_parallel);
}

/*
 * Return whether the barrier is the one at the region's end. A team may have a single barrier: the waiting threads show
 * which one it is now.
 */
static bool is_of_region_end(const struct diagnosis *d, uint32_t node)
{
	for (uint32_t i = 0; i < d->waits.n_edges; i++) {
		const struct waits_edge *e = &d->waits.edges[i];

		if (e->kind == WAITS_FOR && e->to == node && !diagnose_is_at_end(d, d->waits.nodes[e->from].index))
			return false;
	}
	return true;
}

void diagnose_thing(const struct diagnosis *d, uint32_t node, struct sentence *ret)
{
	const struct waits_node *n = &d->waits.nodes[node];
	uint64_t address = n->wait->address ? n->wait->address : n->wait->wait_id;

	switch (n->what) {
	case HOLDER_LOCK:
	case HOLDER_NEST_LOCK:
		sentence_add(ret, "%s%s", address ? "" : "a ", n->what == HOLDER_LOCK ? "lock" : "nestable lock");
		add_variable(d, address, ret);
		break;
	case HOLDER_CRITICAL:
		sentence_add(ret, address ? "critical" : "a critical");
		if (address && model_lock_construct(d->m, address) != CONSTRUCT_CRITICAL)
			add_variable(d, address, ret);
		break;
	case HOLDER_ATOMIC:
		sentence_add(ret, "atomic");
		break;
	case HOLDER_MUTEX:
		sentence_add(ret, "a lock or critical");
		add_variable(d, address, ret);
		break;
	case HOLDER_PTHREAD:
		sentence_add(ret, "mutex");
		add_variable(d, address, ret);
		break;
	case HOLDER_ORDERED:
		sentence_add(ret, "a turn in ordered");
		break;
	case HOLDER_SINGLE:
		sentence_add(ret, "the data of a single");
		break;
	case HOLDER_BARRIER:
		sentence_add(ret, is_of_region_end(d, node) ? "the barrier at the end of the region" : "a barrier");
		break;
	case HOLDER_TASKWAIT:
		sentence_add(ret, "child tasks (taskwait)");
		break;
	case HOLDER_TASKGROUP:
		sentence_add(ret, "tasks of a taskgroup");
		break;
	case HOLDER_NONE:
	case HOLDER_KINDS:
		sentence_add(ret, "something unknown");
		break;
	}
}

void diagnose_thread(const struct diagnosis *d, uint32_t thread, struct sentence *t)
{
	if (thread == WAITS_NONE) {
		sentence_add(t, "a thread that is not there");
		return;
	}
	const struct snapshot_thread *s = &d->snapshot.threads[thread];
	if (s->thread_num.rc == ompd_rc_ok && s->parallel.index != SNAPSHOT_NONE)
		sentence_add(t, "thread %lld (%d)", (long long)s->thread_num.value, (int)s->tid);
	else
		sentence_add(t, "thread %d", (int)s->tid);
}

static int compare_numbers(const void *a, const void *b)
{
	return (*(const int64_t *)a > *(const int64_t *)b) - (*(const int64_t *)a < *(const int64_t *)b);
}

void diagnose_threads(const struct diagnosis *d, const struct waits_finding *f, struct sentence *t)
{
	int64_t *numbers = malloc((f->n_nodes ? f->n_nodes : 1) * sizeof(*numbers));
	uint32_t n = 0, region = SNAPSHOT_NONE, last = WAITS_NONE;
	bool is_team = true;

	for (uint32_t i = 0; i < f->n_nodes && numbers; i++) {
		const struct waits_node *node = &d->waits.nodes[f->nodes[i]];

		if (node->kind != WAITS_THREAD || node->index == WAITS_NONE)
			continue;
		const struct snapshot_thread *s = &d->snapshot.threads[node->index];
		last = node->index;
		is_team &= s->thread_num.rc == ompd_rc_ok && s->parallel.index != SNAPSHOT_NONE &&
			   (n == 0 || s->parallel.index == region);
		region = s->parallel.index;
		numbers[n++] = s->tid;
	}
	for (uint32_t i = 0, k = 0; i < f->n_nodes && numbers && is_team; i++) {
		const struct waits_node *node = &d->waits.nodes[f->nodes[i]];

		if (node->kind == WAITS_THREAD && node->index != WAITS_NONE)
			numbers[k++] = d->snapshot.threads[node->index].thread_num.value;
	}
	if (n == 1) {
		diagnose_thread(d, last, t);
	} else if (n) {
		qsort(numbers, n, sizeof(*numbers), compare_numbers);
		sentence_add(t, "threads ");
		unsigned n_ranges = 0;
		for (uint32_t i = 0; i < n;) {
			uint32_t end = i + 1;

			while (end < n && numbers[end] == numbers[end - 1] + 1)
				end++;
			if (n_ranges++ == MAX_RANGES) {
				sentence_add(t, ", and %u more", n - i);
				break;
			}
			sentence_add(t, "%s%lld", i ? ", " : "", (long long)numbers[i]);
			if (end - i > 1)
				sentence_add(t, "-%lld", (long long)numbers[end - 1]);
			i = end;
		}
	}
	free(numbers);
}

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

/* Add "which sleeps in read()" or "which are at work", if the threads of the finding do the same. */
static void add_doing(const struct diagnosis *d, const struct waits_finding *f, struct sentence *t)
{
	uint32_t thread = diagnose_first_thread(d, f);
	bool one = count_threads(d, f) == 1;

	if (thread == WAITS_NONE)
		return;
	const struct stack_where *where = &d->where[thread];
	if (d->came_from && d->came_from[thread]) {
		sentence_add(t, " went on between two looks");
		return;
	}
	if (f->kind == FINDING_SLOW || f->kind == FINDING_BUSY)
		sentence_add(t, d->halt != DIAGNOSE_RUNS ? (one ? " was at work" : " were at work")
				: one			 ? " runs"
							 : " run");
	else if (where->is_mpi)
		sentence_add(t, one ? " waits" : " wait");
	else
		sentence_add(t, one ? " sleeps" : " sleep");
	if (where->outside) {
		sentence_add(t, " in ");
		diagnose_call(t, where->outside);
	}
	if (d->threads[thread].is_timed && f->kind != FINDING_SLOW && f->kind != FINDING_BUSY)
		sentence_add(t, " for a time");
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
		sentence_add(t, "; %u more wait%s behind", n, n == 1 ? "s" : "");
}

static void add_cycle(const struct diagnosis *d, const struct waits_finding *f, struct sentence *t)
{
	const char *comma = ": ";

	if (count_threads(d, f) == 1) {
		diagnose_thread(d, diagnose_first_thread(d, f), t);
		sentence_add(t, " waits for ");
		diagnose_thing(d, f->thing, t);
		sentence_add(t, ", which it holds itself");
	} else {
		diagnose_threads(d, f, t);
		sentence_add(t, " wait for each other");
		for (uint32_t i = 0; i < f->n_nodes && i < 2 * MAX_RANGES; i++) {
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
static const char *relation(enum holder_kind what, bool one)
{
	switch (what) {
	case HOLDER_LOCK:
	case HOLDER_NEST_LOCK:
	case HOLDER_MUTEX:
	case HOLDER_PTHREAD:
		return one ? " holds it and" : " hold it and";
	case HOLDER_CRITICAL:
	case HOLDER_ATOMIC:
		return one ? " is in it and" : " are in it and";
	case HOLDER_ORDERED:
		return one ? " is before them and" : " are before them and";
	case HOLDER_SINGLE:
		return one ? " executes it and" : " execute it and";
	case HOLDER_BARRIER:
		return one ? " is not there and" : " are not there and";
	case HOLDER_TASKWAIT:
	case HOLDER_TASKGROUP:
		return one ? " executes one and" : " execute them and";
	case HOLDER_NONE:
	case HOLDER_KINDS:
		break;
	}
	return "";
}

static void add_end(const struct diagnosis *d, const struct waits_finding *f, struct sentence *t)
{
	add_waiting(d, f, t);
	diagnose_thing(d, f->thing, t);
	sentence_add(t, ": ");
	diagnose_threads(d, f, t);
	sentence_add(t, "%s", relation(f->what, count_threads(d, f) == 1));
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
		sentence_add(t, ", whose holder is no thread of this process");
	if (f->is_proven)
		sentence_add(t, ": nobody here can release it");
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
		sentence_add(t, ", whose holder has ended");
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
	case FINDING_LOST_TEAM:
		sentence_add(t, "a barrier waits for threads that this process does not have");
		break;
	case FINDING_BLOCKED:
	case FINDING_SLOW:
		if (f->thing != WAITS_NONE) {
			add_end(d, f, t);
			add_more(d, f, t);
			break;
		}
		diagnose_threads(d, f, t);
		add_doing(d, f, t);
		sentence_add(t, ", and tasks wait for a thread");
		break;
	case FINDING_TASK_QUEUED:
		add_waiting(d, f, t);
		sentence_add(t, "%s that no thread has begun", f->n_nodes == 1 ? "a task" : "tasks");
		add_more(d, f, t);
		break;
	case FINDING_DEPENDENCE:
		add_waiting(d, f, t);
		sentence_add(t, "a task that itself waits for %u other", d->waits.nodes[f->nodes[0]].n_predecessors);
		add_more(d, f, t);
		break;
	case FINDING_DETACHED:
		add_waiting(d, f, t);
		sentence_add(t, "a detached task: its code is done, its event is not fulfilled");
		add_more(d, f, t);
		break;
	case FINDING_UNKNOWN:
		add_waiting(d, f, t);
		diagnose_thing(d, f->thing, t);
		sentence_add(t, "; who holds it is not known");
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
					  : "the whole process is stopped, by a signal (^Z, SIGSTOP) or by a debugger";
}

/* Add that threads wait, or may wait, without a finding that explains it. */
static void add_unknown(const struct diagnosis *d, struct sentence *t)
{
	const char *emulator = target_emulator(d->w->target);

	if (!emulator || d->waits.n_waiting) {
		sentence_add(t, "%u threads wait, and nothing says for whom", d->waits.n_waiting);
		return;
	}
	sentence_add(t, "the runtime's memory does not say what its threads do");
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
			sentence_add(ret, "%s%s", diagnose_halted(d), w->n_findings ? "; it stands where " : "");
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
	if (w->is_unseen && !target_emulator(d->w->target))
		sentence_add(ret, "; whether those that run do work is not known%s",
			     d->view.consistency == VIEW_RACY ? " without a stop" : "");
}
