/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Preserves the program's disposition of SIGTRAP. Our instruction may trap, or a step end, in a thread that blocks or
 * ignores SIGTRAP. The kernel then unblocks it in that thread and resets the handler to SIG_DFL (force_sig()). This
 * file restores both before the thread is resumed. Part of ompdd-tracer.
 *
 * The mask is the thread's at its last resume. The handler is the program's at its last resume. The program itself
 * reads it, in a system call that a stopped thread executes for us. A program with the default action loses no handler,
 * and executes no such call.
 */
#include "tracer/tracee_trap.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "target/proc/auxv.h"
#include "target/proc/proc_line.h"
#include "target/trace/traced.h"

#define BIT(sig) ((uint64_t)1 << ((sig)-1))
/* Signals 1 to 31 but SIGKILL, SIGSTOP and SIGTRAP: a thread that blocks these blocks all. */
#define ALL_OTHERS (((uint64_t)1 << 31) - 1 - BIT(SIGKILL) - BIT(SIGSTOP) - BIT(SIGTRAP))
/* Faults of our call, which are suppressed. They are not blocked, or the kernel would reset them too. */
#define FAULTS (BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGILL) | BIT(SIGSYS))
/* The part of the vdso that is searched for a system call instruction. */
#define VDSO_BYTES   8192
#define SYSCALL_STOP (SIGTRAP | 0x80) /* PTRACE_O_TRACESYSGOOD */
/* The number of sched_yield() rounds before sleeping while our call ends. */
#define CALL_YIELDS 64

/* A thread's state from /proc. */
struct view {
	enum tracee_trap_kind kind;
	bool is_filtered; /* by seccomp, which may kill the thread for our call */
};

static bool read_hex(const char *text, const char *name, uint64_t *ret)
{
	char value[32];

	if (!proc_line_find(text, name, value, sizeof(value)))
		return false;
	*ret = strtoull(value, NULL, 16);
	return true;
}

static bool read_view(pid_t tid, struct view *ret)
{
	char path[64], text[PROC_LINE_TEXT], seccomp[16];
	uint64_t ignored, caught;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	if (proc_line_read(path, text) <= 0 || !read_hex(text, "SigIgn:\t", &ignored) ||
	    !read_hex(text, "SigCgt:\t", &caught))
		return false;
	ret->kind = ignored & BIT(SIGTRAP)  ? TRACEE_TRAP_IGNORED
		    : caught & BIT(SIGTRAP) ? TRACEE_TRAP_CAUGHT
					    : TRACEE_TRAP_DEFAULT;
	ret->is_filtered = proc_line_find(text, "Seccomp:\t", seccomp, sizeof(seccomp)) && strcmp(seccomp, "0") != 0;
	return true;
}

/* System calls that a stopped thread executes for us */

/* Return the address of a system call instruction, or 0. */
static uint64_t find_call(struct tracee *p)
{
	char path[64], data[1024];
	unsigned char code[VDSO_BYTES];
	struct process_auxv auxv;

	snprintf(path, sizeof(path), "/proc/%d/auxv", p->pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, data, sizeof(data));
	if (fd >= 0)
		close(fd);
	auxv_parse(data, n > 0 ? (size_t)n : 0, &auxv);
	size_t len = sizeof(code);
	while (auxv.vdso && len && !tracee_read(p, auxv.vdso, code, len))
		len /= 2;
	for (size_t at = 0; auxv.vdso && at + arch->call_len <= len; at += arch->breakpoint_len) {
		if (!memcmp(code + at, arch->call, arch->call_len))
			return auxv.vdso + at;
	}
	return 0;
}

