/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Unwinds the threads of programs with target regions, up to the frames of the runtime. */
#include "openmp/model/walk/host_target.h"

#include "openmp/model/model.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"
#include "openmp/runtimes/constructs.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/offload.h"
#include "openmp/runtimes/runtime.h"
#include "openmp/runtimes/runtime_symbol.h"
#include "target/arch/arch.h"
#include "target/modules/modules.h"
#include "target/target.h"
#include "target/unwind/call.h"
#include "target/unwind/stack.h"

/* Limit for the threads of a program with target regions whose stacks are read. */
#define MAX_STACKS 4096
#define MAX_FRAMES 512
#define MAX_WORDS  4096
#define MAX_NAME   256

struct finder {
	struct walk *w;
	const struct runtime *runtime;
	uint64_t entries[4]; /* addresses of the entry points of target regions */
	size_t n_entries;
	uint64_t words[MAX_WORDS]; /* of the frames to report */
	size_t n_words;
};

static bool is_in_runtime(const struct finder *f, uint64_t pc)
{
	return pc >= f->runtime->start && pc < f->runtime->end;
}

/* Returns whether a module other than the runtime may call an entry point, and finds the entry points. */
static bool has_target_regions(struct finder *f)
{
	const char *const *names = f->runtime->descriptor->clears_record_in;
	const struct target_module *modules;
	bool has_one = false;
	size_t n;
	struct error *err = target_modules(f->w->t, &modules, &n);

	if (err) {
		error_destroy(err);
		return false;
	}
	for (; *names && f->n_entries < sizeof(f->entries) / sizeof(f->entries[0]); names++) {
		if (!runtime_symbol(f->w->t, *names, NULL, &f->entries[f->n_entries]))
			continue;
		f->n_entries++;
		for (size_t i = 0; i < n && !has_one; i++)
			has_one = modules[i].start != f->runtime->start && modules[i].path &&
				  target_may_import(f->w->t, &modules[i], *names);
	}
	return has_one;
}

/* Returns whether @caller called an entry point of a target region. */
static bool is_target_call(struct finder *f, const struct stack_frame *caller)
{
	uint64_t callee;

	if (caller->is_exact || !call_target(f->w->t, caller->pc, &callee))
		return false;
	for (size_t i = 0; i < f->n_entries; i++) {
		if (f->entries[i] == callee)
			return true;
	}
	return false;
}

/* Returns whether @caller called an entry point of a construct for devices. */
static bool is_device_call(struct finder *f, const struct stack_frame *caller)
{
	char name[MAX_NAME];
	uint64_t callee, offset;

	return !caller->is_exact && call_target(f->w->t, caller->pc, &callee) &&
	       target_symbol_at(f->w->t, callee, name, sizeof(name), &offset) && offset == 0 &&
	       construct_of(name) == CONSTRUCT_TARGET;
}

/*
 * Reads the stack from @frame to @to, and the preserved registers of @frame. Returns false if the stack cannot be read.
 * *@all_ret: all registers are known.
 */
static bool read_words(struct finder *f, const struct stack_copy *copy, const struct stack_frame *frame, uint64_t to,
		       bool *all_ret)
{
	f->n_words = 0;
	*all_ret = true;
	for (uint64_t at = frame->sp; at < to; at += sizeof(uint64_t)) {
		if (f->n_words == MAX_WORDS || !stack_copy_read(f->w->t, copy, at, &f->words[f->n_words++]))
			return false;
	}
	for (size_t i = 0; i < arch->n_kept; i++) {
		bool is_known = frame->kept_known >> i & 1;

		*all_ret &= is_known;
		if (is_known && f->n_words < MAX_WORDS)
			f->words[f->n_words++] = frame->kept[i];
	}
	return true;
}

/* Stop mode: a thread that slept was not stopped, so its other registers are not known. The next view stops it. */
static void need_registers(const struct finder *f, const struct stack_copy *copy)
{
	if (target_mode(f->w->t) == TARGET_STOP && copy->registers.known != TARGET_ALL_REGISTERS)
		target_need_registers(f->w->t, copy->tid);
}

/*
 * Reports the runtime's frames from number @i, which called other code. Frame number @end called the runtime.
 * @calls_program: the called code is of the module of @end.
 */
