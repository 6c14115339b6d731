/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Unwinding takes long, and most stacks of a program repeat. Each chain is kept with the words that identify an equal
 * stack.
 */
#include "openmp/sampling/call_chain.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vector.h"
#include "openmp/model/model.h"
#include "openmp/python/python_samples.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/runtime.h"
#include "openmp/sampling/call_chain_words.h"
#include "openmp/sampling/place.h"
#include "openmp/stacks/stack_barrier.h"
#include "openmp/stacks/stack_state.h"
#include "target/arch/arch.h"
#include "target/modules/modules.h"
#include "target/unwind/stack.h"

#define MAX_KEPT 4096
/* Limit for all chains: deep stacks that are found by frame pointers have many words. */
#define MAX_BYTES (12u << 20)
/* Limit for the program counters with known data. */
#define MAX_PLACES 8192
/* Limit for the chains with one stack pointer and program counter, which are tried one after the other. */
#define MAX_TRIES 8

/* A known stack. */
struct seen {
	pid_t tid;
	struct target_registers registers;
	uint64_t python; /* of its functions in Python */
	struct call_chain_words words;
	struct call_chain chain;
};

struct call_chains {
	struct tally *tally;
	struct stacks st; /* its places are kept from one stack to the next */
	struct stack_barrier barrier;
	struct stack_holding *holding; /* NULL: held locks have not been requested */
	uint64_t modules_hash;
	struct seen **kept;
	uint32_t n, cap;
	struct hash index; /* of the kept stacks that can be recognised later */
	size_t bytes;
	uint64_t generation;
	struct stack_words words;
	struct python_samples python;
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
	call_chain_words_deinit(&s->words);
	free(s->chain.frames);
	free(s);
}

static void forget_chains(struct call_chains *t)
{
	while (t->n)
		free_seen(t->kept[--t->n]);
	hash_clear(&t->index);
	t->bytes = 0;
	t->generation++;
}

