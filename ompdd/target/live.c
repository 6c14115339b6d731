/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ptrace, used for the length of a stop only. The stop has a budget: a timer signal whose handler
 * (live_release.c) detaches every thread by itself, because the code that should resume may hang in a
 * plugin. Called by process.c.
 */
#include "target/live.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "target/access.h"
#include "target/live_release.h"
#include "target/proc.h"
#include "target/target.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* How long live_destroy() waits for them; then the kernel detaches them when this process ends. */
#define DESTROY_MS   200
/* Rounds of sched_yield() before sleeping while threads come to their stop. */
#define STOP_YIELDS  64

/* Looks, 100 us apart, at a process that has nothing but zombies. */
#define ZOMBIE_ROUNDS 100
/* Attempts, 100 us apart, to seize a thread that may be about to end or to exec. */
#define SEIZE_RETRIES 200

struct error *live_create(pid_t pid, int taskfd, struct live **ret)
{
	struct live *l = calloc(1, sizeof(*l));

	if (!l)
		return &error_nomem;
	l->pid = pid;
	l->taskfd = taskfd;
	l->retry_ms = LIVE_RETRY_MS;
	/* A directory has two links; /proc adds one for each thread. */
	l->links_base = 2;
	l->threads = calloc(TARGET_MAX_THREADS, sizeof(*l->threads));
	if (!l->threads) {
		free(l);
		return &error_nomem;
	}
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = live_tick_signal(),
	};
	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &l->timer) != 0) {
		int errnum = errno;

		free(l->threads);
		free(l);
		return error_create_errno(errnum, "timer_create");
	}
	/* No SA_RESTART: the handler must be able to end a wait. */
	struct sigaction sa = {.sa_handler = live_on_tick};
	sigfillset(&sa.sa_mask);
	sigaction(live_tick_signal(), &sa, NULL);
	live_mask_tick(SIG_UNBLOCK);
	*ret = l;
	return NULL;
}

void live_leave(struct live *l, unsigned limit_ms)
{
	int64_t end = clock_now_us() + (int64_t)limit_ms * 1000;

	while (!live_let_all_go(l) && clock_now_us() < end)
		usleep(1000);
}

void live_destroy(struct live *l)
{
	if (!l)
		return;
	l->phase = LIVE_IDLE;
	live_active = l;
	live_leave(l, DESTROY_MS);
	timer_delete(l->timer);
	live_active = NULL;
	free(l->threads);
	free(l);
}

static char task_state(struct live *l, pid_t tid)
{
	char path[32], text[1024];
	struct proc_stat st;

	snprintf(path, sizeof(path), "%d/stat", tid);
	if (proc_read(l->taskfd, path, text, sizeof(text)) < 0 || !proc_parse_stat(text, &st))
		return 'X';
	return st.state;
}

/* Whether we trace @tid already: an exec gives its thread, which may be in the table, the number of the leader. */
static bool is_ours(struct live *l, pid_t tid)
{
	char path[32], text[8192];
	struct proc_status st;

	snprintf(path, sizeof(path), "%d/status", tid);
	return proc_read(l->taskfd, path, text, sizeof(text)) > 0 && proc_parse_status(text, &st) &&
	       st.tracer_pid == getpid();
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
		return error_create(ERR_LIMIT_EXCEEDED, "the process has more than %d threads",
				    TARGET_MAX_THREADS);
	struct live_thread *t = &l->threads[l->n];
	t->tid = tid;
	t->sig = 0;
	t->state = LIVE_FREE;
	l->n++;
	t->state = LIVE_SEIZED;
	int r = ptrace(PTRACE_SEIZE, tid, 0, PTRACE_O_TRACEEXEC);
	int errnum = r ? errno : 0;
	struct error *traced = NULL;
	char state = '?';
	/* The kernel also says EPERM for a thread in the middle of its end, and of an exec. */
	for (int i = 0; errnum == EPERM && i < SEIZE_RETRIES && !l->expired; i++) {
		state = task_state(l, tid);
		if (state == 'Z' || state == 'X')
			break;
		if (is_ours(l, tid)) {
			errnum = 0;
			break;
		}
		/* The leader may be ours already: it is this one's tracer that matters. */
		if (!access_wait_tracer_left(tid) && (traced = access_tracer(l->pid, tid)))
			break;
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
		r = ptrace(PTRACE_SEIZE, tid, 0, PTRACE_O_TRACEEXEC);
		errnum = r ? errno : 0;
	}
	if (!errnum) {
		/* The handler may have come before the SEIZE and found nothing. */
		if (t->state == LIVE_FREE)
			t->state = LIVE_SEIZED;
		return NULL;
	}
	t->state = LIVE_FREE;
	l->n--;
	if (traced)
		return traced;
	if (errnum == ESRCH || state == 'X')
		return NULL;
	if (state == 'Z') {
		l->zombies++;
		return NULL;
	}
	return access_explain(l->pid, errnum, "trace");
}

