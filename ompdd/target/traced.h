/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the kernel does with traced threads, as both stoppers need it (target/live, target/tracee): how tracing one
 * begins and ends, and what waitpid() says of it. System calls only, so that all but traced_seize() and traced_state()
 * may be called in a signal handler, and all in ompdd-tracer.
 *
 * - Tracing begins with SEIZE, which leaves the thread running; INTERRUPT then makes it stop. A thread in the middle of
 *   its end or of an exec refuses with EPERM for a moment, as it does for good when somebody else traces it. While a
 *   thread executes a program, a SEIZE of it waits for that, and that waits until the threads it ended are reaped by
 *   those who trace them.
 * - A main thread that ends before the others stays a zombie of which nobody is told until it is the last. If another
 *   thread executes a program, that takes the main thread's number: waitpid() of the old number then knows nobody, and
 *   the stop behind the exec is told under the main thread's.
 * - A stop is due to an INTERRUPT, a signal that is about to be delivered and is lost unless it is handed on, a group
 *   stop, or an event that was asked for with the options of the SEIZE.
 */
#ifndef OMPDD_TARGET_TRACED_H
#define OMPDD_TARGET_TRACED_H

#include <stdbool.h>
#include <sys/types.h>

enum traced_seizing {
	TRACED_SEIZED,
	TRACED_GONE,	/* there is no such thread */
	TRACED_ZOMBIE,	/* it has ended, and does not run */
	TRACED_REFUSED, /* errno says why; EPERM may be over at the next attempt */
};

enum traced_kind {
	TRACED_END,	    /* of the thread; of a main thread: of the process */
	TRACED_SIGNAL,	    /* about to be delivered */
	TRACED_GROUP_STOP,  /* by that signal; DETACH leaves it in it */
	TRACED_INTERRUPTED, /* or a new thread's first stop */
	TRACED_CLONE,	    /* it made a thread, or a child, as with the next two: PTRACE_GETEVENTMSG says which */
	TRACED_FORK,
	TRACED_VFORK, /* it goes on when the child has given the memory back */
	TRACED_EXEC,
	TRACED_OTHER,
};

struct traced_news {
	enum traced_kind kind;
	int sig; /* of TRACED_SIGNAL and TRACED_GROUP_STOP, else 0 */
};

/* Without waiting: @tid when *@status_ret says what happened to it, 0 when nothing has, -1 with errno. */
pid_t traced_wait(pid_t tid, int *status_ret);
/* What a status of waitpid() means. */
struct traced_news traced_read(int status);

/* SEIZE the thread @tid of the process whose /proc/PID/task is @taskfd, once. @options: PTRACE_O_... */
enum traced_seizing traced_seize(int taskfd, pid_t tid, int options);
/* Have a thread that runs come to a stop. One that cannot is about to end: waiting for it tells. */
void traced_interrupt(pid_t tid);
/* Let a thread that stands go on, with the signal @sig (0: none). False: it was killed while it stood; waiting for it
 * tells. */
bool traced_detach(pid_t tid, int sig);

/* The state letter of a thread below @taskfd, or of any with AT_FDCWD; 'X': there is no such thread. */
char traced_state(int taskfd, pid_t tid);
/* Whether that is of a thread that does not run any more. */
static inline bool traced_is_over(char state)
{
	return state == 'Z' || state == 'X';
}

/*
 * Sleep so long that the @n threads that are waited for get the processor that the caller may be first on: @round
 * counts from 0. Each return takes the processor from one of them, so the first sleep for many is as long as they all
 * need.
 */
void traced_give_way(int round, size_t n);

#endif
