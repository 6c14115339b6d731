/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Find the frame on a thread's stack to which the call of its parallel region returns.
 * The runtime may know the frame. Otherwise the call appears on the stack as the frame of an entry point that executes
 * regions. If that entry point has made a tail call, as at the region's end, the call appears as the
 * calling instruction.
 * Optimized code that ends with a region also reaches the entry point by a tail call. Such a call leaves no frame: all
 * that is known is that the runtime had called the code that made it.
 * The number of calls found must equal the number of regions that the thread has encountered. Otherwise the calls
 * cannot be assigned to regions.
 */
#include "worker/control/region_return.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "openmp/model/events.h"
#include "openmp/model/model.h"
#include "openmp/model/region.h"
#include "openmp/model/runtimes.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/runtime.h"
#include "openmp/stacks/stacks.h"
#include "target/modules/modules.h"
#include "target/unwind/call.h"
#include "target/unwind/stack.h"
#include "worker/context/context.h"

enum met {
	MET_NOTHING,
	MET_MAYBE, /* code without a frame called the runtime, for a region or for another purpose */
	MET_REGION,
};

struct search {
	struct worker *w;
	const struct runtime *runtime;
	struct event_place entries[EVENTS_MAX_PLACES];
	size_t n_entries;
	const struct stack_copy *copy;
	const struct stack *stack;
};

static bool is_entry(const struct search *s, uint64_t address)
{
	for (size_t i = 0; i < s->n_entries; i++) {
		if (s->entries[i].address == address)
			return true;
	}
	return false;
}

/* Return whether @frame belongs to a function that executes regions. */
static bool in_entry(const struct search *s, const struct stack_frame *frame)
{
	uint64_t pc = frame->pc - !frame->is_exact, offset;
	char name[64];

	return target_symbol_at(s->w->target, pc, name, sizeof(name), &offset) && is_entry(s, pc - offset);
}

static bool in_runtime(const struct search *s, uint64_t address)
{
	return s->runtime && !s->runtime->is_executable && address >= s->runtime->start && address < s->runtime->end;
}

static bool is_system(const struct search *s, uint64_t address)
{
	const struct target_module *module = target_module_at(s->w->target, address);

	return module && stack_places_is_system(module->path);
}

/* Classify the call in frame @i. The call returns to that frame. */
static enum met met_at(const struct search *s, size_t i)
{
	const struct stack_frame *caller = &s->stack->frames[i], *called = &s->stack->frames[i - 1];
	struct call_site call;
	uint64_t address;

	if (in_entry(s, called))
		return MET_REGION;
	if (caller->is_exact)
		return MET_NOTHING;
	call_read(s->w->target, caller->pc, &call);
	if (call.kind == CALL_DIRECT && is_entry(s, call.address))
		return MET_REGION;
	if (!in_runtime(s, called->pc) || is_system(s, caller->pc - 1))
		return MET_NOTHING;
	/*
	 * A direct call of the runtime stays within it. Only a call through a pointer that the program passed leads to
	 * the program.
	 */
	if (in_runtime(s, caller->pc - 1) && (call.kind == CALL_UNKNOWN || call.kind == CALL_DIRECT))
		return MET_NOTHING;
	return call_of_frame(s->w->target, &call, s->copy, s->stack, i, &address) && in_runtime(s, address)
		       ? MET_NOTHING
		       : MET_MAYBE;
}

/* Return the frame to which the call of the region returns; 0: not known. */
static size_t choose_frame(const struct search *s, const struct region_encounter *e)
{
	_cleanup_free_ unsigned char *met = calloc(s->stack->n ? s->stack->n : 1, 1);
	size_t expected = e->depth + e->n_met, n_regions = 0, n_maybe = 0, left = e->depth;
	enum met least = MET_REGION;

	if (!met)
		return 0;
	for (size_t i = 1; i < s->stack->n; i++) {
		met[i] = (unsigned char)met_at(s, i);
		n_regions += met[i] == MET_REGION;
		n_maybe += met[i] == MET_MAYBE;
	}
	if (s->runtime && s->runtime->descriptor->has_no_frames && s->stack->end == STACK_OUTERMOST &&
	    n_regions != expected) {
		if (n_regions + n_maybe != expected)
			return 0;
		least = MET_MAYBE;
	}
	for (size_t i = 1; i < s->stack->n; i++) {
		if (met[i] >= (unsigned char)least && left-- == 0)
			return s->stack->frames[i].sp ? i : 0;
	}
	return 0;
}

static struct error *find_frame(struct worker *w, struct model *m, const struct region_encounter *e,
				struct stack_frame *ret)
{
	struct search s = {.w = w};
	struct stack_copies copies = {0};
	struct stack stack = {0};
	const struct error *why;
	size_t found = 0;
	struct error *err = events_find_regions(m, s.entries, &s.n_entries);

	if (!err)
		err = stack_copies_take(w->target, &e->tid, 1, STACK_COPY_ONE, &copies);
	if (err)
		return err;
	s.runtime = model_runtime(m, &why);
	stack_unwind(w->target, &copies.copies[0], STACK_MAX_FRAMES, &stack);
	for (size_t i = 1; i < stack.n && e->cfa && !found; i++)
		found = stack.frames[i].sp == e->cfa ? i : 0;
	s.copy = &copies.copies[0];
	s.stack = &stack;
	if (!found)
		found = choose_frame(&s, e);
	if (found)
		*ret = stack.frames[found];
	stack_deinit(&stack);
	stack_copies_deinit(&copies);
	return found ? NULL
		     : error_hint(error_create(ERR_STEP_IMPOSSIBLE,
					       "the call of the region is not on the stack of thread %d", (int)e->tid),
				  "set a breakpoint at the line after the region");
}

static struct error *find_return(struct worker *w, struct model *m, pid_t tid, struct region_return *ret)
{
	struct region_encounter e = {0};
	struct error *err = region_encountering(m, w->plugin_options.timeout_ms, tid, &e);

	if (!err)
		err = find_frame(w, m, &e, &ret->frame);
	ret->tid = e.tid;
	ret->runtime = model_index(m) + 1;
	return err;
}

/*
 * Return whether @a is further in than @b. A region that @tid encountered lies within the region that @tid was called
 * into. Of two regions that @tid encountered, the one further in on its stack lies within the other.
 */
static bool is_further_in(const struct region_return *a, const struct region_return *b, pid_t tid)
{
	if ((a->tid == tid) != (b->tid == tid))
		return a->tid == tid;
	return a->tid == tid && a->frame.sp < b->frame.sp;
}

struct error *region_return_find_innermost(struct worker *w, pid_t tid, struct region_return *ret)
{
	struct region_return best = {0};
	struct error *why = NULL;

	for (size_t i = runtimes_count(w->runtimes); i-- > 0;) {
		struct region_return way = {0};
		struct error *err = find_return(w, runtimes_select(w->runtimes, i), tid, &way);

		if (!err && (!best.tid || is_further_in(&way, &best, tid)))
			best = way;
		if (err) {
			error_destroy(why);
			why = err;
		}
	}
	runtimes_main(w->runtimes);
	if (!best.tid)
		return why;
	error_destroy(why);
	*ret = best;
	return NULL;
}
