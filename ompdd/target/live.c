/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ptrace, used for the length of a stop only. The stop has a budget: a timer signal whose handler
 * detaches every thread by itself, because the code that should resume may hang in a plugin.
 * Called by process.c.
 */
#include "target/live.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "target/access.h"
#include "target/proc.h"
#include "target/target.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif
#ifndef PTRACE_EVENT_STOP
#define PTRACE_EVENT_STOP 128
#endif

/* Threads that could not be let go at once (in uninterruptible sleep, dying) are tried again after this. */
#define RETRY_MS     2
#define RETRY_MAX_MS 500
/* While threads come to their stop, the timer looks for dead ones this often. */
#define REAP_MS	     5
/* How long live_destroy() waits for them; then the kernel detaches them when this process ends. */
#define DESTROY_MS   200
/* Rounds of sched_yield() before sleeping while threads come to their stop. */
#define STOP_YIELDS  64

/* Looks, 100 us apart, at a process that has nothing but zombies. */
#define ZOMBIE_ROUNDS 100
/* Attempts, 100 us apart, to seize a thread that may be about to end or to exec. */
#define SEIZE_RETRIES 200

enum thread_state {
	FREE,        /* not traced by us */
	SEIZED,      /* traced, running, not told to stop */
	INTERRUPTED, /* told to stop, or dying */
	STOPPED,     /* waited for: may be read, may be detached */
};

struct live_thread {
	pid_t tid;
	volatile sig_atomic_t state;
	volatile sig_atomic_t sig; /* seen at its delivery, to be injected again */
};

enum live_phase {
	IDLE,     /* nothing stopped; stragglers may be left */
	STOPPING, /* between the first SEIZE and the last wait */
	HOLDING,
};

struct live {
	pid_t pid;
	int taskfd;
	timer_t timer;
	struct live_thread *threads; /* room for all, so that the handler never sees it move */
	volatile sig_atomic_t n;
	volatile sig_atomic_t phase;
	volatile sig_atomic_t expired;
	volatile sig_atomic_t exec_seen;
	volatile sig_atomic_t retry_ms;
	volatile sig_atomic_t leader_left; /* a zombie that we trace: to be reaped after the others */
	size_t zombies;        /* counted by the kernel, cannot run */
	nlink_t links_base;    /* st_nlink of an empty /proc/PID/task */
	int64_t deadline_us;   /* of the present phase */
	int64_t started_us;    /* first INTERRUPT */
	volatile int64_t ended_us; /* last DETACH */
};

/* Whom the timer's handler works for. */
static struct live *volatile active;

static int tick_signal(void)
{
	return SIGRTMIN + 4;
}

static int64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

/* Everything from here to on_tick() runs in the signal handler too: system calls only. */

static void arm(struct live *l, unsigned ms)
{
	struct itimerspec spec = {.it_value = {ms / 1000, (long)(ms % 1000) * 1000000}};

	timer_settime(l->timer, 0, &spec, NULL);
}

/* What waitpid() said about @t. */
static void note_status(struct live *l, struct live_thread *t, int status)
{
	if (!WIFSTOPPED(status)) {
		t->state = FREE;
		return;
	}
	int event = status >> 16;
	if (event == PTRACE_EVENT_EXEC)
		l->exec_seen = 1;
	/* Any other stop is our INTERRUPT, a group stop (which DETACH restores), or a signal's delivery. */
	t->sig = event ? 0 : WSTOPSIG(status);
	t->state = STOPPED;
}

static bool try_wait(struct live *l, struct live_thread *t)
{
	int status;
	pid_t r;

	do
		r = waitpid(t->tid, &status, __WALL | WNOHANG);
	while (r < 0 && errno == EINTR);
	if (r == 0)
		return false;
	if (r < 0)
		t->state = FREE;
	else
		note_status(l, t, status);
	return true;
}

/* Let @t go; false when that is not possible yet. */
static bool let_go(struct live *l, struct live_thread *t)
{
	if (t->state == SEIZED) {
		/* Only a stopped thread can be detached. */
		ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
		t->state = INTERRUPTED;
	}
	if (t->state == INTERRUPTED)
		try_wait(l, t);
	if (t->state == STOPPED) {
		if (ptrace(PTRACE_DETACH, t->tid, 0, (long)t->sig) == 0) {
			t->state = FREE;
		} else {
			/* Killed while it was stopped: a zombie that we have to reap, soon. */
			t->state = INTERRUPTED;
			try_wait(l, t);
		}
	}
	return t->state == FREE;
}

