/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Stopping, stepping and letting go the threads of a traced process, whatever they do meanwhile: start threads, fork,
 * exec, end, get signals, hit breakpoints all at once. Part of ompdd-tracer; called by tracer_main.c.
 *
 * A thread that executed a breakpoint instruction has a SIGTRAP to come and its pc behind the instruction. Both are undone as
 * soon as they are seen, so that a thread that stands at a breakpoint looks as if it had not come there yet: it may be detached at any time.
 */
#include "target/tracee.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#ifndef PTRACE_EVENT_STOP
#define PTRACE_EVENT_STOP 128
#endif
#define OPTIONS                                                                                    \
	(PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEVFORKDONE | \
	 PTRACE_O_TRACEEXEC)

/* Rounds of sched_yield() before sleeping while threads come to their stop. */
#define STOP_YIELDS 64
/* A step that sleeps in a system call for so long may need the others, which go on meanwhile. */
#define STEP_MS	    20
/* Any other only waits for a processor, or for a page, before this. */
#define STEP_BUSY_MS 5000
/* How long a thread may take to leave a system call that is interrupted, in rounds of 100 us. */
#define INTERRUPT_ROUNDS 10000
/* How long a release waits for threads that cannot be stopped but may still come to a breakpoint. */
#define RELEASE_MS  10000
/* Rounds of looking for threads that are not traced yet. */
#define MAX_ROUNDS  1000

