/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The public functions of a target: the code common to all ways of access. It calls the operations of process.c, of
 * core.c or of a test's fake.
 */
#include "target/target.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target/arch/arch.h"
#include "target/arch/registers.h"
#include "target/stop/stopper.h"
#include "target/arch/syscalls.h"
#include "target/target_ops.h"

struct error *target_init(struct target *t, const struct target_ops *ops, pid_t pid, enum target_mode mode,
			  unsigned max_stop_ms, const char *exe)
{
	/* The opener of a core changes this later. */
	arch_use(arch_host.arch);
	memset(t, 0, sizeof(*t));
	t->ops = ops;
	t->pid = pid;
	t->mode = mode;
	t->max_stop_ms = max_stop_ms;
	t->task_dir = -1;
	t->exe = strdup(exe);
	return t->exe ? NULL : &error_nomem;
}

void target_deinit(struct target *t)
{
	for (size_t i = 0; i < t->n_warnings; i++)
		free(t->warnings[i].message);
	cache_deinit(&t->cache);
	free(t->by_pthread);
	free(t->stacks.tids);
	free(t->threads);
	for (size_t i = 0; i < t->n_debug_dirs; i++)
		free(t->debug_dirs[i]);
	free(t->exe);
	if (t->task_dir >= 0)
		close(t->task_dir);
}

struct error *target_add_debug_dir(struct target *t, const char *dir)
{
	if (t->n_debug_dirs == TARGET_MAX_DEBUG_DIRS)
		return error_create(ERR_LIMIT_EXCEEDED, "there are more than %d folders of debug files",
				    TARGET_MAX_DEBUG_DIRS);
	t->debug_dirs[t->n_debug_dirs] = strdup(dir);
	return t->debug_dirs[t->n_debug_dirs++] ? NULL : &error_nomem;
}

void target_add_warning(struct target *t, const char *name, const char *format, ...)
{
	va_list args;
	char *message;

	if (t->n_warnings == TARGET_MAX_WARNINGS)
		return;
	va_start(args, format);
	int n = vasprintf(&message, format, args);
	va_end(args);
	if (n >= 0)
		t->warnings[t->n_warnings++] = (struct target_warning){name, message};
}

void target_destroy(struct target *t)
{
	if (t)
		t->ops->destroy(t);
}

pid_t target_pid(const struct target *t)
{
	return t->pid;
}

enum target_image target_image(struct target *t)
{
	return t->ops->image ? t->ops->image(t) : TARGET_IMAGE_UNKNOWN;
}

struct error *target_environment(struct target *t, char **ret, size_t *len_ret)
{
	if (!t->ops->environment)
		return error_create(ERR_MEMORY_UNREADABLE, "the environment of this target is not known");
	return t->ops->environment(t, ret, len_ret);
}

enum target_mode target_mode(const struct target *t)
{
	return t->mode;
}

const char *target_exe(const struct target *t)
{
	return t->exe;
}

unsigned target_max_stop_ms(const struct target *t)
{
	return t->max_stop_ms;
}

const struct target_core *target_core(const struct target *t)
{
	return t->core;
}

const struct target_warning *target_warnings(const struct target *t, size_t *n_ret)
{
	*n_ret = t->n_warnings;
	return t->warnings;
}

/* Return the error for a target that is not in stop mode. */
static struct error *error_mode(const struct target *t)
{
	if (t->mode == TARGET_CORE)
		return error_hint(error_create(ERR_MODE_UNSUPPORTED, "the target is a core file: it does not run"),
				  "only a process, attached with mode \"stop\", can be stopped and resumed");
	return error_create(ERR_MODE_UNSUPPORTED, "the target was attached in mode \"observe\"");
}

struct error *target_check(struct target *t)
{
	return t->ops->check(t);
}

struct error *target_stop(struct target *t, unsigned budget_ms)
{
	if (t->mode != TARGET_STOP)
		return error_mode(t);
	return t->ops->stop(t, budget_ms);
}

struct error *target_resume(struct target *t, int64_t *stopped_us_ret)
{
	if (t->mode != TARGET_STOP)
		return error_mode(t);
	return target_end_stop(t, stopped_us_ret);
}

struct error *target_end_stop(struct target *t, int64_t *stopped_us_ret)
{
	int64_t us = -1;
	struct error *err = t->stopper ? t->stopper->ops->resume(t->stopper, &us)
				       : error_create(ERR_NOT_STOPPED, "the target is not stopped");

	if (us < 0)
		return err;
	*stopped_us_ret = us;
	/* The target is still stopped if another thread has hit a breakpoint meanwhile. */
	if (t->stop_ended && !target_is_stopped(t))
		t->stop_ended(t->stop_ended_context, us);
	return err;
}