/* The zombie of a leader can only be waited for when it is the last thread. */
static void reap_leader(struct live *l)
{
	int status;

	if (l->leader_left && waitpid(l->pid, &status, __WALL | WNOHANG) != 0)
		l->leader_left = 0;
}

static void let_all_go(struct live *l)
{
	sig_atomic_t left = 0;

	reap_leader(l);
	for (sig_atomic_t i = 0; i < l->n; i++) {
		if (l->threads[i].state != FREE && !let_go(l, &l->threads[i]))
			left++;
	}
	l->ended_us = now_us();
	if (!left) {
		l->retry_ms = RETRY_MS;
		return;
	}
	arm(l, (unsigned)l->retry_ms);
	l->retry_ms = l->retry_ms * 2 > RETRY_MAX_MS ? RETRY_MAX_MS : l->retry_ms * 2;
}

/*
 * While threads come to their stop: an exec kills them, and waits for us to reap them with a lock
 * held that our next SEIZE waits for. Only this ends it.
 */
static void reap_dead(struct live *l)
{
	for (sig_atomic_t i = 0; i < l->n; i++) {
		if (l->threads[i].state != FREE)
			try_wait(l, &l->threads[i]);
	}
}

static void on_tick(int sig)
{
	int errnum = errno;
	struct live *l = active;

	(void)sig;
	if (l && l->phase == STOPPING && now_us() < l->deadline_us) {
		reap_dead(l);
		arm(l, REAP_MS);
	} else if (l && (l->phase != HOLDING || now_us() >= l->deadline_us)) {
		if (l->phase != IDLE)
			l->expired = 1;
		let_all_go(l);
	}
	errno = errnum;
}

/* End of what the handler runs. */

static void tick_mask(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, tick_signal());
	sigprocmask(how, &set, NULL);
}

/* Let all go from outside of the handler. Whether none is left. */
static bool let_all_go_masked(struct live *l)
{
	sig_atomic_t left = 0;

	tick_mask(SIG_BLOCK);
	arm(l, 0);
	let_all_go(l);
	for (sig_atomic_t i = 0; i < l->n; i++) {
		if (l->threads[i].state != FREE)
			l->threads[left++] = l->threads[i];
	}
	l->n = left;
	tick_mask(SIG_UNBLOCK);
	return !left;
}

struct error *live_create(pid_t pid, int taskfd, struct live **ret)
{
	struct live *l = calloc(1, sizeof(*l));

	if (!l)
		return &error_nomem;
	l->pid = pid;
	l->taskfd = taskfd;
	l->retry_ms = RETRY_MS;
	/* A directory has two links; /proc adds one for each thread. */
	l->links_base = 2;
	l->threads = calloc(TARGET_MAX_THREADS, sizeof(*l->threads));
	if (!l->threads) {
		free(l);
		return &error_nomem;
	}
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = tick_signal(),
	};
	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &l->timer) != 0) {
		int errnum = errno;

		free(l->threads);
		free(l);
		return error_create_errno(errnum, "timer_create");
	}
	/* No SA_RESTART: the handler must be able to end a wait. */
	struct sigaction sa = {.sa_handler = on_tick};
	sigfillset(&sa.sa_mask);
	sigaction(tick_signal(), &sa, NULL);
	tick_mask(SIG_UNBLOCK);
	*ret = l;
	return NULL;
}

void live_destroy(struct live *l)
{
	if (!l)
		return;
	l->phase = IDLE;
	active = l;
	int64_t end = now_us() + DESTROY_MS * 1000;
	while (!let_all_go_masked(l) && now_us() < end)
		usleep(1000);
	timer_delete(l->timer);
	active = NULL;
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
	t->state = FREE;
	l->n++;
	t->state = SEIZED;
	int r = ptrace(PTRACE_SEIZE, tid, 0, PTRACE_O_TRACEEXEC);
	int errnum = r ? errno : 0;
	char state = '?';
	/* The kernel also says EPERM for a thread in the middle of its end, and of an exec. */
	for (int i = 0; errnum == EPERM && i < SEIZE_RETRIES && !l->expired; i++) {
		state = task_state(l, tid);
		struct error *traced = state == 'Z' || state == 'X' ? NULL : access_tracer(l->pid);
		if (traced || state == 'Z' || state == 'X') {
			error_destroy(traced);
			break;
		}
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
		r = ptrace(PTRACE_SEIZE, tid, 0, PTRACE_O_TRACEEXEC);
		errnum = r ? errno : 0;
	}
	if (!errnum) {
		/* The handler may have come before the SEIZE and found nothing. */
		if (t->state == FREE)
			t->state = SEIZED;
		return NULL;
	}
	t->state = FREE;
	l->n--;
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
		if (l->threads[i].tid == tid && l->threads[i].state != FREE)
			return true;
	}
	return false;
}

