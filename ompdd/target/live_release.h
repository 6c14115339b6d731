/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Letting the threads of a stop go: what target/live.c does at its end, and the timer's handler when the end does
 * not come. The threads of one stop, as both see them.
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

#include "target/arch.h"
#include "target/stopper.h"

struct aside;

#define LIVE_RETRY_MS	2 /* until the first further attempt at threads that could not be let go */
#define LIVE_REAP_MS	5 /* while threads come to their stop, the timer looks for dead ones this often */
#define LIVE_REAP_SHARE 4 /* and rests for so many times as long as that took */

enum thread_state {
	LIVE_FREE,	  /* not traced by us */
	LIVE_SEIZED,	  /* traced, running, not told to stop */
	LIVE_INTERRUPTED, /* told to stop, or dying */
	LIVE_STOPPED,	  /* waited for: may be read, may be detached */
	LIVE_ZOMBIE,	  /* a main thread that ended before the others while we traced it */
};

struct live_thread {
	pid_t tid;
	volatile sig_atomic_t state;
	volatile sig_atomic_t sig; /* seen at its delivery, to be injected again */
};

enum live_phase {
	LIVE_IDLE,     /* nothing stopped; stragglers may be left */
	LIVE_STOPPING, /* between the first SEIZE and the last wait */
	LIVE_HOLDING,
};

struct live {
	struct stopper base;
	struct aside *stopper; /* everything that touches the threads runs in it */
	pid_t pid;
	int taskfd;
	timer_t timer;
	struct live_thread *threads; /* room for all, so that the handler never sees it move */
	volatile sig_atomic_t n;
	volatile sig_atomic_t phase;
	volatile sig_atomic_t expired;
	volatile sig_atomic_t exec_seen;
	volatile sig_atomic_t retry_ms;
	volatile sig_atomic_t seizing;	  /* a SEIZE may wait for an exec that waits for us */
	size_t zombies;			  /* counted by the kernel, cannot run, and are not in the table */
	nlink_t links_base;		  /* st_nlink of an empty /proc/PID/task */
	int64_t deadline_us;		  /* of the present phase */
	int64_t started_us;		  /* first INTERRUPT */
	volatile int64_t ended_us;	  /* last DETACH */
	struct arch_registers *registers; /* of threads[i] when has_registers[i]; room for cap_registers */
	bool *has_registers;
	size_t n_registers, cap_registers;
};

/* Whom the timer's handler works for, in the thread that it interrupts. */
extern _Thread_local struct live *volatile live_active;

int live_tick_signal(void);
/* Block or unblock the timer's signal (SIG_BLOCK, SIG_UNBLOCK). */
void live_mask_tick(int how);
/* The timer's handler. */
void live_on_tick(int sig);

/* These the handler calls too. */

/* The timer comes after @ms; 0: not at all. */
void live_arm(struct live *l, unsigned ms);
/* Ask for news of @t, without waiting; whether there were any. */
bool live_try_wait(struct live *l, struct live_thread *t);
/* Take in what waitpid() said of @t: @r (negative: it is gone) and, if that is not, @status. */
void live_note_wait(struct live *l, struct live_thread *t, pid_t r, int status);
/*
 * The same of all. While threads come to their stop, an exec may end them and wait for us to reap them, with a lock
 * held that our next SEIZE waits for.
 */
void live_reap(struct live *l);

/* Let all go, from outside of the handler. Whether none is left that runs or stands. */
bool live_let_all_go(struct live *l);

#endif
