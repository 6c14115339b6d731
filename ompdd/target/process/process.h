/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A running process as a target, in observe or stop mode: the state that its parts share. */
#ifndef OMPDD_TARGET_PROCESS_H
#define OMPDD_TARGET_PROCESS_H

#include "target/proc/auxv.h"
#include "target/stop/stopped_threads.h"
#include "target/process/reported_registers.h"
#include "target/process/sleepers.h"
#include "target/stop/stopper.h"
#include "target/target_ops.h"
#include "target/process/thread_texts.h"

struct timed_reader;

struct process {
	struct target base;
	int pidfd;  /* -1: this kernel has none */
	int dirfd;  /* /proc/PID, or a folder of a thread below it: identifies this process even when its pid is
		     * reused */
	int taskfd; /* /proc/PID/task */
	int memfd;  /* /proc/PID/mem: identifies this address space, also after an exec */
	uint64_t start_time;
	struct process_auxv auxv;
	bool no_vm_readv;	     /* read through memfd */
	struct timed_reader *reader; /* reads memory while the process is held; NULL until then */
	bool leader_left; /* the main thread ended before others: it is a zombie, and not counted as a thread */
	struct stopped_threads stopped;	    /* stopped threads of the current copy or stop */
	struct reported_registers reported; /* registers reported by another debugger, in observe mode */
	struct sleepers sleepers;
	bool left_sleepers;	   /* the threads of `sleepers` that sleep were not stopped for the current copy */
	struct thread_texts texts; /* as read at the attach */
	uint64_t stopped_view;	   /* the view in which `stopped` was read */
	bool stopped_registers;	   /* whether registers were requested with it */
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

/* process_proof.c */
bool process_begin_proof(struct target *t, size_t *n_running_ret);
bool process_end_proof(struct target *t);
bool process_has_slept(struct target *t, pid_t tid);
void process_reset_proof(struct target *t);
void process_need_registers(struct target *t, pid_t tid);

/*
 * Make sure that t->threads has all threads of the process now, with @is_outdated by listing them. An old list is
 * reused if the kernel's count is the same. This is enough for a stop or a proof, which find a thread that has exited.
 * It is also enough for views without reported results.
 */
MUST_USE struct error *process_need_list(struct process *p, bool is_outdated);
/* Return whether the kernel's count of threads is that of t->threads. */
bool process_has_list(const struct process *p);

/* image.c: see target_image(). */
enum target_image process_image(struct target *t);
/* process/environment.c: see target_environment(). */
struct error *process_environment(struct target *t, char **ret, size_t *len_ret);

/* process_life.c */

/* Return the main thread, or another thread if that has ended; 0: all threads have ended, or are exiting. */
pid_t process_living_thread(const struct process *p);
/* Return whether the thread exists and is not exiting. */
bool process_thread_is_alive(const struct process *p, pid_t tid);
bool process_has_exited(const struct process *p);
struct error *process_error_exited(const struct process *p);

/*
 * Make dirfd refer to a living thread: the kernel shows a process's memory, files and mappings through one of its
 * threads, until that ends. Return false if there is no other living thread, or dirfd already refers to one.
 */
bool process_follow_thread(struct process *p);
/* Return p->dirfd, of a living thread if there is one. */
int process_dir(struct process *p);

/*
 * Create a target for the process @pid, which @stopper (taken, also on error) has launched and stopped.
 */
MUST_USE struct error *process_adopt(pid_t pid, struct stopper *stopper TAKES, unsigned max_stop_ms,
				     struct target **ret);

/*
 * Read once, without a stop, all data that rarely changes, so that the first stop is not longer than the others.
 * Failures are ignored: a later request fails again, with a reason.
 */
void process_warm_up(struct process *p);

#endif
