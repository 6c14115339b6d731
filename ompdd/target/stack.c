/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies stacks, and unwinds them with libdwfl. */
#include "target/stack.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "target/dwarf.h"
#include "target/prologue.h"
#include "target/target_ops.h"
#include "target/unwind_range.h"

/* Observe mode: the number of attempts to copy a thread that moves meanwhile. */
#define ATTEMPTS 3

#define PAGE_DOWN(addr) ((addr) & ~(uint64_t)(CACHE_PAGE - 1))

/* Copying */

void stack_copies_deinit(struct stack_copies *c)
{
	free(c->copies);
	free(c->bytes);
	*c = (struct stack_copies){0};
}

/* Return how many bytes to copy from the page of the stack pointer on. */
static size_t wanted_bytes(const struct stack_copy *copy, uint64_t pthread, size_t max_bytes)
{
	uint64_t end;

	if (__builtin_add_overflow(copy->start, max_bytes, &end))
		return 0;
	/* The thread's descriptor lies at the top of the stack that glibc allocated for it. */
	if (pthread > copy->start && pthread < end)
		end = PAGE_DOWN(pthread + CACHE_PAGE - 1);
	return end - copy->start;
}

struct pages {
	uint64_t *addrs;
	unsigned char **pages;
	bool *ok;
	size_t n;
};

static void pages_deinit(struct pages *p)
{
	free(p->addrs);
	free(p->pages);
	free(p->ok);
}

/* Read the stacks of all @copies together. Each copy is cut to its readable length. */
static struct error *read_stacks(struct target *t, struct stack_copy *copies, size_t n, size_t total)
{
	_cleanup_(pages_deinit) struct pages p = {
		.addrs = malloc((total / CACHE_PAGE + 1) * sizeof(*p.addrs)),
		.pages = malloc((total / CACHE_PAGE + 1) * sizeof(*p.pages)),
		.ok = calloc(total / CACHE_PAGE + 1, sizeof(*p.ok)),
	};

	if (!p.addrs || !p.pages || !p.ok)
		return &error_nomem;
	for (size_t i = 0; i < n; i++) {
		for (size_t at = 0; at < copies[i].len; at += CACHE_PAGE) {
			p.addrs[p.n] = copies[i].start + at;
			p.pages[p.n++] = copies[i].bytes + at;
		}
	}
	struct error *err = t->ops->readable ? t->ops->readable(t) : NULL;
	if (!err && t->has_copy)
		err = target_not_copied(t);
	if (!err && p.n)
		err = t->ops->read_pages(t, p.addrs, p.pages, p.n, p.ok);
	if (err)
		return err;
	const bool *ok = p.ok;
	for (size_t i = 0; i < n; i++) {
		size_t wanted = copies[i].len, len = 0;

		while (len < wanted && ok[len / CACHE_PAGE])
			len += CACHE_PAGE;
		copies[i].len = len;
		ok += wanted / CACHE_PAGE;
	}
	return NULL;
}

/* Return whether the thread still has the registers that were read before its stack was copied. */
static bool stayed(struct target *t, const struct stack_copy *copy)
{
	struct target_registers now;

	return target_registers(t, copy->tid, &now) && now.known == copy->registers.known &&
	       !memcmp(now.value, copy->registers.value, sizeof(now.value));
}

/* Observe mode: nothing stops the threads, so check whether they have moved. */
static struct error *copy_again(struct target *t, struct stack_copies *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct stack_copy *copy = &c->copies[i];
		size_t max = copy->len;

		for (int attempt = 1; copy->len && !stayed(t, copy); attempt++) {
			if (attempt == ATTEMPTS || !target_registers(t, copy->tid, &copy->registers)) {
				copy->moved = true;
				break;
			}
			copy->start = PAGE_DOWN(copy->registers.value[TARGET_REGISTER_SP] - arch->red_zone);
			copy->len = max;
			struct error *err = read_stacks(t, copy, 1, max);
			if (err)
				return err;
		}
	}
	return NULL;
}

struct error *stack_copies_take(struct target *t, const pid_t *tids, size_t n, size_t max_bytes,
				struct stack_copies *ret)
{
	_cleanup_(stack_copies_deinit) struct stack_copies c = {
		.copies = calloc(n ? n : 1, sizeof(*c.copies)),
		.n = n,
	};
	const struct target_module *modules;
	size_t n_modules, total = 0;

