/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Starting and ending the thread that traces. Only its end detaches a thread that does not stop. */
#include "target/live_thread.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "target/aside.h"
#include "target/live_release.h"
#include "target/traced.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* Attempts, 100 us apart, to find a thread gone. */
#define LEFT_ROUNDS 10000

struct beginning {
	struct live *l;
	timer_t timer;
	int errnum;
};

/* Runs in the thread that will trace. */
static void on_begin(void *arg)
{
	struct beginning *b = arg;
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = live_tick_signal(),
	};

	live_active = b->l;
	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	b->errnum = timer_create(CLOCK_MONOTONIC, &event, &b->timer) ? errno : 0;
}

/* Runs in the thread that will end: from now on the timer's handler does nothing. */
static void on_end(void *arg)
{
	struct live *l = arg;

	live_mask_tick(SIG_BLOCK);
	live_active = NULL;
	timer_delete(l->timer);
}

/* pthread_join() returns before the kernel has detached the threads that the thread traced. */
static void on_await_left(void *arg)
{
	const pid_t *tid = arg;

	for (int round = 0; round < LEFT_ROUNDS && syscall(SYS_tgkill, getpid(), *tid, 0) == 0; round++)
		traced_give_way(round, 1);
}

/* @stopper is taken, also on error. */
static struct error *start(struct live *l, struct aside *stopper TAKES, timer_t *timer_ret)
{
	struct beginning b = {.l = l};

	aside_run(stopper, on_begin, &b);
	if (b.errnum) {
		aside_destroy(stopper);
		return error_create_errno(b.errnum, "timer_create");
	}
	*timer_ret = b.timer;
	return NULL;
}

static struct error *create(struct aside **ret)
{
	return aside_create("ompdd-stopper", live_tick_signal(), ret);
}

/* Runs in the thread that will end: a thread inherits the right to trace from the thread that creates it. */
static void on_create(void *arg)
{
	error_destroy(create(arg));
}

struct error *live_thread_begin(struct live *l)
{
	struct error *err = create(&l->stopper);

	return err ? err : start(l, l->stopper, &l->timer);
}

void live_thread_end(struct live *l)
{
	aside_run(l->stopper, on_end, l);
	aside_destroy(l->stopper);
}

void live_thread_drop_stragglers(struct live *l)
{
	struct aside *stopper = NULL;
	timer_t timer = l->timer;

	if (!l->n)
		return;
	pid_t old = aside_tid(l->stopper);
	aside_run(l->stopper, on_create, &stopper);
	struct error *err = stopper ? start(l, stopper, &timer) : &error_nomem;
	if (err) {
		error_destroy(err);
		return;
	}
	live_thread_end(l);
	l->stopper = stopper;
	l->timer = timer;
	l->n = 0;
	aside_run(stopper, on_await_left, &old);
}