int tracee_init(struct tracee *p)
{
	memset(p, 0, sizeof(*p));
	p->memfd = p->taskfd = -1;
	/* Pages that are never touched cost nothing. */
	p->index = mmap(NULL, TRACEE_MAX_TID * sizeof(*p->index), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	p->threads = mmap(NULL, TRACEE_MAX_THREADS * sizeof(*p->threads), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p->index == MAP_FAILED || p->threads == MAP_FAILED ? ENOMEM : 0;
}

/* Stopping */

/*
 * A thread that was interrupted right behind one of our instructions, or within a step of a system call, stops before its SIGTRAP
 * comes, of which it would die if it were detached. Let it come: it does so before the thread executes anything.
 */
static bool awaits_trap(struct tracee *p, struct tracee_thread *t)
{
	struct __ptrace_peeksiginfo_args args = {.off = 0, .flags = 0, .nr = 8};
	siginfo_t infos[8];
	uint64_t pc;

	if (t->sig || t->group)
		return false;
	if (!t->stepping && (!p->n_planted || !tracee_pc(t->tid, &pc) || !tracee_planted_at(p, pc - 1)))
		return false;
	long n = ptrace(PTRACE_PEEKSIGINFO, t->tid, &args, infos);
	for (long i = 0; i < n; i++) {
		if (infos[i].si_signo == SIGTRAP && (t->stepping || infos[i].si_code == SI_KERNEL))
			return true;
	}
	return false;
}

static bool stop_one(struct tracee *p, struct tracee_thread *t)
{
	bool reported = tracee_wait_one(p, t);

	if (!reported && !t->interrupted) {
		t->interrupted = true;
		/* ESRCH: it is dying; waiting for it tells. */
		ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
		reported = tracee_wait_one(p, t);
	}
	if (!reported)
		return false;
	if (t->state == TRACEE_STOPPED && !t->trapped && awaits_trap(p, t) &&
	    ptrace(PTRACE_CONT, t->tid, NULL, NULL) == 0) {
		/* Not interrupted again: that would come first again. */
		t->interrupted = true;
		t->state = TRACEE_RUNNING;
		return false;
	}
	return t->state != TRACEE_RUNNING;
}

int tracee_stop(struct tracee *p, unsigned limit_ms, pid_t *tid_ret)
{
	int64_t end = clock_now_us() + (int64_t)limit_ms * 1000;

	p->settled = false;
	for (int round = 0;; round++) {
		struct tracee_thread *waiting = NULL;

		/* The table grows when one of them has just started another. */
		for (size_t i = 0; i < p->n_threads; i++) {
			struct tracee_thread *t = &p->threads[i];

			if (t->state != TRACEE_RUNNING || stop_one(p, t))
				continue;
			/* A leader that has left while others run stays a zombie of which nobody is told. */
			if (t->tid == p->pid && round && round % STOP_YIELDS == 0 &&
			    tracee_task_state(p->pid, p->pid) == 'Z' && !tracee_wait_one(p, t))
				t->state = TRACEE_ZOMBIE;
			else if (t->state == TRACEE_RUNNING)
				waiting = t;
		}
		if (!waiting)
			break;
		if (clock_now_us() > end) {
			*tid_ret = waiting->tid;
			tracee_compact(p);
			p->mode = TRACEE_STOPS;
			return ETIMEDOUT;
		}
		/* An exec waits until those that it ended are reaped, also if they stood already. */
		if (round % STOP_YIELDS == STOP_YIELDS - 1) {
			for (size_t i = 0; i < p->n_threads; i++) {
				if (p->threads[i].state == TRACEE_STOPPED)
					tracee_wait_one(p, &p->threads[i]);
			}
		}
		if (round < STOP_YIELDS)
			sched_yield();
		else
			nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	}
	tracee_compact(p);
	p->mode = TRACEE_STOPS;
	return 0;
}

/* Going on */

static void resume_one(struct tracee_thread *t)
{
	long r = -1;

	if (t->state != TRACEE_STOPPED)
		return;
	if (t->group)
		r = ptrace(PTRACE_LISTEN, t->tid, NULL, NULL);
	if (r)
		ptrace(t->stepping ? PTRACE_SINGLESTEP : PTRACE_CONT, t->tid, NULL, (void *)(long)t->sig);
	/* When it fails, the thread was killed; waitpid() will tell. */
	t->state = t->vforked ? TRACEE_IN_VFORK : TRACEE_RUNNING;
	t->vforked = false;
	t->interrupted = false;
	t->sig = 0;
	t->group = 0;
	t->at_trap = false;
	t->trapped = 0;
}

static bool is_system_call(const unsigned char *code, size_t len)
{
	return len >= 2 && code[0] == 0x0f && code[1] == 0x05;
}

/* Whether a step of @t that began at @began_us takes long. */
static bool step_is_long(struct tracee *p, struct tracee_thread *t, bool is_call, int64_t began_us)
{
	int64_t us = clock_now_us() - began_us;

	if (us <= STEP_MS * 1000 || us > STEP_BUSY_MS * 1000 || !is_call)
		return us > STEP_BUSY_MS * 1000;
	char state = tracee_task_state(t->other_process ? t->tid : p->pid, t->tid);
	return state == 'S' || state == 'D';
}

/* Wait for the end of a step of @t. False: it takes long. */
static bool wait_step(struct tracee *p, struct tracee_thread *t, bool is_call)
{
	int64_t began_us = clock_now_us();
	siginfo_t info;
	int status;

	for (int round = 0;; round++) {
		pid_t r = waitpid(t->tid, &status, __WALL | WNOHANG);

		if (r < 0) {
			t->state = TRACEE_GONE;
			return true;
		}
		if (r == 0 && step_is_long(p, t, is_call, began_us))
			return false;
		if (r == 0) {
			if (round >= STOP_YIELDS)
				nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
			else
				sched_yield();
			continue;
		}
		if (WIFSTOPPED(status) && status >> 16 == 0 && WSTOPSIG(status) == SIGTRAP) {
			/* Done; unless the stepped instruction is the program's own breakpoint. */
			bool own = ptrace(PTRACE_GETSIGINFO, t->tid, NULL, &info) == 0 &&
				   info.si_code == SI_KERNEL;

			t->state = TRACEE_STOPPED;
			t->sig = own ? SIGTRAP : 0;
			t->at_trap = !own;
			return true;
		}
		tracee_note(p, t->tid, status);
		/*
		 * It started a thread, say, or an INTERRUPT came when it had stopped already: the step goes on. A signal
		 * or a group stop ends it; the instruction comes again.
		 */
		if (!WIFSTOPPED(status) || t->state != TRACEE_STOPPED || status >> 16 == 0 || t->group ||
		    t->vforked || ptrace(PTRACE_SINGLESTEP, t->tid, NULL, NULL))
			return true;
		t->state = TRACEE_RUNNING;
	}
}

/*
 * With all others stopped: one instruction of @t, in the place of @at if that is not NULL. False: it takes long, and
 * the step ends some time later (tracee_note()).
 */
static bool single_step(struct tracee *p, struct tracee_thread *t, uint64_t pc, struct tracee_planted *at,
			bool is_call)
{
	uint64_t blocked = ~(uint64_t)0;

	if (at && tracee_put(p, at, false))
		return true;
	/*
	 * No signal may come in between: its handler would run with the breakpoint out, and come back to it. Faults
	 * of the instruction itself come all the same. A system call may change the mask, so leave it.
	 */
	static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		blocked &= ~(1ull << (faults[i] - 1));
	tracee_unmask(t);
	t->masked = !is_call && ptrace(PTRACE_GETSIGMASK, t->tid, sizeof(t->mask), &t->mask) == 0;
	if (t->masked) {
		blocked |= t->mask;
		ptrace(PTRACE_SETSIGMASK, t->tid, sizeof(blocked), &blocked);
	}
	t->interrupted = t->at_trap = p->settled = false;
	t->state = TRACEE_RUNNING;
	if (ptrace(PTRACE_SINGLESTEP, t->tid, NULL, NULL) == 0 && !wait_step(p, t, is_call)) {
		/* In place again, and unmasked, when the step ends. */
		t->stepping = pc;
		return false;
	}
	if (t->state == TRACEE_STOPPED)
		tracee_unmask(t);
	if (at && !p->execed)
		tracee_put(p, at, true);
	return true;
}

/* With all others stopped: bring @t past the breakpoint that was reported. */
static void step_over(struct tracee *p, struct tracee_thread *t)
{
	struct tracee_planted *at = tracee_planted_at(p, t->reported);
	uint64_t pc;

	t->reported = 0;
	if (!at || !at->is_in || t->sig || t->group || !tracee_pc(t->tid, &pc) || pc != at->address ||
	    tracee_emulate(p, t->tid, at))
		return;
	single_step(p, t, pc, at, is_system_call(at->code, at->code_len));
}

/* Whether a thread that stands behind a system call has that still to do: it was interrupted. */
static bool is_to_restart(pid_t tid)
{
	struct user_regs_struct regs;
	long result = ptrace(PTRACE_GETREGS, tid, NULL, &regs) ? 0 : (long)regs.rax;

	/* ERESTARTSYS, ERESTARTNOINTR, ERESTARTNOHAND, ERESTART_RESTARTBLOCK of the kernel. */
	return result && (long)regs.orig_rax >= 0 && (result == -512 || result == -513 || result == -514 || result == -516);
}

int tracee_step(struct tracee *p, struct tracee_thread *t)
{
	unsigned char code[2] = {0};
	uint64_t pc;

	if (t->state != TRACEE_STOPPED || !tracee_pc(t->tid, &pc))
		return ESRCH;
	if (t->group)
		return EAGAIN;
	/* What it came to is stepped past here, reported or not: whoever asked sees where it is. */
	t->reported = t->trapped = 0;
	struct tracee_planted *at = tracee_planted_at(p, pc);
	if (at && !at->is_in)
		at = NULL;
	if (at && tracee_emulate(p, t->tid, at))
		return 0;
	/* A signal on its way waits for the resume. */
	int sig = t->sig;
	tracee_read(p, pc, code, sizeof(code));
	bool done = single_step(p, t, pc, at, at ? is_system_call(at->code, at->code_len) : is_system_call(code, 2));
	for (int round = 0; !done && round < INTERRUPT_ROUNDS && !stop_one(p, t); round++)
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	if (t->state != TRACEE_STOPPED)
		return t->state == TRACEE_RUNNING ? EBUSY : ESRCH;
	if (sig && t->sig)
		syscall(SYS_tgkill, p->pid, t->tid, sig);
	else if (sig)
		t->sig = sig;
	uint64_t now;
	if (t->stepping && tracee_pc(t->tid, &now) && now == pc) {
		/* Nothing of it was executed. tracee_settle() ends what is left of it. */
		t->stepping = 0;
		t->at_trap = true;
		tracee_unmask(t);
		if (at && at->wanted)
			tracee_put(p, at, true);
		return EBUSY;
	}
	return !done && is_to_restart(t->tid) ? EINPROGRESS : 0;
}

void tracee_settle(struct tracee *p)
{
	if (p->mode != TRACEE_STOPS || p->execed || p->exited)
		return;
	for (size_t i = 0; i < p->n_planted; i++)
		tracee_put(p, &p->planted[i], false);
	for (size_t i = 0; i < p->n_threads; i++) {
		struct tracee_thread *t = &p->threads[i];

		if (t->state != TRACEE_STOPPED || (!t->at_trap && !t->stepping) || t->sig)
			continue;
		tracee_unmask(t);
		/* It comes to the other stop before it executes anything, and is in no step any more: its resume begins that again. */
		t->at_trap = false;
		t->interrupted = true;
		if (ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL) || ptrace(PTRACE_CONT, t->tid, NULL, NULL))
			continue;
		t->state = TRACEE_RUNNING;
		for (int round = 0; round < INTERRUPT_ROUNDS && !tracee_wait_one(p, t); round++)
			nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	}
	p->settled = true;
}

bool tracee_is_settled(const struct tracee *p)
{
	return p->mode != TRACEE_STOPS || p->settled;
}

/* Put back what was taken out, also if more was planted since; but not in the way of a step that takes long. */
static void unsettle(struct tracee *p)
{
	for (size_t i = 0; i < p->n_planted; i++) {
		bool is_stepped = false;

		if (!p->planted[i].wanted || p->planted[i].is_in)
			continue;
		for (size_t k = 0; k < p->n_threads; k++)
			is_stepped |= p->threads[k].stepping == p->planted[i].address;
		/* Where that fails the program has unmapped it. */
		if (!is_stepped)
			tracee_put(p, &p->planted[i], true);
	}
	p->settled = false;
}

void tracee_resume(struct tracee *p)
{
	unsettle(p);
	for (size_t i = 0; i < p->n_threads; i++) {
		struct tracee_thread *t = &p->threads[i];

		if (t->state == TRACEE_STOPPED && t->reported && !t->parked)
			step_over(p, t);
	}
	for (size_t i = 0; i < p->n_threads; i++) {
		if (!p->threads[i].parked)
			resume_one(&p->threads[i]);
	}
	tracee_compact(p);
	p->mode = TRACEE_RUNS;
}

struct tracee_thread *tracee_next_trapped(struct tracee *p)
{
	for (size_t i = 0; i < p->n_threads; i++) {
		struct tracee_thread *t = &p->threads[i];
		const struct tracee_planted *at = t->trapped ? tracee_planted_at(p, t->trapped) : NULL;

		if (!t->trapped || t->state != TRACEE_STOPPED || t->parked)
			continue;
		/* Taken out meanwhile: the program's own instruction is there to be executed. */
		t->reported = at && at->wanted ? t->trapped : 0;
		t->trapped = 0;
		if (t->reported && !t->other_process)
			return t;
	}
	return NULL;
}

struct tracee_thread *tracee_reap(struct tracee *p)
{
	int status;
	pid_t tid;

	while ((tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0 || (tid < 0 && errno == EINTR)) {
		if (tid < 0)
			continue;
		tracee_note(p, tid, status);
		struct tracee_thread *t = tracee_find(p, tid);
		if (!t || t->state != TRACEE_STOPPED) {
			tracee_compact(p);
			continue;
		}
		if (p->mode == TRACEE_NONE) {
			tracee_detach(t);
			tracee_compact(p);
		} else if (p->mode == TRACEE_RUNS && t->trapped && !p->execed) {
			t->reported = t->trapped;
			t->trapped = 0;
			return t;
		} else if (p->mode == TRACEE_RUNS && !p->execed) {
			resume_one(t);
		}
	}
	return NULL;
}

/* Beginning and end */

/* SEIZE what is not traced yet. *@n_ret: how many these were. */
static int seize_missing(struct tracee *p, size_t *n_ret, pid_t *tid_ret)
{
	int fd = dup(p->taskfd);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int err = 0;

	*n_ret = 0;
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return ESRCH;
	}
	rewinddir(dir);
	while (!err && (entry = readdir(dir))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid <= 0 || tracee_find(p, tid))
			continue;
		int r = ptrace(PTRACE_SEIZE, tid, NULL, (void *)(long)OPTIONS) ? errno : 0;
		char state = r ? tracee_task_state(p->pid, tid) : 'R';
		if (state == 'X')
			continue;
		/* Zombies cannot be traced, nor do they run. */
		if (state == 'Z' && tid != p->pid)
			continue;
		struct tracee_thread *t = r && state != 'Z' ? NULL : tracee_add(p, tid);
		if (t) {
			t->state = state == 'Z' ? TRACEE_ZOMBIE : TRACEE_RUNNING;
			t->interrupted = false;
			++*n_ret;
			continue;
		}
		/* The kernel also says EPERM for a thread in the middle of its end: the next round knows. */
		if (r == EPERM && p->n_threads) {
			++*n_ret;
			*tid_ret = tid;
			continue;
		}
		err = r ? r : ENOSPC;
		*tid_ret = tid;
	}
	closedir(dir);
	return err;
}

