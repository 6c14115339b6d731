/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A running process as a target: identity, memory, and the operations, with the other files of this folder. Created by
 * attach.c, called through target.c.
 */
#include "target/process/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target/control.h"
#include "target/unwind/dwarf.h"
#include "target/modules/emulator.h"
#include "target/modules/module_list.h"
#include "target/proc/observe.h"
#include "target/proc/proc.h"
#include "target/memory/timed_reader.h"
#include "target/arch/registers.h"
#include "target/sandbox/sandbox.h"
#include "target/stop/stopper.h"

/* With fewer threads, reading /proc is faster than waking another thread. */
#define MIN_THREADS_FOR_HELPER 32

static struct error *process_readable(struct target *t)
{
	if (stopper_is_expired(t->stopper))
		return error_create(ERR_STOP_TIMEOUT, "the time limit of the stop was over; the threads run again");
	return NULL;
}

/* Identity */

static struct error *process_check(struct target *t)
{
	struct process *p = process_of(t);
	char byte;

	/*
	 * The open file belongs to the address space of the attach: after an exec or the process's end nothing can be
	 * read.
	 */
	bool exited = process_has_exited(p) || (p->leader_left && !process_living_thread(p));
	if (pread(p->memfd, &byte, 1, (off_t)p->auxv.random) == 1 && !exited)
		return NULL;
	/* A living process without memory at that address runs another program. */
	if (exited || process_has_exited(p) || !process_living_thread(p))
		return process_error_exited(p);
	return error_create(ERR_TARGET_EXEC, "process %d has replaced its program (it was %s)", t->pid, t->exe);
}

/* Stop and resume */

/* Update t->threads from the kernel's list. */
static struct error *refresh_tids(struct process *p)
{
	_cleanup_free_ pid_t *tids = NULL;
	size_t n;
	bool changed;
	struct error *err = proc_list_tasks(p->taskfd, &tids, &n);

	if (err)
		return err;
	if (!p->leader_left && n > 1)
		p->leader_left = !process_thread_is_alive(p, p->base.pid);
	for (size_t i = 0; i < n && p->leader_left && n > 1; i++) {
		if (tids[i] == p->base.pid)
			tids[i--] = tids[--n];
	}
	return target_set_threads(&p->base, tids, n, &changed);
}

static void read_missing_comms(struct process *p)
{
	for (size_t i = 0; i < p->base.n_threads; i++) {
		struct target_thread *thread = &p->base.threads[i];

		if (!thread->comm[0] && !thread_texts_name(&p->texts, thread))
			observe_comm(p->taskfd, thread);
	}
}

bool process_has_list(const struct process *p)
{
	size_t n = p->base.n_threads;
	struct stat st;

	return n && fstat(p->taskfd, &st) == 0 && st.st_nlink == n + 2 + p->leader_left;
}

struct error *process_need_list(struct process *p, bool is_outdated)
{
	struct error *err = is_outdated || !process_has_list(p) ? refresh_tids(p) : NULL;
	if (!err)
		read_missing_comms(p);
	return err;
}

static struct error *process_stop(struct target *t, unsigned budget_ms)
{
	struct process *p = process_of(t);
	struct stop_request request = {
		.with_registers = t->wants_registers,
		.budget_ms = budget_ms,
		.limit_ms = t->max_stop_ms,
	};
	struct stopper *s = t->stopper;

	stopped_threads_clear(&p->stopped);
	p->stopped_view = 0;
	p->left_sleepers = t->is_proving;
	if (!s->ops->takes_list(s, budget_ms))
		return s->ops->stop(s, &request);
	/* Read as much as possible before the stop, to keep the stop short. */
	struct error *err = t->is_proving ? NULL : process_need_list(p, false);
	if (err)
		return err;
	_cleanup_free_ pid_t *tids = malloc((t->n_threads + 1) * sizeof(*tids));
	_cleanup_free_ pid_t *asleep = malloc((t->n_threads + 1) * sizeof(*asleep));
	if (!tids || !asleep)
		return &error_nomem;
	for (size_t i = 0; i < t->n_threads; i++) {
		pid_t tid = t->threads[i].tid;

		if (t->is_proving && sleepers_rely_on(&p->sleepers, tid))
			asleep[request.n_asleep++] = tid;
		else
			tids[request.n++] = tid;
	}
	/* The leader has ended and cannot be stopped, but the kernel still counts it as a thread. */
	if (p->leader_left)
		tids[request.n++] = t->pid;
	request.tids = tids;
	request.asleep = asleep;
	return s->ops->stop(s, &request);
}

