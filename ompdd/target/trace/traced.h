/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The kernel's rules for traced threads, shared by both stop backends (target/stop/live, tracer/tracee): how to attach
 * and detach, and what waitpid() reports. System calls only: all functions may be called in ompdd-tracer, and all but
 * traced_seize() and traced_state() in a signal handler.
 *
 * - Tracing starts with SEIZE, which leaves the thread running; INTERRUPT then stops it. SEIZE fails with EPERM for a
 *   moment while the thread exits or calls exec, and permanently if it has another tracer. A SEIZE of a thread in exec
 *   waits for that exec. The exec waits until the tracers of the threads that it killed have reaped them.
 * - A main thread that ends before the others stays a zombie, which waitpid() reports only after the last thread. If
 *   another thread calls exec, it takes over the main thread's id. waitpid() of its old id then fails, and the stop
 *   after the exec is reported under the main thread's id.
 * - A stop is caused by an INTERRUPT, a signal before its delivery, a group stop, or an event requested in the options
 *   of the SEIZE. Such a signal is lost unless it is passed on.
 */
#ifndef OMPDD_TARGET_TRACED_H
#define OMPDD_TARGET_TRACED_H

#include <stdbool.h>
#include <sys/types.h>

enum traced_seizing {
	TRACED_SEIZED,
	TRACED_GONE,	/* there is no such thread */
	TRACED_ZOMBIE,	/* it has ended and does not run */
	TRACED_REFUSED, /* errno has the reason; a later attempt may succeed after EPERM */
};

enum traced_kind {
	TRACED_END,	    /* the thread has ended; for a main thread: the process */
	TRACED_SIGNAL,	    /* about to be delivered */
	TRACED_GROUP_STOP,  /* by that signal; DETACH leaves the thread in the group stop */
	TRACED_INTERRUPTED, /* or a new thread's first stop */
	TRACED_CLONE,	    /* it created a thread, or a child, like the next two: PTRACE_GETEVENTMSG returns its id */
	TRACED_FORK,
	TRACED_VFORK, /* the thread continues when the child has released the memory */
	TRACED_EXEC,
	TRACED_OTHER,
};

struct traced_news {
	enum traced_kind kind;
	int sig; /* for TRACED_SIGNAL and TRACED_GROUP_STOP, else 0 */
};

/* Call waitpid() without blocking: return @tid with *@status_ret, 0 without a status, -1 with errno. */
pid_t traced_wait(pid_t tid, int *status_ret);
/* Decode a status of waitpid(). */
struct traced_news traced_read(int status);

/* SEIZE the thread @tid of the process whose /proc/PID/task is @taskfd, once. @options: PTRACE_O_... */
enum traced_seizing traced_seize(int taskfd, pid_t tid, int options);
/* INTERRUPT a running thread. A thread that does not stop is about to end, and waitpid() reports that. */
void traced_interrupt(pid_t tid);
/* Return whether a traced thread is stopped, reported by waitpid() or not. */
bool traced_is_stopped(pid_t tid);
/*
 * Detach a stopped thread and deliver the signal @sig (0: none). Return false if it was killed while stopped; waitpid()
 * reports that.
 */
bool traced_detach(pid_t tid, int sig);

/* Return the state letter of a thread below @taskfd, or of any thread with AT_FDCWD; 'X': it does not exist. */
char traced_state(int taskfd, pid_t tid);
/* Return whether a thread in this state does not run any more. */
static inline bool traced_is_over(char state)
{
	return state == 'Z' || state == 'X';
}

/*
 * Sleep long enough that the @n awaited threads get the processor, which the caller's priority may deny them. @round
 * counts from 0. Each return takes the processor from one of them, so the first sleep lasts as long as all of them
 * need.
 */
void traced_give_way(int round, size_t n);

#endif