/* Resume @t until its next stop with @request (PTRACE_CONT, ...) and the signal @sig. Return false if it is gone. */
static bool go_to_stop(struct tracee *p, struct tracee_thread *t, int request, int sig, int *status_ret)
{
	if (ptrace((enum __ptrace_request)request, t->tid, NULL, (void *)(long)sig))
		return false;
	for (int round = 0;; round++) {
		pid_t r = traced_wait(t->tid, status_ret);

		if (r > 0 && traced_read(*status_ret).kind != TRACED_END)
			return true;
		if (r > 0)
			tracee_note(p, t->tid, *status_ret);
		if (r)
			return false;
		if (round < CALL_YIELDS)
			sched_yield();
		else
			traced_give_way(CALL_YIELDS, 1);
	}
}

/* Run to the start of our system call, or from there to its end. Add a signal that arrives meanwhile to @signals. */
static bool go_to_call(struct tracee *p, struct tracee_thread *t, uint64_t *signals)
{
	int status;

	while (go_to_stop(p, t, PTRACE_SYSCALL, 0, &status)) {
		struct traced_news news = traced_read(status);

		if (news.kind != TRACED_SIGNAL)
			continue;
		if (news.sig == SYSCALL_STOP)
			return true;
		/* A fault: the call cannot be made (syscall user dispatch). */
		if (BIT(news.sig) & FAULTS)
			return false;
		*signals |= BIT(news.sig);
	}
	return false;
}

/*
 * Call rt_sigaction() for SIGTRAP in the stopped thread @t: set @set and read into @get, each unless NULL. Afterwards
 * @t is in the stop of an interrupt, with its previous registers and mask.
 */
static bool call_sigaction(struct tracee *p, struct tracee_thread *t, const uint64_t *set, uint64_t *get)
{
	uint64_t mask, blocked = ~FAULTS, saved[TRACEE_ACTION_WORDS], values[ARCH_N_REGISTERS];
	uint64_t signals = 0;
	struct arch_registers regs, changed;
	bool done = false;
	int status;

	if (!p->trap.call)
		p->trap.call = find_call(p);
	if (!p->trap.call || !arch_host.read_registers(t->tid, &regs) ||
	    ptrace(PTRACE_GETSIGMASK, t->tid, sizeof(mask), &mask))
		return false;
	uint64_t at = ((arch_sp(&regs) - arch->red_zone) & ~(uint64_t)15) - sizeof(saved);
	if (!tracee_read(p, at, saved, sizeof(saved)))
		return false;
	for (size_t i = 0; set && i < TRACEE_ACTION_WORDS; i++) {
		if (ptrace(PTRACE_POKEDATA, t->tid, (void *)(at + i * sizeof(*set)), (void *)set[i]))
			return false;
	}
	const uint64_t args[ARCH_N_ARGUMENTS] = {SIGTRAP, set ? at : 0, get ? at : 0, sizeof(mask)};
	changed = regs;
	arch_host.set_call(&changed, p->trap.call, SYS_rt_sigaction, args);
	if (ptrace(PTRACE_SETSIGMASK, t->tid, sizeof(blocked), &blocked) == 0 &&
	    arch_host.write_registers(t->tid, &changed))
		done = go_to_call(p, t, &signals) && go_to_call(p, t, &signals) &&
		       arch_host.read_registers(t->tid, &changed);
	if (t->state == TRACEE_GONE)
		return false;
	arch->by_dwarf(&changed, values);
	done = done && values[arch->result] == 0 && (!get || tracee_read(p, at, get, sizeof(saved)));
	/* Run to a stop from which an interrupted system call continues as before. */
	traced_interrupt(t->tid);
	if (!go_to_stop(p, t, PTRACE_CONT, 0, &status))
		return false;
	struct traced_news news = traced_read(status);
	t->group = news.kind == TRACED_GROUP_STOP ? news.sig : 0;
	t->at_trap = t->interrupted = false;
	for (size_t i = 0; i < TRACEE_ACTION_WORDS; i++)
		ptrace(PTRACE_POKEDATA, t->tid, (void *)(at + i * sizeof(saved[0])), (void *)saved[i]);
	arch_host.write_registers(t->tid, &regs);
	ptrace(PTRACE_SETSIGMASK, t->tid, sizeof(mask), &mask);
	for (int sig = 1; sig < 64; sig++) {
		if (signals & BIT(sig))
			syscall(SYS_tkill, t->tid, sig);
	}
	return done;
}

