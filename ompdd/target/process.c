/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A running process as a target: identity, memory, and the operations that the other files of
 * this folder do for it. Reached through target.c; made by attach.c.
 */
#include "target/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target/control_ops.h"
#include "target/live.h"
#include "target/modules.h"
#include "target/observe.h"
#include "target/proc.h"
#include "target/reach.h"
#include "target/registers.h"
#include "target/tls.h"
#include "target/tracer.h"

/* A process that executes programs faster than this may look as if it had ended. */
#define MAX_LOOKS 3
/* Of fewer, /proc is read sooner than another thread has woken up. */
#define MIN_THREADS_ASIDE 32

static bool is_alive(const struct process *p, pid_t tid)
{
	char path[32];
	struct proc_stat st;

	snprintf(path, sizeof(path), "%d/stat", tid);
	return proc_read_stat(p->taskfd, path, &st) && !st.dying;
}

static pid_t look_for_living(const struct process *p)
{
	_cleanup_free_ pid_t *tids = NULL;
	size_t n = 0;

	if (is_alive(p, p->base.pid))
		return p->base.pid;
	error_destroy(proc_list_tasks(p->taskfd, &tids, &n));
	for (size_t i = 0; i < n; i++) {
		if (tids[i] != p->base.pid && is_alive(p, tids[i]))
			return tids[i];
	}
	return 0;
}

/*
 * The main thread, or another when that has ended; 0: all have, or are about to. A thread that executes another program
 * ends the others and takes the main thread's number: who looks for it under the number that it had comes too late, and
 * was too early for the other. So nobody is gone who was only not met once.
 */
pid_t process_living_thread(const struct process *p)
{
	pid_t tid = 0;

	for (int i = 0; i < MAX_LOOKS && !tid; i++)
		tid = look_for_living(p);
	return tid;
}

