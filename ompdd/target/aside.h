/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A thread that does one thing at a time for another which must not hang with it, or whose death must not be the end of
 * it.
 *
 * The kernel lets only that thread release a traced one which has traced it; if it were the one that reads, a read that
 * does not return (a page that the stopped process itself would have to bring: userfaultfd, FUSE) would keep the
 * process stopped for ever. So who traces is a thread aside that reads nothing (target/live); and who is to answer for
 * a process that stands reads through one (target/reach).
 */
#ifndef OMPDD_TARGET_ASIDE_H
#define OMPDD_TARGET_ASIDE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct aside;

/* @name as /proc shows it. All signals are blocked in the thread but @signo (0: none is let in). */
MUST_USE struct error *aside_create(const char *name, int signo, struct aside **ret);
/* NULL is fine. A thread that is busy for ever is left to itself, and its end with the process. */
void aside_destroy(struct aside *a);

/* Have @fn(@arg) run by the thread, and wait for its end. One caller at a time. */
void aside_run(struct aside *a, void (*fn)(void *arg), void *arg);
/* The same in two parts; between them the caller may do something else that does not touch what @fn touches. */
void aside_begin(struct aside *a, void (*fn)(void *arg), void *arg);
void aside_await(struct aside *a);
/* False: it is not done within @ms. What @fn touches is not the caller's before this has been true. */
bool aside_await_for(struct aside *a, unsigned ms);

/* The kernel's id of the thread: for timers, and what /proc shows as the tracer. */
pid_t aside_tid(const struct aside *a);

/*
 * Let the calling thread, if the system's rules let us, not wait behind others for a processor, until it says @hurry
 * false: for as long as a target stands, whose threads would otherwise take the processor away as they go on.
 */
void aside_hurry(bool hurry);
/* Nor if it is traced, as by strace, for each of its system calls then waits for others; unless by @pid. */
void aside_expect_tracer(pid_t pid);

#endif
