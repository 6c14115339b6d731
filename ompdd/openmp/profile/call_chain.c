/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Unwinding takes long, and most stacks of a program repeat. Each chain is kept with the words that identify an equal
 * stack.
 */
#include "openmp/profile/call_chain.h"

#include <stdlib.h>
#include <string.h>

#include "openmp/model/model.h"
#include "openmp/profile/call_chain_words.h"
#include "openmp/profile/place.h"
#include "openmp/runtimes/profile.h"
#include "openmp/runtimes/runtime.h"
#include "openmp/stacks/stack_barrier.h"
#include "target/arch.h"
#include "target/stack.h"

#define MAX_KEPT 4096
/* Limit for all chains: deep stacks that are found by frame pointers have many words. */
#define MAX_BYTES (12u << 20)
/* Limit for the program counters with known data. */
#define MAX_PLACES 8192
#define N_SLOTS	   (MAX_KEPT * 2)
/* Limit for the chains with one stack pointer and program counter, which are tried one after the other. */
#define MAX_TRIES 8

/* A known stack. */
struct seen {
	uint64_t hash;
	pid_t tid;
	struct target_registers registers;
	struct call_chain_words words;
	struct call_chain chain;
};

struct call_chains {
	struct tally *tally;
	struct stacks st; /* its places are kept from one stack to the next */
	struct stack_barrier barrier;
	struct stack_holding *holding; /* NULL: held locks have not been requested */
	uint64_t modules_hash;
	struct seen *slots[N_SLOTS];
	size_t n;
	size_t bytes;
	uint64_t generation;
	struct stack_words words;
	uint64_t n_others; /* stacks that cannot be recognised later */
};

struct error *call_chains_create(struct tally *tally, struct call_chains **ret)
{
	struct call_chains *t = calloc(1, sizeof(*t));

	if (!t)
		return &error_nomem;
	t->tally = tally;
	t->generation = 1;
	*ret = t;
	return NULL;
}

static void free_seen(struct seen *s)
{
	if (!s)
		return;
	call_chain_words_deinit(&s->words);
	free(s->chain.frames);
	free(s);
}

static void forget_chains(struct call_chains *t)
{
	for (size_t i = 0; i < N_SLOTS; i++) {
		free_seen(t->slots[i]);
		t->slots[i] = NULL;
	}
	t->n = 0;
	t->bytes = 0;
	t->generation++;
}

void call_chains_destroy(struct call_chains *t)
{
	if (!t)
		return;
	forget_chains(t);
	stack_holding_destroy(t->holding);
	stack_places_deinit(&t->st);
	free(t);
}

void call_chains_want_holds(struct call_chains *t)
{
	if (t->holding)
		return;
	t->holding = stack_holding_create();
	/* The existing chains were created without held locks. */
	if (t->holding)
		forget_chains(t);
}

uint64_t call_chains_generation(const struct call_chains *t)
{
	return t->generation;
}

/* Places and chains depend on modules. */
static void follow_modules(struct call_chains *t, struct target *target)
{
	const struct target_module *modules;
	size_t n;
	struct error *err = target_modules(target, &modules, &n);
	uint64_t h = 14695981039346656037u;

	if (err) {
		error_destroy(err);
		return;
	}
	for (size_t i = 0; i < n; i++)
		h = (h ^ modules[i].start ^ modules[i].end << 1 ^ (uint64_t)(uintptr_t)&modules[i]) * 1099511628211u;
	if (h == t->modules_hash && t->st.n_places < MAX_PLACES)
		return;
	t->modules_hash = h;
	forget_chains(t);
	stack_places_deinit(&t->st);
	if (t->holding) {
		stack_holding_destroy(t->holding);
		t->holding = stack_holding_create();
	}
	t->st.places = NULL;
	t->st.n_places = t->st.cap_places = 0;
	t->barrier.is_known = false;
}

/* The same stack */

static uint64_t hash_copy(const struct stack_copy *copy)
{
	uint64_t h = copy->registers.value[TARGET_REGISTER_PC] * 0x9e3779b97f4a7c15u;

	h = (h ^ copy->registers.value[TARGET_REGISTER_SP]) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29 ^ (uint64_t)copy->tid;
}

static bool is_same(struct target *target, const struct seen *s, const struct stack_copy *copy)
{
	const struct target_registers *a = &s->registers, *b = &copy->registers;

	if (s->tid != copy->tid || a->known != b->known ||
	    a->value[TARGET_REGISTER_PC] != b->value[TARGET_REGISTER_PC] ||
	    a->value[TARGET_REGISTER_SP] != b->value[TARGET_REGISTER_SP])
		return false;
	return call_chain_words_are(target, &s->words, a, copy);
}

