/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The table of a traced process's threads, and the results of waitpid() for them: a new thread, a fork, an exec, an
 * exit, a signal, a breakpoint. Part of ompdd-tracer.
 */
#include "tracer/tracee.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target/trace/interrupted_call.h"
#include "target/trace/traced.h"
#include "tracer/tracee_trap.h"

/* The table */

struct tracee_thread *tracee_find(struct tracee *p, pid_t tid)
{
	if (tid <= 0 || (unsigned)tid >= TRACEE_MAX_TID || !p->index[tid])
		return NULL;
	return &p->threads[p->index[tid] - 1];
}

struct tracee_thread *tracee_add(struct tracee *p, pid_t tid)
{
	if (p->n_threads == TRACEE_MAX_THREADS || tid <= 0 || (unsigned)tid >= TRACEE_MAX_TID)
		return NULL;
	struct tracee_thread *t = &p->threads[p->n_threads++];
	*t = (struct tracee_thread){.tid = tid};
	p->index[tid] = (uint32_t)p->n_threads;
	return t;
}

void tracee_compact(struct tracee *p)
{
	for (size_t i = 0; i < p->n_threads;) {
		if (p->threads[i].state != TRACEE_GONE) {
			i++;
			continue;
		}
		p->index[p->threads[i].tid] = 0;
		p->threads[i] = p->threads[--p->n_threads];
		if (i < p->n_threads)
			p->index[p->threads[i].tid] = (uint32_t)i + 1;
	}
}

char tracee_state(const struct tracee *p, const struct tracee_thread *t)
{
	return traced_state(t->other_process ? AT_FDCWD : p->taskfd, t->tid);
}

static bool is_our_thread(const struct tracee *p, pid_t tid)
{
	char name[16];
	struct stat st;

	snprintf(name, sizeof(name), "%d", tid);
	return fstatat(p->taskfd, name, &st, 0) == 0;
}

/* Return whether the other process @tid shares the memory, as after vfork(). */
static bool shares_memory(const struct tracee *p, pid_t tid)
{
	return syscall(SYS_kcmp, p->pid, tid, KCMP_VM, 0, 0) == 0;
}

void tracee_unmask(struct tracee_thread *t)
{
	if (t->masked)
		ptrace(PTRACE_SETSIGMASK, t->tid, sizeof(t->mask), &t->mask);
	t->masked = false;
}

void tracee_detach(struct tracee_thread *t)
{
	tracee_unmask(t);
	traced_detach(t->tid, t->sig);
	t->state = TRACEE_GONE;
}

/* Results of waitpid() */

/* Undo a SIGTRAP of @t, which is about to be delivered, if it comes from one of our instructions. */
static bool take_trap(struct tracee *p, struct tracee_thread *t)
{
	struct arch_registers regs;
	siginfo_t info;

	if (ptrace(PTRACE_GETSIGINFO, t->tid, NULL, &info) || !arch_host.read_registers(t->tid, &regs))
		return false;
	/* A blocked SIGTRAP that arrived first has replaced ours. */
	bool is_own = info.si_code != arch->breakpoint_code;
	if (is_own && !tracee_trap_was_blocked(p, t))
		return false;
	const struct tracee_planted *at = tracee_planted_at(p, arch_pc(&regs) - arch->breakpoint_behind);
	unsigned char now[ARCH_BREAKPOINT_BYTES];
	if (!at)
		return false;
	/* The breakpoint was removed meanwhile, or was never written and the instruction is the program's own. */
	if (!at->is_in && tracee_read(p, at->address, now, at->len) && memcmp(now, at->code, at->len))
		return false;
	arch_set_pc(&regs, at->address);
	if (!arch_host.write_registers(t->tid, &regs))
		return false;
	t->trapped = at->address;
	t->has_own_trap = is_own;
	return true;
}

/* A system call of @t created @child, which is traced too and stops, or has already stopped. */
static void note_child(struct tracee *p, struct tracee_thread *t, enum traced_kind kind, pid_t child)
{
	if (kind == TRACED_VFORK)
		t->vforked = true;
	else if (kind == TRACED_FORK)
		p->event(p, TRACER_FORKED, t->tid, (uint64_t)child);
	if (tracee_find(p, child))
		return;
	struct tracee_thread *new = tracee_add(p, child);
	if (new)
		new->fresh = true;
}

