/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The end of a stop, and the signal handler that brings it about. For target/live. */
#include "target/live_release.h"

#include <errno.h>
#include <pthread.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "target/wait.h"

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

/* What waitpid() said about @t. */
static void note_status(struct live *l, struct live_thread *t, int status)
{
	if (!WIFSTOPPED(status)) {
		t->state = LIVE_FREE;
		return;
	}
	int event = status >> 16;
	if (event == PTRACE_EVENT_EXEC)
		l->exec_seen = 1;
	/* Any other stop is our INTERRUPT, a group stop (which DETACH restores), or a signal's delivery. */
	t->sig = event ? 0 : WSTOPSIG(status);
	t->state = LIVE_STOPPED;
}

void live_note_wait(struct live *l, struct live_thread *t, pid_t r, int status)
{
	if (r < 0)
		t->state = LIVE_FREE;
	else
		note_status(l, t, status);
}

bool live_try_wait(struct live *l, struct live_thread *t)
{
	int status;
	pid_t r = wait_thread(t->tid, &status);

	if (r == 0)
		return false;
	live_note_wait(l, t, r, status);
	return true;
}

/* Let @t go; false when that is not possible yet. */
static bool let_go(struct live *l, struct live_thread *t)
{
	if (t->state == LIVE_SEIZED) {
		/* Only a stopped thread can be detached. */
		ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
		t->state = LIVE_INTERRUPTED;
	}
	if (t->state == LIVE_INTERRUPTED)
		live_try_wait(l, t);
	if (t->state == LIVE_STOPPED) {
		if (ptrace(PTRACE_DETACH, t->tid, 0, (long)t->sig) == 0) {
			t->state = LIVE_FREE;
		} else {
			/* Killed while it was stopped: a zombie that we have to reap, soon. */
			t->state = LIVE_INTERRUPTED;
			live_try_wait(l, t);
		}
	}
	return t->state == LIVE_FREE;
}

void live_reap_leader(struct live *l)
{
	int status;

	if (l->leader_left && waitpid(l->pid, &status, __WALL | WNOHANG) != 0)
		l->leader_left = 0;
}

static void let_all_go(struct live *l)
{
	sig_atomic_t left = 0;

	live_reap_leader(l);
	for (sig_atomic_t i = 0; i < l->n; i++) {
		if (l->threads[i].state != LIVE_FREE && !let_go(l, &l->threads[i]))
			left++;
	}
	l->ended_us = clock_now_us();
	if (!left) {
		l->retry_ms = LIVE_RETRY_MS;
		return;
	}
	live_arm(l, (unsigned)l->retry_ms);
	l->retry_ms = l->retry_ms * 2 > RETRY_MAX_MS ? RETRY_MAX_MS : l->retry_ms * 2;
}

/*
 * While threads come to their stop: an exec kills them, and waits for us to reap them with a lock
 * held that our next SEIZE waits for. Only this ends it.
 */
static void reap_dead(struct live *l)
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

		/* A wait is ended by this signal, and then looks by itself; a SEIZE is begun again by the kernel. */
		if (l->seizing)
			reap_dead(l);
		/* Where system calls are slow (strace), looking at many threads shall not be all that is done. */
		int64_t took_ms = (clock_now_us() - began_us) / 1000;
		int64_t left_ms = (l->deadline_us - clock_now_us()) / 1000 + 1;
		int64_t next_ms = LIVE_REAP_MS + took_ms * LIVE_REAP_SHARE;
		live_arm(l, left_ms < 1 ? 1 : (unsigned)(next_ms < left_ms ? next_ms : left_ms));
	} else if (l && (l->phase != LIVE_HOLDING || clock_now_us() >= l->deadline_us)) {
		if (l->phase != LIVE_IDLE)
			l->expired = 1;
		let_all_go(l);
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
	sig_atomic_t left = 0;

	live_mask_tick(SIG_BLOCK);
	live_arm(l, 0);
	let_all_go(l);
	for (sig_atomic_t i = 0; i < l->n; i++) {
		if (l->threads[i].state != LIVE_FREE)
			l->threads[left++] = l->threads[i];
	}
	l->n = left;
	live_mask_tick(SIG_UNBLOCK);
	return !left;
}