/* The program's state */

/* Return whether @t can execute our call without losing the state of its stop. */
static bool can_call(struct tracee *p, const struct tracee_thread *t)
{
	unsigned char code[ARCH_BREAKPOINT_BYTES] = {0};
	struct arch_registers regs;
	struct view v;

	if (t->state != TRACEE_STOPPED || t->sig || t->group || t->vforked || t->stepping || !read_view(t->tid, &v) ||
	    v.is_filtered)
		return false;
	if (!arch->call_is_ahead)
		return true;
	/* After a call of ours, the kernel no longer knows how to continue the interrupted call. */
	return arch_host.read_registers(t->tid, &regs) && tracee_read(p, arch_pc(&regs), code, sizeof(code)) &&
	       !arch->is_in_call(&regs, code, sizeof(code), NULL, NULL);
}

static bool any_runs(const struct tracee *p)
{
	for (size_t i = 0; i < p->n_threads; i++) {
		if (p->threads[i].state == TRACEE_RUNNING)
			return true;
	}
	return false;
}

void tracee_trap_learn(struct tracee *p)
{
	struct view v;

	if (p->trap.is_current || !read_view(p->pid, &v))
		return;
	p->trap.is_current = true;
	/* A thread that has not stopped in time may have hit a breakpoint, which resets the handler. */
	if (v.kind == TRACEE_TRAP_DEFAULT && p->trap.kind != TRACEE_TRAP_DEFAULT && any_runs(p))
		return;
	/* If no thread can execute our call, the action of an earlier stop stays. */
	p->trap.has_action &= p->trap.kind == v.kind;
	p->trap.kind = v.kind;
	bool has_read = v.kind == TRACEE_TRAP_DEFAULT;
	for (size_t i = 0; i < p->n_threads && !has_read; i++) {
		struct tracee_thread *t = &p->threads[i];

		if (!t->other_process && can_call(p, t))
			has_read = p->trap.has_action = call_sigaction(p, t, NULL, p->trap.action);
	}
}

void tracee_trap_keep_mask(const struct tracee *p, struct tracee_thread *t)
{
	t->kept_losses = p->trap.n_losses;
	t->has_kept_mask = t->masked || ptrace(PTRACE_GETSIGMASK, t->tid, sizeof(t->kept_mask), &t->kept_mask) == 0;
	if (t->masked)
		t->kept_mask = t->mask;
}

/* Return whether the kept mask of @t applies to the present one, @now: all other signals are equal. */
static bool is_kept(const struct tracee_thread *t, uint64_t now)
{
	return t->has_kept_mask && !((t->kept_mask ^ now) & ~BIT(SIGTRAP));
}

/*
 * Return whether @t, with the mask @now, blocked SIGTRAP before the kernel unblocked it. @is_lost: the kernel has reset
 * the handler since the thread's last resume.
 */
static bool has_blocked(const struct tracee *p, const struct tracee_thread *t, uint64_t now, bool is_lost)
{
	/* A handler is lost only if the signal was blocked. At its last resume, the thread may have been in it. */
	if (p->trap.kind != TRACEE_TRAP_DEFAULT && !is_lost)
		return false;
	if (is_kept(t, now))
		return t->kept_mask & BIT(SIGTRAP);
	/* The thread has changed its mask since. */
	if (p->trap.kind == TRACEE_TRAP_CAUGHT)
		return is_lost;
	return (now & ALL_OTHERS) == ALL_OTHERS;
}