static struct seen *find_seen(struct call_chains *t, struct target *target, const struct stack_copy *copy,
			      uint64_t hash)
{
	size_t at = (size_t)(hash % N_SLOTS), tries = 0;

	for (; t->slots[at]; at = (at + 1) % N_SLOTS) {
		if (t->slots[at]->hash != hash)
			continue;
		if (is_same(target, t->slots[at], copy))
			return t->slots[at];
		if (++tries == MAX_TRIES)
			break;
	}
	return NULL;
}

/* From a stack to a chain */

static bool push_frame(struct call_chain *chain, uint32_t frame)
{
	if (chain->n == chain->cap) {
		uint32_t cap = chain->cap ? chain->cap * 2 : 16;
		uint32_t *frames = realloc(chain->frames, cap * sizeof(*frames));

		if (!frames)
			return false;
		chain->frames = frames;
		chain->cap = cap;
	}
	chain->frames[chain->n++] = frame;
	return true;
}

static bool has_suffix(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && !strcmp(text + len - n, end);
}

static bool is_task_function(const struct tally *tally, uint64_t function)
{
	for (uint32_t i = 0; i < tally->n_tasks; i++) {
		if (tally->tasks[i].key == function)
			return true;
	}
	return false;
}

static bool is_region_function(const struct tally *tally, uint64_t function)
{
	for (uint32_t i = 0; i < tally->n_regions; i++) {
		if (tally->regions[i].key == function)
			return true;
	}
	return false;
}

/*
 * Return whether segment @i starts with an explicit task: by its function, else by the construct in which it was
 * called. The entry point itself calls a region's function. A task that runs while its end is awaited has other frames
 * of the runtime around it.
 */
static bool is_task(struct call_chains *t, struct stacks_thread *thread, uint32_t i, uint64_t function)
{
	bool is_outermost = i + 1 == thread->n_segments;
	uint32_t from = thread->segments[i].end;
	uint32_t to = is_outermost ? thread->n_frames : thread->segments[i + 1].first, n_runtime = 0;

	if (function && is_region_function(t->tally, function))
		return false;
	if (function && is_task_function(t->tally, function))
		return true;
	for (uint32_t k = from; k < to; k++)
		n_runtime += thread->frames[k].kind == FRAME_RUNTIME;
	if (is_outermost)
		return n_runtime > 1;
	const struct stacks_place *entry = stacks_entry(&t->st, thread, i + 1);
	if (!entry)
		return true;
	return (entry->construct != CONSTRUCT_PARALLEL && entry->construct != CONSTRUCT_TEAMS) || n_runtime > 1;
}

static void add_mark(struct call_chains *t, struct stacks_thread *thread, uint32_t i, struct call_chain *chain)
{
	uint64_t function = stack_calls_function(&t->st, thread, i);
	bool is_outermost = i + 1 == thread->n_segments;

	if (is_outermost)
		chain->outermost = function;
	/* A runtime's thread starts in a region that is not on its stack. */
	if (is_outermost && (chain->is_whole || !is_task(t, thread, i, function)))
		return;
	if (chain->n_marks == CALL_CHAIN_MAX_MARKS)
		return;
	chain->marks[chain->n_marks++] = (struct call_chain_mark){
		.at = chain->n,
		.is_task = is_task(t, thread, i, function),
		.function = function,
	};
}

static bool add_segment(struct call_chains *t, struct stacks_thread *thread, uint32_t i, struct call_chain *chain)
{
	for (uint32_t k = thread->segments[i].end; k-- > thread->segments[i].first;) {
		uint32_t numbers[SOURCE_MAX_INLINED];
		size_t n = place_frames(t->tally, &t->st, &thread->frames[k], numbers);

		for (size_t m = 0; m < n; m++) {
			if (!push_frame(chain, numbers[m]))
				return false;
		}
	}
	return true;
}

/* Return whether its outermost frame, except the C library's, is of @kind: the program's, or a runtime thread's. */
static bool has_outermost_kind(const struct stacks_thread *thread, enum frame_kind kind)
{
	for (uint32_t i = thread->n_frames; i-- > 0;) {
		if (thread->frames[i].kind != FRAME_START)
			return thread->end == STACK_OUTERMOST && thread->frames[i].kind == kind;
	}
	return false;
}

static void find_region(const struct call_chains *t, const struct stacks_thread *thread, struct call_chain *chain)
{
	const struct error *why;
	const struct runtime *runtime = model_runtime(t->st.m, &why);

	if (!runtime || !runtime->profile->has_no_frames)
		return;
	chain->knows_region = chain->is_whole || chain->is_pool;
	chain->is_in_region = chain->is_pool && thread->n_segments > 0;
	for (uint32_t i = 0; i < chain->n_marks && chain->is_whole; i++)
		chain->is_in_region |= !chain->marks[i].is_task;
}

