/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the locks that the code on the stacks proves to be held, where the runtime does not store the holder
 * (openmp/stacks/code/code_held). For each frame of the program, the code shows which calls it has certainly passed.
 */
#include "openmp/stacks/stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/function_name.h"
#include "base/vector.h"
#include "openmp/model/model.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/runtime.h"
#include "openmp/stacks/code/code_held.h"
#include "openmp/stacks/code/code_pointer.h"
#include "openmp/stacks/stack_code.h"
#include "openmp/stacks/stack_holds.h"
#include "target/modules/modules.h"
#include "target/source/demangle.h"
#include "target/target_ops.h"
#include "target/unwind/call.h"
#include "target/unwind/unwind_range.h"

#define MAX_SYMBOL 512
#define MAX_TEXT   768
/* Limits for the places that are examined, and for the frames of one stack, counted from the innermost. */
#define MAX_PLACES 512
#define MAX_FRAMES 64

/* The locks held at one place, for all threads at that place. */
struct place_helds {
	const struct stacks_place *place;
	struct unwind_range range;
	bool is_named; /* its function has a symbol that is not a part's */
	size_t n;
	struct code_held held[CODE_HELD_MAX];
	bool is_wanting; /* the call at the place acquires `wanted` */
	struct code_held wanted;
	bool has_passed; /* `passed` is set */
	struct code_passed passed;
	bool has_pointer, knows_pointer; /* the search was made; `pointer` is that of the call at the place */
	struct code_pointer pointer;
};

/* One stack. */
struct unwound {
	const struct stacks_thread *t;
	/*
	 * The registers and the copy that belong to its frames. NULL: use only facts that hold for all stacks with
	 * these return addresses.
	 */
	const struct stack *stack;
	const struct stack_copy *copy;
};

/* The same lock, in the runtime's and in the program's terms. */
struct pair {
	uint64_t wait_id, address;
};

struct finding {
	struct stacks *st;
	struct snapshot *s;
	struct stack_code code;
	struct code_releases releases;
	struct place_helds *places;
	size_t n_places;
	size_t cap; /* of s->helds */
	bool lacks_registers;
};

/*
 * Return whether the symbol at the start is that of a whole function. Parts that the compiler moved elsewhere can be
 * entered anywhere.
 */
static bool is_whole(struct finding *f, uint64_t start)
{
	char name[MAX_SYMBOL];
	uint64_t offset;

	return target_symbol_at(f->st->t, start, name, sizeof(name), &offset) && offset == 0 && !strstr(name, ".cold");
}

static struct place_helds *find_place(struct finding *f, const struct stacks_place *place)
{
	struct code_function function;

	for (size_t i = 0; i < f->n_places; i++) {
		if (f->places[i].place == place)
			return &f->places[i];
	}
	if (f->n_places == MAX_PLACES)
		return NULL;
	struct place_helds *p = &f->places[f->n_places++];
	*p = (struct place_helds){.place = place};
	if (!unwind_range_find(f->st->t, place->pc - !place->is_exact, &p->range) ||
	    !stack_code_function(&f->code, p->range.start, &function))
		return p;
	p->n = code_held_find(&f->releases, &function, place->pc, place->is_exact, p->held);
	p->is_wanting = !place->is_exact && code_held_find_wanted(&f->releases, &function, place->pc, &p->wanted);
	p->is_named = (p->n || p->is_wanting) && is_whole(f, p->range.start);
	return p;
}

/* Read the register of frame @k that the decoder calls @reg, when the frame is at @pc. */
static bool read_register(struct finding *f, const struct stack *stack, uint32_t k, uint64_t pc, int reg, uint64_t *ret)
{
	if (!stack || k >= stack->n || stack->frames[k].pc != pc)
		return false;
	bool is_known = stack_frame_register(&stack->frames[k], decode_arch->dwarf[reg], ret);

	f->lacks_registers |= !is_known;
	return is_known;
}

/*
 * Find the target of the indirect call in frame @k by the pointer that its function keeps. Memory may have changed
 * since the call: the result counts only together with the frame of the called function.
 */