void call_chains_destroy(struct call_chains *t)
{
	if (!t)
		return;
	forget_chains(t);
	free(t->kept);
	hash_deinit(&t->index);
	stack_holding_destroy(t->holding);
	stack_places_deinit(&t->st);
	python_samples_deinit(&t->python);
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

static uint32_t hash_copy(const struct stack_copy *copy)
{
	uint64_t h = hash_number(copy->registers.value[TARGET_REGISTER_PC]);

	return hash_number(h << 32 ^ copy->registers.value[TARGET_REGISTER_SP]) ^ (uint32_t)copy->tid;
}

static bool is_same(struct target *target, const struct seen *s, const struct stack_copy *copy, uint64_t python)
{
	const struct target_registers *a = &s->registers, *b = &copy->registers;

	if (s->tid != copy->tid || s->python != python || a->known != b->known ||
	    a->value[TARGET_REGISTER_PC] != b->value[TARGET_REGISTER_PC] ||
	    a->value[TARGET_REGISTER_SP] != b->value[TARGET_REGISTER_SP])
		return false;
	return call_chain_words_are(target, &s->words, a, copy);
}

static struct seen *find_seen(struct call_chains *t, struct target *target, const struct stack_copy *copy,
			      uint64_t python, uint32_t hash)
{
	size_t tries = 0;

	hash_for_each(i, &t->index, hash)
	{
		if (is_same(target, t->kept[i], copy, python))
			return t->kept[i];
		if (++tries == MAX_TRIES)
			break;
	}
	return NULL;
}

/* From a stack to a chain */

static bool push_frame(struct call_chain *chain, uint32_t frame)
{
	if (!VECTOR_GROW(chain->frames, chain->n, chain->cap))
		return false;
	chain->frames[chain->n++] = frame;
	return true;
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

	if (!runtime || !runtime->descriptor->has_no_frames)
		return;
	chain->knows_region = chain->is_whole || chain->is_pool;
	chain->is_in_region = chain->is_pool && thread->n_segments > 0;
	for (uint32_t i = 0; i < chain->n_marks && chain->is_whole; i++)
		chain->is_in_region |= !chain->marks[i].is_task;
}

static void find_construct(const struct stacks_place *entry, struct call_chain *chain)
{
	chain->construct = entry->construct;
	chain->at_end = construct_is_of_end(entry->callee);
	chain->at_lock = construct_is_of_lock_acquire(entry->callee);
}

/* Return whether the place is the program's, in C or in Python. The interpreter's frames stand for Python functions. */
static bool is_of_program(const struct stacks_place *place)
{
	return place->module_kind == PLACE_PYTHON || place->module_kind == PLACE_PROGRAM;
}

/*
 * Return the innermost frame of the program in the innermost segment. Without such a frame return the segment's
 * innermost one, whose code the program calls.
 */
static const struct stacks_frame *find_innermost_frame(const struct stacks_thread *thread)
{
	const struct stacks_segment *inner = &thread->segments[0];

	for (uint32_t i = inner->first; i < inner->end; i++) {
		if (is_of_program(thread->frames[i].place))
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
	chain->at_device = chain->in_runtime && stack_state_is_at_device(t->st.t, thread);
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

static bool build_chain(struct call_chains *t, const struct stack_copy *copy, bool is_exact, struct seen *s,
			bool *keep_ret)
{
	struct stacks_thread thread = {.tid = copy->tid, .thread = SNAPSHOT_NONE};
	struct stack_copy own = *copy;

	t->st.copies = (struct stack_copies){.copies = &own, .n = 1};
	t->st.threads = &thread;
	t->st.n_threads = 1;
	t->st.words = &t->words;
	t->words.n = 0;
	t->words.truncated = false;
	thread.n_python = python_samples_get(&t->python, copy->tid, is_exact, &t->st, &thread.python);
	bool ok = stacks_thread(&t->st, 0) && thread.n_frames > 0 && fill_chain(t, &thread, &s->chain);
	*keep_ret = ok && call_chain_words_note(t->st.t, &thread, copy, &t->words, &s->words);
	if (ok && t->holding)
		stack_holding_find(t->holding, &t->st, 0, &s->chain.holds);
	if (ok)
		forget_indirect(&thread);
	free(thread.frames);
	free(thread.segments);
	free(thread.python);
	t->st.threads = NULL;
	t->st.n_threads = 0;
	t->st.copies = (struct stack_copies){0};
	return ok;
}

void call_chains_start(struct call_chains *t, struct target *target)
{
	python_samples_start(&t->python, target);
}

const struct call_chain *call_chains_get(struct call_chains *t, struct model *m, const struct stack_copy *copy,
					 bool is_exact)
{
	uint64_t python = python_samples_hash(&t->python, copy->tid, is_exact);
	uint32_t hash = hash_number((uint64_t)hash_copy(copy) << 32 ^ python);
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
	struct seen *s = find_seen(t, t->st.t, copy, python, hash);
	if (s)
		return &s->chain;
	if (t->n == MAX_KEPT || t->bytes > MAX_BYTES)
		forget_chains(t);
	s = VECTOR_GROW(t->kept, t->n, t->cap) ? calloc(1, sizeof(*s)) : NULL;
	if (!s)
		return NULL;
	s->tid = copy->tid;
	s->registers = copy->registers;
	s->python = python;
	if (!build_chain(t, copy, is_exact, s, &keep)) {
		free_seen(s);
		return NULL;
	}
	/* A stack that cannot be recognised later is kept, too: the caller uses its chain. */
	if (keep)
		hash_add(&t->index, hash, t->n);
	t->kept[t->n++] = s;
	t->bytes += sizeof(*s) + s->words.n * sizeof(*s->words.words) + s->chain.cap * sizeof(*s->chain.frames);
	return &s->chain;
}