static void find_construct(const struct stacks_place *entry, struct call_chain *chain)
{
	const char *name = entry->callee;

	chain->construct = entry->construct;
	chain->at_end = name && (has_suffix(name, "_end") || has_suffix(name, "_post") ||
				 !strncmp(name, "__kmpc_end_", strlen("__kmpc_end_")));
	chain->at_lock = name && entry->construct == CONSTRUCT_LOCK && strstr(name, "_set_");
}

/*
 * Return the innermost frame of the program in the innermost segment. Without such a frame return the segment's
 * innermost one, whose code the program calls.
 */
static const struct stacks_frame *find_innermost_frame(const struct stacks_thread *thread)
{
	const struct stacks_segment *inner = &thread->segments[0];

	for (uint32_t i = inner->first; i < inner->end; i++) {
		if (thread->frames[i].place->module_kind == PLACE_PROGRAM)
			return &thread->frames[i];
	}
	return inner->first < inner->end ? &thread->frames[inner->first] : NULL;
}

static bool fill_chain(struct call_chains *t, struct stacks_thread *thread, struct call_chain *chain)
{
	chain->is_whole = has_outermost_kind(thread, FRAME_USER);
	chain->is_pool = has_outermost_kind(thread, FRAME_RUNTIME);
	for (uint32_t i = thread->n_segments; i-- > 0;) {
		add_mark(t, thread, i, chain);
		if (!add_segment(t, thread, i, chain))
			return false;
	}
	chain->in_runtime = thread->n_frames > 0 && thread->frames[0].kind == FRAME_RUNTIME;
	find_region(t, thread, chain);
	stack_barrier_find(&t->barrier, &t->st);
	chain->knows_barrier = t->barrier.n > 0;
	chain->at_barrier = chain->in_runtime && stack_barrier_has(&t->barrier, &t->st, thread);
	if (!thread->n_segments)
		return true;
	struct stacks_place *entry = chain->in_runtime ? stacks_entry(&t->st, thread, 0) : NULL;
	if (!entry) {
		const struct stacks_frame *inner = find_innermost_frame(thread);

		if (inner)
			chain->at =
				place_of_source(t->tally, &stacks_source(&t->st, inner->place)->places[inner->from]);
		return true;
	}
	find_construct(entry, chain);
	chain->at = place_of_source(t->tally, &stacks_source(&t->st, entry)->places[0]);
	return push_frame(chain, place_construct(t->tally, &t->st, entry));
}

/* The target of an indirect call holds for this stack only. */
static void forget_indirect(const struct stacks_thread *thread)
{
	for (uint32_t i = 0; i < thread->n_frames; i++) {
		struct stacks_place *place = thread->frames[i].place;

		if (!place->has_callee || place->callee_address)
			continue;
		free(place->callee);
		place->callee = NULL;
		place->construct = CONSTRUCT_UNKNOWN;
		place->has_callee = false;
	}
}

static bool build_chain(struct call_chains *t, const struct stack_copy *copy, struct seen *s, bool *keep_ret)
{
	struct stacks_thread thread = {.tid = copy->tid, .thread = SNAPSHOT_NONE};
	struct stack_copy own = *copy;

	t->st.copies = (struct stack_copies){.copies = &own, .n = 1};
	t->st.threads = &thread;
	t->st.n_threads = 1;
	t->st.words = &t->words;
	t->words.n = 0;
	t->words.truncated = false;
	bool ok = stacks_thread(&t->st, 0) && thread.n_frames > 0 && fill_chain(t, &thread, &s->chain);
	*keep_ret = ok && call_chain_words_note(t->st.t, &thread, copy, &t->words, &s->words);
	if (ok && t->holding)
		stack_holding_find(t->holding, &t->st, 0, &s->chain.holds);
	if (ok)
		forget_indirect(&thread);
	free(thread.frames);
	free(thread.segments);
	t->st.threads = NULL;
	t->st.n_threads = 0;
	t->st.copies = (struct stack_copies){0};
	return ok;
}

const struct call_chain *call_chains_get(struct call_chains *t, struct model *m, const struct stack_copy *copy)
{
	uint64_t hash = hash_copy(copy);
	bool keep;

	if (!copy->registers.known || copy->moved)
		return NULL;
	/* The runtime determines which code is the runtime's. */
	if (t->st.m != m)
		t->modules_hash = 0;
	t->st.m = m;
	t->st.t = model_target(m);
	t->st.max_frames = CALL_CHAIN_MAX_FRAMES;
	follow_modules(t, t->st.t);
	struct seen *s = find_seen(t, t->st.t, copy, hash);
	if (s)
		return &s->chain;
	if (t->n == MAX_KEPT || t->bytes > MAX_BYTES)
		forget_chains(t);
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->hash = hash;
	s->tid = copy->tid;
	s->registers = copy->registers;
	if (!build_chain(t, copy, s, &keep)) {
		free_seen(s);
		return NULL;
	}
	/*
	 * A stack that cannot be recognised later is kept until all are dropped: any number spreads such stacks over
	 * the table.
	 */
	if (!keep) {
		s->tid = 0;
		hash = s->hash = ++t->n_others * 0x9e3779b97f4a7c15u;
	}
	size_t at = (size_t)(hash % N_SLOTS);
	while (t->slots[at])
		at = (at + 1) % N_SLOTS;
	t->slots[at] = s;
	t->n++;
	t->bytes += sizeof(*s) + s->words.n * sizeof(*s->words.words) + s->chain.cap * sizeof(*s->chain.frames);
	return &s->chain;
}