/* Return whether the kernel has reset the program's handler, which is not restored yet. */
static bool has_lost_handler(const struct tracee *p, const struct tracee_thread *t, bool *is_filtered_ret)
{
	struct view v;

	if (p->trap.kind == TRACEE_TRAP_DEFAULT || !read_view(t->tid, &v))
		return false;
	*is_filtered_ret = v.is_filtered;
	return v.kind == TRACEE_TRAP_DEFAULT;
}

bool tracee_trap_was_blocked(const struct tracee *p, const struct tracee_thread *t)
{
	uint64_t now;
	bool is_filtered;
	bool is_lost = p->trap.n_losses != t->kept_losses || has_lost_handler(p, t, &is_filtered);

	return ptrace(PTRACE_GETSIGMASK, t->tid, sizeof(now), &now) == 0 && !(now & BIT(SIGTRAP)) &&
	       (is_lost || has_blocked(p, t, now, is_lost));
}

void tracee_trap_resend(struct tracee_thread *t)
{
	if (t->has_own_trap)
		syscall(SYS_tkill, t->tid, SIGTRAP);
	t->has_own_trap = false;
}

bool tracee_trap_continue_step(struct tracee_thread *t, uint64_t pc)
{
	bool had_own_trap = t->has_own_trap;
	siginfo_t info;
	uint64_t now;

	/* On some processors the end of a step looks as if sent by kill(), but without a sender. */
	if (ptrace(PTRACE_GETSIGINFO, t->tid, NULL, &info) || info.si_code > 0 ||
	    (info.si_code == SI_USER && info.si_pid <= 0))
		return false;
	t->has_own_trap = true;
	/* A system call may wait for that signal: its step ends. */
	return !had_own_trap && t->masked && arch_host.read_pc(t->tid, &now) && now == pc &&
	       ptrace(PTRACE_SINGLESTEP, t->tid, NULL, NULL) == 0;
}

void tracee_trap_mend(struct tracee *p, struct tracee_thread *t)
{
	bool is_filtered, is_lost = has_lost_handler(p, t, &is_filtered);
	/* A pending SIGTRAP that was not blocked would have arrived before the breakpoint. */
	bool is_proven = t->trapped && t->has_own_trap;
	uint64_t now;

	p->trap.n_losses += is_lost;
	if (ptrace(PTRACE_GETSIGMASK, t->tid, sizeof(now), &now) == 0 && !(now & BIT(SIGTRAP)) &&
	    (is_proven || has_blocked(p, t, now, p->trap.n_losses != t->kept_losses))) {
		now |= BIT(SIGTRAP);
		ptrace(PTRACE_SETSIGMASK, t->tid, sizeof(now), &now);
	}
	if (is_lost && p->trap.has_action && !is_filtered)
		call_sigaction(p, t, p->trap.action, NULL);
	tracee_trap_resend(t);
}

/* Return whether the step with a signal of @t has ended before the first instruction of its handler. */
static bool is_in_handler(struct tracee_thread *t, int status)
{
	struct traced_news news = traced_read(status);
	siginfo_t info;

	if (news.kind != TRACED_SIGNAL || news.sig != SIGTRAP || ptrace(PTRACE_GETSIGINFO, t->tid, NULL, &info) ||
	    info.si_code != SIGTRAP)
		return false;
	t->sig = 0;
	t->at_trap = false;
	return true;
}

void tracee_trap_deliver(struct tracee *p, struct tracee_thread *t)
{
	int status;

	if (t->state != TRACEE_STOPPED || t->sig != SIGTRAP || p->trap.kind == TRACEE_TRAP_DEFAULT)
		return;
	/* The other threads are stopped: none of them can hit a breakpoint before the kernel has read the handler. */
	if (p->trap.kind == TRACEE_TRAP_IGNORED)
		t->sig = 0;
	else if (go_to_stop(p, t, PTRACE_SINGLESTEP, SIGTRAP, &status) && !is_in_handler(t, status))
		tracee_note(p, t->tid, status);
	/* Perhaps no thread could execute our call before. */
	p->trap.is_current &= p->trap.has_action;
	tracee_trap_learn(p);
}
