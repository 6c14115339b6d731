/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The worker's side of ompdd-tracer: the process of its own that traces a target which is held stopped, has
 * breakpoints, or was launched (why: tracer_main.c).
 */
#ifndef OMPDD_TARGET_TRACER_H
#define OMPDD_TARGET_TRACER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "target/stopper.h"
#include "target/tracer_protocol.h"

struct tracer;

/*
 * Start a tracer for process @pid, or, with @launch_fd >= 0 (a launch block, tracer_protocol.h; borrowed), for a
 * program that it starts: wait for that with tracer_launched(). ERR_TRACER_FAILED.
 */
MUST_USE struct error *tracer_create(pid_t pid, int launch_fd, struct tracer **ret);
/* Every breakpoint out, every thread detached; then the tracer ends. Waits for it, but not for ever. NULL is fine. */
void tracer_destroy(struct tracer *t);
CLEANUP_DEFINE(tracer, struct tracer *, tracer_destroy)

/* Wait for the launched program's exec. It stands then; or ret->error and ret->stage say why not. ERR_LAUNCH_FAILED:
 * nothing was heard. */
MUST_USE struct error *tracer_launched(struct tracer *t, struct tracer_message *ret);
bool tracer_is_launcher(const struct tracer *t);

/*
 * Trace all threads of @pid and stop them within @limit_ms. ERR_STOP_TIMEOUT, ERR_ALREADY_TRACED,
 * ERR_PERMISSION_DENIED, ERR_TARGET_EXITED, ERR_TARGET_EXEC: nothing is traced then.
 */
MUST_USE struct error *tracer_attach(struct tracer *t, pid_t pid, unsigned limit_ms, unsigned budget_ms);
/* Whether anything is traced; between tracer_attach() or tracer_launched() and tracer_release(). */
bool tracer_is_active(const struct tracer *t);
/* Whether the tracer itself is gone; what was planted has been taken out then, as well as that can be done without it.
 */
bool tracer_is_lost(const struct tracer *t);

/* The operations of this do what the next ones do, and when nothing is planted, nothing is traced after a resume. */
struct stopper *tracer_stopper(struct tracer *t);

/* As in stopper.h. A stop that a hit made meanwhile is taken as it is, and left so by tracer_resume(). */
MUST_USE struct error *tracer_stop(struct tracer *t, unsigned budget_ms, unsigned limit_ms);
MUST_USE struct error *tracer_resume(struct tracer *t, int64_t *stopped_us_ret);
bool tracer_is_stopped(const struct tracer *t);
int64_t tracer_stopped_us(const struct tracer *t);
bool tracer_is_expired(const struct tracer *t);
void tracer_for_each(struct tracer *t, bool with_registers, standing_fn fn, void *arg);

/* While stopped; each plant wants its lift. ERR_BREAKPOINT_IMPOSSIBLE (no code there, or a breakpoint of its own). */
MUST_USE struct error *tracer_plant(struct tracer *t, uint64_t address);
/* The same for a switch in data: @byte, not 0, is there as long as an instruction would be. */
MUST_USE struct error *tracer_plant_byte(struct tracer *t, uint64_t address, unsigned char byte);
void tracer_lift(struct tracer *t, uint64_t address);
/* The same for hits that pass a filter only; several at one place are of different groups. ERR_LIMIT_EXCEEDED also. */
MUST_USE struct error *tracer_plant_if(struct tracer *t, uint64_t address, const struct target_filter *filter);
void tracer_lift_if(struct tracer *t, uint64_t address, uint32_t group);
/* A word of the program's data, 8 bytes that are 0: @value into it; 0: 0 again, which happens also when the program is
 * let go. One at a time; ERR_BREAKPOINT_IMPOSSIBLE. */
MUST_USE struct error *tracer_set_word(struct tracer *t, uint64_t address, uint64_t value);
/* What is planted, and the word: something to be traced for. */
size_t tracer_n_planted(const struct tracer *t);
/* How many hits have passed the filters of @group that do not ask; 0 also when that is not known. */
uint64_t tracer_passed(struct tracer *t, uint32_t group);
/* What TRACER_ASK asks of @tid: whether all are to be stopped, or only this one was, and goes on. False: it is no
 * longer asked, but a hit. */
bool tracer_answer(struct tracer *t, pid_t tid, bool counts);
/* Leave @tid out of resumes, or no more. */
MUST_USE struct error *tracer_park(struct tracer *t, pid_t tid, bool park);
/* One instruction of @tid, while stopped. ERR_STEP_IMPOSSIBLE. */
MUST_USE struct error *tracer_step(struct tracer *t, pid_t tid);
/* Let go: nothing is traced any more; a launched program stays the tracer's child. */
MUST_USE struct error *tracer_release(struct tracer *t, int64_t *stopped_us_ret);
MUST_USE struct error *tracer_kill(struct tracer *t);
/* A launched program runs on from now on when @t is destroyed or its process dies; before, it ends then. */
MUST_USE struct error *tracer_keep(struct tracer *t, bool keep);

/* Put what the program's text was into what was read of it: @len bytes from @addr. */
void tracer_hide(const struct tracer *t, uint64_t addr, void *buf, size_t len);

/* For poll(). */
int tracer_fd(const struct tracer *t);
/* Take note of what has happened, so that the functions above know of it; tracer_next() tells it later. */
void tracer_poll(struct tracer *t);
/*
 * What has happened since; false: nothing more. A TRACER_HIT has stopped the target; it is returned while that
 * stop lasts only. TRACER_EXITED also when the tracer is lost.
 */
bool tracer_next(struct tracer *t, struct tracer_message *ret);

#endif