static bool process_is_stopped_by_other(struct target *t)
{
	return observe_all_stopped(process_of(t)->taskfd, t->pid);
}

static void process_poll(struct target *t)
{
	stopper_poll(t->stopper);
}

static int process_exit_fd(const struct target *t)
{
	return process_of_const(t)->pidfd;
}

/* Threads */

/* List the threads that are stopped, and those that the stop left asleep, whose registers are not known. */
static struct error *take_stopped(struct process *p, bool with_registers)
{
	struct target *t = &p->base;

	stopped_threads_clear(&p->stopped);
	stopper_for_each(t->stopper, with_registers, stopped_threads_add, &p->stopped);
	for (size_t i = 0; i < t->n_threads && p->left_sleepers; i++) {
		if (sleepers_rely_on(&p->sleepers, t->threads[i].tid))
			stopped_threads_add(t->threads[i].tid, NULL, &p->stopped);
	}
	stopped_threads_sort(&p->stopped);
	p->stopped_view = t->view;
	p->stopped_registers = with_registers;
	return p->stopped.failed ? &error_nomem : NULL;
}

static struct error *list_stopped(struct process *p)
{
	struct target *t = &p->base;
	_cleanup_free_ pid_t *tids = malloc((p->stopped.n + 1) * sizeof(*tids));
	bool changed;

	if (!tids)
		return &error_nomem;
	for (size_t i = 0; i < p->stopped.n; i++)
		tids[i] = p->stopped.threads[i].tid;
	struct error *err = target_set_threads(t, tids, p->stopped.n, &changed);
	if (err)
		return err;
	for (size_t i = 0; i < t->n_threads; i++) {
		bool was_left = p->left_sleepers && sleepers_rely_on(&p->sleepers, t->threads[i].tid);

		t->threads[i].state = was_left ? 'S' : 't';
	}
	read_missing_comms(p);
	return NULL;
}

/* List threads as if they were stopped, as they will be in the later real view: the same data is then read. */
static struct error *list_roughly(struct process *p)
{
	struct error *err = process_need_list(p, false);

	for (size_t i = 0; !err && i < p->base.n_threads; i++)
		p->base.threads[i].state = 't';
	return err;
}

static struct error *process_keep_threads(struct target *t, bool with_registers, bool *changed_ret)
{
	struct process *p = process_of(t);
	struct error *err = take_stopped(p, with_registers);

	if (err)
		return err;
	*changed_ret = p->stopped.n != t->n_threads;
	for (size_t i = 0; i < t->n_threads && !*changed_ret; i++)
		*changed_ret = !stopped_threads_find(&p->stopped, t->threads[i].tid);
	return NULL;
}

static struct error *process_list_threads(struct target *t)
{
	struct process *p = process_of(t);
	struct error *err;

	if (t->has_copy)
		return list_stopped(p);
	if (target_is_stopped(t)) {
		err = p->stopped_view == t->view ? NULL : take_stopped(p, false);
		return err ? err : list_stopped(p);
	}
	if (t->learning || t->warming_up)
		return list_roughly(p);
	err = t->is_proving ? NULL : refresh_tids(p);
	if (err)
		return err;
	for (size_t i = 0; i < t->n_threads; i++)
		observe_thread(p->taskfd, &t->threads[i], !t->threads[i].comm[0]);
	return NULL;
}

/* Store the registers of a thread that is stopped, or was when the copy was taken; return false if they are unknown. */
static bool stopped_registers(struct process *p, pid_t tid, struct arch_registers *ret)
{
	struct target *t = &p->base;

	if (!t->has_copy && (p->stopped_view != t->view || !p->stopped_registers))
		error_destroy(take_stopped(p, true));
	const struct stopped_thread *found = stopped_threads_find(&p->stopped, tid);
	if (!found || !found->has_registers)
		return false;
	*ret = found->registers;
	return true;
}

/* Return whether the request concerns stopped threads. */
static bool asks_stopped(struct target *t)
{
	/* Later copies will include the registers. */
	if (t->has_copy && !t->wants_registers)
		t->copy_missed = true;
	t->wants_registers |= t->has_copy || t->learning || t->is_proving;
	return t->has_copy || target_is_stopped(t);
}

