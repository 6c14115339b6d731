/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The tracing thread: it starts before the worker enters its sandbox, and targets use it one after the other. Only its
 * end detaches a thread that does not stop.
 */
#include "target/stop/live_thread.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/helper_thread.h"
#include "target/stop/live.h"
#include "target/stop/live_release.h"
#include "target/sandbox/sandbox.h"
#include "target/trace/traced.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* The number of checks, 100 us apart, until a thread is gone. */
#define LEFT_ROUNDS 10000
/* The longest wait for a busy thread that must end. */
#define QUIT_MS 100

/* A thread that no target uses, or NULL. */
static struct helper_thread *spare;
static size_t n_used;
static bool has_quit;

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
	live_mask_tick(SIG_UNBLOCK);
	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	b->errnum = timer_create(CLOCK_MONOTONIC, &event, &b->timer) ? errno : 0;
}

/* Runs in the thread that traced: from now on the timer's handler does nothing. */
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

/* Runs in the new thread. */
static void on_confine(void *arg)
{
	(void)arg;
	sandbox_confine_tracing();
}

static struct error *create_helper(struct helper_thread **ret)
{
	struct error *err = helper_thread_create("ompdd-stopper", live_tick_signal(), ret);

	if (!err)
		helper_thread_run(*ret, on_confine, NULL);
	return err;
}

/* Runs in the thread that will end: a thread inherits the right to trace from the thread that creates it. */
static void on_create_heir(void *arg)
{
	error_destroy(helper_thread_create("ompdd-stopper", live_tick_signal(), arg));
}

struct error *live_prepare(void)
{
	return spare || n_used ? NULL : create_helper(&spare);
}

bool live_quit(void)
{
	if (n_used || (spare && !helper_thread_await_for(spare, QUIT_MS)))
		return false;
	helper_thread_destroy(spare);
	spare = NULL;
	has_quit = true;
	return true;
}

bool live_has_quit(void)
{
	return has_quit;
}

/* Make @helper the tracing thread of @l. */
static struct error *start_tracing(struct live *l, struct helper_thread *helper, timer_t *timer_ret)
{
	struct beginning b = {.l = l};

	helper_thread_run(helper, on_begin, &b);
	if (b.errnum)
		return error_create_errno(b.errnum, "timer_create");
	*timer_ret = b.timer;
	return NULL;
}

struct error *live_thread_begin(struct live *l)
{
	struct error *err = spare ? NULL : create_helper(&spare);

	if (!err)
		err = start_tracing(l, spare, &l->timer);
	if (err)
		return err;
	l->helper = spare;
	spare = NULL;
	n_used++;
	return NULL;
}

void live_thread_end(struct live *l)
{
	helper_thread_run(l->helper, on_end, l);
	n_used--;
	if (spare)
		helper_thread_destroy(l->helper);
	else
		spare = l->helper;
}

void live_thread_drop_stragglers(struct live *l)
{
	struct helper_thread *helper = NULL, *old = l->helper;
	timer_t timer = l->timer;

	if (!l->n)
		return;
	pid_t old_tid = helper_thread_tid(old);
	helper_thread_run(old, on_create_heir, &helper);
	struct error *err = helper ? start_tracing(l, helper, &timer) : &error_nomem;
	if (err) {
		helper_thread_destroy(helper);
		error_destroy(err);
		return;
	}
	helper_thread_run(old, on_end, l);
	helper_thread_destroy(old);
	l->helper = helper;
	l->timer = timer;
	l->n = 0;
	helper_thread_run(helper, on_await_left, &old_tid);
}