static void interrupt_seized(struct live *l)
{
	/* The handler's note that one has stopped must not be overwritten. */
	tick_mask(SIG_BLOCK);
	for (sig_atomic_t i = 0; i < l->n; i++) {
		struct live_thread *t = &l->threads[i];

		if (t->state != SEIZED)
			continue;
		t->state = INTERRUPTED;
		/* ESRCH: it is dying; waiting for it tells. */
		ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
	}
	tick_mask(SIG_UNBLOCK);
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
			if (t->state == STOPPED && round % STOP_YIELDS == STOP_YIELDS - 1)
				try_wait(l, t);
			if (t->state != INTERRUPTED || try_wait(l, t))
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
		if (!left && task_state(l, l->pid) == 'Z' && !try_wait(l, leader)) {
			leader->state = FREE;
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
		if (l->threads[i].state != INTERRUPTED)
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
	l->started_us = now_us();
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
	if (active && active != l)
		return error_create(ERR_INTERNAL_ERROR, "another target is being stopped");
	active = l;
	/*
	 * A thread that the last stop could not let go, because it was dying or sleeps where nothing
	 * interrupts it, stays in the table: this stop waits for it too.
	 */
	let_all_go_masked(l);
	l->started_us = now_us();
	l->zombies = 0;
	l->expired = 0;
	l->exec_seen = 0;
	l->deadline_us = l->started_us + (int64_t)limit_ms * 1000;
	l->phase = STOPPING;
	arm(l, limit_ms < REAP_MS ? limit_ms : REAP_MS);
	struct error *err = stop_all(l, tids, n, only_these);
	if (!err && l->expired)
		err = error_timeout(l, limit_ms);
	if (!err && l->exec_seen)
		err = error_create(ERR_TARGET_EXEC, "process %d replaced its program", l->pid);
	if (err) {
		l->phase = IDLE;
		let_all_go_masked(l);
		return err;
	}
	/* A tick of before that comes late sees that it is not meant. */
	l->deadline_us = budget_ms ? l->started_us + (int64_t)budget_ms * 1000 : INT64_MAX;
	l->phase = HOLDING;
	int64_t left_ms = budget_ms - (now_us() - l->started_us) / 1000;
	arm(l, !budget_ms ? 0 : left_ms > 0 ? (unsigned)left_ms : 1);
	return NULL;
}

struct error *live_resume(struct live *l, int64_t *stopped_us_ret)
{
	if (l->phase != HOLDING)
		return error_create(ERR_NOT_STOPPED, "the target is not stopped");
	if (!l->expired)
		let_all_go_masked(l);
	l->phase = IDLE;
	*stopped_us_ret = l->ended_us - l->started_us;
	if (l->expired)
		return error_create(ERR_STOP_TIMEOUT,
				    "the time limit of the stop was over; the threads run again");
	return NULL;
}

bool live_is_stopped(const struct live *l)
{
	return l->phase == HOLDING;
}

bool live_is_expired(const struct live *l)
{
	return l->phase == HOLDING && l->expired;
}

int64_t live_stopped_us(const struct live *l)
{
	return l->phase == HOLDING ? now_us() - l->started_us : 0;
}

void live_for_each(const struct live *l, void (*fn)(pid_t tid, void *arg), void *arg)
{
	for (sig_atomic_t i = 0; i < l->n; i++) {
		if (l->threads[i].state == STOPPED)
			fn(l->threads[i].tid, arg);
	}
}

size_t live_count(const struct live *l)
{
	size_t n = 0;

	for (sig_atomic_t i = 0; i < l->n; i++)
		n += l->threads[i].state == STOPPED;
	return n;
}

bool live_registers(struct live *l, pid_t tid, struct user_regs_struct *ret)
{
	return l->phase == HOLDING && !l->expired &&
	       ptrace(PTRACE_GETREGS, tid, NULL, ret) == 0;
}

bool live_poll(struct live *l)
{
	reap_leader(l);
	if (l->phase != HOLDING || l->expired)
		return false;
	tick_mask(SIG_BLOCK);
	for (sig_atomic_t i = 0; i < l->n; i++) {
		struct live_thread *t = &l->threads[i];

		/* A thread that dies after its stop reports a second time. */
		if (t->state != FREE)
			try_wait(l, t);
	}
	bool ended = live_count(l) == 0;
	tick_mask(SIG_UNBLOCK);
	if (!ended)
		return false;
	l->phase = IDLE;
	let_all_go_masked(l);
	return true;
}