void target_on_stop_ended(struct target *t, void (*fn)(void *context, int64_t us), void *context)
{
	t->stop_ended = fn;
	t->stop_ended_context = context;
}

bool target_is_stopped(const struct target *t)
{
	return t->stopper && t->stopper->ops->is_stopped(t->stopper);
}

int64_t target_stopped_us(const struct target *t)
{
	return t->stopper ? t->stopper->ops->stopped_us(t->stopper) : 0;
}

void target_poll(struct target *t)
{
	if (t->ops->poll)
		t->ops->poll(t);
}

int target_exit_fd(const struct target *t)
{
	return t->ops->exit_fd ? t->ops->exit_fd(t) : -1;
}

bool target_is_stopped_by_other(struct target *t)
{
	return t->ops->is_stopped_by_other && t->ops->is_stopped_by_other(t);
}

static void begin_view(struct target *t, bool reads_pieces)
{
	t->view++;
	t->reads_pieces = reads_pieces;
}

void target_view_begin_memory(struct target *t)
{
	begin_view(t, false);
	cache_begin_view(&t->cache);
}

void target_view_begin(struct target *t)
{
	target_view_begin_memory(t);
	t->threads_valid = false;
	t->pthreads_valid = false;
	t->by_pthread_valid = false;
}

void target_view_again(struct target *t)
{
	/* This view repeats the requests of the one before. */
	begin_view(t, t->ops->read_pieces != NULL);
	cache_begin_view_again(&t->cache);
	/* A failure appears again at the first use of the data. */
	error_destroy(target_prime(t, false));
}

/* Activity of threads */

void target_activity(struct target *t, pid_t tid, struct target_activity *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (t->ops->activity)
		t->ops->activity(t, tid, ret);
}

struct error *target_find_restarted(struct target *t, struct target_activity *a)
{
	unsigned char code[ARCH_NUMBER_BYTES];

	if (!a->known || !a->in_syscall || a->syscall != SYS_restart_syscall)
		return NULL;
	struct error *err = target_read(t, a->pc - sizeof(code), code, sizeof(code));
	if (err)
		return error_catch(&err, ERR_MEMORY_UNREADABLE) ? NULL : err;
	long number = arch->number_of_call(code + sizeof(code), sizeof(code));
	if (number >= 0)
		a->syscall = syscall_here(arch, number);
	return NULL;
}

void target_expect_activities(struct target *t)
{
	if (t->ops->expect_activities)
		t->ops->expect_activities(t);
}

bool target_registers(struct target *t, pid_t tid, struct target_registers *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (t->ops->is_emulated && t->ops->is_emulated(t))
		return false;
	if (t->ops->registers)
		t->ops->registers(t, tid, ret);
	if (ret->known)
		return true;
	struct target_activity activity;
	target_activity(t, tid, &activity);
	if (!activity.known)
		return false;
	ret->value[TARGET_REGISTER_SP] = activity.sp;
	ret->value[TARGET_REGISTER_PC] = activity.pc;
	ret->known = (uint64_t)1 << TARGET_REGISTER_SP | (uint64_t)1 << TARGET_REGISTER_PC;
	return true;
}

struct error *target_report_registers(struct target *t, pid_t tid, const struct target_registers *registers,
				      bool *ret_taken)
{
	if (!t->ops->report_registers || t->mode != TARGET_OBSERVE)
		return error_hint(error_create(ERR_MODE_UNSUPPORTED,
					       "cannot set registers: the target is not a process in mode \"observe\""),
				  "in other modes ompdd reads them itself");
	return t->ops->report_registers(t, tid, registers, ret_taken);
}

void target_activity_of(struct target *t, const struct arch_registers *regs, struct target_activity *ret)
{
	unsigned char code[ARCH_BREAKPOINT_BYTES];
	size_t len = arch->call_is_ahead && target_try_read(t, arch_pc(regs), code, sizeof(code)) ? sizeof(code) : 0;

	registers_to_activity(regs, code, len, ret);
}

struct error *target_return_address(struct target *t, const struct target_registers *regs, uint64_t *ret)
{
	if (arch->return_slot)
		return target_read(t, regs->value[TARGET_REGISTER_SP], ret, sizeof(*ret));
	*ret = regs->value[arch->return_register];
	return NULL;
}

/* Missing data of a core */

struct error *target_missing(struct target *t, uint64_t addr)
{
	return t->ops->missing ? t->ops->missing(t, addr) : NULL;
}

bool target_lacks(struct target *t, uint64_t addr)
{
	return t->ops->lacks && t->ops->lacks(t, addr);
}

struct error *target_missing_file(struct target *t, uint64_t addr)
{
	return t->ops->missing_file ? t->ops->missing_file(t, addr) : NULL;
}
