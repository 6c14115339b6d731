/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Processes to look at: forks of the test, so that addresses in them are the test's own. */
#ifndef OMPDD_SUPPORT_CHILD_H
#define OMPDD_SUPPORT_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CHILD_MAX_THREADS 64

/* Shared with the child, which writes it. */
struct child_shared {
	volatile int ready; /* threads that are up */
	volatile uint64_t counters[CHILD_MAX_THREADS + 1];
	volatile pid_t tids[CHILD_MAX_THREADS + 1];
	volatile uint64_t pthreads[CHILD_MAX_THREADS + 1];
	volatile uint64_t errno_addresses[CHILD_MAX_THREADS + 1];
	volatile int signals; /* that a handler saw */
	volatile int futex;   /* that threads sleep on */
	volatile int go;      /* the parent says so */
};

extern struct child_shared *child_shared;

/* A private copy of this number is in the memory of each child. */
extern volatile uint64_t child_marker;
extern _Thread_local volatile uint64_t child_tls_marker;

/* Fork; the child runs @fn and exits. */
pid_t child_start(void (*fn)(void));
/* Kill and reap. */
void child_end(pid_t pid);

/* Bodies: n threads beside the main one, which do the same. */
void child_sleeper(void);	   /* no other threads, pause() */
void child_four_futex(void);	   /* 4 more; all sleep on child_shared->futex */
void child_four_counting(void);	   /* 4 more; all count */
void child_churn(void);		   /* starts and joins threads all the time; all count */
void child_counting_signals(void); /* 2 more, counts SIGRTMIN */

/* Wait until @n threads are ready. */
void child_wait_ready(int n);
/* State letter of thread @tid of @pid; 'X' when gone. */
char child_state(pid_t pid, pid_t tid);
/* Whether any thread of @pid is in state t or T. */
bool child_any_stopped(pid_t pid);
/* Wait at most 5 s until the state of the main thread is @state. */
bool child_wait_state(pid_t pid, char state);
bool child_wait_thread_state(pid_t pid, pid_t tid, char state);
/* Sum of all counters. */
uint64_t child_count(void);
/* Wait at most 5 s until the counters move. */
bool child_progresses(void);

#endif