/* The memory, shown by a thread that has not ended: the main thread may have. */
static int open_mem(pid_t pid, int taskfd)
{
	char path[64];
	int fd = dup(taskfd);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	rewinddir(dir);
	fd = -1;
	errno = ESRCH;
	while (fd < 0 && (entry = readdir(dir))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
		char state = tid > 0 ? tracee_task_state(pid, tid) : 'X';

		if (state == 'Z' || state == 'X')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%d/mem", pid, tid);
		fd = open(path, O_RDWR | O_CLOEXEC);
	}
	int errnum = errno;
	closedir(dir);
	errno = errnum;
	return fd;
}

static int open_files(struct tracee *p, pid_t pid)
{
	char path[64];

	p->pid = pid;
	p->exited = p->execed = false;
	if (p->memfd >= 0)
		close(p->memfd);
	if (p->taskfd >= 0)
		close(p->taskfd);
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	p->taskfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	p->memfd = p->taskfd < 0 ? -1 : open_mem(pid, p->taskfd);
	return p->memfd < 0 ? errno : 0;
}

static bool has_stopped(const struct tracee *p)
{
	for (size_t i = 0; i < p->n_threads; i++) {
		if (p->threads[i].state == TRACEE_STOPPED)
			return true;
	}
	return false;
}

