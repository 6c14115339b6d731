/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Find loops that spin on a word, in the instructions of a function. */
#include "code/spin.h"

#include "code/decode.h"

/* Limits for such a loop: bytes and instructions. */
#define MAX_LOOP  64
#define MAX_INSNS 32

struct loop {
	struct decode insns[MAX_INSNS];
	size_t n;
};

/* Decode the loop at @head up to a near jump back to it. */
static bool read_loop(const uint8_t *code, size_t size, uint64_t begin, uint64_t head, struct loop *ret, uint64_t *end)
{
	uint64_t at = head;

	for (ret->n = 0; ret->n < MAX_INSNS && at - head < MAX_LOOP; ret->n++) {
		struct decode *insn = &ret->insns[ret->n];

		if (!decode_next(code + (at - begin), size - (at - begin), at, insn) || insn->kind == DECODE_RETURN ||
		    insn->kind == DECODE_CALL || insn->kind == DECODE_JUMP)
			return false;
		at += insn->length;
		if (insn->kind == DECODE_BRANCH && insn->target == head) {
			*end = at;
			ret->n++;
			return true;
		}
	}
	return false;
}

/* Find the loop around @pc with the highest start. */
static bool find_loop(const uint8_t *code, size_t size, uint64_t begin, uint64_t pc, struct loop *ret)
{
	struct decode insn;
	uint64_t end;
	bool found = false;

	for (uint64_t at = begin; at <= pc; at += insn.length) {
		struct loop loop;

		if (!decode_next(code + (at - begin), size - (at - begin), at, &insn))
			return false;
		if (pc - at >= MAX_LOOP || !read_loop(code, size, begin, at, &loop, &end) || pc >= end)
			continue;
		*ret = loop;
		found = true;
	}
	return found;
}

static bool is_register(const struct decode_operand *operand, int reg)
{
	return operand->kind == DECODE_REGISTER && operand->reg == reg;
}

/*
 * Return the only memory operand, if it is loaded or compared directly, else NULL. *@reg_ret: the
 * register that it is loaded into.
 */
static const struct decode_operand *find_load(const struct loop *loop, int *reg_ret)
{
	const struct decode_operand *found = NULL;

	for (size_t i = 0; i < loop->n; i++) {
		const struct decode *insn = &loop->insns[i];

		for (size_t k = 0; k < DECODE_OPERANDS; k++) {
			const struct decode_operand *operand = &insn->operands[k];

			if (operand->kind != DECODE_MEMORY)
				continue;
			bool is_loaded = (insn->kind == DECODE_MOVE || insn->kind == DECODE_WIDEN) && k == 1 &&
					 insn->operands[0].kind == DECODE_REGISTER && !insn->is_pair;

			if (found || (!is_loaded && insn->kind != DECODE_COMPARE))
				return NULL;
			found = operand;
			*reg_ret = is_loaded ? insn->operands[0].reg : DECODE_NONE;
		}
	}
	return found;
}

/*
 * Return the instruction that decides whether the loop continues: its last jump, or the comparison
 * before the jump. NULL: something else decides.
 */
static const struct decode *find_condition(const struct loop *loop)
{
	size_t i = loop->n - 1;

	if (loop->insns[i].operands[0].kind == DECODE_REGISTER)
		return &loop->insns[i];
	while (i-- > 0) {
		const struct decode *insn = &loop->insns[i];

		if (insn->kind == DECODE_COMPARE)
			return insn;
		/* These instructions keep the flags; others may change them. */
		if (insn->kind != DECODE_MOVE && insn->kind != DECODE_WIDEN && insn->kind != DECODE_LEA)
			break;
	}
	return NULL;
}

/*
 * Return whether the loop's condition compares the loaded word with a value that the loop does not
 * change. The word is in @reg, or compared in memory.
 */
static bool is_compared(const struct loop *loop, const struct decode_operand *load, int reg)
{
	const struct decode *by = find_condition(loop);

	for (size_t k = 0; by && k < DECODE_OPERANDS; k++) {
		const struct decode_operand *with = &by->operands[!k];
		bool is_it = reg == DECODE_NONE ? &by->operands[k] == load : is_register(&by->operands[k], reg);

		if (!is_it)
			continue;
		if (with->kind != DECODE_REGISTER)
			return with->kind == DECODE_NUMBER;
		for (size_t i = 0; i < loop->n; i++) {
			if (with->reg < 0 || loop->insns[i].written & (uint32_t)1 << with->reg)
				return false;
		}
		return true;
	}
	return false;
}

bool spin_word(const uint8_t *code, size_t size, const ompd_place_t *place, ompd_addr_t *ret)
{
	uint64_t begin = place->function, pc = place->pc;
	const struct decode_operand *load;
	struct loop loop;
	int reg = DECODE_NONE;

	if (pc < begin || pc - begin >= size || size > SPIN_MAX_CODE || !find_loop(code, size, begin, pc, &loop))
		return false;
	load = find_load(&loop, &reg);
	if (!load || load->base < 0 || load->index != DECODE_NONE || load->of_thread || !is_compared(&loop, load, reg))
		return false;
	for (size_t i = 0; i < loop.n; i++) {
		if (loop.insns[i].written & (uint32_t)1 << load->base)
			return false;
	}
	unsigned base = decode_arch->dwarf[load->base];

	if (!(place->known & (uint64_t)1 << base))
		return false;
	*ret = place->registers[base] + (uint64_t)load->number;
	return true;
}
