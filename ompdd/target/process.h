/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A running process as a target, in observe or stop mode: what its parts share. */
#ifndef OMPDD_TARGET_PROCESS_H
#define OMPDD_TARGET_PROCESS_H

#include "target/activity_files.h"
#include "target/auxv.h"
#include "target/standing.h"
#include "target/told.h"
#include "target/stopper.h"
#include "target/target_ops.h"
#include "target/thread_texts.h"

struct live;
struct reach;
struct modules;
struct tls_reader;
struct tracer;

struct process {
	struct target base;
	int pidfd;  /* -1: this kernel has none */
	int dirfd;  /* /proc/PID, or a thread's below it: names this process even when its pid is used again */
	int taskfd; /* /proc/PID/task */
	int memfd;  /* /proc/PID/mem: names this address space, also after an exec */
	uint64_t start_time;
	struct process_auxv auxv;
	bool no_vm_readv;	  /* read through memfd */
	struct reach *reach;	  /* for reading while it is held; NULL until then */
	bool leader_left;	  /* the main thread has ended before others: a zombie, which is no thread to us */
	struct live *live;	  /* NULL in observe mode, and behind target_quit_thread() */
	struct tracer *tracer;	  /* NULL: none is needed */
	struct standing standing; /* of the present copy, or stop */
	struct told told;	  /* by another debugger, in observe mode */
	struct activity_files activities;
	struct thread_texts texts; /* as they were at the attach */
	uint64_t standing_view;	   /* in which that was taken */
	bool standing_registers;   /* and whether these were asked for */
	struct modules *modules;
	struct tls_reader *tls;
};

static inline struct process *process_of(struct target *t)
{
	return (struct process *)t;
}

static inline const struct process *process_of_const(const struct target *t)
{
	return (const struct process *)t;
}

/* The operations of such a target. */
extern const struct target_ops process_ops;

/* process_memory.c: the operations of that name, and: */
struct error *process_read(struct target *t, uint64_t addr, void *buf, size_t len);
struct error *process_read_pages(struct target *t, const uint64_t *addrs, unsigned char *const *pages, size_t n,
				 bool *ok);
struct error *process_read_pieces(struct target *t, struct target_piece *pieces, size_t n);
/* Bytes read at @addr, 0 when nothing is there, or a negative errno. */
ssize_t process_read_some(struct process *p, uint64_t addr, void *buf, size_t len);

/* The main thread, or another when that has ended; 0: all have, or are about to. */
pid_t process_living_thread(const struct process *p);
bool process_has_exited(const struct process *p);
/* Who stops it: the tracer while that is active. NULL in observe mode. */
struct stopper *process_stopper(const struct process *p);
/* Whether it stands until somebody says otherwise, and so what of its memory it would have to bring itself does not
 * come. */
bool process_is_held(const struct process *p);
struct error *process_error_exited(const struct process *p);

/*
 * The kernel shows memory, files and mappings of a process by one of its threads, and no more when that has ended: have
 * dirfd be of a thread that lives. False: there is none, or it is so already.
 */
bool process_follow_thread(struct process *p);
/* p->dirfd, of a thread that lives if there is one. */
int process_dir(struct process *p);

/*
 * Look at everything that does not change often once without a stop, so that the first stop is not
 * longer than the others. What fails here fails again, with a reason, when it is asked for.
 */
void process_warm_up(struct process *p);

#endif
