/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Follows the jumps out of the barrier routine, and out of the functions that they lead to. */
#include "openmp/stacks/stack_barrier.h"

#include "code/decode.h"
#include "openmp/model/model.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/runtime.h"
#include "openmp/runtimes/runtime_symbol.h"
#include "openmp/stacks/stacks.h"
#include "target/arch/arch.h"
#include "target/target_ops.h"
#include "target/unwind/unwind_range.h"

/* Limit for the code of one function; a longer one is not a barrier's. */
#define MAX_CODE 4096
/* Jumps from the routine to the waiting function: a function in between may count the arrivals. */
#define MAX_JUMPS 2

static bool is_start(const struct stack_barrier *b, uint64_t address)
{
	for (size_t i = 0; i < b->n; i++) {
		if (b->starts[i] == address)
			return true;
	}
	return false;
}

static void follow_jumps(struct stack_barrier *b, struct stacks *st, const struct runtime *runtime, uint64_t address,
			 unsigned jumps)
{
	struct unwind_range range;
	unsigned char code[MAX_CODE];
	struct decode insn;

	if (address < runtime->start || address >= runtime->end || is_start(b, address) || b->n == STACK_BARRIER_MAX ||
	    !unwind_range_find(st->t, address, &range) || range.start != address ||
	    range.end - range.start > sizeof(code))
		return;
	size_t size = (size_t)(range.end - range.start);
	if (!target_try_read_raw(st->t, address, code, size) || !decode_use(arch->elf_machine))
		return;
	b->starts[b->n++] = address;
	for (size_t at = 0; jumps < MAX_JUMPS && at < size; at += insn.length) {
		if (!decode_next(code + at, size - at, address + at, &insn) || !insn.length)
			return;
		if (insn.kind == DECODE_JUMP && insn.target && (insn.target < range.start || insn.target >= range.end))
			follow_jumps(b, st, runtime, insn.target, jumps + 1);
	}
}

void stack_barrier_find(struct stack_barrier *b, struct stacks *st)
{
	const struct error *why;
	const struct runtime *runtime = model_runtime(st->m, &why);
	uint64_t address;

	if (b->is_known || !runtime)
		return;
	b->is_known = true;
	b->n = 0;
	const char *routine = runtime->descriptor->proofs ? runtime->descriptor->proofs->barrier : NULL;
	if (routine && runtime_symbol(st->t, routine, NULL, &address))
		follow_jumps(b, st, runtime, address, 0);
}

bool stack_barrier_has(const struct stack_barrier *b, struct stacks *st, const struct stacks_thread *t)
{
	for (uint32_t i = 0; b->n && i < t->n_frames && t->frames[i].kind == FRAME_RUNTIME; i++) {
		const struct stacks_place *place = t->frames[i].place;
		struct unwind_range range;

		if (place->module_kind == PLACE_RUNTIME &&
		    unwind_range_find(st->t, place->pc - !place->is_exact, &range) && is_start(b, range.start))
			return true;
	}
	return false;
}
