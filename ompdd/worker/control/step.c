/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Steps and their phases.
 * Over a region: the thread reaches an entry point of the runtime, and that call returns.
 * Into a region: the thread reaches an entry point of the runtime, which is given the region's function. That function
 * is planted, and each thread that reaches it is parked there while the others run. Other teams may execute the same
 * function at the same time. The OMPD library is asked for a thread's team when the thread has arrived, because then it
 * is certainly in the region.
 * Parking early arrivals cannot deadlock: only the region's own code and barriers wait for them, and a thread on its
 * way there needs neither.
 */
#include "worker/control/step.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/vector.h"
#include "openmp/model/events.h"
#include "openmp/model/handle/handles.h"
#include "openmp/model/model.h"
#include "openmp/model/region.h"
#include "openmp/model/runtimes.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/runtime.h"
#include "target/arch/registers.h"
#include "target/control.h"
#include "target/modules/modules.h"
#include "worker/context/context.h"
#include "worker/control/region_return.h"

enum phase {
	PHASE_NONE,
	PHASE_ENTRY,   /* the thread is to reach an entry point of the runtime */
	PHASE_MEMBERS, /* the members are to reach the region's function */
	PHASE_RETURN,  /* the call of the region is to return */
};

struct step {
	enum phase phase;
	enum step_kind kind;
	int64_t client;
	pid_t tid;
	struct event_place entries[EVENTS_MAX_OF_ALL]; /* planted in PHASE_ENTRY */
	size_t n_entries;
	uint64_t address; /* planted in the other phases */
	uint64_t sp;	  /* stack pointer after the call has returned */
	pid_t *arrived;	  /* parked while the step is running */
	size_t n_arrived, cap_arrived;
	bool has_arrived; /* the thread tid has arrived */
	int64_t team_size;
	unsigned runtime; /* runtime of the step's region, as in struct event_place */
};

struct step *step_create(void)
{
	return calloc(1, sizeof(struct step));
}

void step_destroy(struct step *s)
{
	if (!s)
		return;
	free(s->arrived);
	free(s);
}

const char *step_kind_name(enum step_kind kind)
{
	switch (kind) {
	case STEP_INTO_PARALLEL:
		return "into_parallel";
	case STEP_OUT_OF_PARALLEL:
		return "out_of_parallel";
	case STEP_INSTRUCTION:
		return "instruction";
	case STEP_OVER_PARALLEL:
		break;
	}
	return "over_parallel";
}

bool step_is_active(const struct step *s)
{
	return s->phase != PHASE_NONE;
}

int64_t step_client(const struct step *s)
{
	return s->client;
}

enum step_kind step_kind(const struct step *s)
{
	return s->kind;
}

pid_t step_thread(const struct step *s)
{
	return s->tid;
}

const pid_t *step_arrived(const struct step *s, size_t *n_ret)
{
	*n_ret = s->n_arrived;
	return s->arrived;
}

unsigned step_runtime(const struct step *s)
{
	return s->runtime;
}

/* The end */

static void lift_breakpoints(struct worker *w)
{
	struct step *s = w->step;

	for (size_t i = 0; s->phase == PHASE_ENTRY && i < s->n_entries; i++)
		target_lift(w->target, s->entries[i].address);
	if (s->phase == PHASE_MEMBERS || s->phase == PHASE_RETURN)
		target_lift(w->target, s->address);
}

void step_end(struct worker *w)
{
	struct step *s = w->step;

	if (s->phase == PHASE_NONE)
		return;
	lift_breakpoints(w);
	for (size_t i = 0; i < s->n_arrived; i++)
		/* A failure means that the thread was killed meanwhile. */
		error_destroy(target_park(w->target, s->arrived[i], false));
	s->phase = PHASE_NONE;
}

void step_forget(struct worker *w)
{
	w->step->phase = PHASE_NONE;
}

/* End the step while the target runs: stops the target for that. @whose: for the log. */
static void end_now(struct worker *w, const char *whose)
{
	bool held;
	struct error *err = target_change_begin(w->target, &held);

	if (!err) {
		step_end(w);
		err = target_change_end(w->target, held);
	} else {
		/* Without a stop now, the next one ends the step (step_hit()). */
		w->step->client = -1;
	}
	if (err)
		log_err(LOG_WARN, err, "end the step of a %s that has ended", whose);
	error_destroy(err);
}

void step_client_gone(struct worker *w, int64_t client)
{
	if (step_is_active(w->step) && w->step->client == client)
		end_now(w, "connection");
}

void step_thread_gone(struct worker *w, pid_t tid)
{
	if (step_is_active(w->step) && w->step->tid == tid)
		end_now(w, "thread");
}

/* Into and over */

/* Return whether the event counts for the caller of @place. The call starts with @regs. */
static bool is_entry(struct worker *w, const struct event_place *place, const struct target_registers *regs)
{
	uint64_t return_address;
	struct error *err = target_return_address(w->target, regs, &return_address);
	bool counts = !err && events_caller_counts(place, return_address);

	error_destroy(err);
	return counts;
}

