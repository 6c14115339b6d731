/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How all threads come to a stop. Runs in the thread that traces, for target/live. */
#include "target/live_stop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "target/access.h"
#include "target/aside.h"
#include "target/live_release.h"
#include "target/proc.h"
#include "target/target.h"
#include "target/traced.h"

/* Threads that are interrupted before the timer's signal may come in between. */
#define TICK_EVERY 64
/* Looks, some 100 us apart, at a process of which nothing lives. */
#define ZOMBIE_ROUNDS 100
/* Attempts, some 100 us apart, to seize a thread that may be about to end or to exec. */
#define SEIZE_RETRIES 200

/* Whether we trace @tid already: an exec gives its thread, which may be in the table, the number of the leader. */
static bool is_ours(struct live *l, pid_t tid)
{
	char path[32], text[8192];
	struct proc_status st;

	snprintf(path, sizeof(path), "%d/status", tid);
	return proc_read(l->taskfd, path, text, sizeof(text)) > 0 && proc_parse_status(text, &st) &&
	       st.tracer_pid == aside_tid(l->stopper);
}

/* SEIZE @tid. A thread that is gone or a zombie is no error. */
static struct error *seize(struct live *l, pid_t tid)
{
	/*
	 * The tid comes from a list that may be old, so the number may belong to another process by now: ask first.
	 * EPERM (we may trace, but not signal) still says that it is a thread of this process.
	 */
	if (syscall(SYS_tgkill, l->pid, tid, 0) != 0 && errno == ESRCH)
		return NULL;
	if (l->n == TARGET_MAX_THREADS)
		return error_create(ERR_LIMIT_EXCEEDED, "the process has more than %d threads", TARGET_MAX_THREADS);
	struct live_thread *t = &l->threads[l->n];
	t->tid = tid;
	t->sig = 0;
	t->state = LIVE_FREE;
	l->n++;
	t->state = LIVE_SEIZED;
	enum traced_seizing r = traced_seize(l->taskfd, tid, PTRACE_O_TRACEEXEC);
	int errnum = errno;
	struct error *traced = NULL;
	for (int i = 0; r == TRACED_REFUSED && errnum == EPERM && i < SEIZE_RETRIES && !l->expired; i++) {
		if (is_ours(l, tid)) {
			r = TRACED_SEIZED;
			break;
		}
		/* Look at this thread's tracer: the leader may already be traced by us. */
		if (!access_wait_tracer_left(tid) && (traced = access_tracer(l->pid, tid)))
			break;
		traced_give_way(i, 1);
		r = traced_seize(l->taskfd, tid, PTRACE_O_TRACEEXEC);
		errnum = errno;
	}
	if (r == TRACED_SEIZED) {
		/* The handler may have come before the SEIZE and found nothing. */
		if (t->state == LIVE_FREE)
			t->state = LIVE_SEIZED;
		return NULL;
	}
	t->state = LIVE_FREE;
	l->n--;
	if (traced)
		return traced;
	l->zombies += r == TRACED_ZOMBIE;
	return r == TRACED_REFUSED ? access_explain(l->pid, errnum, "trace") : NULL;
}