/* Return whether it is a runtime's thread that executes no code of the program. */
static bool has_no_code(const struct call_chain *t)
{
	return !t->is_whole && !t->n;
}

enum profile_state call_chain_barrier(const struct call_chain *t)
{
	if (t->is_pool && has_no_code(t))
		return PROFILE_BARRIER_IMPLICIT;
	switch ((int)t->construct) {
	case CONSTRUCT_PARALLEL:
	case CONSTRUCT_TEAMS:
	case CONSTRUCT_LOOP:
	case CONSTRUCT_SECTIONS:
	case CONSTRUCT_SINGLE:
		return PROFILE_BARRIER_IMPLICIT;
	default:
		return PROFILE_BARRIER;
	}
}

enum profile_state call_chain_state(const struct call_chain *t, int64_t level)
{
	bool in_region = t->knows_region ? t->is_in_region : level > 0;

	if (!t->in_runtime)
		return in_region ? PROFILE_WORK : PROFILE_SERIAL;
	if (t->at_barrier)
		return call_chain_barrier(t);
	/* Threads of nested teams have no pool to return to: they start or end. */
	if (has_no_code(t) && (t->is_pool && t->knows_barrier ? level <= 1 : !in_region))
		return PROFILE_IDLE;
	switch ((int)t->construct) {
	case CONSTRUCT_BARRIER:
		return PROFILE_BARRIER;
	case CONSTRUCT_CRITICAL:
		return t->at_end ? PROFILE_OVERHEAD : PROFILE_CRITICAL;
	case CONSTRUCT_ATOMIC:
		return t->at_end ? PROFILE_OVERHEAD : PROFILE_ATOMIC;
	case CONSTRUCT_LOCK:
		return t->at_lock ? PROFILE_LOCK : PROFILE_OVERHEAD;
	case CONSTRUCT_ORDERED:
		return t->at_end ? PROFILE_OVERHEAD : PROFILE_ORDERED;
	case CONSTRUCT_TASKWAIT:
		return PROFILE_TASKWAIT;
	case CONSTRUCT_TASKGROUP:
		return t->at_end ? PROFILE_TASKGROUP : PROFILE_OVERHEAD;
	case CONSTRUCT_SINGLE:
	case CONSTRUCT_LOOP:
	case CONSTRUCT_SECTIONS:
		return t->at_end ? PROFILE_BARRIER_IMPLICIT : PROFILE_OVERHEAD;
	default:
		return PROFILE_OVERHEAD;
	}
}

bool call_chain_can_be(const struct call_chain *t, enum profile_state state)
{
	switch (state) {
	case PROFILE_WORK:
		return !t->in_runtime && (!t->knows_region || t->is_in_region);
	case PROFILE_SERIAL:
		return !t->in_runtime && (!t->knows_region || !t->is_in_region);
	case PROFILE_CRITICAL:
		return t->in_runtime && t->construct == CONSTRUCT_CRITICAL;
	case PROFILE_LOCK:
		return t->in_runtime && t->construct == CONSTRUCT_LOCK;
	case PROFILE_ATOMIC:
		return t->in_runtime && t->construct == CONSTRUCT_ATOMIC;
	case PROFILE_TASKWAIT:
		return t->in_runtime && t->construct == CONSTRUCT_TASKWAIT;
	case PROFILE_TASKGROUP:
		return t->in_runtime && t->construct == CONSTRUCT_TASKGROUP;
	case PROFILE_BARRIER_EXPLICIT:
	case PROFILE_BARRIER_IMPLICIT:
	case PROFILE_BARRIER:
	case PROFILE_IDLE:
		return t->in_runtime && t->construct != CONSTRUCT_CRITICAL && t->construct != CONSTRUCT_LOCK &&
		       t->construct != CONSTRUCT_ATOMIC && t->construct != CONSTRUCT_TASKWAIT;
	case PROFILE_MUTEX:
	case PROFILE_ORDERED:
	case PROFILE_TARGET:
	case PROFILE_OVERHEAD:
		return t->in_runtime;
	case PROFILE_UNKNOWN:
	case PROFILE_N_STATES:
		break;
	}
	return false;
}
