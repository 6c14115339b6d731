/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Proves that threads sleep, without a request to them. The kernel counts how often each thread got a processor
 * (schedstat). A thread that was off its processor at one moment, and whose count is the same later, has not run in
 * between, so it has changed no memory. The files of each thread stay open: opening one takes several times as long as
 * reading it, and an open file refers to one thread even if the id is reused.
 */
#ifndef OMPDD_TARGET_SLEEPERS_H
#define OMPDD_TARGET_SLEEPERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "target/arch/thread.h"

struct sleeper {
	pid_t tid;
	int counts_fd;	      /* schedstat, or status where the kernel has no such statistics */
	int call_fd;	      /* syscall */
	bool counts_switches; /* status: the count includes only runs that have ended */
	bool is_asleep;	      /* when last read; `activity` is valid then */
	bool is_relied_on;    /* by the proof */
	bool is_excluded;     /* from proofs until sleepers_reset(): it broke one, or must be stopped */
	bool ran;	      /* since sleepers_begin() */
	uint64_t count;	      /* when last read */
	struct target_activity activity;
};

/* All zeroes is a valid empty value. */
struct sleepers {
	struct sleeper *threads; /* sorted by tid */
	size_t n, cap;
	size_t max;   /* limit of n; 0: not determined yet */
	size_t found; /* index of the last thread found */
	bool is_proving;
	bool is_broken; /* a thread that the proof relied on is gone */
};

void sleepers_deinit(struct sleepers *s);

/*
 * Begin a proof about the @n threads @tids (sorted) below @taskfd (/proc/PID/task). Forget other threads. The proof
 * relies on the threads that sleep, except those that ran during an earlier proof. Return false if a thread is gone.
 */
bool sleepers_begin(struct sleepers *s, int taskfd, const pid_t *tids, size_t n);
/* Do not rely on @tid in later proofs. */
void sleepers_exclude(struct sleepers *s, pid_t tid);
/* Forget which threads are excluded, and which ran during an earlier proof. */
void sleepers_reset(struct sleepers *s);
bool sleepers_rely_on(struct sleepers *s, pid_t tid);
/* End the proof: return whether all threads that it relies on have slept since sleepers_begin(). */
bool sleepers_slept(struct sleepers *s);
/* After sleepers_slept(): return whether the proof relied on @tid, and it has slept. */
bool sleepers_one_slept(struct sleepers *s, pid_t tid);

/* Store what @tid does now in @ret. Leave @ret unchanged if the thread runs or is gone. */
void sleepers_read(struct sleepers *s, int taskfd, pid_t tid, struct target_activity *ret);
/* Store what @tid did during the last proof. Return false if the proof did not rely on it. */
bool sleepers_recall(struct sleepers *s, pid_t tid, struct target_activity *ret);

#endif
