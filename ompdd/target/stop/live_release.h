/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Detaches the threads of a stop: at the end of the stop (target/stop/live.c), or in the timer's handler if that end
 * does not come. Defines the threads of a stop for both.
 */
#ifndef OMPDD_TARGET_LIVE_RELEASE_H
#define OMPDD_TARGET_LIVE_RELEASE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#include "target/arch/arch.h"
#include "target/stop/stop_backend.h"

struct helper_thread;

#define LIVE_RETRY_MS	2 /* delay of the first retry for threads that could not be detached */
#define LIVE_REAP_MS	5 /* interval at which the timer reaps dead threads during a stop's start */
#define LIVE_REAP_SHARE 4 /* the pause after reaping, as a multiple of its duration */

enum thread_state {
	LIVE_FREE,	  /* not traced by us */
	LIVE_SEIZED,	  /* traced, running, no INTERRUPT sent */
	LIVE_INTERRUPTED, /* INTERRUPT sent, or dying */
	LIVE_STOPPED,	  /* reported by waitpid(): may be read and detached */
	LIVE_ZOMBIE,	  /* a main thread that ended before the others while traced by us */
};

struct live_thread {
	pid_t tid;
	volatile sig_atomic_t state;
	volatile sig_atomic_t sig; /* seen at its delivery; to be injected again */
};

enum live_phase {
	LIVE_IDLE,     /* nothing stopped; stragglers may remain */
	LIVE_STOPPING, /* between the first SEIZE and the last wait */
	LIVE_HOLDING,
};

struct live {
	struct stop_backend base;
	struct helper_thread *helper; /* all requests to the threads run in it */
	pid_t pid;
	int taskfd;
	timer_t timer;
	struct live_thread *threads; /* allocated for all threads: the handler never sees it move */
	volatile sig_atomic_t n;
	volatile sig_atomic_t phase;
	volatile sig_atomic_t expired;
	volatile sig_atomic_t exec_seen;
	volatile sig_atomic_t retry_ms;
	volatile sig_atomic_t seizing;	  /* a SEIZE may wait for an exec that waits for us */
	size_t zombies;			  /* counted by the kernel, cannot run, and are not in the table */
	nlink_t links_base;		  /* st_nlink of an empty /proc/PID/task */
	int64_t deadline_us;		  /* of the current phase */
	int64_t started_us;		  /* first INTERRUPT */
	volatile int64_t ended_us;	  /* last DETACH */
	struct arch_registers *registers; /* of threads[i] when has_registers[i]; capacity cap_registers */
	bool *has_registers;
	size_t n_registers, cap_registers;
};

/* The stop that the timer's handler serves in the thread that it interrupts. */
extern _Thread_local struct live *volatile live_active;

int live_tick_signal(void);
/* Block or unblock the timer's signal (SIG_BLOCK, SIG_UNBLOCK). */
void live_mask_tick(int how);
/* The timer's handler. */
void live_on_tick(int sig);

/* The handler calls the following functions too. */

/* Set the timer to @ms milliseconds; 0: off. */
void live_arm(struct live *l, unsigned ms);
/* Call waitpid() for @t without blocking. Return whether there was a status. */
bool live_try_wait(struct live *l, struct live_thread *t);
/*
 * Process the result of waitpid() for @t, which had the id @tid: @r (negative: no thread of ours has this id), else
 * @status. A thread that has called exec is traced on by its new id, the leader's.
 */
void live_note_wait(struct live *l, struct live_thread *t, pid_t tid, pid_t r, int status);
/*
 * Call live_try_wait() for all threads. During a stop's start, an exec may have killed them and wait until we reap
 * them. It then holds a lock that our next SEIZE needs.
 */
void live_reap(struct live *l);

/* Detach all threads; not for the handler. Return whether no thread is left that runs or is stopped. */
bool live_let_all_go(struct live *l);

#endif
