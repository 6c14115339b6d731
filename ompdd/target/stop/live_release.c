/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The end of a stop, and the signal handler that ends it at the time limit. For target/live. */
#include "target/stop/live_release.h"

#include <errno.h>
#include <pthread.h>

#include "base/clock.h"
#include "target/trace/interrupted_call.h"
#include "target/trace/traced.h"

#define RETRY_MAX_MS 500

_Thread_local struct live *volatile live_active;

int live_tick_signal(void)
{
	return SIGRTMIN + 4;
}

/* Up to live_on_tick(), this runs in the signal handler too: system calls only. */

void live_arm(struct live *l, unsigned ms)
{
	struct itimerspec spec = {.it_value = {ms / 1000, (long)(ms % 1000) * 1000000}};

	timer_settime(l->timer, 0, &spec, NULL);
}

/* Process a status of waitpid() for @t. */
static void note_status(struct live *l, struct live_thread *t, int status)
{
	struct traced_news news = traced_read(status);

	if (news.kind == TRACED_EXEC)
		l->exec_seen = 1;
	t->sig = news.kind == TRACED_SIGNAL ? news.sig : 0;
	t->state = news.kind == TRACED_END ? LIVE_FREE : LIVE_STOPPED;
	if (news.kind != TRACED_END)
		interrupted_call_restart(t->tid);
}

static struct live_thread *find_traced(struct live *l, pid_t tid)
{
	for (sig_atomic_t i = 0; i < l->n; i++) {
		if (l->threads[i].state != LIVE_FREE && l->threads[i].tid == tid)
			return &l->threads[i];
	}
	return NULL;
}

/*
 * waitpid() knows no thread of @t's id. The thread has ended, or it has called exec and has the leader's id now. Such a
 * thread stops at its new program's start. No entry may stand for it yet, because the leader was left asleep; or the
 * leader's entry shows the stop of the leader that the exec has killed.
 */
static void note_missing(struct live *l, struct live_thread *t)
{
	t->state = LIVE_FREE;
	if (t->tid == l->pid || l->exec_seen)
		return;
	struct live_thread *leader = find_traced(l, l->pid);
	if (!leader) {
		leader = t;
		leader->tid = l->pid;
		leader->sig = 0;
	}
	if (leader->state != LIVE_STOPPED || !traced_is_stopped(l->pid))
		leader->state = LIVE_INTERRUPTED;
	live_try_wait(l, leader);
}

void live_note_wait(struct live *l, struct live_thread *t, pid_t tid, pid_t r, int status)
{
	/* The handler has processed another result meanwhile. */
	if (t->state == LIVE_FREE || t->tid != tid)
		return;
	if (r < 0)
		note_missing(l, t);
	else
		note_status(l, t, status);
}

bool live_try_wait(struct live *l, struct live_thread *t)
{
	int status;
	pid_t tid = t->tid, r = traced_wait(tid, &status);

	if (r == 0)
		return false;
	live_note_wait(l, t, tid, r, status);
	return true;
}

/*
 * Detach @t if it is traced. Return false if that is not possible yet. A running thread is not stopped for it:
 * live_thread_drop_stragglers() detaches it.
 */
static bool release_thread(struct live *l, struct live_thread *t)
{
	if (t->state == LIVE_INTERRUPTED || t->state == LIVE_ZOMBIE)
		live_try_wait(l, t);
	if (t->state == LIVE_STOPPED) {
		if (traced_detach(t->tid, t->sig)) {
			t->state = LIVE_FREE;
		} else {
			/* Killed while it was stopped: a zombie that we must reap soon. */
			t->state = LIVE_INTERRUPTED;
			live_try_wait(l, t);
		}
	}
	/* A zombie counts as released; it is reaped after the others. */
	return t->state == LIVE_FREE || t->state == LIVE_ZOMBIE;
}

/* Detach all threads. Return whether no thread is left. */
static bool release_all(struct live *l)
{
	sig_atomic_t left = 0;

	for (sig_atomic_t i = 0; i < l->n; i++) {
		left += !release_thread(l, &l->threads[i]);
	}
	l->ended_us = clock_now_us();
	/* The stopping code may be about to wait for a thread that was just detached: another tick ends that wait. */
	if (!left && l->phase != LIVE_STOPPING) {
		l->retry_ms = LIVE_RETRY_MS;
		return true;
	}
	live_arm(l, (unsigned)l->retry_ms);
	l->retry_ms = l->retry_ms * 2 > RETRY_MAX_MS ? RETRY_MAX_MS : l->retry_ms * 2;
	return !left;
}

void live_reap(struct live *l)
{
	for (sig_atomic_t i = 0; i < l->n; i++) {
		if (l->threads[i].state != LIVE_FREE)
			live_try_wait(l, &l->threads[i]);
	}
}

void live_on_tick(int sig)
{
	int errnum = errno;
	struct live *l = live_active;

	(void)sig;
	if (l && l->phase == LIVE_STOPPING && clock_now_us() < l->deadline_us) {
		int64_t began_us = clock_now_us();

		/* This signal interrupts a wait, which then reaps; the kernel restarts a SEIZE. */
		if (l->seizing)
			live_reap(l);
		/* Where system calls are slow (strace), reaping many threads must not take all the time. */
		int64_t took_ms = (clock_now_us() - began_us) / 1000;
		int64_t left_ms = (l->deadline_us - clock_now_us()) / 1000 + 1;
		int64_t next_ms = LIVE_REAP_MS + took_ms * LIVE_REAP_SHARE;
		live_arm(l, left_ms < 1 ? 1 : (unsigned)(next_ms < left_ms ? next_ms : left_ms));
	} else if (l && (l->phase != LIVE_HOLDING || clock_now_us() >= l->deadline_us)) {
		if (l->phase != LIVE_IDLE)
			l->expired = 1;
		release_all(l);
	}
	errno = errnum;
}

void live_mask_tick(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, live_tick_signal());
	pthread_sigmask(how, &set, NULL);
}

bool live_let_all_go(struct live *l)
{
	sig_atomic_t kept = 0;

	live_mask_tick(SIG_BLOCK);
	live_arm(l, 0);
	bool all = release_all(l);
	for (sig_atomic_t i = 0; i < l->n; i++) {
		if (l->threads[i].state != LIVE_FREE)
			l->threads[kept++] = l->threads[i];
	}
	l->n = kept;
	live_mask_tick(SIG_UNBLOCK);
	return all;
}