static bool find_pointed(struct finding *f, const struct unwound *u, uint32_t k, uint64_t *ret)
{
	const struct stacks_place *place = u->t->frames[k].place;
	struct place_helds *p = u->stack && !place->is_exact ? find_place(f, place) : NULL;
	struct code_function function;
	uint64_t value = 0;

	if (!p || !p->range.start)
		return false;
	if (!p->has_pointer && stack_code_function(&f->code, p->range.start, &function))
		p->knows_pointer = code_pointer_find(&f->releases, &function, place->pc, &p->pointer);
	p->has_pointer = true;
	if (!p->knows_pointer ||
	    (p->pointer.reg >= 0 && !read_register(f, u->stack, k, place->pc, p->pointer.reg, &value)))
		return false;
	value += (uint64_t)p->pointer.offsets[0];
	for (unsigned i = 0; i < p->pointer.n_loads; i++) {
		uint64_t at = value;

		if (!stack_copy_read(f->st->t, u->copy, at, &value) &&
		    !target_try_read_raw(f->st->t, at, &value, sizeof(value)))
			return false;
		value += (uint64_t)p->pointer.offsets[i + 1];
	}
	*ret = value;
	return true;
}

/* Return whether frame @k was entered by a call of the function at @start. */
static bool is_called(struct finding *f, const struct unwound *u, uint32_t k, uint64_t start)
{
	uint64_t callee;

	if (k + 1 >= u->t->n_frames)
		return false;
	const struct stacks_frame *caller = &u->t->frames[k + 1];
	if (caller->called)
		return caller->called == start;
	f->lacks_registers |= caller->lacks_called;
	if (caller->place->is_exact)
		return false;
	return (call_target(f->st->t, caller->place->pc, &callee) || find_pointed(f, u, k + 1, &callee)) &&
	       callee == start;
}

/*
 * Return whether frame @k still holds the lock @held at @address. The functions that it calls, down to the innermost
 * frame of the program, may release it, but have not done so yet.
 */
static bool is_held_still(struct finding *f, const struct unwound *u, uint32_t k, const struct code_held *held,
			  uint64_t address)
{
	struct code_value numeric = {.offset = (int64_t)address};
	struct code_function function;

	while (k-- > 0) {
		const struct stacks_frame *frame = &u->t->frames[k];
		struct place_helds *p = frame->kind == FRAME_USER && frame->place->module_kind == PLACE_PROGRAM
						? find_place(f, frame->place)
						: NULL;

		if (!p || !p->range.start || !is_called(f, u, k, p->range.start))
			return false;
		/* Without that data everything may have been released. */
		if (!p->has_passed && stack_code_function(&f->code, p->range.start, &function))
			code_held_passed(&f->releases, &function, p->place->pc, p->place->is_exact, &p->passed);
		p->has_passed = true;
		if (code_summary_has(&p->passed.released, held->what, held->is_only, numeric))
			return false;
		if (!p->passed.goes_on)
			return true;
	}
	return false;
}

static void add_held(struct finding *f, const struct snapshot_held *held, const char *function)
{
	static const char *const what[HOLDER_KINDS] = {[HOLDER_CRITICAL] = "the start of the critical construct",
						       [HOLDER_ATOMIC] = "the start of the atomic construct",
						       [HOLDER_LOCK] = "omp_set_lock()"};
	struct buf name = {0};
	char text[MAX_TEXT];

	if (!VECTOR_GROW(f->s->helds, f->s->n_helds, f->cap))
		return;
	function_name_shorten(&name, demangle_or_same(function));
	snprintf(text, sizeof(text), "in the code of %s, all paths to its place pass %s, and none passes the end",
		 name.len ? buf_head(&name) : function, what[held->kind]);
	buf_deinit(&name);
	f->s->helds[f->s->n_helds] = *held;
	f->s->helds[f->s->n_helds].evidence = arena_strndup(&f->s->arena, text, strlen(text));
	if (f->s->helds[f->s->n_helds].evidence)
		f->s->n_helds++;
}

