/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The nouns of the sentences of diagnose.get: resources, threads, functions and places. */
#include "methods/diagnose/diagnose.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <omp-tools.h>

#include "base/buf.h"
#include "base/function_name.h"
#include "base/path.h"
#include "methods/json/json.h"
#include "openmp/model/model.h"
#include "openmp/model/wait/outside.h"
#include "openmp/runtimes/constructs.h"
#include "openmp/stacks/stack_fortran.h"
#include "openmp/stacks/stack_names.h"
#include "rpc/json_write.h"
#include "target/modules/modules.h"

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

/* Add the short form of a function's name. */
static void add_function(struct sentence *t, const char *symbol)
{
	struct json_object *text = json_function(symbol);
	struct buf name = {0};

	function_name_shorten(&name, json_object_get_string(text));
	const char *word = name.len ? buf_head(&name) : "";
	/* Python's "<module>" is not called. */
	const char *parentheses = *word == '<' ? "" : "()";

	sentence_add(t, name.len > MAX_NAME ? "%.*s…%s" : "%.*s%s", MAX_NAME, word, parentheses);
	buf_deinit(&name);
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
	if (where->file)
		sentence_add(ret, " at %.60s:%d", path_file_name(where->file), where->line);
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
	} else if ((critical = construct_critical_name(symbol, &len))) {
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

/* Return whether the mutex is one of the dynamic loader's. */
static bool is_of_loader(const struct diagnosis *d, uint64_t address)
{
	char symbol[JSON_MAX_SYMBOL];
	uint64_t offset;

	return target_object_at(d->w->target, address, symbol, sizeof(symbol), &offset) &&
	       !strncmp(symbol, "_rtld_global", strlen("_rtld_global"));
}

/* Return whether the mutex, for which @thread waits, protects a unit of Fortran's input and output. */
static bool is_of_unit(const struct diagnosis *d, uint32_t thread, uint64_t address, int32_t *unit_ret)
{
	size_t stack = stacks_find(&d->stacks, d->snapshot.threads[thread].tid);

	return stack != SIZE_MAX && stack_fortran_find_unit((struct stacks *)&d->stacks, stack, address, unit_ret);
}

/* Add the name of the object of the C library. */
static void add_outside(const struct diagnosis *d, const struct outside_wait *wait, struct sentence *ret)
{
	switch ((int)wait->kind) {
	case HOLDER_RWLOCK:
		sentence_add(ret, "rwlock");
		add_variable(d, wait->address, ret);
		break;
	case HOLDER_CONDITION:
		sentence_add(ret, "condition variable");
		add_variable(d, wait->address, ret);
		break;
	case HOLDER_SEMAPHORE:
		sentence_add(ret, "semaphore");
		add_variable(d, wait->address, ret);
		break;
	case HOLDER_JOIN:
		sentence_add(ret, "the end of thread %d", (int)wait->joined);
		break;
	case HOLDER_ARENA:
		sentence_add(ret, "the lock of an arena of malloc");
		break;
	default:
		sentence_add(ret, "the lock of a stream");
		break;
	}
}

void diagnose_object(const struct diagnosis *d, uint32_t thread, struct sentence *ret)
{
	const struct outside_wait *wait = d->snapshot.threads[thread].outside;

	if (!wait || wait->has_holder)
		return;
	sentence_add(ret, " for ");
	add_outside(d, wait, ret);
	if (wait->n_readers)
		sentence_add(ret, ", which %u thread%s for reading", wait->n_readers,
			     wait->n_readers == 1 ? " holds" : "s hold");
}

void diagnose_thing(const struct diagnosis *d, uint32_t node, struct sentence *ret)
{
	const struct waits_node *n = &d->waits.nodes[node];
	uint64_t address = n->wait->address ? n->wait->address : n->wait->wait_id;
	int32_t unit;

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
		if (is_of_loader(d, address)) {
			sentence_add(ret, "the lock of the dynamic loader");
		} else if (is_of_unit(d, n->wait->thread, address, &unit)) {
			sentence_add(ret, "the lock of Fortran unit %d", (int)unit);
		} else {
			sentence_add(ret, "mutex");
			add_variable(d, address, ret);
		}
		break;
	case HOLDER_GIL:
		sentence_add(ret, "Python's GIL");
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
	case HOLDER_DEVICE:
		if (d->snapshot.threads[n->wait->thread].has_device)
			sentence_add(ret, "device %d", (int)d->snapshot.threads[n->wait->thread].device);
		else
			sentence_add(ret, "a device");
		break;
	case HOLDER_RWLOCK:
	case HOLDER_CONDITION:
	case HOLDER_SEMAPHORE:
	case HOLDER_JOIN:
	case HOLDER_STREAM:
	case HOLDER_ARENA:
		add_outside(d, d->snapshot.threads[n->wait->thread].outside, ret);
		break;
	case HOLDER_NONE:
	case HOLDER_KINDS:
		sentence_add(ret, "something unknown");
		break;
	}
}

static bool is_helper(const struct diagnosis *d, uint32_t thread)
{
	const struct snapshot_ref *parallel = &d->snapshot.threads[thread].parallel;

	return parallel->index != SNAPSHOT_NONE && d->snapshot.parallels[parallel->index].is_of_helpers;
}

void diagnose_thread(const struct diagnosis *d, uint32_t thread, struct sentence *t)
{
	if (thread == WAITS_NONE) {
		sentence_add(t, "a missing thread");
		return;
	}
	const struct snapshot_thread *s = &d->snapshot.threads[thread];
	if (s->thread_num.rc == ompd_rc_ok && s->parallel.index != SNAPSHOT_NONE)
		sentence_add(t, "%sthread %lld (%d)", is_helper(d, thread) ? "helper " : "",
			     (long long)s->thread_num.value, (int)s->tid);
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
		sentence_add(t, is_team && is_helper(d, last) ? "helper threads " : "threads ");
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