/* Add the new thread @t. Return false if it must not be traced and was detached. */
static bool take_in(struct tracee *p, struct tracee_thread *t)
{
	if (is_our_thread(p, t->tid)) {
		p->event(p, TRACER_THREAD_STARTED, t->tid, 0);
		return true;
	}
	if (shares_memory(p, t->tid)) {
		t->other_process = true;
		return true;
	}
	tracee_clean_child(p, t->tid);
	tracee_detach(t);
	return false;
}

static void note_exec(struct tracee *p, struct tracee_thread *t)
{
	if (t->tid != p->pid) {
		/* A vfork() child now has its own memory, without breakpoints. */
		tracee_detach(t);
		return;
	}
	for (size_t i = 0; i < p->n_threads; i++) {
		if (!p->threads[i].other_process && &p->threads[i] != t)
			p->threads[i].state = TRACEE_GONE;
	}
	for (size_t i = 0; i < p->n_planted; i++)
		p->planted[i].is_in = p->planted[i].wanted = false;
	p->n_planted = p->n_in = p->n_groups = 0;
	p->word = 0;
	p->trap = (struct tracee_trap){0};
	p->execed = true;
}

static void note_end(struct tracee *p, pid_t tid, int status)
{
	struct tracee_thread *t = tracee_find(p, tid);
	bool other = t && t->other_process;

	if (t)
		t->state = TRACEE_GONE;
	if (tid == p->pid) {
		p->exited = true;
		p->exit_status = status;
	} else if (t && !other) {
		p->event(p, TRACER_THREAD_EXITED, tid, 0);
	}
}

void tracee_note(struct tracee *p, pid_t tid, int status)
{
	unsigned long message = 0;
	struct traced_news news = traced_read(status);

	if (news.kind == TRACED_END) {
		note_end(p, tid, status);
		return;
	}
	struct tracee_thread *t = tracee_find(p, tid);
	bool is_new = !t || t->fresh;
	if (!t)
		t = tracee_add(p, tid);
	if (!t) {
		/* The table is full: the thread runs untraced, with its pending signal. */
		traced_detach(tid, news.kind == TRACED_SIGNAL ? news.sig : 0);
		return;
	}
	t->fresh = false;
	if (t->stepping && news.kind == TRACED_SIGNAL && news.sig == SIGTRAP &&
	    tracee_trap_continue_step(t, t->stepping))
		return;
	t->state = TRACEE_STOPPED;
	t->unexamined = true;
	t->moving = false;
	t->sig = 0;
	t->group = 0;
	t->at_trap = false;
	interrupted_call_restart(tid);
	switch (news.kind) {
	case TRACED_SIGNAL:
		/* The end of a step, or a fault, whose handler must run with the program's own mask. */
		tracee_unmask(t);
		t->sig = news.sig;
		if (t->sig != SIGTRAP)
			break;
		if (t->stepping) {
			struct tracee_planted *at = tracee_planted_at(p, t->stepping);

			if (at && at->wanted)
				tracee_put(p, at, true);
			t->stepping = 0;
			t->sig = 0;
		} else if (take_trap(p, t)) {
			t->sig = 0;
		}
		t->at_trap = !t->sig;
		p->settled = false;
		if (t->at_trap)
			tracee_trap_mend(p, t);
		break;
	case TRACED_GROUP_STOP:
		t->group = news.sig;
		break;
	case TRACED_CLONE:
	case TRACED_FORK:
	case TRACED_VFORK:
		if (ptrace(PTRACE_GETEVENTMSG, tid, NULL, &message) == 0)
			note_child(p, t, news.kind, (pid_t)message);
		break;
	case TRACED_EXEC:
		note_exec(p, t);
		break;
	case TRACED_INTERRUPTED:
	case TRACED_OTHER: /* the child of a vfork has its own memory now */
	case TRACED_END:
	default:
		break;
	}
	if (is_new && t->state == TRACEE_STOPPED)
		take_in(p, t);
}

bool tracee_wait_one(struct tracee *p, struct tracee_thread *t)
{
	int status;
	pid_t r = traced_wait(t->tid, &status);

	if (r == 0)
		return false;
	if (r < 0)
		t->state = TRACEE_GONE;
	else
		tracee_note(p, t->tid, status);
	return true;
}