/* Compute the address for frame @k, which is at @pc. */
static bool compute_address(struct finding *f, const struct code_held *held, const struct stack *stack, uint32_t k,
			    uint64_t pc, uint64_t *ret)
{
	uint64_t base;

	*ret = held->is_only ? 0 : (uint64_t)held->address.offset;
	if (held->reg < 0)
		return true;
	if (!read_register(f, stack, k, pc, held->reg, &base))
		return false;
	*ret = base + (uint64_t)held->offset;
	return true;
}

/* Note the lock that the unfinished call acquires. */
static void note_wanted(struct finding *f, struct snapshot_thread *thread, const struct place_helds *p,
			const struct stack *stack, uint32_t k)
{
	uint64_t address;

	if (!p->is_wanting || !compute_address(f, &p->wanted, stack, k, p->place->pc, &address))
		return;
	thread->lock_address = address;
	thread->lock_is_only = p->wanted.is_only;
}

static void find_in_frame(struct finding *f, const struct unwound *u, uint32_t k)
{
	const struct stacks_thread *t = u->t;
	struct stacks_place *place = t->frames[k].place;
	const struct place_helds *p = find_place(f, place);

	if (!p || (!p->n && !p->is_wanting) || (!p->is_named && !is_called(f, u, k, p->range.start)))
		return;
	if (f->s->threads[t->thread].entry == place && k == t->segments[0].first)
		note_wanted(f, &f->s->threads[t->thread], p, u->stack, k);
	for (size_t n = 0; n < p->n; n++) {
		const struct code_held *held = &p->held[n];
		uint64_t address;

		if (!compute_address(f, held, u->stack, k, place->pc, &address) ||
		    (held->is_until_released && !is_held_still(f, u, k, held, address)))
			continue;
		const char *function = stack_places_function(f->st, place);
		add_held(f,
			 &(struct snapshot_held){
				 .thread = t->thread,
				 .kind = (int)held->what,
				 .address = address,
				 .pc = place->pc,
			 },
			 function ? function : "its function");
	}
}

/* Return whether a thread waits for a lock that may be held this way, or is in a construct that may wait for one. */
static bool is_wanted(const struct snapshot *s)
{
	for (size_t i = 0; i < s->n_threads; i++) {
		const struct snapshot_thread *thread = &s->threads[i];
		const struct snapshot_word *state = &thread->state;

		if (!thread->openmp)
			continue;
		if (state->rc == ompd_rc_ok && state->value >= ompt_state_wait_mutex &&
		    state->value <= ompt_state_wait_atomic)
			return true;
		if (state->rc != ompd_rc_ok &&
		    (thread->construct == CONSTRUCT_CRITICAL || thread->construct == CONSTRUCT_ATOMIC ||
		     thread->construct == CONSTRUCT_LOCK))
			return true;
	}
	return false;
}

/*
 * Two threads with the same wait id wait for the same lock of the program. Copy its address to a thread whose own code
 * does not show it.
 */
static void share_addresses(struct snapshot *s)
{
	struct pair pairs[MAX_PLACES];
	size_t n = 0;

	for (size_t i = 0; i < s->n_threads && n < MAX_PLACES; i++) {
		const struct snapshot_thread *thread = &s->threads[i];
		size_t k = 0;

		if (!thread->lock_address || thread->wait_id.rc != ompd_rc_ok || !thread->wait_id.value)
			continue;
		while (k < n && pairs[k].wait_id != (uint64_t)thread->wait_id.value)
			k++;
		if (k == n)
			pairs[n++] = (struct pair){(uint64_t)thread->wait_id.value, thread->lock_address};
	}
	for (size_t i = 0; i < s->n_threads && n; i++) {
		struct snapshot_thread *thread = &s->threads[i];

		for (size_t k = 0; k < n && !thread->lock_address && thread->wait_id.rc == ompd_rc_ok; k++) {
			if (pairs[k].wait_id == (uint64_t)thread->wait_id.value)
				thread->lock_address = pairs[k].address;
		}
	}
}

