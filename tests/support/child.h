/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Target processes for tests: forks of the test, so that their addresses are the test's own. */
#ifndef OMPDD_SUPPORT_CHILD_H
#define OMPDD_SUPPORT_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CHILD_MAX_THREADS 64

/* Memory shared with the child, which writes it. */
struct child_shared {
	volatile int ready; /* number of threads that have started */
	volatile uint64_t counters[CHILD_MAX_THREADS + 1];
	volatile pid_t tids[CHILD_MAX_THREADS + 1];
	volatile uint64_t pthreads[CHILD_MAX_THREADS + 1];
	volatile uint64_t errno_addresses[CHILD_MAX_THREADS + 1];
	volatile int signals; /* number of signals that a handler got */
	volatile int futex;   /* the word on which threads sleep */
	volatile int go;      /* set by the parent */
};

extern struct child_shared *child_shared;

/* Each child has a private copy of this number in its memory. */
extern volatile uint64_t child_marker;
extern _Thread_local volatile uint64_t child_tls_marker;

/* Fork a child that runs @fn and exits. */
pid_t child_start(void (*fn)(void));
/* Kill and reap the child. */
void child_end(pid_t pid);

/* Bodies of children. The threads beside the main thread do the same as the main thread. */
void child_sleeper(void);	   /* no other threads, pause() */
void child_four_futex(void);	   /* 4 more threads; all sleep on child_shared->futex */
void child_four_counting(void);	   /* 4 more threads; all count */
void child_churn(void);		   /* starts and joins threads all the time; all count */
void child_counting_signals(void); /* 2 more threads; counts SIGRTMIN */

/* Wait until @n threads have started. */
void child_wait_ready(int n);
/* Return the state letter of thread @tid of @pid; 'X': it has exited. */
char child_state(pid_t pid, pid_t tid);
/* Return whether any thread of @pid is in state t or T. */
bool child_any_stopped(pid_t pid);
/* Wait at most 5 s until the state of the main thread is @state. */
bool child_wait_state(pid_t pid, char state);
bool child_wait_thread_state(pid_t pid, pid_t tid, char state);
/* Return the sum of all counters. */
uint64_t child_count(void);
/* Wait at most 5 s until the counters change. */
bool child_progresses(void);

#endif
