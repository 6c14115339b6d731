/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The worker's side of ompdd-tracer, the process that traces a target which is held stopped, has breakpoints, or was
 * launched (reasons: tracer_main.c).
 */
#ifndef OMPDD_TARGET_TRACER_H
#define OMPDD_TARGET_TRACER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "target/stop/stop_backend.h"
#include "target/trace/tracer_protocol.h"

struct tracer;

/*
 * Start a tracer for process @pid or, with @launch_fd >= 0 (a launch block, tracer_protocol.h; borrowed), for a program
 * that it starts: wait for that with tracer_launched(). ERR_TRACER_FAILED.
 */
MUST_USE struct error *tracer_create(pid_t pid, int launch_fd, struct tracer **ret);
/* Remove every breakpoint, detach every thread, and end the tracer. Waits for it, but not for ever. NULL is fine. */
void tracer_destroy(struct tracer *t);
CLEANUP_DEFINE(tracer, struct tracer *, tracer_destroy)

/*
 * Wait for the launched program's exec. The program is stopped then; otherwise ret->error and ret->stage have the
 * reason. ERR_LAUNCH_FAILED: the tracer did not answer.
 */
MUST_USE struct error *tracer_launched(struct tracer *t, struct tracer_message *ret);
bool tracer_is_launcher(const struct tracer *t);

/*
 * Trace all threads of @pid and stop them within @limit_ms. ERR_STOP_TIMEOUT, ERR_ALREADY_TRACED,
 * ERR_PERMISSION_DENIED, ERR_TARGET_EXITED, ERR_TARGET_EXEC: nothing is traced then.
 */
MUST_USE struct error *tracer_attach(struct tracer *t, pid_t pid, unsigned limit_ms, unsigned budget_ms);
/* Return whether a process is traced: between tracer_attach() or tracer_launched() and tracer_release(). */
bool tracer_is_active(const struct tracer *t);
/* Return whether the tracer has exited. Everything planted has then been removed, as far as possible without it. */
bool tracer_is_lost(const struct tracer *t);

/* Return the backend. Its operations call the next functions, and detach at a resume if nothing is planted. */
struct stop_backend *tracer_backend(struct tracer *t);

/* See stop_backend.h. A stop caused by a hit in the meantime is kept, and tracer_resume() does not end it. */
MUST_USE struct error *tracer_stop(struct tracer *t, unsigned budget_ms, unsigned limit_ms);
MUST_USE struct error *tracer_resume(struct tracer *t, int64_t *stopped_us_ret);
bool tracer_is_stopped(const struct tracer *t);
int64_t tracer_stopped_us(const struct tracer *t);
bool tracer_is_expired(const struct tracer *t);
void tracer_for_each(struct tracer *t, bool with_registers, stopped_thread_fn fn, void *arg);

/*
 * While stopped; each plant needs its own lift. ERR_BREAKPOINT_IMPOSSIBLE (no code there, or the program's own
 * breakpoint).
 */
MUST_USE struct error *tracer_plant(struct tracer *t, uint64_t address);
/* The same for a switch in data: @byte, not 0, is written for as long as an instruction would be. */
MUST_USE struct error *tracer_plant_byte(struct tracer *t, uint64_t address, unsigned char byte);
void tracer_lift(struct tracer *t, uint64_t address);
/* The same for hits that pass a filter; all filters at one address have different groups. ERR_LIMIT_EXCEEDED also. */
MUST_USE struct error *tracer_plant_if(struct tracer *t, uint64_t address, const struct target_filter *filter);
void tracer_lift_if(struct tracer *t, uint64_t address, uint32_t group);
/*
 * Write @value to a word of the program's data, 8 bytes that are 0; 0 resets it, and so does a detach. One word at a
 * time. ERR_BREAKPOINT_IMPOSSIBLE.
 */
MUST_USE struct error *tracer_set_word(struct tracer *t, uint64_t address, uint64_t value);
/* Return the number of planted breakpoints and words: the reasons to keep tracing. */
size_t tracer_n_planted(const struct tracer *t);
/* Return how many hits have passed the non-asking filters of @group; 0 also if unknown. */
uint64_t tracer_passed(struct tracer *t, uint32_t group);
/*
 * Answer TRACER_ASK for @tid. @counts: stop all threads, or resume this one. Return false if the request has already
 * become a hit.
 */
bool tracer_answer(struct tracer *t, pid_t tid, bool counts);
/* Exclude @tid from resumes, or include it again. */
MUST_USE struct error *tracer_park(struct tracer *t, pid_t tid, bool park);
/* Step @tid by one instruction, while stopped. ERR_STEP_IMPOSSIBLE. */
MUST_USE struct error *tracer_step(struct tracer *t, pid_t tid);
/* Detach all threads; a launched program stays the tracer's child. */
MUST_USE struct error *tracer_release(struct tracer *t, int64_t *stopped_us_ret);
MUST_USE struct error *tracer_kill(struct tracer *t);
/* @keep: a launched program keeps running when @t is destroyed or its process dies; else it is killed then. */
MUST_USE struct error *tracer_keep(struct tracer *t, bool keep);

/* Replace our instructions in @len bytes read from @addr by the program's original text. */
void tracer_hide(const struct tracer *t, uint64_t addr, void *buf, size_t len);

/* Return a descriptor for poll(). */
int tracer_fd(const struct tracer *t);
/* Process all messages, so that the functions above use the latest state; tracer_next() returns them later. */
void tracer_poll(struct tracer *t);
/*
 * Store the next event. Return false without one. A TRACER_HIT has stopped the target; it is returned only during
 * that stop. TRACER_EXITED also if the tracer is lost.
 */
bool tracer_next(struct tracer *t, struct tracer_message *ret);

#endif