/* Wait for members at @function from now on. */
static struct error *expect_members(struct worker *w, uint64_t function)
{
	struct step *s = w->step;
	struct error *err = target_plant(w->target, function);

	if (err)
		return err;
	lift_breakpoints(w);
	s->phase = PHASE_MEMBERS;
	s->address = function;
	return NULL;
}

/* Wait from now on for the return of the call that starts with @regs. */
static struct error *expect_return(struct worker *w, const struct target_registers *regs)
{
	struct step *s = w->step;
	uint64_t return_address;
	struct error *err = target_return_address(w->target, regs, &return_address);

	if (!err)
		err = target_plant(w->target, return_address);
	if (err)
		return err;
	lift_breakpoints(w);
	s->phase = PHASE_RETURN;
	s->address = return_address;
	s->sp = regs->value[TARGET_REGISTER_SP] + arch->return_slot;
	return NULL;
}

/*
 * Start with the region whose entry point @place the thread has reached with @regs. The region's function is @function.
 */
static struct error *begin_region(struct worker *w, const struct event_place *place,
				  const struct target_registers *regs, uint64_t function)
{
	w->step->runtime = place->runtime;
	if (w->step->kind == STEP_INTO_PARALLEL)
		return expect_members(w, function);
	if (!place->is_whole)
		return error_hint(error_create(ERR_STEP_IMPOSSIBLE,
					       "%s() only starts a region: the end of the region is not known here",
					       place->symbol),
				  "set a breakpoint at the event parallel_end");
	return expect_return(w, regs);
}

/*
 * Return in *@ret whether @tid is stopped where the runtime itself reports the start of a region. *@function_ret: the
 * region's function. At this point (ompd_bp_parallel_begin, OpenMP 5.2, 20.6.1) the region is the thread's current one.
 */
static struct error *at_parallel_begin(struct worker *w, struct model *m, pid_t tid, uint64_t pc, bool *ret,
				       uint64_t *function_ret)
{
	struct event_place places[EVENTS_MAX_PLACES];
	const struct error *why;
	const struct runtime *runtime = model_runtime(m, &why);
	char name[64];
	uint64_t offset;
	size_t n;

	*ret = false;
	if (!runtime || !runtime->descriptor->begins_inside ||
	    !target_symbol_at(w->target, pc, name, sizeof(name), &offset))
		return NULL;
	struct error *err = events_find(m, EVENT_PARALLEL_BEGIN, places, &n);
	if (err)
		return err;
	if (places[0].address != pc - offset)
		return NULL;
	*ret = true;
	w->step->runtime = places[0].runtime;
	return region_function(m, w->plugin_options.timeout_ms, tid, function_ret);
}

/* Check at_parallel_begin() for each runtime. */
static struct error *at_a_parallel_begin(struct worker *w, pid_t tid, uint64_t pc, bool *ret, uint64_t *function_ret)
{
	struct error *err = NULL;

	*ret = false;
	for (size_t i = 0; i < runtimes_count(w->runtimes) && !err && !*ret; i++)
		err = at_parallel_begin(w, runtimes_select(w->runtimes, i), tid, pc, ret, function_ret);
	runtimes_main(w->runtimes);
	return err;
}

/* Start a step out of the innermost region. */
static struct error *begin_out(struct worker *w)
{
	struct step *s = w->step;
	struct region_return way;
	struct error *err = region_return_find_innermost(w, s->tid, &way);

	if (!err)
		err = target_plant(w->target, way.frame.pc);
	if (err)
		return err;
	s->tid = way.tid;
	s->runtime = way.runtime;
	s->address = way.frame.pc;
	s->sp = way.frame.sp;
	s->phase = PHASE_RETURN;
	return NULL;
}

/* Start a step into or over the next region, or the region that starts where the thread is stopped. */
static struct error *begin_next(struct worker *w)
{
	struct step *s = w->step;
	struct target_registers registers;
	struct error *err = events_find_all_regions(w->runtimes, -1, s->entries, &s->n_entries);

	if (err)
		return err;
	/* The thread may be at an entry point already, or a little further. */
	if (target_registers(w->target, s->tid, &registers)) {
		uint64_t function;
		bool begins;

		err = at_a_parallel_begin(w, s->tid, registers.value[TARGET_REGISTER_PC], &begins, &function);
		if (err || begins)
			return err ? err : s->kind == STEP_INTO_PARALLEL ? expect_members(w, function) : begin_out(w);
		for (size_t i = 0; i < s->n_entries; i++) {
			const struct event_place *place = &s->entries[i];

			if (registers.value[TARGET_REGISTER_PC] == place->address && is_entry(w, place, &registers))
				return begin_region(w, place, &registers,
						    registers.value[arch->arguments[place->argument]]);
		}
	}
	for (size_t i = 0; i < s->n_entries; i++) {
		err = target_plant(w->target, s->entries[i].address);
		if (!err)
			continue;
		while (i-- > 0)
			target_lift(w->target, s->entries[i].address);
		return err;
	}
	s->phase = PHASE_ENTRY;
	return NULL;
}

static struct error *note_arrived(struct worker *w, pid_t tid)
{
	struct step *s = w->step;

