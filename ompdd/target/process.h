/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A running process as a target, in observe or stop mode: the state that its parts share. */
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
	int dirfd;  /* /proc/PID, or a folder of a thread below it: identifies this process even when its pid is
		     * reused */
	int taskfd; /* /proc/PID/task */
	int memfd;  /* /proc/PID/mem: identifies this address space, also after an exec */
	uint64_t start_time;
	struct process_auxv auxv;
	bool no_vm_readv;	  /* read through memfd */
	struct reach *reach;	  /* reads memory while the process is held; NULL until then */
	bool leader_left;	  /* the main thread ended before others: it is a zombie, and not counted as a thread */
	struct live *live;	  /* NULL in observe mode, and after target_quit_thread() */
	struct tracer *tracer;	  /* NULL: none is needed */
	struct standing standing; /* stopped threads of the current copy or stop */
	struct told told;	  /* registers reported by another debugger, in observe mode */
	struct activity_files activities;
	struct thread_texts texts; /* as read at the attach */
	uint64_t standing_view;	   /* the view in which `standing` was read */
	bool standing_registers;   /* whether registers were requested with it */
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

/* The operations of a process target. */
extern const struct target_ops process_ops;

/* process_memory.c: the operations with these names, and others. */
struct error *process_read(struct target *t, uint64_t addr, void *buf, size_t len);
struct error *process_read_pages(struct target *t, const uint64_t *addrs, unsigned char *const *pages, size_t n,
				 bool *ok);
struct error *process_read_pieces(struct target *t, struct target_piece *pieces, size_t n);
/* Return the number of bytes read at @addr, 0 if nothing is mapped there, or a negative errno. */
ssize_t process_read_some(struct process *p, uint64_t addr, void *buf, size_t len);

/* Return the main thread, or another thread if that has ended; 0: all threads have ended, or are exiting. */
pid_t process_living_thread(const struct process *p);
bool process_has_exited(const struct process *p);
/* Return the stopper of the process: the tracer while it is active. NULL in observe mode. */
struct stopper *process_stopper(const struct process *p);
/*
 * Return whether the process stays stopped until it is resumed explicitly. A page that the process itself must supply
 * is not available then.
 */
bool process_is_held(const struct process *p);
struct error *process_error_exited(const struct process *p);

/*
 * Make dirfd refer to a living thread: the kernel shows a process's memory, files and mappings through one of its
 * threads, until that ends. Return false if there is no other living thread, or dirfd already refers to one.
 */
bool process_follow_thread(struct process *p);
/* Return p->dirfd, of a living thread if there is one. */
int process_dir(struct process *p);

/*
 * Read once, without a stop, all data that rarely changes, so that the first stop is not longer than the others.
 * Failures are ignored: a later request fails again, with a reason.
 */
void process_warm_up(struct process *p);

#endif
