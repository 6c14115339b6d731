/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Run a launched program from one place to the next. The places are:
 *   - the exec: only the executable and the dynamic loader are mapped;
 *   - the program's entry: the loader jumps there after all libraries are mapped and initialised;
 *   - main().
 */
#include "worker/control/launch.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/path.h"
#include "openmp/model/model.h"
#include "target/control.h"
#include "target/modules/modules.h"
#include "worker/context/context.h"
#include "worker/context/emit.h"
#include "worker/control/breakpoints.h"
#include "worker/control/control.h"

/* The time limit for reaching main(), including the libraries' initialisers. */
#define PROCEED_MS 5000

struct way {
	int64_t end_ms;
	bool over; /* the way has ended: the program exited, called exec(), or took too long */
	bool stands;
	pid_t tid;
	struct target_event hit; /* where the program is stopped, unless at the exec */
	struct launch_outcome *outcome;
};

static void set_outcome(struct way *way, const char *name, const char *message)
{
	way->outcome->name = name;
	snprintf(way->outcome->message, sizeof(way->outcome->message), "%s", message);
}

/* Wait until the running program stops at @address, or exits. */
static struct error *await_address(struct worker *w, struct way *way, uint64_t address)
{
	struct target_event e;
	int64_t us;

	for (;;) {
		while (target_next_event(w->target, &e)) {
			if (e.kind != TARGET_EVENT_HIT) {
				worker_take_event(w, &e);
				way->over |= e.kind == TARGET_EVENT_EXECED || e.kind == TARGET_EVENT_EXITED ||
					     e.kind == TARGET_EVENT_TRACER_LOST;
				continue;
			}
			if (e.address == address) {
				target_lift(w->target, address);
				target_view_begin(w->target);
				way->hit = e;
				way->stands = true;
				return NULL;
			}
			struct error *err = target_resume(w->target, &us);
			if (err)
				return err;
		}
		if (way->over)
			return NULL;
		struct pollfd fd = {.fd = target_event_fd(w->target), .events = POLLIN};
		int64_t left_ms = way->end_ms - clock_now_us() / 1000;
		if (left_ms <= 0 || fd.fd < 0)
			return NULL;
		poll(&fd, 1, (int)left_ms);
	}
}

static struct error *run_to(struct worker *w, struct way *way, uint64_t address)
{
	bool held;
	int64_t us;
	struct error *err = target_plant(w->target, address);

	if (error_catch(&err, ERR_BREAKPOINT_IMPOSSIBLE)) {
		set_outcome(way, "breakpoint_impossible",
			    "a breakpoint cannot be set at a later place; the program is stopped at its present place");
		way->over = true;
		return NULL;
	}
	if (!err)
		err = target_resume(w->target, &us);
	if (err)
		return err;
	way->stands = false;
	err = await_address(w, way, address);
	if (err || way->stands || way->over)
		return err;
	way->over = true;
	set_outcome(way, "stop_timeout", "the program's libraries take long to initialise; the program runs");
	err = target_change_begin(w->target, &held);
	if (err)
		return err;
	target_lift(w->target, address);
	return target_change_end(w->target, held);
}

/* Find main(). The program is stopped at its entry. */
static struct error *find_main(struct worker *w, struct way *way, uint64_t *ret)
{
	const char *exe = target_exe(w->target);
	struct target_symbol sym;
	struct error *err = target_symbol(w->target, "main", path_file_name(exe), &sym);

	*ret = 0;
	if (!err && !sym.is_tls) {
		*ret = sym.address;
		return NULL;
	}
	error_destroy(err);
	/* A stripped program: it passes main() to libc as the first argument. */
	err = target_symbol(w->target, "__libc_start_main", "libc", &sym);
	if (!error_catch(&err, ERR_SYMBOL_NOT_FOUND) && !err)
		err = run_to(w, way, sym.address);
	if (err || way->over)
		return err;
	if (way->hit.address == sym.address)
		*ret = way->hit.arguments[0];
	else
		set_outcome(way, "symbol_not_found",
			    "main() cannot be found in the program; the program is stopped before its own code");
	return NULL;
}

static struct error *to_main(struct worker *w, struct way *way)
{
	uint64_t address;
	struct error *err = find_main(w, way, &address);

	return err || way->over || !address ? err : run_to(w, way, address);
}

/*
 * Proceed from the exec until the program's libraries are mapped and not yet initialised. The loader calls a function
 * of its own there. A runtime's data may be readable from then on.
 */
static struct error *to_libraries(struct worker *w, struct way *way)
{
	struct target_symbol sym;
	const struct error *why;
	struct error *err = target_symbol(w->target, "_dl_debug_state", NULL, &sym);

	if (err) {
		error_destroy(err);
		return NULL; /* no loader, or an unknown one */
	}
	/* The dynamic linker calls this function before and after it maps libraries. */
	for (int i = 0; i < 2 && !err && !way->over; i++) {
		err = run_to(w, way, sym.address);
		if (!err)
			model_refresh(worker_model(w));
		if (!err && !way->over && model_runtime(worker_model(w), &why))
			break;
	}
	return err;
}

/* Proceed from the entry to @event. The runtime is mapped there, unless the program loads it later. */
static struct error *to_event(struct worker *w, struct way *way, enum event_kind event)
{
	const struct breakpoint_spec spec = {.kind = BREAKPOINT_EVENT, .event = event, .once = true};
	const struct breakpoint *b;
	struct error *err = breakpoints_set(w, &spec, &b);
	int64_t us;

	if (err) {
		set_outcome(way, error_name(err), err->message);
		error_destroy(err);
		return NULL;
	}
	way->stands = false;
	return target_resume(w->target, &us);
}

static void hold_target(struct worker *w, const struct way *way)
{
	target_view_begin(w->target);
	w->holder = w->client;
	w->epoch++;
	w->stop = (struct worker_stop){
		.reason = STOP_LAUNCH,
		.tid = way->tid,
		.address = way->hit.address,
	};
	worker_emit_kind(w, WORKER_EVENT_STOPPED);
}

struct error *launch_proceed(struct worker *w, enum launch_stop stop, enum event_kind event, struct launch_outcome *ret)
{
	struct way way = {
		.end_ms = clock_now_us() / 1000 + PROCEED_MS,
		.stands = true,
		.tid = target_pid(w->target),
		.outcome = ret,
	};
	const struct error *why;
	struct error *err = NULL;
	int64_t us;

	*ret = (struct launch_outcome){0};
	target_view_begin(w->target);
	if (stop == LAUNCH_NEVER)
		return target_resume(w->target, &us);
	bool is_early = stop == LAUNCH_AT_EVENT && event == EVENT_DLL_LOCATIONS_VALID;
	if (is_early) {
		err = to_libraries(w, &way);
		is_early = !err && !way.over && model_runtime(worker_model(w), &why);
	}
	if (stop != LAUNCH_AT_EXEC && !err && !way.over) {
		if (!is_early)
			err = run_to(w, &way, target_entry(w->target));
		if (!err && !way.over) {
			model_refresh(worker_model(w));
			err = stop == LAUNCH_AT_MAIN ? to_main(w, &way) : to_event(w, &way, event);
		}
	}
	if (!err && way.stands && target_is_stopped(w->target))
		hold_target(w, &way);
	return err;
}
