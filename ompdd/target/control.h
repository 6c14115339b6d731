/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Control of a process in stop mode: breakpoints, events while it is traced, start and termination. */
#ifndef OMPDD_TARGET_CONTROL_H
#define OMPDD_TARGET_CONTROL_H

#include <sys/resource.h>

#include "target/stop/event.h"
#include "target/trace/filter.h"
#include "target/target.h"

/* Return a descriptor for poll(); -1: nothing is traced. May change with every call of this file. */
int target_event_fd(const struct target *t);
/* Store the next event. Return false without one. */
bool target_next_event(struct target *t, struct target_event *ret);

/*
 * End the thread that may trace the target; a tracer makes all later stops. Call it in a sandbox, between stops, before
 * foreign code is loaded into this process. ERR_INTERNAL_ERROR: a thread of this process may still do more than the
 * sandbox allows.
 */
MUST_USE struct error *target_quit_thread(struct target *t);

/*
 * Stop the target for changes of its breakpoints, unless a tracer already holds it (*@held_ret); resume it.
 * ERR_MODE_UNSUPPORTED, ERR_TRACER_FAILED, and those of target_stop().
 */
MUST_USE struct error *target_change_begin(struct target *t, bool *held_ret);
MUST_USE struct error *target_change_end(struct target *t, bool held);

/*
 * Between these two: plant or lift a breakpoint. Each plant needs its own lift. Memory reads return the program's own
 * bytes. ERR_BREAKPOINT_IMPOSSIBLE.
 */
MUST_USE struct error *target_plant(struct target *t, uint64_t address);
/*
 * The same for a switch in the program's data: @byte, not 0, turns it on. If any process of ompdd dies, it is turned
 * off, as breakpoints are removed.
 */
MUST_USE struct error *target_plant_byte(struct target *t, uint64_t address, unsigned char byte);
void target_lift(struct target *t, uint64_t address);
/*
 * Like target_plant() for hits that pass @filter. Other hits are reported only if the address was also planted without
 * a filter. Each plant needs its own lift. ERR_LIMIT_EXCEEDED: there are FILTERS_MAX already.
 */
MUST_USE struct error *target_plant_if(struct target *t, uint64_t address, const struct target_filter *filter);
void target_lift_if(struct target *t, uint64_t address, uint32_t group);
/*
 * Write @value to a word of the program's data, 8 bytes that are 0, or reset it to 0. If any process of ompdd dies, it
 * is reset. It is 0 in a forked child. One word at a time. ERR_BREAKPOINT_IMPOSSIBLE.
 */
MUST_USE struct error *target_set_word(struct target *t, uint64_t address, uint64_t value);
/* Return how many hits have passed the non-asking filters of @group; 0 if unknown. May be called at any time. */
uint64_t target_passed(struct target *t, uint32_t group);
/*
 * Answer a TARGET_EVENT_ASK. @counts true: stop all threads and report a TARGET_EVENT_HIT; false: resume the thread. An
 * unanswered request becomes a hit after some time. Return false if that happened or all threads are stopped; the hit
 * is reported then.
 */
bool target_answer(struct target *t, pid_t tid, bool counts);

/* Exclude the stopped thread @tid from target_resume(), or include it again. */
MUST_USE struct error *target_park(struct target *t, pid_t tid, bool park);

/*
 * Step the thread @tid by one instruction, past a breakpoint at its program counter, while a tracer holds the target.
 * All other threads stay stopped. The caller starts a new view. ERR_STEP_IMPOSSIBLE: the thread is gone, is in a job
 * control stop, or sleeps in a system call, which continues with target_resume().
 */
MUST_USE struct error *target_step(struct target *t, pid_t tid);

/* The program to start. Arrays end with NULL. */
struct target_launch {
	const char *const *argv;
	const char *const *env; /* "NAME=VALUE"; NULL: ours */
	const char *cwd;	/* NULL: ours */
	const char *files[3];	/* for standard input, output, error; NULL: /dev/null; equal paths for the last two are
				 * opened once */
	struct rlimit core;	/* RLIMIT_CORE: the worker has set its own to 0 */
};

/*
 * Start a program and stop it after its exec, before its first instruction; target_resume() lets it run. Until
 * target_keep(), the program is killed when the target is destroyed or this process exits. ERR_LAUNCH_FAILED (the
 * message and the details "step" and "path" name the step that failed), ERR_TRACER_FAILED, ERR_LIMIT_EXCEEDED, and
 * those of target_attach(). After an error no process is left.
 */
MUST_USE struct error *target_launch(const struct target_launch *what, unsigned max_stop_ms, struct target **ret);
bool target_is_launched(const struct target *t);
/*
 * Create a target for the new program of a launched process (after ERR_TARGET_EXEC). Only target_destroy() may then be
 * called on @t. After an error @t is unchanged: ERR_TARGET_EXITED, and those of target_attach().
 */
MUST_USE struct error *target_reopen(struct target *t, struct target **ret);
/*
 * @keep: the launched process has been reported to its client, and keeps running when the target is destroyed. Does
 * nothing for other targets.
 */
void target_keep(struct target *t, bool keep);
/* Send SIGKILL to a launched process; its exit arrives as an event. ERR_NOT_LAUNCHED, ERR_TARGET_EXITED. */
MUST_USE struct error *target_kill(struct target *t);
/* Return AT_ENTRY, the program's own first instruction after its libraries have been initialised; 0: unknown. */
uint64_t target_entry(const struct target *t);

#endif