static bool is_known(struct live *l, pid_t tid)
{
	for (sig_atomic_t i = 0; i < l->n; i++) {
		if (l->threads[i].tid == tid && l->threads[i].state != LIVE_FREE)
			return true;
	}
	return false;
}

static void interrupt_seized(struct live *l)
{
	/* The handler's note that one has stopped must not be overwritten. */
	live_mask_tick(SIG_BLOCK);
	for (sig_atomic_t i = 0; i < l->n; i++) {
		struct live_thread *t = &l->threads[i];

		if (t->state != LIVE_SEIZED)
			continue;
		t->state = LIVE_INTERRUPTED;
		/* ESRCH: it is dying; waiting for it tells. */
		ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
	}
	live_mask_tick(SIG_UNBLOCK);
}

/* Wait until every interrupted thread has stopped or is gone, or the timer expired. */
static void wait_interrupted(struct live *l)
{
	/*
	 * One blocking wait after the other could deadlock: with an exec in another thread, the leader is only reported
	 * when the others have been reaped. So ask each without blocking, and give way in between.
	 */
	for (int round = 0; !l->expired; round++) {
		struct live_thread *leader = NULL;
		bool left = false;

		for (sig_atomic_t i = 0; i < l->n && !l->expired; i++) {
			struct live_thread *t = &l->threads[i];

			/*
			 * An exec in a thread that is not stopped yet kills those that are, and
			 * waits until we have reaped them.
			 */
			if (t->state == LIVE_STOPPED && round % STOP_YIELDS == STOP_YIELDS - 1)
				live_try_wait(l, t);
			if (t->state != LIVE_INTERRUPTED || live_try_wait(l, t))
				continue;
			if (t->tid == l->pid)
				leader = t;
			else
				left = true;
		}
		if (!left && !leader)
			return;
		/*
		 * A leader that has left while others run is a zombie of which nobody is told. With all others at
		 * rest that is so; before, it may be dying for an exec of another thread.
		 */
		if (!left && task_state(l, l->pid) == 'Z' && !live_try_wait(l, leader)) {
			leader->state = LIVE_FREE;
			l->zombies++;
			l->leader_left = 1;
			return;
		}
		if (round < STOP_YIELDS)
			sched_yield();
		else
			nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	}
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

static struct error *error_timeout(struct live *l, unsigned limit_ms)
{
	for (sig_atomic_t i = 0; i < l->n; i++) {
		if (l->threads[i].state != LIVE_INTERRUPTED)
			continue;
		pid_t tid = l->threads[i].tid;
		return error_detail(error_create(ERR_STOP_TIMEOUT,
						 "thread %d did not stop within %u ms (state %c)", tid,
						 limit_ms, task_state(l, tid)),
				    "tid", "%d", tid);
	}
	return error_create(ERR_STOP_TIMEOUT, "the threads did not stop within %u ms", limit_ms);
}

static struct error *seize_all(struct live *l, const pid_t *tids, size_t n, bool check_known)
{
	for (size_t i = 0; i < n && !l->expired; i++) {
		if (check_known && is_known(l, tids[i]))
			continue;
		struct error *err = seize(l, tids[i]);
		if (err)
			return err;
	}
	return NULL;
}

static struct error *stop_all(struct live *l, const pid_t *tids, size_t n, bool only_these)
{
	struct error *err = seize_all(l, tids, n, l->n > 0);

	if (err)
		return err;
	l->started_us = clock_now_us();
	for (int only_zombies = 0;;) {
		size_t present;

		interrupt_seized(l);
		wait_interrupted(l);
		if (l->expired || l->exec_seen || only_these)
			return NULL;
		/* Nothing but zombies: the end of the process, or the moment in which an exec changes leaders. */
		if (!live_count(l) && (!l->zombies || only_zombies++ == ZOMBIE_ROUNDS))
			return error_create(ERR_TARGET_EXITED, "process %d has exited", l->pid);
		if (!live_count(l))
			nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
		/*
		 * Threads that all stand still start no new ones, so equal numbers mean that these are all.
		 */
		if (live_count(l) && count_threads(l, &present) && present <= live_count(l) + l->zombies)
			return NULL;
		_cleanup_free_ pid_t *listed = NULL;
		size_t n_listed;
		err = proc_list_tasks(l->taskfd, &listed, &n_listed);
		if (err)
			return err;
		l->zombies = 0;
		err = seize_all(l, listed, n_listed, true);
		if (err)
			return err;
		sched_yield();
	}
}

struct error *live_stop(struct live *l, const pid_t *tids, size_t n, bool only_these,
			unsigned budget_ms, unsigned limit_ms)
{
	if (live_active && live_active != l)
		return error_create(ERR_INTERNAL_ERROR, "another target is being stopped");
	live_active = l;
	/*
	 * A thread that the last stop could not let go, because it was dying or sleeps where nothing
	 * interrupts it, stays in the table: this stop waits for it too.
	 */
	live_let_all_go(l);
	l->started_us = clock_now_us();
	l->zombies = 0;
	l->expired = 0;
	l->exec_seen = 0;
	l->deadline_us = l->started_us + (int64_t)limit_ms * 1000;
	l->phase = LIVE_STOPPING;
	live_arm(l, limit_ms < LIVE_REAP_MS ? limit_ms : LIVE_REAP_MS);
	struct error *err = stop_all(l, tids, n, only_these);
	if (!err && l->expired)
		err = error_timeout(l, limit_ms);
	if (!err && l->exec_seen)
		err = error_create(ERR_TARGET_EXEC, "process %d replaced its program", l->pid);
	if (err) {
		l->phase = LIVE_IDLE;
		live_let_all_go(l);
		return err;
	}
	/* A tick of before that comes late sees that it is not meant. */
	l->deadline_us = budget_ms ? l->started_us + (int64_t)budget_ms * 1000 : INT64_MAX;
	l->phase = LIVE_HOLDING;
	int64_t left_ms = budget_ms - (clock_now_us() - l->started_us) / 1000;
	live_arm(l, !budget_ms ? 0 : left_ms > 0 ? (unsigned)left_ms : 1);
	return NULL;
}

struct error *live_resume(struct live *l, int64_t *stopped_us_ret)
{
	if (l->phase != LIVE_HOLDING)
		return error_create(ERR_NOT_STOPPED, "the target is not stopped");
	if (!l->expired)
		live_let_all_go(l);
	l->phase = LIVE_IDLE;
	*stopped_us_ret = l->ended_us - l->started_us;
	if (l->expired)
		return error_create(ERR_STOP_TIMEOUT,
				    "the time limit of the stop was over; the threads run again");
	return NULL;
}

bool live_is_stopped(const struct live *l)
{
	return l->phase == LIVE_HOLDING;
}

bool live_is_expired(const struct live *l)
{
	return l->phase == LIVE_HOLDING && l->expired;
}

int64_t live_stopped_us(const struct live *l)
{
	return l->phase == LIVE_HOLDING ? clock_now_us() - l->started_us : 0;
}

void live_for_each(const struct live *l, void (*fn)(pid_t tid, void *arg), void *arg)
{
	for (sig_atomic_t i = 0; i < l->n; i++) {
		if (l->threads[i].state == LIVE_STOPPED)
			fn(l->threads[i].tid, arg);
	}
}

size_t live_count(const struct live *l)
{
	size_t n = 0;

	for (sig_atomic_t i = 0; i < l->n; i++)
		n += l->threads[i].state == LIVE_STOPPED;
	return n;
}

bool live_registers(struct live *l, pid_t tid, struct user_regs_struct *ret)
{
	return l->phase == LIVE_HOLDING && !l->expired &&
	       ptrace(PTRACE_GETREGS, tid, NULL, ret) == 0;
}

bool live_poll(struct live *l)
{
	live_reap_leader(l);
	if (l->phase != LIVE_HOLDING || l->expired)
		return false;
	live_mask_tick(SIG_BLOCK);
	for (sig_atomic_t i = 0; i < l->n; i++) {
		struct live_thread *t = &l->threads[i];

		/* A thread that dies after its stop reports a second time. */
		if (t->state != LIVE_FREE)
			live_try_wait(l, t);
	}
	bool ended = live_count(l) == 0;
	live_mask_tick(SIG_UNBLOCK);
	if (!ended)
		return false;
	l->phase = LIVE_IDLE;
	live_let_all_go(l);
	return true;
}