static void process_activity(struct target *t, pid_t tid, struct target_activity *ret)
{
	struct process *p = process_of(t);
	struct arch_registers regs;

	if (asks_stopped(t)) {
		if (stopped_registers(p, tid, &regs))
			target_activity_of(t, &regs, ret);
		else if (p->left_sleepers)
			sleepers_recall(&p->sleepers, tid, ret);
	} else if (!t->learning || !thread_texts_activity(&p->texts, tid, ret)) {
		sleepers_read(&p->sleepers, p->taskfd, tid, ret);
	}
}

static void process_expect_activities(struct target *t)
{
	thread_texts_begin_activities(&process_of(t)->texts);
}

static void process_registers(struct target *t, pid_t tid, struct target_registers *ret)
{
	struct process *p = process_of(t);
	struct arch_registers regs;

	if (!asks_stopped(t))
		reported_registers_get(&p->reported, p->taskfd, tid, ret);
	else if (stopped_registers(p, tid, &regs))
		registers_to_target(&regs, ret);
}

static struct error *process_report_registers(struct target *t, pid_t tid, const struct target_registers *registers,
					      bool *ret_taken)
{
	struct process *p = process_of(t);

	return reported_registers_set(&p->reported, p->taskfd, tid, registers, ret_taken);
}

static bool process_is_emulated(struct target *t)
{
	return target_emulator(t) != NULL;
}

static void process_destroy(struct target *t)
{
	struct process *p = process_of(t);

	thread_texts_deinit(&p->texts);
	stopper_destroy(t->stopper);
	timed_reader_destroy(p->reader);
	stopped_threads_deinit(&p->stopped);
	reported_registers_deinit(&p->reported);
	sleepers_deinit(&p->sleepers);
	dwarf_destroy(t->dwarf);
	module_list_destroy(t->modules);
	if (p->memfd >= 0)
		close(p->memfd);
	if (p->taskfd >= 0)
		close(p->taskfd);
	if (p->dirfd >= 0)
		close(p->dirfd);
	if (p->pidfd >= 0)
		close(p->pidfd);
	target_deinit(t);
	free(p);
}

const struct target_ops process_ops = {
	.destroy = process_destroy,
	.check = process_check,
	.stop = process_stop,
	.is_stopped_by_other = process_is_stopped_by_other,
	.poll = process_poll,
	.exit_fd = process_exit_fd,
	.begin_proof = process_begin_proof,
	.end_proof = process_end_proof,
	.has_slept = process_has_slept,
	.reset_proof = process_reset_proof,
	.need_registers = process_need_registers,
	.keep_threads = process_keep_threads,
	.list_threads = process_list_threads,
	.fill_pthreads = module_list_fill_pthreads,
	.activity = process_activity,
	.expect_activities = process_expect_activities,
	.registers = process_registers,
	.report_registers = process_report_registers,
	.read_pages = process_read_pages,
	.read_pieces = process_read_pieces,
	.read = process_read,
	.readable = process_readable,
	.is_emulated = process_is_emulated,
	.image = process_image,
	.environment = process_environment,
};

void process_warm_up(struct process *p)
{
	struct target *t = &p->base;
	const struct target_module *modules;
	size_t n;

	target_view_begin(t);
	struct error *err = refresh_tids(p);
	if (!err) {
		if (t->n_threads >= MIN_THREADS_FOR_HELPER)
			thread_texts_begin(&p->texts, stopper_helper(t->stopper), p->taskfd, t->threads, t->n_threads);
		module_list_fill_pthreads(t);
		err = target_modules(t, &modules, &n);
	}
	error_destroy(err);
}

struct error *target_quit_thread(struct target *t)
{
	if (!sandbox_is_entered())
		return NULL;
	if (t->ops == &process_ops && t->stopper) {
		thread_texts_deinit(&process_of(t)->texts);
		stopper_drop_thread(t->stopper);
	}
	if (!stopper_quit())
		return error_create(ERR_INTERNAL_ERROR, "the thread that traces the target has not ended");
	return sandbox_is_closed() ? NULL
				   : error_create(ERR_INTERNAL_ERROR, "a thread of the worker is not in the sandbox");
}

uint64_t target_entry(const struct target *t)
{
	return t->ops == &process_ops ? process_of_const(t)->auxv.entry : 0;
}