int tracee_attach(struct tracee *p, pid_t pid, unsigned limit_ms, pid_t *tid_ret)
{
	int64_t end = clock_now_us() + (int64_t)limit_ms * 1000;
	size_t n_new;

	*tid_ret = pid;
	int err = open_files(p, pid);
	/* Threads that all stand start no new ones, so when no more are found, these are all. */
	for (int round = 0; !err; round++) {
		err = seize_missing(p, &n_new, tid_ret);
		if (err || (!n_new && round))
			break;
		int64_t left_ms = (end - clock_now_us()) / 1000;
		if (left_ms < 1 || round == MAX_ROUNDS) {
			err = ETIMEDOUT;
			break;
		}
		if (round > 2)
			nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
		err = tracee_stop(p, (unsigned)left_ms, tid_ret);
	}
	if (!err && (p->exited || !has_stopped(p)))
		err = ESRCH;
	if (!err && p->execed)
		err = ENOEXEC;
	if (err)
		tracee_release(p);
	return err;
}

int tracee_seize_child(pid_t pid)
{
	return (int)ptrace(PTRACE_SEIZE, pid, NULL, (void *)(long)OPTIONS);
}

int tracee_adopt(struct tracee *p, pid_t pid)
{
	int err = open_files(p, pid);

	if (err)
		return err;
	struct tracee_thread *t = tracee_add(p, pid);
	if (!t)
		return ENOSPC;
	t->state = TRACEE_STOPPED;
	p->launched = true;
	p->mode = TRACEE_STOPS;
	return 0;
}