static int compare_tids(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

/* SEIZE those of @tids that are not in the table. */
static struct error *seize_all(struct live *l, const pid_t *tids, size_t n)
{
	_cleanup_free_ pid_t *known = malloc(((size_t)l->n + 1) * sizeof(*known));
	struct error *err = NULL;
	size_t n_known = 0;

	if (!known)
		return &error_nomem;
	for (sig_atomic_t i = 0; i < l->n; i++) {
		if (l->threads[i].state != LIVE_FREE)
			known[n_known++] = l->threads[i].tid;
	}
	qsort(known, n_known, sizeof(*known), compare_tids);
	l->seizing = 1;
	for (size_t i = 0; i < n && !err && !l->expired; i++) {
		if (!n_known || !bsearch(&tids[i], known, n_known, sizeof(*known), compare_tids))
			err = seize(l, tids[i]);
	}
	l->seizing = 0;
	return err;
}

static void interrupt_seized(struct live *l)
{
	/* The signal handler must not change a thread's state between our read and our store. */
	live_mask_tick(SIG_BLOCK);
	for (sig_atomic_t i = 0; i < l->n; i++) {
		struct live_thread *t = &l->threads[i];

		if (i % TICK_EVERY == TICK_EVERY - 1) {
			live_mask_tick(SIG_UNBLOCK);
			live_mask_tick(SIG_BLOCK);
		}
		if (l->expired)
			break;
		if (t->state != LIVE_SEIZED)
			continue;
		t->state = LIVE_INTERRUPTED;
		traced_interrupt(t->tid);
	}
	live_mask_tick(SIG_UNBLOCK);
}

/* Wait for @t to stop, until the timer comes. False: it has not. */
static bool wait_one(struct live *l, struct live_thread *t)
{
	int status;
	pid_t r = waitpid(t->tid, &status, __WALL);

	if (r < 0 && errno == EINTR)
		return false;
	live_note_wait(l, t, r, status);
	return true;
}

/*
 * The main thread comes last: when another executes an exec, it is reported only when all others have been reaped; and
 * when it has left while others run, it is a zombie of which nobody is told. With all others at rest that is so;
 * before, it may be dying for an exec of another thread.
 */
static void wait_leader(struct live *l, struct live_thread *leader)
{
	while (leader->state == LIVE_INTERRUPTED && !l->expired) {
		if (live_try_wait(l, leader))
			return;
		if (traced_state(l->taskfd, l->pid) == 'Z' && !live_try_wait(l, leader)) {
			leader->state = LIVE_ZOMBIE;
			return;
		}
		if (wait_one(l, leader))
			continue;
		live_reap(l);
		/* A thread that was not ours yet has executed another program, and has this number now: the next round
		 * seizes it. */
		if (leader->state == LIVE_INTERRUPTED && !is_ours(l, l->pid))
			leader->state = LIVE_FREE;
	}
}

/* Wait until every interrupted thread has stopped or is gone, or the timer expired. */
static void wait_interrupted(struct live *l)
{
	struct live_thread *leader = NULL;

	/* Begin with the last thread, which usually stops last: after one wait most of the others have stopped, too. */
	for (sig_atomic_t i = l->n; i-- > 0 && !l->expired;) {
		struct live_thread *t = &l->threads[i];

		/*
		 * The leader's number may stand twice: for a thread that is gone, and for the thread that took over its
		 * number by exec.
		 */
		if (t->tid == l->pid && t->state == LIVE_INTERRUPTED)
			leader = t;
		while (t != leader && t->state == LIVE_INTERRUPTED && !l->expired) {
			if (!wait_one(l, t) && !l->expired)
				live_reap(l);
		}
	}
	if (leader)
		wait_leader(l, leader);
}

static size_t count_in(const struct live *l, enum thread_state state)
{
	size_t n = 0;

	for (sig_atomic_t i = 0; i < l->n; i++)
		n += l->threads[i].state == (sig_atomic_t)state;
	return n;
}

bool live_any_stopped(const struct live *l)
{
	return count_in(l, LIVE_STOPPED) > 0;
}

static bool any_lives(const struct live *l, const pid_t *tids, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!traced_is_over(traced_state(l->taskfd, tids[i])))
			return true;
	}
	return false;
}

/* The kernel's count of threads, cheaper than listing them. */
static bool count_threads(struct live *l, size_t *ret)
{
	struct stat st;

	if (fstat(l->taskfd, &st) != 0 || st.st_nlink < l->links_base)
		return false;
	*ret = st.st_nlink - l->links_base;
	return true;
}

struct error *live_stop_timeout(struct live *l, unsigned limit_ms)
{
	for (sig_atomic_t i = 0; i < l->n; i++) {
		if (l->threads[i].state == LIVE_INTERRUPTED)
			return stopper_timeout(l->threads[i].tid, limit_ms);
	}
	return error_create(ERR_STOP_TIMEOUT, "the threads did not stop within %u ms", limit_ms);
}

struct error *live_stop_all(struct live *l, const pid_t *tids, size_t n, bool only_these)
{
	struct error *err = seize_all(l, tids, n);

	if (err)
		return err;
	l->started_us = clock_now_us();
	for (int none_lives = 0;;) {
		size_t present;

		interrupt_seized(l);
		wait_interrupted(l);
		if (l->expired || l->exec_seen || only_these)
			return NULL;
		size_t stopped = count_in(l, LIVE_STOPPED);
		/* Stopped threads start no new ones, so when the numbers are equal all threads are stopped. */
		if (stopped && count_threads(l, &present) && present <= stopped + l->zombies + count_in(l, LIVE_ZOMBIE))
			return NULL;
		_cleanup_free_ pid_t *listed = NULL;
		size_t n_listed;
		err = proc_list_tasks(l->taskfd, &listed, &n_listed);
		if (err)
			return err;
		/* Nothing but zombies: the end of the process, or the moment in which an exec changes leaders. */
		none_lives = stopped || any_lives(l, listed, n_listed) ? 0 : none_lives + 1;
		if (none_lives > ZOMBIE_ROUNDS)
			return error_create(ERR_TARGET_EXITED, "process %d has exited", l->pid);
		if (!stopped) {
			traced_give_way(none_lives, 1);
			/* A zombie's number may be a living thread's by now. */
			live_reap(l);
		}
		l->zombies = 0;
		err = seize_all(l, listed, n_listed);
		if (err)
			return err;
	}
}
