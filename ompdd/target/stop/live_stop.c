/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stops all threads. Runs in the tracing thread, for target/live. */
#include "target/stop/live_stop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "target/trace/access.h"
#include "base/helper_thread.h"
#include "target/stop/live_release.h"
#include "target/stop/stopper.h"
#include "target/proc/proc.h"
#include "target/arch/thread.h"
#include "target/trace/traced.h"

/* The number of threads that are interrupted while the timer's signal is blocked. */
#define TICK_EVERY 64
/* The number of checks, some 100 us apart, of a process without living threads. */
#define ZOMBIE_ROUNDS 100
/* The number of attempts, some 100 us apart, to seize a thread that may be about to exit or exec. */
#define SEIZE_RETRIES 200

/* Return whether we already trace @tid: an exec gives its thread, which may be in the table, the leader's id. */
static bool is_ours(struct live *l, pid_t tid)
{
	char path[32], text[8192];
	struct proc_status st;

	snprintf(path, sizeof(path), "%d/status", tid);
	return proc_read(l->taskfd, path, text, sizeof(text)) > 0 && proc_parse_status(text, &st) &&
	       st.tracer_pid == helper_thread_tid(l->helper);
}

/* SEIZE @tid. A missing thread or a zombie is not an error. */
static struct error *seize_thread(struct live *l, pid_t tid)
{
	/*
	 * The list may be outdated, and the id may belong to another process by now: check first. EPERM (we may trace,
	 * but not signal) still proves that it is a thread of this process.
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
		/* Check this thread's tracer: the leader may already be traced by us. */
		if (!access_wait_tracer_left(tid) && (traced = access_tracer(l->pid, tid)))
			break;
		traced_give_way(i, 1);
		r = traced_seize(l->taskfd, tid, PTRACE_O_TRACEEXEC);
		errnum = errno;
	}
	if (r == TRACED_SEIZED) {
		/* The handler may have run before the SEIZE and found nothing. */
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

static bool has_tid(const pid_t *tids, size_t n, pid_t tid)
{
	return n && bsearch(&tid, tids, n, sizeof(*tids), compare_tids);
}

/* SEIZE the threads of @tids that are not in the table and not left asleep. */
static struct error *seize_all(struct live *l, const struct stop_request *request, const pid_t *tids, size_t n)
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
		if (!has_tid(known, n_known, tids[i]) && !has_tid(request->asleep, request->n_asleep, tids[i]))
			err = seize_thread(l, tids[i]);
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

/* Wait for @t to stop, until the timer expires. Return false if it has not stopped. */
static bool wait_one(struct live *l, struct live_thread *t)
{
	int status;
	pid_t tid = t->tid, r = waitpid(tid, &status, __WALL);

	if (r < 0 && errno == EINTR)
		return false;
	live_note_wait(l, t, tid, r, status);
	return true;
}

/*
 * Wait for the main thread last. If another thread calls exec, waitpid() reports the main thread only after all others
 * have been reaped. If it has exited before the others, it is a zombie that waitpid() does not report. That is certain
 * once all others are stopped; before, it may be dying for another thread's exec.
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
		/* A thread that was not traced yet has called exec and has this id now: the next round seizes it. */
		if (leader->state == LIVE_INTERRUPTED && !is_ours(l, l->pid))
			leader->state = LIVE_FREE;
	}
}

/* Wait until every interrupted thread has stopped or exited, or the timer has expired. */
static void wait_interrupted(struct live *l)
{
	struct live_thread *leader = NULL;

	/* Start with the last thread, which usually stops last: after one wait most of the others have stopped too. */
	for (sig_atomic_t i = l->n; i-- > 0 && !l->expired;) {
		struct live_thread *t = &l->threads[i];

		/*
		 * The table may contain the leader's id twice: for a thread that is gone, and for the thread that took
		 * over the id by exec.
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

/* Read the kernel's count of threads, which is cheaper than a list. */
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
			return stop_backend_timeout(l->threads[i].tid, limit_ms);
	}
	return error_create(ERR_STOP_TIMEOUT, "the threads did not stop within %u ms", limit_ms);
}

struct error *live_stop_all(struct live *l, const struct stop_request *request)
{
	struct error *err = seize_all(l, request, request->tids, request->n);

	if (err)
		return err;
	l->started_us = clock_now_us();
	for (int none_lives = 0;;) {
		size_t present;

		interrupt_seized(l);
		wait_interrupted(l);
		if (l->expired || l->exec_seen)
			return NULL;
		size_t stopped = count_in(l, LIVE_STOPPED) + request->n_asleep;
		/*
		 * Stopped and sleeping threads create no new ones: equal numbers mean that all threads are stopped or
		 * asleep.
		 */
		if (stopped && count_threads(l, &present) && present <= stopped + l->zombies + count_in(l, LIVE_ZOMBIE))
			return NULL;
		_cleanup_free_ pid_t *listed = NULL;
		size_t n_listed;
		err = proc_list_tasks(l->taskfd, &listed, &n_listed);
		if (err)
			return err;
		/* Only zombies: the process has exited, or an exec is replacing the leader. */
		none_lives = stopped || any_lives(l, listed, n_listed) ? 0 : none_lives + 1;
		if (none_lives > ZOMBIE_ROUNDS)
			return error_create(ERR_TARGET_EXITED, "process %d has exited", l->pid);
		if (!stopped) {
			traced_give_way(none_lives, 1);
			/* A zombie's id may belong to a living thread by now. */
			live_reap(l);
		}
		l->zombies = 0;
		err = seize_all(l, request, listed, n_listed);
		if (err)
			return err;
	}
}
