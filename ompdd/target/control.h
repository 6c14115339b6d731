/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* More than looking: breakpoints in a process, what happens in it while it is traced, starting and ending it. For
 * targets in stop mode. */
#ifndef OMPDD_TARGET_CONTROL_H
#define OMPDD_TARGET_CONTROL_H

#include <sys/resource.h>

#include "target/filter.h"
#include "target/target.h"

enum target_event_kind {
	TARGET_EVENT_HIT, /* all threads are stopped; a hold without limit, to be ended with target_resume() */
	TARGET_EVENT_ASK, /* the same of `tid` alone, the others run: whether it counts is to be said by target_answer()
			   */
	TARGET_EVENT_THREAD_STARTED,
	TARGET_EVENT_THREAD_EXITED,
	TARGET_EVENT_FORKED,
	TARGET_EVENT_EXECED, /* another program: all breakpoints are gone */
	TARGET_EVENT_EXITED,
	TARGET_EVENT_TRACER_LOST, /* all breakpoints are gone; the target runs, if it did not come to one at that moment
				   */
};

struct target_event {
	enum target_event_kind kind;
	pid_t tid;			      /* whose doing it was */
	uint64_t address;		      /* of the breakpoint */
	int64_t value;			      /* FORKED: the child; EXITED: the wait status, -1 when not known */
	int64_t noticed_us;		      /* HIT: CLOCK_MONOTONIC when the trap was seen */
	uint32_t n_lost;		      /* starts and ends of threads that were not reported before this */
	struct target_registers registers;    /* HIT, ASK: of @tid, at the breakpoint */
	uint64_t arguments[ARCH_N_ARGUMENTS]; /* HIT, ASK: of the function that begins there */
	uint32_t counted[FILTERS_MAX];	      /* HIT, ASK: the groups whose filters it has passed */
	size_t n_counted;
};

/* For poll(); -1: nothing is traced. May change with every call of this file. */
int target_event_fd(const struct target *t);
/* What has happened since; false: nothing more. */
bool target_next_event(struct target *t, struct target_event *ret);

/*
 * In a sandbox, before foreign code is loaded into this process, and between stops: end the thread that may trace the
 * target; a tracer makes all later stops. ERR_INTERNAL_ERROR: a thread of this process may still do more than the
 * sandbox allows.
 */
MUST_USE struct error *target_quit_thread(struct target *t);

/*
 * Stop the target for changes of its breakpoints, unless it is held by a tracer anyhow (*@held_ret), and let it go on.
 * ERR_MODE_UNSUPPORTED, ERR_TRACER_FAILED, and those of target_stop().
 */
MUST_USE struct error *target_change_begin(struct target *t, bool *held_ret);
MUST_USE struct error *target_change_end(struct target *t, bool held);

/* Between these two. Each plant wants its lift; memory reads show the program's own bytes. ERR_BREAKPOINT_IMPOSSIBLE.
 */
MUST_USE struct error *target_plant(struct target *t, uint64_t address);
/* The same of a switch in the program's data: @byte, not 0, turns it on. Whoever goes away, it is turned off as
 * breakpoints are taken out. */
MUST_USE struct error *target_plant_byte(struct target *t, uint64_t address, unsigned char byte);
void target_lift(struct target *t, uint64_t address);
/*
 * The same as target_plant() for hits that pass @filter; others are told of only if the place was planted for all as
 * well. One lift for each. ERR_LIMIT_EXCEEDED: there are FILTERS_MAX already.
 */
MUST_USE struct error *target_plant_if(struct target *t, uint64_t address, const struct target_filter *filter);
void target_lift_if(struct target *t, uint64_t address, uint32_t group);
/*
 * A word of the program's data, 8 bytes that are 0: @value into it, or 0 again. Whoever goes away, it is made 0; a
 * child that is forked has 0 there. One word at a time. ERR_BREAKPOINT_IMPOSSIBLE.
 */
MUST_USE struct error *target_set_word(struct target *t, uint64_t address, uint64_t value);
/* At any time: how many hits have passed the filters of @group that do not ask. 0 also when that is not known. */
uint64_t target_passed(struct target *t, uint32_t group);
/* What TARGET_EVENT_ASK asks: that is a hit, all are to be stopped and a TARGET_EVENT_HIT to be told; or it goes on.
 * Who waits for long is taken for a hit; false: this one was, or all have been stopped, and it is told then. */
bool target_answer(struct target *t, pid_t tid, bool counts);

/* Leave the stopped thread @tid out of target_resume(), or no more. */
MUST_USE struct error *target_park(struct target *t, pid_t tid, bool park);

/*
 * While held by a tracer: let the thread @tid execute one instruction, all others standing; past a breakpoint that is
 * there. The caller begins a new view. ERR_STEP_IMPOSSIBLE: it is gone, is in a job control stop, or sleeps in a system
 * call, which goes on with target_resume().
 */
MUST_USE struct error *target_step(struct target *t, pid_t tid);

/* What to start. Arrays end with NULL. */
struct target_launch {
	const char *const *argv;
	const char *const *env; /* "NAME=VALUE"; NULL: ours */
	const char *cwd;	/* NULL: ours */
	const char *files[3]; /* for standard input, output, error; NULL: /dev/null; the same for both of the latter is
				 opened once */
	struct rlimit core;   /* RLIMIT_CORE: the worker has taken its own away */
};

/*
 * Start a program and stop it behind its exec, before its first instruction: target_resume() lets it run.
 * ERR_LAUNCH_FAILED (the message says which step failed; details "step" and "path"), ERR_TRACER_FAILED,
 * ERR_LIMIT_EXCEEDED, and those of target_attach(): then nothing is left of it. Before target_keep(), destroying the
 * target ends it, and so does the end of this process.
 */
MUST_USE struct error *target_launch(const struct target_launch *what, unsigned max_stop_ms, struct target **ret);
bool target_is_launched(const struct target *t);
/*
 * The launched process of @t runs another program now (ERR_TARGET_EXEC): a target of that. @t is of no use any more but
 * for target_destroy(). ERR_TARGET_EXITED, and those of target_attach(): @t is as it was.
 */
MUST_USE struct error *target_reopen(struct target *t, struct target **ret);
/* @keep: who asked for the launched process is told of it, and it runs on when the target is destroyed. For other
 * targets nothing. */
void target_keep(struct target *t, bool keep);
/* SIGKILL to a launched process; its end comes as an event. ERR_NOT_LAUNCHED, ERR_TARGET_EXITED. */
MUST_USE struct error *target_kill(struct target *t);
/* AT_ENTRY: where the program's own code begins, after its libraries have been initialised; 0: not known. */
uint64_t target_entry(const struct target *t);

#endif