/* Return false if nothing can be found for this runtime. */
static bool start_search(struct finding *f, struct stacks *st)
{
	const struct error *why;
	const struct runtime *runtime = model_runtime(st->m, &why);

	if (!runtime || !runtime->descriptor->proofs || !runtime->descriptor->proofs->lock_calls)
		return false;
	f->st = st;
	stack_code_init(&f->code, st, runtime);
	f->releases.world = &f->code.world;
	if (!f->places)
		f->places = calloc(MAX_PLACES, sizeof(*f->places));
	return f->places != NULL;
}

static void finish_search(struct finding *f)
{
	code_releases_deinit(&f->releases);
	free(f->places);
}

static bool is_of_program(const struct stacks_frame *frame)
{
	return frame->kind == FRAME_USER && frame->place->module_kind == PLACE_PROGRAM;
}

void stack_held_find(struct stacks *st, struct snapshot *s)
{
	struct finding f = {.s = s};

	if (!is_wanted(s) || !start_search(&f, st))
		return;
	for (size_t i = 0; i < st->n_threads; i++) {
		const struct stacks_thread *t = stacks_thread(st, i);
		struct stack stack;

		/* A thread that moved during the sample proves nothing. */
		if (!t || t->thread == SNAPSHOT_NONE || st->copies.copies[i].moved)
			continue;
		stack_unwind(st->t, &st->copies.copies[i], st->max_frames, &stack);
		struct unwound u = {.t = t, .stack = &stack, .copy = &st->copies.copies[i]};
		for (uint32_t k = 0; k < t->n_frames && k < MAX_FRAMES; k++) {
			if (is_of_program(&t->frames[k]))
				find_in_frame(&f, &u, k);
		}
		st->threads[i].lacks_registers |= f.lacks_registers;
		f.lacks_registers = false;
		stack_deinit(&stack);
	}
	share_addresses(s);
	finish_search(&f);
}

/* Single stacks */

struct stack_holding {
	struct finding finding;
};

struct stack_holding *stack_holding_create(void)
{
	return calloc(1, sizeof(struct stack_holding));
}

void stack_holding_destroy(struct stack_holding *h)
{
	if (!h)
		return;
	finish_search(&h->finding);
	free(h);
}

/* Return false if the address is in a register of the frame. */
static bool set_hold(const struct code_held *held, struct stack_hold *ret)
{
	if (!held->is_only && held->reg >= 0)
		return false;
	*ret = (struct stack_hold){
		.kind = held->what,
		.is_only = held->is_only,
		.address = held->is_only ? 0 : (uint64_t)held->address.offset,
	};
	return true;
}

static void find_holds(struct finding *f, const struct stacks_thread *t, uint32_t k, const struct stacks_place *entry,
		       struct stack_holds *ret)
{
	const struct place_helds *p = find_place(f, t->frames[k].place);
	const struct unwound u = {.t = t};

	if (!p || (!p->n && !p->is_wanting) || (!p->is_named && !is_called(f, &u, k, p->range.start)))
		return;
	if (entry == p->place && k == t->segments[0].first && p->is_wanting)
		ret->is_wanting = set_hold(&p->wanted, &ret->wanted);
	for (size_t n = 0; n < p->n && ret->n < STACK_HOLDS_MAX; n++) {
		const struct code_held *held = &p->held[n];

		if (set_hold(held, &ret->held[ret->n]) &&
		    (!held->is_until_released || is_held_still(f, &u, k, held, ret->held[ret->n].address)))
			ret->n++;
	}
}

void stack_holding_find(struct stack_holding *h, struct stacks *st, size_t i, struct stack_holds *ret)
{
	const struct stacks_thread *t = stacks_thread(st, i);

	*ret = (struct stack_holds){0};
	if (!t || !t->n_segments || st->copies.copies[i].moved || !start_search(&h->finding, st))
		return;
	const struct stacks_place *entry = t->frames[0].kind == FRAME_RUNTIME ? stacks_entry(st, t, 0) : NULL;
	for (uint32_t k = 0; k < t->n_frames && k < MAX_FRAMES; k++) {
		if (is_of_program(&t->frames[k]))
			find_holds(&h->finding, t, k, entry, ret);
	}
}