	if (!c.copies)
		return &error_nomem;
	struct error *err = target_modules(t, &modules, &n_modules);
	if (err)
		return err;
	if (n && max_bytes > STACK_COPY_TOTAL / n)
		max_bytes = STACK_COPY_TOTAL / n;
	max_bytes = PAGE_DOWN(max_bytes < CACHE_PAGE ? CACHE_PAGE : max_bytes);
	for (size_t i = 0; i < n; i++) {
		struct stack_copy *copy = &c.copies[i];
		const struct target_thread *thread = target_thread_by_tid(t, tids[i]);

		copy->tid = tids[i];
		if (!target_registers(t, tids[i], &copy->registers))
			continue;
		copy->start = PAGE_DOWN(copy->registers.value[TARGET_REGISTER_SP] - arch->red_zone);
		copy->len = wanted_bytes(copy, thread ? thread->pthread : 0, max_bytes);
		total += copy->len;
	}
	c.bytes = malloc(total ? total : 1);
	if (!c.bytes)
		return &error_nomem;
	size_t at = 0;
	for (size_t i = 0; i < n; i++) {
		c.copies[i].bytes = c.bytes + at;
		at += c.copies[i].len;
	}
	err = read_stacks(t, c.copies, n, total);
	if (!err && t->mode == TARGET_OBSERVE)
		err = copy_again(t, &c);
	if (err)
		return err;
	*ret = c;
	c = (struct stack_copies){0};
	return NULL;
}

struct error *stack_copies_take_asleep(struct target *t, pid_t tid, const struct target_activity *activity,
				       size_t max_bytes, struct stack_copies *ret)
{
	uint64_t start = PAGE_DOWN(activity->sp - arch->red_zone), end;
	size_t len = __builtin_add_overflow(start, PAGE_DOWN(max_bytes), &end) ? 0 : PAGE_DOWN(max_bytes);
	struct stack_copies c = {
		.copies = calloc(1, sizeof(*c.copies)),
		.n = 1,
		.bytes = malloc(len ? len : 1),
	};
	struct error *err = c.copies && c.bytes ? NULL : &error_nomem;

	if (!err) {
		struct target_registers *r = &c.copies->registers;

		*c.copies = (struct stack_copy){.tid = tid, .start = start, .len = len, .bytes = c.bytes, .racy = true};
		r->value[TARGET_REGISTER_PC] = activity->pc;
		r->value[TARGET_REGISTER_SP] = activity->sp;
		r->known = (uint64_t)1 << TARGET_REGISTER_SP | (uint64_t)1 << TARGET_REGISTER_PC;
		err = read_stacks(t, c.copies, 1, len);
	}
	if (err) {
		stack_copies_deinit(&c);
		return err;
	}
	*ret = c;
	return NULL;
}

/* Return whether memory is unchanged since the copies were taken. */
static bool is_frozen(struct target *t)
{
	return target_is_stopped(t) || t->mode != TARGET_STOP;
}

bool stack_copy_read(struct target *t, const struct stack_copy *copy, uint64_t addr, uint64_t *ret)
{
	if (copy->len >= sizeof(*ret) && addr >= copy->start && addr - copy->start <= copy->len - sizeof(*ret)) {
		memcpy(ret, copy->bytes + (addr - copy->start), sizeof(*ret));
		return true;
	}
	if (!copy->racy && !is_frozen(t))
		return false;
	struct error *err = t->ops->read(t, addr, ret, sizeof(*ret));
	error_destroy(err);
	return !err;
}

/* Unwinding */

struct unwinding {
	struct target *t;
	struct stack *stack;
	uint64_t signal_sp; /* of the frame where a signal handler returns to the kernel; 0: no such frame */
	bool repeats;	    /* by its unwinding information the last frame is its own caller */
	bool is_behind;	    /* the next frame's program counter is within the call, set by prologue_caller() */
	const struct dwarf_thread *thread;
	size_t cap;
	size_t max;
};

void stack_deinit(struct stack *s)
{
	free(s->frames);
	*s = (struct stack){0};
}

bool stack_frame_register(const struct stack_frame *frame, unsigned reg, uint64_t *ret)
{
	if (reg == TARGET_REGISTER_SP) {
		*ret = frame->sp;
		return frame->sp != 0;
	}
	for (unsigned i = 0; i < arch->n_kept; i++) {
		if (arch->kept[i] == reg && frame->kept_known >> i & 1) {
			*ret = frame->kept[i];
			return true;
		}
	}
	return false;
}

/*
 * Return whether @pc is in the kernel's code that a signal handler returns to or is leaving, without unwinding
 * information in libdw.
 */
static bool is_signal_return(struct target *t, uint64_t pc)
{
	unsigned char code[ARCH_SIGNAL_BYTES];

	if (!arch->is_signal_return)
		return false;
	for (uint64_t at = pc; at >= sizeof(code) && pc - at < sizeof(code); at -= sizeof(code) / 2) {
		if (target_try_read_raw(t, at, code, sizeof(code)) && arch->is_signal_return(code, sizeof(code)))
			return true;
	}
	return false;
}

/*
 * Read the registers that the kernel saved on the stack of a thread that it interrupted: unwinding continues with them.
 */