	if (!VECTOR_GROW(s->arrived, s->n_arrived, s->cap_arrived))
		return &error_nomem;
	struct error *err = target_park(w->target, tid, true);
	if (!err)
		s->arrived[s->n_arrived++] = tid;
	return err;
}

/*
 * Resume the parked threads of other teams, from arrived[@from] on. If the library gives no team, resume all but the
 * step's own thread.
 */
static struct error *sort_out(struct worker *w, size_t from)
{
	struct step *s = w->step;
	size_t n = s->n_arrived - from, kept = from;
	_cleanup_free_ bool *is_member = calloc(n, sizeof(*is_member));
	struct model *m = worker_model_of(w, s->runtime);

	model_select(m);
	struct error *err = is_member ? region_members(m, w->plugin_options.timeout_ms, s->tid, s->arrived + from, n,
						       is_member, &s->team_size)
				      : &error_nomem;

	runtimes_main(w->runtimes);

	for (size_t i = 0; i < n; i++) {
		pid_t tid = s->arrived[from + i];

		if (err ? tid == s->tid : is_member[i])
			s->arrived[kept++] = tid;
		else
			/* A failure means that the thread was killed meanwhile. */
			error_destroy(target_park(w->target, tid, false));
	}
	s->n_arrived = kept;
	return err;
}

/* Handle the arrival of @e->tid at the region's function. */
static enum step_verdict member_came(struct worker *w, const struct target_event *e)
{
	struct step *s = w->step;
	size_t from = s->has_arrived ? s->n_arrived : 0;
	struct error *err = note_arrived(w, e->tid);

	s->has_arrived |= e->tid == s->tid;
	if (!err && s->has_arrived)
		err = sort_out(w, from);
	/* If the library gives no team, the step cannot wait for other threads. */
	bool over = err || (s->has_arrived && (int64_t)s->n_arrived >= s->team_size);
	if (err)
		log_err(LOG_WARN, err, "the step into a region of target %s", w->target_id);
	error_destroy(err);
	return over ? STEP_OVER : STEP_ON_ITS_WAY;
}

static enum step_verdict entry_came(struct worker *w, const struct target_event *e)
{
	struct step *s = w->step;
	const struct event_place *place = NULL;

	for (size_t i = 0; i < s->n_entries; i++) {
		if (s->entries[i].address == e->address)
			place = &s->entries[i];
	}
	if (!place)
		return STEP_NOT_MINE;
	if (e->tid != s->tid || !is_entry(w, place, &e->registers))
		return STEP_ON_ITS_WAY;
	struct error *err = begin_region(w, place, &e->registers, e->arguments[place->argument]);
	if (!err)
		return STEP_ON_ITS_WAY;
	/* The argument is not a function, or the region's end cannot be found: the step ends here. */
	log_err(LOG_WARN, err, "a step of target %s", w->target_id);
	error_destroy(err);
	return STEP_OVER;
}

enum step_verdict step_hit(struct worker *w, const struct target_event *e)
{
	struct step *s = w->step;

	if (s->phase == PHASE_NONE)
		return STEP_NOT_MINE;
	/* The client of this step has disconnected, and this is the first stop since then. */
	if (s->client < 0) {
		step_end(w);
		return STEP_NOT_MINE;
	}
	if (s->phase == PHASE_ENTRY)
		return entry_came(w, e);
	if (e->address != s->address)
		return STEP_NOT_MINE;
	if (s->phase == PHASE_MEMBERS)
		return member_came(w, e);
	return e->tid == s->tid && e->registers.value[TARGET_REGISTER_SP] == s->sp ? STEP_OVER : STEP_ON_ITS_WAY;
}

/* Start */

static struct error *need_held(struct worker *w, pid_t tid)
{
	struct error *err = NULL;

	if (target_mode(w->target) != TARGET_STOP)
		err = error_create(ERR_MODE_UNSUPPORTED, "steps need a process in mode \"stop\"");
	if (!err)
		err = worker_check_holder(w);
	if (!err && w->holder < 0)
		err = error_hint(error_create(ERR_NOT_STOPPED, "target %s is not held stopped", w->target_id),
				 "a step starts where a breakpoint or target.stop has stopped the target");
	if (!err && !target_thread_by_tid(w->target, tid))
		err = error_create(ERR_STEP_IMPOSSIBLE, "process %d has no thread %d", (int)target_pid(w->target),
				   (int)tid);
	return err;
}

struct error *step_begin(struct worker *w, enum step_kind kind, pid_t tid)
{
	struct step *s = w->step;
	bool held;
	struct error *err = need_held(w, tid);

	/* This fails without a tracer, which steps need. */
	if (!err)
		err = target_change_begin(w->target, &held);
	if (err)
		return err;
	s->kind = kind;
	s->client = w->client;
	s->tid = tid;
	s->n_arrived = 0;
	s->has_arrived = false;
	s->team_size = 0;
	s->runtime = 0;
	if (kind == STEP_INSTRUCTION)
		return NULL;
	return kind == STEP_OUT_OF_PARALLEL ? begin_out(w) : begin_next(w);
}
