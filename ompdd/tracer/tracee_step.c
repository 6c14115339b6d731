/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Single steps of one thread of a traced process while the others are stopped: past a breakpoint, or at a client's
 * request. Part of ompdd-tracer.
 */
#include "tracer/tracee.h"

#include <errno.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "target/trace/traced.h"
#include "tracer/tracee_trap.h"

/* Rounds of sched_yield() before sleeping while a step ends. */
#define STEP_YIELDS 64
/* A step that sleeps in a system call for this long may need the other threads, which are resumed meanwhile. */
#define STEP_MS 20
/* The same for a step that waits for a page of a file, or in swap. */
#define STEP_PAGE_MS 1000
/* The same for any other step: before that it only waits for a processor. */
#define STEP_BUSY_MS 5000

/* Return whether a step of @t that started at @began_us is slow. */
static bool step_is_long(struct tracee *p, struct tracee_thread *t, bool is_call, int64_t began_us)
{
	int64_t us = clock_now_us() - began_us;

	if (us <= STEP_MS * 1000 || us > STEP_BUSY_MS * 1000)
		return us > STEP_BUSY_MS * 1000;
	if (p->is_alone && p->is_alone(p))
		return true;
	char state = tracee_state(p, t);
	/* Asleep outside of a system call: it waits for a page whose supplier may be stopped (userfaultfd). */
	return state == 'S' || (state == 'D' && (is_call || us > STEP_PAGE_MS * 1000));
}

/* Wait for the end of a step of @t at @pc. Return false if it is slow. */
static bool wait_step(struct tracee *p, struct tracee_thread *t, uint64_t pc, bool is_call)
{
	int64_t began_us = clock_now_us();
	siginfo_t info;
	int status;

	for (int round = 0;; round++) {
		pid_t r = traced_wait(t->tid, &status);

		if (r < 0) {
			t->state = TRACEE_GONE;
			return true;
		}
		if (r == 0 && step_is_long(p, t, is_call, began_us))
			return false;
		if (r == 0) {
			if (round >= STEP_YIELDS)
				nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
			else
				sched_yield();
			continue;
		}
		struct traced_news news = traced_read(status);
		if (news.kind == TRACED_SIGNAL && news.sig == SIGTRAP) {
			/* Done, unless the stepped instruction is the program's own breakpoint. */
			bool own = ptrace(PTRACE_GETSIGINFO, t->tid, NULL, &info) == 0 &&
				   info.si_code == arch->breakpoint_code;

			if (tracee_trap_continue_step(t, pc))
				continue;
			t->state = TRACEE_STOPPED;
			t->sig = own ? SIGTRAP : 0;
			t->at_trap = !own;
			return true;
		}
		tracee_note(p, t->tid, status);
		/*
		 * The thread started another, for example, or a late INTERRUPT arrived: continue the step. A signal or
		 * a group stop ends it; the instruction is executed later.
		 */
		if (news.kind == TRACED_SIGNAL || t->state != TRACEE_STOPPED || t->group || t->vforked ||
		    ptrace(PTRACE_SINGLESTEP, t->tid, NULL, NULL))
			return true;
		t->state = TRACEE_RUNNING;
	}
}

/*
 * Execute one instruction of @t while all others are stopped, in place of @at if that is not NULL. Return false if it
 * is slow: the step ends later (tracee_note()).
 */