static bool read_interrupted(struct target *t, uint64_t sp, struct target_registers *ret)
{
	uint64_t at;

	if (__builtin_add_overflow(sp, arch->signal_registers, &at))
		return false;
	for (unsigned i = 0; i < arch->n_registers; i++) {
		if (!dwarf_read(t, at + i * sizeof(uint64_t), &ret->value[i]))
			return false;
	}
	ret->known = TARGET_ALL_REGISTERS;
	return true;
}

/*
 * Return whether the frame at @pc, the last one's caller according to libdw, is the last frame itself. A function that
 * calls another without saving its return address would return to itself.
 */
static bool is_last_again(const struct stack *s, uint64_t pc, uint64_t sp)
{
	const struct stack_frame *last = s->n ? &s->frames[s->n - 1] : NULL;

	return !arch->return_slot && last && sp && last->sp == sp && last->pc == pc;
}

/*
 * Continue where unwinding information leads back to the last frame. If the frame before that is in the same function,
 * it is the real one: the last frame came from a return address that was already used.
 */
static bool leave_repeated(struct target *t, struct stack *s, struct target_registers *ret)
{
	struct stack_frame *last = &s->frames[s->n - 1], *before = s->n > 1 ? last - 1 : NULL;
	struct unwind_range range;

	if (before && before->is_exact && before->sp == last->sp && unwind_range_find(t, last->pc - 1, &range) &&
	    before->pc > range.start && before->pc < range.end)
		last = &s->frames[--s->n - 1];
	return prologue_caller(t, last, ret);
}

