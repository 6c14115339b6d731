/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Unwinds copies of stacks with libdwfl. */
#include "target/unwind/stack.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "target/unwind/dwarf.h"
#include "target/modules/modules.h"
#include "target/unwind/prologue.h"
#include "target/target_ops.h"
#include "target/unwind/unwind_range.h"

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
	if (!VECTOR_GROW(s->frames, s->n, u->cap)) {
		s->end = STACK_CUT;
		return DWARF_CB_ABORT;
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
