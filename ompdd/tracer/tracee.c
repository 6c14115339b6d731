/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Stops and resumes the threads of a traced process, whatever they do meanwhile: start threads, fork, exec, exit,
 * receive signals, hit breakpoints all at once. Part of ompdd-tracer.
 *
 * A thread that executed a breakpoint instruction has a pending SIGTRAP and its pc after the instruction. Both are
 * undone as soon as they are seen. A thread at a breakpoint then looks as if it had not reached it yet: it may be
 * detached at any time.
 */
#include "tracer/tracee.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "tracer/watchdog.h"
#include "target/trace/traced.h"
#include "tracer/tracee_trap.h"

/* The number of rounds that check only awaited threads. */
#define ROUNDS_ALONE 63
/* The number of threads handled between two reads of the clock. */
#define CLOCK_EVERY 64
/* The number of events that waitpid(-1) reports before each thread is checked by its id. */
#define SINGLE_EVENTS 16
/* A thread's SIGTRAP arrives at once; this limit is for a thread that gets no processor. */
#define EXAMINE_MS 2000
#define SETTLE_MS  1000

int tracee_init(struct tracee *p)
{
	memset(p, 0, offsetof(struct tracee, planted));
	p->memfd = p->taskfd = -1;
	p->reader = NULL;
	/* Untouched pages cost nothing. */
	p->index = mmap(NULL, TRACEE_MAX_TID * sizeof(*p->index), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	p->threads = mmap(NULL, TRACEE_MAX_THREADS * sizeof(*p->threads), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p->index == MAP_FAILED || p->threads == MAP_FAILED ? ENOMEM : 0;
}

/* Events */

/* Progress of a walk over the events of all threads. All 0 at the start. */
struct walk {
	size_t n_single; /* events in a row from waitpid(-1) */
	bool asks_each;
	size_t next; /* index in the table */
};

/* Process one event of thread @t; return false without an event. */
static bool take_in_one(struct tracee *p, const struct tracee_thread *t, pid_t *tid_ret)
{
	int status;

	*tid_ret = t->tid;
	if (t->state == TRACEE_GONE || traced_wait(t->tid, &status) <= 0)
		return false;
	tracee_note(p, *tid_ret, status);
	return true;
}

/*
 * Process the next event and return its thread's id; 0: no more events. waitpid(-1) walks over all threads for each
 * event, so many events are collected with one waitpid(tid) per thread.
 */
static pid_t next_event(struct tracee *p, struct walk *w)
{
	int status;
	pid_t tid;

	for (;;) {
		while (w->asks_each && w->next < p->n_threads) {
			if (take_in_one(p, &p->threads[w->next++], &tid))
				return tid;
		}
		if (w->asks_each || w->n_single < SINGLE_EVENTS) {
			w->n_single = w->asks_each ? 0 : w->n_single + 1;
			w->asks_each = false;
			tid = waitpid(-1, &status, __WALL | WNOHANG);
			if (tid <= 0 && !(tid < 0 && errno == EINTR))
				return 0;
			if (tid < 0 || watchdog_is(p, tid))
				continue;
			tracee_note(p, tid, status);
			return tid;
		}
		w->asks_each = true;
		w->next = 0;
	}
}

/* Stopping */

/*
 * Return whether @t must run until its SIGTRAP. An INTERRUPT right after one of our instructions, or in a step of a
 * system call, stops a thread before its SIGTRAP arrives. Detached there, the thread would be killed by it. Let it
 * arrive: it does so before the thread executes anything. A pending SIGTRAP of the program may have replaced ours, and
 * the kernel has unblocked it.
 */
static bool awaits_trap(struct tracee *p, struct tracee_thread *t)
{
	struct __ptrace_peeksiginfo_args args = {.off = 0, .flags = 0, .nr = 8};
	siginfo_t infos[8];
	uint64_t pc, blocked;

	if (t->sig || t->group)
		return false;
	if (!t->stepping &&
	    (!p->n_planted || !arch_host.read_pc(t->tid, &pc) || !tracee_planted_at(p, pc - arch->breakpoint_behind)))
		return false;
	if (ptrace(PTRACE_GETSIGMASK, t->tid, sizeof(blocked), &blocked) || blocked & ((uint64_t)1 << (SIGTRAP - 1)))
		return false;
	long n = ptrace(PTRACE_PEEKSIGINFO, t->tid, &args, infos);
	for (long i = 0; i < n; i++) {
		if (infos[i].si_signo == SIGTRAP)
			return true;
	}
	return false;
}

bool tracee_let_trap_come(struct tracee *p, struct tracee_thread *t)
{
	if (t->state != TRACEE_STOPPED || t->trapped || !awaits_trap(p, t) || ptrace(PTRACE_CONT, t->tid, NULL, NULL))
		return false;
	/* The interrupt is still pending; a second one would arrive before the trap again. */
	t->interrupted = true;
	t->state = TRACEE_RUNNING;
	return true;
}

bool tracee_stop_one(struct tracee *p, struct tracee_thread *t)
{
	bool reported = tracee_wait_one(p, t);

	if (!reported && !t->interrupted) {
		t->interrupted = true;
		traced_interrupt(t->tid);
		reported = tracee_wait_one(p, t);
	}
	if (!reported)
		return false;
	return !tracee_let_trap_come(p, t) && t->state != TRACEE_RUNNING;
}

/*
 * A thread in the delivery of a SIGTRAP would receive it if we were killed. Resume @t until an INTERRUPT stops it; it
 * executes nothing on the way. The same for a slow step, which restarts at its resume. Return false if that is
 * unnecessary.
 */
static bool leave_trap(struct tracee_thread *t, bool from_step)
{
	if (t->state != TRACEE_STOPPED || t->sig || !(t->at_trap || (from_step && t->stepping)))
		return false;
	tracee_unmask(t);
	t->at_trap = false;
	t->interrupted = true;
	/* On failure the thread was killed, and waitpid() reports that. */
	traced_interrupt(t->tid);
	if (ptrace(PTRACE_CONT, t->tid, NULL, NULL))
		return false;
	t->state = TRACEE_RUNNING;
	t->moving = true;
	return true;
}

/* Wait until @end_us for threads that were resumed during a stop. Return a thread that has not stopped, or 0. */
static pid_t await_moving(struct tracee *p, int64_t end_us)
{
	for (int round = 0;; round++) {
		pid_t slow = 0;

		for (size_t i = 0; i < p->n_threads; i++) {
			struct tracee_thread *t = &p->threads[i];

			if (t->state == TRACEE_RUNNING && t->moving && (!tracee_wait_one(p, t) || leave_trap(t, false)))
				slow = t->tid;
		}
		if (!slow || clock_now_us() > end_us)
			return slow;
		traced_give_way(round, 1);
	}
}

/*
 * Process all pending events, then interrupt all running threads, and those at a SIGTRAP, until @end_us. Return the
 * number of running threads.
 */
static size_t interrupt_all(struct tracee *p, int64_t end_us)
{
	struct walk walk = {0};
	size_t n = 0;

	while (next_event(p, &walk))
		;
	for (size_t i = 0; i < p->n_threads; i++) {
		struct tracee_thread *t = &p->threads[i];

		if (i % CLOCK_EVERY == 0 && clock_now_us() > end_us)
			break;
		if (!leave_trap(t, false) && t->state == TRACEE_RUNNING && !t->interrupted) {
			t->interrupted = true;
			traced_interrupt(t->tid);
		}
		n += t->state == TRACEE_RUNNING;
	}
	return n;
}

/* Return whether @t, which ran, is stopped or gone. */
static bool has_come(struct tracee *p, struct tracee_thread *t)
{
	bool reported = tracee_wait_one(p, t);

	/* A thread that started after the others were interrupted has had no INTERRUPT yet. */
	if (!reported && !t->interrupted) {
		t->interrupted = true;
		traced_interrupt(t->tid);
		reported = tracee_wait_one(p, t);
	}
	return reported && t->state != TRACEE_RUNNING && !leave_trap(t, false);
}

int tracee_reach_stop(struct tracee *p, unsigned limit_ms, pid_t *tid_ret)
{
	int64_t end = clock_now_us() + (int64_t)limit_ms * 1000;

	p->settled = false;
	size_t n = interrupt_all(p, end);
	for (int round = 0;; round++) {
		struct tracee_thread *waiting = NULL;
		bool ask_all = round % (ROUNDS_ALONE + 1) == ROUNDS_ALONE, is_over = clock_now_us() > end;

		/*
		 * Start with the last thread, which usually stops last: until it has stopped, the others are checked
		 * only now and then. The table grows when a thread has just started another.
		 */
		for (size_t i = p->n_threads; i-- > 0 && (!waiting || (ask_all && !is_over));) {
			struct tracee_thread *t = &p->threads[i];

			if (t->state != TRACEE_RUNNING || has_come(p, t))
				continue;
			/*
			 * A leader that ends while other threads run stays a zombie, and the kernel does not report it.
			 */
			if (t->tid == p->pid && ask_all && tracee_state(p, t) == 'Z' && !tracee_wait_one(p, t))
				t->state = TRACEE_ZOMBIE;
			else if (t->state == TRACEE_RUNNING)
				waiting = t;
			is_over |= i % CLOCK_EVERY == 0 && clock_now_us() > end;
		}
		if (!waiting)
			break;
		if (is_over) {
			*tid_ret = waiting->tid;
			tracee_compact(p);
			p->mode = TRACEE_STOPS;
			return ETIMEDOUT;
		}
		/* An exec waits until the threads that it killed are reaped, including stopped ones. */
		if (ask_all) {
			for (size_t i = 0; i < p->n_threads; i++) {
				if (p->threads[i].state == TRACEE_STOPPED)
					tracee_wait_one(p, &p->threads[i]);
			}
		}
		traced_give_way(round, n);
	}
	tracee_compact(p);
	p->mode = TRACEE_STOPS;
	return 0;
}

/* Wait until @end_us for pending SIGTRAPs. Return a thread that did not receive its own, or 0. */
static pid_t await_traps(struct tracee *p, int64_t end_us)
{
	for (size_t i = 0; i < p->n_threads; i++) {
		struct tracee_thread *t = &p->threads[i];

		if (!t->unexamined)
			continue;
		t->unexamined = false;
		t->moving |= tracee_let_trap_come(p, t);
	}
	pid_t slow = await_moving(p, end_us);
	tracee_compact(p);
	return slow;
}

void tracee_examine(struct tracee *p)
{
	await_traps(p, clock_now_us() + EXAMINE_MS * 1000);
}

int tracee_stop(struct tracee *p, unsigned limit_ms, pid_t *tid_ret)
{
	int64_t end_us = clock_now_us() + (int64_t)limit_ms * 1000;
	int err = tracee_reach_stop(p, limit_ms, tid_ret);

	if (err)
		return err;
	pid_t slow = await_traps(p, end_us);
	if (slow)
		*tid_ret = slow;
	return slow ? ETIMEDOUT : 0;
}

/* Resuming */

static void resume_one(struct tracee *p, struct tracee_thread *t)
{
	long r = -1;

	if (t->state != TRACEE_STOPPED)
		return;
	t->unexamined = t->moving = false;
	tracee_trap_keep_mask(p, t);
	if (t->group)
		r = ptrace(PTRACE_LISTEN, t->tid, NULL, NULL);
	if (r)
		ptrace(t->stepping ? PTRACE_SINGLESTEP : PTRACE_CONT, t->tid, NULL, (void *)(long)t->sig);
	/* On failure the thread was killed, and waitpid() reports that. */
	t->state = t->vforked ? TRACEE_IN_VFORK : TRACEE_RUNNING;
	t->vforked = false;
	t->interrupted = false;
	t->sig = 0;
	t->group = 0;
	t->at_trap = false;
	t->trapped = 0;
	t->verdict = TRACEE_UNFILTERED;
	t->asked_us = 0;
}

bool tracee_pass_by(struct tracee *p, struct tracee_thread *t)
{
	const struct tracee_planted *at = tracee_planted_at(p, t->reported);

	/* The handler of a pending signal would return to the breakpoint. */
	if (!at || t->sig || t->group || !tracee_emulate(p, t->tid, at))
		return false;
	t->reported = 0;
	resume_one(p, t);
	return true;
}

void tracee_leave_trap(struct tracee *p, struct tracee_thread *t)
{
	if (leave_trap(t, false))
		await_moving(p, clock_now_us() + EXAMINE_MS * 1000);
}

void tracee_settle(struct tracee *p)
{
	if (p->mode != TRACEE_STOPS || p->execed || p->exited)
		return;
	for (size_t i = 0; i < p->n_planted; i++)
		tracee_put(p, &p->planted[i], false);
	for (size_t i = 0; i < p->n_threads; i++)
		leave_trap(&p->threads[i], true);
	await_moving(p, clock_now_us() + SETTLE_MS * 1000);
	p->settled = true;
}

bool tracee_is_settled(const struct tracee *p)
{
	return p->mode != TRACEE_STOPS || p->settled;
}

bool tracee_any_stepping(const struct tracee *p)
{
	for (size_t i = 0; i < p->n_threads; i++) {
		if (p->threads[i].stepping)
			return true;
	}
	return false;
}

/* Restore the removed instructions, also if more were planted since, but not one that a slow step needs removed. */
static void restore_instructions(struct tracee *p)
{
	bool any_stepped = tracee_any_stepping(p);

	for (size_t i = 0; i < p->n_planted; i++) {
		bool is_stepped = false;

		if (!p->planted[i].wanted || p->planted[i].is_in)
			continue;
		for (size_t k = 0; k < p->n_threads && any_stepped; k++)
			is_stepped |= p->threads[k].stepping == p->planted[i].address;
		/* On failure the program has unmapped the code. */
		if (!is_stepped)
			tracee_put(p, &p->planted[i], true);
	}
	p->settled = false;
}

void tracee_resume(struct tracee *p)
{
	/* After a time limit, some threads have not been examined yet. */
	if (p->n_planted)
		tracee_examine(p);
	restore_instructions(p);
	if (p->n_in)
		tracee_trap_learn(p);
	for (size_t i = 0; i < p->n_threads; i++) {
		struct tracee_thread *t = &p->threads[i];

		if (t->state == TRACEE_STOPPED && t->reported && !t->parked)
			tracee_step_over(p, t);
	}
	for (size_t i = 0; i < p->n_threads; i++) {
		if (!p->threads[i].parked)
			tracee_trap_deliver(p, &p->threads[i]);
	}
	for (size_t i = 0; i < p->n_threads; i++) {
		if (!p->threads[i].parked)
			resume_one(p, &p->threads[i]);
	}
	tracee_compact(p);
	p->trap.is_current = false;
	p->mode = TRACEE_RUNS;
}

struct tracee_thread *tracee_next_trapped(struct tracee *p)
{
	for (size_t i = 0; i < p->n_threads; i++) {
		struct tracee_thread *t = &p->threads[i];
		const struct tracee_planted *at = t->trapped ? tracee_planted_at(p, t->trapped) : NULL;

		if (!t->trapped || t->state != TRACEE_STOPPED || t->parked)
			continue;
		/* If the breakpoint was removed meanwhile, the thread executes the program's own instruction. */
		t->reported = at && at->wanted ? t->trapped : 0;
		t->trapped = 0;
		t->asked_us = 0;
		if (!t->reported || t->other_process)
			continue;
		if (!t->verdict)
			t->verdict = tracee_filter(p, t, at);
		if (t->verdict != TRACEE_PASS)
			return t;
	}
	return NULL;
}

struct tracee_thread *tracee_reap(struct tracee *p)
{
	struct walk walk = {0};
	pid_t tid;

	while ((tid = next_event(p, &walk))) {
		struct tracee_thread *t = tracee_find(p, tid);

		if (!t || t->state != TRACEE_STOPPED) {
			tracee_compact(p);
			continue;
		}
		/* An INTERRUPT of an earlier stop may meet a hit. */
		if (p->mode != TRACEE_STOPS && !p->execed && tracee_let_trap_come(p, t))
			continue;
		if (p->mode == TRACEE_NONE) {
			tracee_detach(t);
			tracee_compact(p);
		} else if (p->mode == TRACEE_RUNS && t->trapped && !p->execed) {
			t->reported = t->trapped;
			t->trapped = 0;
			return t;
		} else if (p->mode == TRACEE_RUNS && !p->execed && t->sig == SIGTRAP &&
			   p->trap.kind != TRACEE_TRAP_DEFAULT) {
			/* The end of a stop delivers it: tracee_trap_deliver(). */
			return t;
		} else if (p->mode == TRACEE_RUNS && !p->execed) {
			resume_one(p, t);
		}
	}
	/* Replace a watchdog that was killed. */
	if ((p->n_in || p->word) && p->mode != TRACEE_NONE && !p->exited && !p->execed)
		watchdog_begin(p);
	return NULL;
}