static int on_frame(Dwfl_Frame *state, void *arg)
{
	struct unwinding *u = arg;
	struct stack *s = u->stack;
	Dwarf_Addr pc;
	Dwarf_Word sp;
	bool is_exact;

	if (!dwfl_frame_pc(state, &pc, &is_exact))
		return DWARF_CB_ABORT;
	if (s->n == u->max) {
		s->end = STACK_CUT;
		return DWARF_CB_ABORT;
	}
	if (s->n == u->cap) {
		size_t cap = u->cap ? u->cap * 2 : 16;
		struct stack_frame *frames = realloc(s->frames, cap * sizeof(*frames));

		if (!frames) {
			s->end = STACK_CUT;
			return DWARF_CB_ABORT;
		}
		s->frames = frames;
		u->cap = cap;
	}
	if (dwfl_frame_reg(state, TARGET_REGISTER_SP, &sp) != 0)
		sp = 0;
	if (u->is_behind) {
		pc++;
		is_exact = u->is_behind = false;
	}
	u->repeats = is_last_again(s, pc, sp);
	if (u->repeats)
		return DWARF_CB_ABORT;
	struct stack_frame frame = {.pc = pc, .sp = sp, .is_exact = is_exact};
	for (unsigned i = 0; i < arch->n_kept; i++) {
		Dwarf_Word value;

		if (dwfl_frame_reg(state, arch->kept[i], &value) == 0) {
			frame.kept[i] = value;
			frame.kept_known |= 1u << i;
		}
	}
	/* libdw knows these registers only if a function has saved them. */
	for (unsigned i = 0; i < arch->n_kept && s->n > 0 && !u->thread->missed; i++) {
		const struct stack_frame *called = &s->frames[s->n - 1];

		if (!(arch->forgotten & ~frame.kept_known & called->kept_known & 1u << i))
			continue;
		frame.kept[i] = called->kept[i];
		frame.kept_known |= 1u << i;
	}
	if (sp && is_signal_return(u->t, pc)) {
		frame.is_exact = true;
		u->signal_sp = sp;
	}
	s->frames[s->n++] = frame;
	return u->signal_sp ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/* Return whether the unwind information marks the function at @pc as outermost, without a caller. */
static bool is_outermost(Dwfl *dwfl, const struct stack_frame *frame)
{
	Dwarf_Addr bias, pc = frame->pc - (frame->is_exact ? 0 : 1);
	Dwfl_Module *mod = dwfl_addrmodule(dwfl, pc);
	Dwarf_CFI *cfi = mod ? dwfl_module_eh_cfi(mod, &bias) : NULL;
	Dwarf_Op mem[3], *ops;
	Dwarf_Frame *state;
	size_t n_ops;

	if (!cfi || dwarf_cfi_addrframe(cfi, pc - bias, &state) != 0)
		return false;
	/*
	 * No operations and a pointer that is not NULL: the register is undefined. NULL would mean an unchanged value.
	 */
	bool is = dwarf_frame_register(state, arch->return_column, mem, &ops, &n_ops) == 0 && n_ops == 0 && ops == mem;
	free(state);
	return is;
}

static enum stack_end why_ended(const struct stack_copy *copy, const struct dwarf_thread *thread)
{
	if (copy->moved)
		return STACK_MOVED;
	if (thread->missed)
		return STACK_NOT_COPIED;
	if (copy->registers.known != TARGET_ALL_REGISTERS)
		return STACK_FEW_REGISTERS;
	return STACK_BROKEN;
}

/* Return whether the stack ends here. libdwfl also reports its end if it cannot find a return address. */
static bool is_end(Dwfl *dwfl, const struct dwarf_thread *thread, const struct stack *s)
{
	if (thread->missed)
		return false;
	return thread->copy->registers.known == TARGET_ALL_REGISTERS ||
	       (s->n > 0 && is_outermost(dwfl, &s->frames[s->n - 1]));
}

void stack_unwind(struct target *t, const struct stack_copy *copy, size_t max_frames, struct stack *ret)
{
	stack_unwind_noting(t, copy, max_frames, ret, NULL);
}

/* Return the unwind information of the code at @pc, which the caller frees; *@bias_ret is added to its addresses. */
static Dwarf_Frame *find_cfi(struct target *t, uint64_t pc, bool is_exact, Dwarf_Addr *bias_ret)
{
	struct dwarf_thread *thread;
	Dwarf_Frame *state;
	Dwfl *dwfl;
	struct error *err = dwarf_get(t, &dwfl, &thread);

	pc -= is_exact ? 0 : 1;
	Dwfl_Module *mod = err ? NULL : dwfl_addrmodule(dwfl, pc);
	Dwarf_CFI *cfi = mod ? dwfl_module_eh_cfi(mod, bias_ret) : NULL;
	error_destroy(err);
	return cfi && dwarf_cfi_addrframe(cfi, pc - *bias_ret, &state) == 0 ? state : NULL;
}

enum stack_base stack_base(struct target *t, uint64_t pc, bool is_exact, uint64_t *offset_ret)
{
	Dwarf_Addr bias;
	Dwarf_Op *ops;
	size_t n_ops;
	_cleanup_free_ Dwarf_Frame *state = find_cfi(t, pc, is_exact, &bias);

	/* elfutils always reports a register and an offset in this form, not as DW_OP_breg0 etc. */
	if (!state || dwarf_frame_cfa(state, &ops, &n_ops) != 0 || n_ops != 1 || ops[0].atom != DW_OP_bregx)
		return STACK_BY_MORE;
	if (ops[0].number == TARGET_REGISTER_SP)
		return STACK_BY_POINTER;
	if (ops[0].number != arch->fp_register)
		return STACK_BY_MORE;
	*offset_ret = ops[0].number2;
	return STACK_BY_FRAME_POINTER;
}

void stack_unwind_noting(struct target *t, const struct stack_copy *copy, size_t max_frames, struct stack *ret,
			 struct stack_words *words)
{
	struct unwinding u = {.t = t, .stack = ret, .max = max_frames};
	struct stack_copy interrupted = *copy;
	struct dwarf_thread *thread;
	Dwfl *dwfl;

	*ret = (struct stack){.tid = copy->tid};
	if (!copy->registers.known) {
		ret->end = STACK_NO_REGISTERS;
		return;
	}
	if (max_frames > STACK_MAX_FRAMES)
		u.max = STACK_MAX_FRAMES;
	struct error *err = dwarf_get(t, &dwfl, &thread);
	if (err) {
		error_destroy(err);
		/* The innermost frame needs no unwinding: its address is the program counter. */
		ret->frames = calloc(1, sizeof(*ret->frames));
		ret->n = ret->frames ? 1 : 0;
		if (ret->frames)
			ret->frames[0] = (struct stack_frame){
				.pc = copy->registers.value[TARGET_REGISTER_PC],
				.sp = copy->registers.value[TARGET_REGISTER_SP],
				.is_exact = true,
			};
		ret->end = STACK_BROKEN;
		return;
	}
	*thread = (struct dwarf_thread){.copy = copy, .words = words};
	u.thread = thread;
	int result = dwfl_getthread_frames(dwfl, copy->tid, on_frame, &u);
	/* Each round adds a frame, and their number is limited. */
	while ((u.signal_sp && read_interrupted(t, u.signal_sp, &interrupted.registers)) ||
	       (u.repeats && leave_repeated(t, ret, &interrupted.registers))) {
		thread->copy = &interrupted;
		u.is_behind = u.repeats;
		u.signal_sp = 0;
		u.repeats = false;
		result = dwfl_getthread_frames(dwfl, copy->tid, on_frame, &u);
	}
	if (ret->end != STACK_CUT)
		ret->end = result == 0 && !copy->moved && is_end(dwfl, thread, ret) ? STACK_OUTERMOST
										    : why_ended(copy, thread);
	thread->copy = NULL;
	thread->words = NULL;
}