int tracee_lift(struct tracee *p, uint64_t address)
{
	struct tracee_planted *at = tracee_planted_at(p, address);

	if (!at || !at->wanted)
		return ENOENT;
	at->wanted = false;
	return tracee_put(p, at, false);
}

/* Whether a thread that does not stop may still run into, or out of, one of our instructions. */
static bool must_wait_for(struct tracee *p, const struct tracee_thread *t)
{
	return t->state == TRACEE_RUNNING &&
	       tracee_task_state(t->other_process ? t->tid : p->pid, t->tid) != 'D';
}

void tracee_release(struct tracee *p)
{
	int64_t end = clock_now_us() + RELEASE_MS * 1000;
	pid_t tid;

	for (;;) {
		int err = tracee_stop(p, 100, &tid);
		bool wait = false;

		/* Also with threads that do not stop: it is one byte, and the way back to what the program's file says. */
		for (size_t i = 0; i < p->n_planted; i++) {
			p->planted[i].wanted = false;
			tracee_put(p, &p->planted[i], false);
		}
		for (size_t i = 0; i < p->n_threads && err; i++)
			wait |= must_wait_for(p, &p->threads[i]);
		if (!wait || clock_now_us() > end)
			break;
	}
	for (size_t i = 0; i < p->n_threads; i++) {
		if (p->threads[i].state == TRACEE_STOPPED)
			tracee_detach(&p->threads[i]);
	}
	/* Those that are left are detached when they stop (tracee_reap()), or when we end. */
	tracee_compact(p);
	p->mode = TRACEE_NONE;
	p->execed = false;
}