bool process_follow_thread(struct process *p)
{
	pid_t tid = process_living_thread(p);
	char path[32];

	/* There is a main thread again after an exec by another one. */
	if (!tid || (tid == p->base.pid && !p->leader_left))
		return false;
	snprintf(path, sizeof(path), "%d", tid);
	int fd = openat(p->taskfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	close(p->dirfd);
	p->dirfd = fd;
	p->leader_left = tid != p->base.pid;
	return true;
}

int process_dir(struct process *p)
{
	char byte;

	if (readlinkat(p->dirfd, "exe", &byte, 1) < 0)
		process_follow_thread(p);
	return p->dirfd;
}

bool process_has_exited(const struct process *p)
{
	struct pollfd pfd = {.fd = p->pidfd, .events = POLLIN};

	if (p->pidfd >= 0)
		return poll(&pfd, 1, 0) > 0;
	return !process_living_thread(p);
}

struct error *process_error_exited(const struct process *p)
{
	return error_create(ERR_TARGET_EXITED, "process %d has exited", p->base.pid);
}

/* Whether it is not this process that traces the target, if anybody does. */
static bool by_tracer(const struct process *p)
{
	return p->tracer && tracer_is_active(p->tracer);
}

struct stopper *process_stopper(const struct process *p)
{
	return by_tracer(p) ? tracer_stopper(p->tracer) : live_stopper(p->live);
}

bool process_is_held(const struct process *p)
{
	const struct stopper *s = process_stopper(p);

	return s && s->ops->is_held(s);
}

static struct error *process_readable(struct target *t)
{
	const struct stopper *s = process_stopper(process_of(t));

	if (s && s->ops->is_expired(s))
		return error_create(ERR_STOP_TIMEOUT, "the time limit of the stop was over; the threads run again");
	return NULL;
}

/* Identity */

static struct error *process_check(struct target *t)
{
	struct process *p = process_of(t);
	char byte;

	/* The open file belongs to the address space of the attach: an exec or the end leaves nothing to read. */
	bool exited = process_has_exited(p) || (p->leader_left && !process_living_thread(p));
	if (pread(p->memfd, &byte, 1, (off_t)p->auxv.random) == 1 && !exited)
		return NULL;
	/* A process that lives now and has no memory at that address runs another program. */
	if (exited || process_has_exited(p) || !process_living_thread(p))
		return process_error_exited(p);
	return error_create(ERR_TARGET_EXEC, "process %d has replaced its program (it was %s)", t->pid, t->exe);
}

/* Stop and resume */

/* Bring t->threads up to date with the kernel's list. */
static struct error *refresh_tids(struct process *p)
{
	_cleanup_free_ pid_t *tids = NULL;
	size_t n;
	bool changed;
	struct error *err = proc_list_tasks(p->taskfd, &tids, &n);

	if (err)
		return err;
	if (!p->leader_left && n > 1)
		p->leader_left = !is_alive(p, p->base.pid);
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

/*
 * Who was there a moment ago, if the kernel counts as many now: that will do for a stop, as whoever is gone cannot be
 * seized and whoever is new is found by the count, and for views that nothing is told of.
 */
static struct error *need_list(struct process *p)
{
	struct target *t = &p->base;
	struct stat st;

	if (t->n_threads && fstat(p->taskfd, &st) == 0 && st.st_nlink == t->n_threads + 2 + p->leader_left)
		return NULL;
	struct error *err = refresh_tids(p);
	if (!err)
		read_missing_comms(p);
	return err;
}

static struct error *process_stop(struct target *t, unsigned budget_ms)
{
	struct process *p = process_of(t);
	struct stopper_wish wish = {
		.with_registers = t->wants_registers,
		.budget_ms = budget_ms,
		.limit_ms = t->max_stop_ms,
	};
	struct error *err;

	/*
	 * A tracer makes a stop without a limit, because breakpoints may be set during it, and all stops when there is
	 * no thread for them.
	 */
	if (!by_tracer(p) && (!budget_ms || !p->live)) {
		err = control_begin_stop(p, budget_ms);
		if (!p->live || !error_catch(&err, ERR_TRACER_FAILED))
			return err;
	}
	standing_clear(&p->standing);
	p->standing_view = 0;
	struct stopper *s = process_stopper(p);
	if (!s->ops->takes_list)
		return s->ops->stop(s, &wish);
	/* What can be read before the stop is not read in it. */
	err = need_list(p);
	if (err)
		return err;
	_cleanup_free_ pid_t *tids = malloc((t->n_threads + 1) * sizeof(*tids));
	if (!tids)
		return &error_nomem;
	size_t n = t->n_threads;
	for (size_t i = 0; i < n; i++)
		tids[i] = t->threads[i].tid;
	/* The leader has ended and cannot be stopped, but the kernel still counts it among the threads. */
	if (p->leader_left)
		tids[n++] = t->pid;
	wish.tids = tids;
	wish.n = n;
	return s->ops->stop(s, &wish);
}

static struct error *process_resume(struct target *t, int64_t *stopped_us_ret)
{
	struct process *p = process_of(t);
	struct stopper *s = process_stopper(p);
	struct error *err =
		s ? s->ops->resume(s, stopped_us_ret) : error_create(ERR_NOT_STOPPED, "the target is not stopped");

	control_end(p);
	return err;
}

static bool process_is_stopped(const struct target *t)
{
	const struct stopper *s = process_stopper(process_of_const(t));

	return s && s->ops->is_stopped(s);
}

static int64_t process_stopped_us(const struct target *t)
{
	const struct stopper *s = process_stopper(process_of_const(t));

	return s ? s->ops->stopped_us(s) : 0;
}

static bool process_is_stopped_by_other(struct target *t)
{
	return observe_all_stopped(process_of(t)->taskfd, t->pid);
}

static void process_poll(struct target *t)
{
	struct process *p = process_of(t);

	if (p->tracer)
		tracer_poll(p->tracer);
	if (p->live)
		live_poll(p->live);
}

static int process_exit_fd(const struct target *t)
{
	return process_of_const(t)->pidfd;
}

/* Threads */

static struct error *take_standing(struct process *p, bool with_registers)
{
	struct stopper *s = process_stopper(p);

	standing_clear(&p->standing);
	s->ops->for_each(s, with_registers, standing_add, &p->standing);
	standing_sort(&p->standing);
	p->standing_view = p->base.view;
	p->standing_registers = with_registers;
	return p->standing.failed ? &error_nomem : NULL;
}

static struct error *list_standing(struct process *p)
{
	struct target *t = &p->base;
	_cleanup_free_ pid_t *tids = malloc((p->standing.n + 1) * sizeof(*tids));
	bool changed;

	if (!tids)
		return &error_nomem;
	for (size_t i = 0; i < p->standing.n; i++)
		tids[i] = p->standing.threads[i].tid;
	struct error *err = target_set_threads(t, tids, p->standing.n, &changed);
	if (err)
		return err;
	for (size_t i = 0; i < t->n_threads; i++)
		t->threads[i].state = 't';
	read_missing_comms(p);
	return NULL;
}

/* They are taken to stand, as they will when it counts: then the same of them is read. */
static struct error *list_roughly(struct process *p)
{
	struct error *err = need_list(p);

	for (size_t i = 0; !err && i < p->base.n_threads; i++)
		p->base.threads[i].state = 't';
	return err;
}

static struct error *process_keep_threads(struct target *t, bool with_registers, bool *changed_ret)
{
	struct process *p = process_of(t);
	struct error *err = take_standing(p, with_registers);

	if (err)
		return err;
	*changed_ret = p->standing.n != t->n_threads;
	for (size_t i = 0; i < t->n_threads && !*changed_ret; i++)
		*changed_ret = !standing_find(&p->standing, t->threads[i].tid);
	return NULL;
}

static struct error *process_list_threads(struct target *t)
{
	struct process *p = process_of(t);
	struct error *err;

	if (t->has_copy)
		return list_standing(p);
	if (process_is_stopped(t)) {
		err = p->standing_view == t->view ? NULL : take_standing(p, false);
		return err ? err : list_standing(p);
	}
	if (t->learning || t->warming_up)
		return list_roughly(p);
	err = refresh_tids(p);
	if (err)
		return err;
	for (size_t i = 0; i < t->n_threads; i++)
		observe_thread(p->taskfd, &t->threads[i], !t->threads[i].comm[0]);
	return NULL;
}

static void process_fill_pthreads(struct target *t)
{
	struct process *p = process_of(t);

	tls_reader_fill_pthreads(p->tls, t);
}

/* Of a thread that stands, or stood when the copy was taken; false: they are not known. */
static bool standing_registers(struct process *p, pid_t tid, struct arch_registers *ret)
{
	struct target *t = &p->base;

	if (!t->has_copy && (p->standing_view != t->view || !p->standing_registers))
		error_destroy(take_standing(p, true));
	const struct standing_thread *found = standing_find(&p->standing, tid);
	if (!found || !found->has_registers)
		return false;
	*ret = found->registers;
	return true;
}

/* Whether the question is about threads that stand. */
static bool asks_standing(struct target *t)
{
	/* Later copies keep the registers, too. */
	if (t->has_copy && !t->wants_registers)
		t->copy_missed = true;
	t->wants_registers |= t->has_copy || t->learning;
	return t->has_copy || process_is_stopped(t);
}

static void process_activity(struct target *t, pid_t tid, struct target_activity *ret)
{
	struct process *p = process_of(t);
	struct arch_registers regs;

	if (asks_standing(t)) {
		if (standing_registers(p, tid, &regs))
			registers_to_activity(t, &regs, ret);
	} else if (!t->learning || !thread_texts_activity(&p->texts, tid, ret)) {
		activity_files_read(&p->activities, p->taskfd, tid, ret);
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

	if (!asks_standing(t))
		told_get(&p->told, p->taskfd, tid, ret);
	else if (standing_registers(p, tid, &regs))
		registers_to_target(&regs, ret);
}

static struct error *process_tell_registers(struct target *t, pid_t tid, const struct target_registers *registers,
					    bool *ret_taken)
{
	struct process *p = process_of(t);

	return told_set(&p->told, p->taskfd, tid, registers, ret_taken);
}

/* Modules, symbols, thread-local storage */

static struct error *process_modules(struct target *t, const struct target_module **ret, size_t *n_ret)
{
	return modules_list(process_of(t)->modules, t, ret, n_ret);
}

static Elf *process_open_module(struct target *t, const struct target_module *module, bool debug, int *fd_ret)
{
	return modules_open(process_of(t)->modules, module, debug, fd_ret);
}

static struct error *process_symbol(struct target *t, const char *name, const char *file_name,
				    struct target_symbol *ret)
{
	return modules_symbol(process_of(t)->modules, t, name, file_name, ret);
}

static struct error *process_runtime_symbol(struct target *t, const char *name, struct target_symbol *ret)
{
	return modules_runtime_symbol(process_of(t)->modules, t, name, ret);
}

static bool process_symbol_at(struct target *t, uint64_t addr, char *name, size_t size, uint64_t *offset_ret)
{
	return modules_symbol_at(process_of(t)->modules, t, addr, name, size, offset_ret);
}

static struct symbols *process_symbols(struct target *t, const struct target_module *module)
{
	return modules_symbols(process_of(t)->modules, t, module);
}

static struct error *process_tls_address(struct target *t, const struct target_thread *thread,
					 const struct target_symbol *sym, uint64_t *ret)
{
	struct process *p = process_of(t);

	return tls_address(p->tls, t, thread, sym, modules_link_map(p->modules, sym->module), ret);
}

static void process_destroy(struct target *t)
{
	struct process *p = process_of(t);

	thread_texts_deinit(&p->texts);
	tracer_destroy(p->tracer);
	live_destroy(p->live);
	reach_destroy(p->reach);
	standing_deinit(&p->standing);
	told_deinit(&p->told);
	activity_files_deinit(&p->activities);
	tls_reader_destroy(p->tls);
	modules_destroy(p->modules);
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
	.control = &process_control_ops,
	.destroy = process_destroy,
	.check = process_check,
	.stop = process_stop,
	.resume = process_resume,
	.is_stopped = process_is_stopped,
	.stopped_us = process_stopped_us,
	.is_stopped_by_other = process_is_stopped_by_other,
	.poll = process_poll,
	.exit_fd = process_exit_fd,
	.keep_threads = process_keep_threads,
	.list_threads = process_list_threads,
	.fill_pthreads = process_fill_pthreads,
	.activity = process_activity,
	.expect_activities = process_expect_activities,
	.registers = process_registers,
	.tell_registers = process_tell_registers,
	.read_pages = process_read_pages,
	.read_pieces = process_read_pieces,
	.read = process_read,
	.readable = process_readable,
	.modules = process_modules,
	.open_module = process_open_module,
	.symbol = process_symbol,
	.runtime_symbol = process_runtime_symbol,
	.symbol_at = process_symbol_at,
	.symbols = process_symbols,
	.tls_address = process_tls_address,
};

void process_warm_up(struct process *p)
{
	struct target *t = &p->base;
	const struct target_module *modules;
	size_t n;

	target_view_begin(t);
	struct error *err = refresh_tids(p);
	if (!err) {
		if (t->n_threads >= MIN_THREADS_ASIDE)
			thread_texts_begin(&p->texts, live_aside(p->live), p->taskfd, t->threads, t->n_threads);
		process_fill_pthreads(t);
		err = process_modules(t, &modules, &n);
	}
	error_destroy(err);
}