static bool single_step(struct tracee *p, struct tracee_thread *t, uint64_t pc, struct tracee_planted *at, bool is_call)
{
	uint64_t blocked = ~(uint64_t)0;

	tracee_trap_learn(p);
	if (at && tracee_put(p, at, false))
		return true;
	/*
	 * Block signals: a handler would run with the breakpoint removed, and return to it. Faults of the instruction
	 * itself stay unblocked. A system call may change the mask, so leave it.
	 */
	static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		blocked &= ~(1ull << (faults[i] - 1));
	tracee_unmask(t);
	tracee_trap_keep_mask(p, t);
	t->masked = !is_call && ptrace(PTRACE_GETSIGMASK, t->tid, sizeof(t->mask), &t->mask) == 0;
	if (t->masked) {
		blocked |= t->mask;
		/* The step ends with a SIGTRAP. If that is blocked, the kernel resets the handler. */
		blocked &= ~(1ull << (SIGTRAP - 1));
		ptrace(PTRACE_SETSIGMASK, t->tid, sizeof(blocked), &blocked);
	}
	t->interrupted = t->at_trap = p->settled = false;
	t->state = TRACEE_RUNNING;
	if (ptrace(PTRACE_SINGLESTEP, t->tid, NULL, NULL) == 0 && !wait_step(p, t, pc, is_call)) {
		/* The end of the step restores the breakpoint and the mask. */
		t->stepping = pc;
		return false;
	}
	if (t->state == TRACEE_STOPPED) {
		tracee_unmask(t);
		if (t->at_trap)
			tracee_trap_mend(p, t);
		else
			tracee_trap_resend(t);
	}
	if (at && !p->execed)
		tracee_put(p, at, true);
	return true;
}

void tracee_step_over(struct tracee *p, struct tracee_thread *t)
{
	struct tracee_planted *at = tracee_planted_at(p, t->reported);
	uint64_t pc;

	t->reported = 0;
	if (!at || !at->is_in || t->sig || t->group || !arch_host.read_pc(t->tid, &pc) || pc != at->address ||
	    tracee_emulate(p, t->tid, at))
		return;
	single_step(p, t, pc, at, arch->is_system_call(at->code, at->code_len));
}

/* Return whether a thread at or after a system call must still execute it: the call was interrupted. */
static bool is_to_restart(struct tracee *p, pid_t tid)
{
	unsigned char code[ARCH_BREAKPOINT_BYTES] = {0};
	struct arch_registers regs;

	if (!arch_host.read_registers(tid, &regs))
		return false;
	if (arch->call_is_ahead)
		tracee_read(p, arch_pc(&regs), code, sizeof(code));
	return arch->is_in_call(&regs, code, sizeof(code), NULL, NULL);
}

int tracee_step(struct tracee *p, struct tracee_thread *t)
{
	unsigned char code[ARCH_BREAKPOINT_BYTES] = {0};
	uint64_t pc;

	if (t->state != TRACEE_STOPPED || !arch_host.read_pc(t->tid, &pc))
		return ESRCH;
	if (t->group)
		return EAGAIN;
	/*
	 * Step past the breakpoint at the program counter, reported or not: the reply shows the thread's address to the
	 * client.
	 */
	t->reported = t->trapped = 0;
	struct tracee_planted *at = tracee_planted_at(p, pc);
	if (at && !at->is_in)
		at = NULL;
	if (at && tracee_emulate(p, t->tid, at))
		return 0;
	/* A pending signal waits for the resume. */
	int sig = t->sig;
	tracee_read(p, pc, code, sizeof(code));
	/* An interrupted system call restarts, although pc is after it. */
	bool is_call = at ? arch->is_system_call(at->code, at->code_len) : arch->is_system_call(code, sizeof(code));
	bool done = single_step(p, t, pc, at, is_call || is_to_restart(p, t->tid));
	for (int round = 0; !done && round < TRACEE_INTERRUPT_ROUNDS && !tracee_stop_one(p, t); round++)
		traced_give_way(round, 1);
	if (t->state != TRACEE_STOPPED)
		return t->state == TRACEE_RUNNING ? EBUSY : ESRCH;
	if (sig && t->sig)
		syscall(SYS_tgkill, p->pid, t->tid, sig);
	else if (sig)
		t->sig = sig;
	uint64_t now;
	if (t->stepping && arch_host.read_pc(t->tid, &now) && now == pc) {
		/* The instruction was not executed; tracee_settle() ends the rest of the step. */
		t->stepping = 0;
		t->at_trap = true;
		tracee_unmask(t);
		if (at && at->wanted)
			tracee_put(p, at, true);
		return EBUSY;
	}
	return !done && is_to_restart(p, t->tid) ? EINPROGRESS : 0;
}
