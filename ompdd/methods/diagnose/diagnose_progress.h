/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Compares several observations of running threads. A thread that runs need not go on: it may poll, or spin in a loop
 * of the program.
 */
#ifndef OMPDD_METHODS_DIAGNOSE_PROGRESS_H
#define OMPDD_METHODS_DIAGNOSE_PROGRESS_H

#include "methods/diagnose/diagnose.h"

/*
 * Limits for the observations that are compared, for the stacks of each, and for the frames of each stack, counted from
 * the outermost.
 */
#define PROGRESS_MAX_RECORDS 8
#define PROGRESS_MAX_STACKS  4096
#define PROGRESS_MAX_FRAMES  48

struct observations;

struct progress_stack {
	struct target_registers registers;
	uint64_t hash; /* of the innermost bytes */
	/* Frames of the program's code, outermost first. */
	struct progress_frame {
		uint64_t pc, sp;
	} frames[PROGRESS_MAX_FRAMES];
	uint32_t n_frames;
};

/* A thread at one observation. */
struct progress_thread {
	pid_t tid;
	struct snapshot_word openmp; /* snapshot_thread.progress */
	bool has_run;		     /* since the observation before, apart from the stop there */
	bool sleeps;		     /* in a call of the program */
	bool has_slept_again;	     /* it slept at observations.first, ran, and slept in the same call again */
	bool is_waiting;	     /* in OpenMP */
	uint64_t wait_id;
	uint64_t device_call;	      /* of the call that waits for a device; 0: none */
	struct progress_stack *stack; /* of a thread that does not wait in OpenMP; NULL: not known */
};

struct progress_record {
	struct progress_thread *threads; /* in the order of the snapshot */
	size_t n;
};

/* All zeroes: no observation was recorded. */
struct progress_history {
	struct progress_record records[PROGRESS_MAX_RECORDS];
	size_t n;
};

/*
 * Add the threads of @d, with its snapshot, stacks and holders, and what changed since observations.first. Fails only
 * when out of memory.
 */
MUST_USE struct error *progress_record(struct progress_history *h, struct diagnosis *d,
				       const struct observations *observations);
/*
 * Set the motion and the progress of the threads of @d, recorded as the last observation of @h, from the differences to
 * the earlier ones.
 */
void progress_judge(const struct progress_history *h, struct diagnosis *d);
/*
 * Return whether another observation may show more: threads run without progress, or a thread that others wait for
 * sleeps for a time in a loop.
 */
bool progress_needs_more(const struct diagnosis *d);
void progress_history_deinit(struct progress_history *h);

#endif