static struct error *report_frame(struct finder *f, uint64_t pthread, const struct stack_copy *copy,
				  const struct stack *stack, size_t i, size_t end, bool calls_program)
{
	bool has_all;

	if (!read_words(f, copy, &stack->frames[i], stack->frames[end].sp, &has_all))
		return NULL;
	if (!has_all)
		need_registers(f, copy);
	int rc = plugin_call(f->w->p, use_target_frame, model_aspace(f->w->m), OMPD_THREAD_ID_PTHREAD, sizeof(pthread),
			     &pthread, stack->frames[i].sp, f->words, (ompd_word_t)f->n_words,
			     has_all && calls_program && is_target_call(f, &stack->frames[end]));

	return ompd_rc_is_valid(rc) ? NULL : ompd_misbehaved("ompd_use_target_frame", "returned an unknown code");
}

/* Reports a thread that needs no record. */
static struct error *report_use(struct walk *w, uint64_t pthread)
{
	if (!plugin_routines(w->p)->use_thread)
		return NULL;
	int rc = plugin_call(w->p, use_thread, model_aspace(w->m), OMPD_THREAD_ID_PTHREAD, sizeof(pthread), &pthread);

	return ompd_rc_is_valid(rc) ? NULL : ompd_misbehaved("ompd_use_thread", "returned an unknown code");
}

/*
 * Reports each stretch of the runtime's frames that called other code. On a device, the runtime calls the device's
 * plugin, not the program.
 */
static struct error *report_stack(struct finder *f, const struct target_thread *thread, const struct stack_copy *copy,
				  const struct stack *stack)
{
	struct error *err = NULL;

	for (size_t i = 1, end; i < stack->n && !err; i = end) {
		end = i + 1;
		if (!is_in_runtime(f, stack->frames[i].pc) || is_in_runtime(f, stack->frames[i - 1].pc))
			continue;
		while (end < stack->n && is_in_runtime(f, stack->frames[end].pc))
			end++;
		if (end == stack->n)
			break;
		const struct stack_frame *caller = &stack->frames[end];
		bool calls_program =
			target_module_at(f->w->t, caller->pc) == target_module_at(f->w->t, stack->frames[i - 1].pc);

		if (!calls_program && is_device_call(f, caller))
			err = report_use(f->w, thread->pthread);
		else
			err = report_frame(f, thread->pthread, copy, stack, i, end, calls_program);
	}
	return err;
}

/* Copies the stack of @tid, in observe mode only if the thread sleeps. */
static struct error *copy_stack(struct target *t, pid_t tid, struct stack_copies *ret)
{
	struct target_activity activity;

	if (target_mode(t) != TARGET_OBSERVE)
		return stack_copies_take(t, &tid, 1, STACK_COPY_MANY, ret);
	target_activity(t, tid, &activity);
	*ret = (struct stack_copies){0};
	return activity.known ? stack_copies_take_asleep(t, tid, &activity, STACK_COPY_MANY, ret) : NULL;
}

static struct error *report_thread(struct finder *f, const struct target_thread *thread)
{
	struct stack_copies copies;
	struct stack stack;
	struct error *err = copy_stack(f->w->t, thread->tid, &copies);

	if (err || !copies.n)
		return err;
	stack_unwind(f->w->t, copies.copies, MAX_FRAMES, &stack);
	if (stack.end == STACK_FEW_REGISTERS)
		need_registers(f, copies.copies);
	err = report_stack(f, thread, copies.copies, &stack);
	stack_deinit(&stack);
	stack_copies_deinit(&copies);
	return err;
}

struct error *host_targets_report(struct walk *w)
{
	const struct error *why;
	struct finder f = {.w = w, .runtime = model_runtime(w->m, &why)};
	const struct target_thread *threads;
	size_t n;

	if (!f.runtime || !f.runtime->descriptor->clears_record_in || !plugin_routines(w->p)->use_target_frame ||
	    f.runtime->is_executable || !has_target_regions(&f))
		return NULL;
	struct error *err = target_threads(w->t, &threads, &n);
	if (err)
		return err;
	for (size_t i = 0; i < n && i < MAX_STACKS && !err; i++)
		err = report_thread(&f, &threads[i]);
	return err;
}

struct error *host_targets_report_initial(struct walk *w, const struct snapshot_thread *thread)
{
	const struct error *why;
	const struct runtime *runtime = model_runtime(w->m, &why);

	if (!runtime || !runtime->descriptor->clears_record_in || !offload_is_present(w->t))
		return NULL;
	return report_use(w, thread->pthread);
}
