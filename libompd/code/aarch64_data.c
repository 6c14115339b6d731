/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * aarch64's arithmetic, loads and stores. A few forms are decoded fully; for the others, only the
 * result register is known.
 */
#include "code/aarch64.h"

static int8_t get_other(uint32_t reg)
{
	return reg == AARCH64_ZERO ? DECODE_ZERO : (int8_t)reg;
}

/* adr, adrp */
static bool read_address(uint32_t insn, struct decode *ret)
{
	int64_t distance = get_signed_field(insn, 5, 19) * 4 + (int64_t)get_field(insn, 29, 2);

	if ((insn & 0x1f000000u) != 0x10000000u)
		return false;
	set_result(insn, DECODE_LEA, 8, ret);
	ret->operands[1] = insn >> 31 ? make_memory(DECODE_PAGE, distance * AARCH64_PAGE, 8)
				      : make_memory(DECODE_PC, distance - AARCH64_LEN, 8);
	return true;
}

/* add, sub, cmp, cmn and variants. @to is the result's operand, which may be none. */
static void read_sum(uint32_t insn, struct decode_operand to, struct decode_operand a, struct decode_operand b,
		     struct decode *ret)
{
	bool subtracts = get_field(insn, 30, 1), sets_flags = get_field(insn, 29, 1);

	if (sets_flags && get_field(insn, 0, 5) == AARCH64_ZERO) {
		ret->kind = subtracts ? DECODE_COMPARE : DECODE_ELSE;
		ret->operands[0] = a;
		ret->operands[1] = b;
		return;
	}
	ret->kind = subtracts ? DECODE_SUB : DECODE_ADD;
	ret->operands[0] = to;
	ret->operands[1] = b;
	ret->other = a.kind == DECODE_REGISTER ? a.reg : DECODE_ZERO;
	ret->written = to.reg >= 0 ? 1u << to.reg : 0;
}

static bool read_add_number(uint32_t insn, struct decode *ret)
{
	unsigned size = insn >> 31 ? 8 : 4;
	int64_t value = (int64_t)get_field(insn, 10, 12) << (get_field(insn, 22, 1) ? 12 : 0);
	uint32_t to = get_field(insn, 0, 5);

	if ((insn & 0x1f800000u) != 0x11000000u)
		return false;
	read_sum(insn, get_field(insn, 29, 1) ? make_target(to, size) : make_register((int)to, size),
		 make_register((int)get_field(insn, 5, 5), size), make_number(value, size), ret);
	return true;
}

/* Arithmetic with a register that is shifted, or extended and then shifted. */
static bool read_add_register(uint32_t insn, struct decode *ret)
{
	unsigned size = insn >> 31 ? 8 : 4, option = get_field(insn, 13, 3);
	bool is_extended = (insn & 0x1fe00000u) == 0x0b200000u;
	uint32_t to = get_field(insn, 0, 5), shift = is_extended ? get_field(insn, 10, 3) : get_field(insn, 10, 6);

	if (!is_extended && ((insn & 0x1f200000u) != 0x0b000000u || get_field(insn, 22, 2)))
		return false;
	struct decode_operand base = is_extended ? make_register((int)get_field(insn, 5, 5), size)
						 : make_source(get_field(insn, 5, 5), size);
	struct decode_operand other = make_source(get_field(insn, 16, 5), size);
	bool is_whole = !is_extended || option == 3 || option == 7;

	if (is_whole && !shift) {
		read_sum(insn,
			 is_extended && !get_field(insn, 29, 1) ? make_register((int)to, size) : make_target(to, size),
			 base, other, ret);
		return true;
	}
	/* Record that a comparison happens; the compared operand is not followed. */
	if (get_field(insn, 29, 2) == 3 && to == AARCH64_ZERO) {
		other = (struct decode_operand){.kind = DECODE_REGISTER, .size = size, .reg = DECODE_OTHER};
		read_sum(insn, make_target(to, size), base, other, ret);
		return true;
	}
	/* Represent base and index as a memory operand, which limits the scale. */
	if (size != 8 || insn >> 29 & 3 || shift > 3 || base.kind != DECODE_REGISTER || other.kind != DECODE_REGISTER)
		return false;
	ret->kind = DECODE_LEA;
	ret->operands[0] = is_extended ? make_register((int)to, 8) : make_target(to, 8);
	ret->operands[1] = make_memory(base.reg, 0, 8);
	ret->operands[1].index = is_whole ? other.reg : DECODE_OTHER;
	ret->operands[1].scale = 1u << shift;
	ret->written = is_extended ? 1u << to : get_register_bit(to);
	return true;
}

/* Decode the 13-bit immediate of a logical instruction: a run of ones, rotated and replicated. */
static bool decode_logical_number(uint32_t insn, unsigned size, int64_t *ret)
{
	uint32_t turn = get_field(insn, 16, 6), ones = get_field(insn, 10, 6);
	uint32_t kind = get_field(insn, 22, 1) << 6 | (~ones & 63);
	unsigned width = 64;

	while (width > 1 && !(kind & width))
		width /= 2;
	if (width < 2 || (size == 4 && width == 64))
		return false;
	ones = (ones & (width - 1)) + 1;
	turn &= width - 1;
	if (ones == width)
		return false;
	uint64_t run = ((uint64_t)1 << ones) - 1, all = width == 64 ? ~(uint64_t)0 : ((uint64_t)1 << width) - 1;
	uint64_t value = turn ? (run >> turn | run << (width - turn)) & all : run;

	for (; width < 64; width *= 2)
		value |= value << width;
	*ret = (int64_t)value;
	return true;
}

/* mov from a register (orr with zero) or of an immediate. */
static bool read_move(uint32_t insn, struct decode *ret)
{
	unsigned size = insn >> 31 ? 8 : 4;
	uint32_t to = get_field(insn, 0, 5);
	int64_t value;

	if ((insn & 0x7fe0ffe0u) == 0x2a0003e0u) { /* orr to, zero, other */
		ret->operands[1] = make_source(get_field(insn, 16, 5), size);
	} else if ((insn & 0x7f800000u) == 0x52800000u || (insn & 0x7f800000u) == 0x12800000u) { /* movz, movn */
		uint64_t bits = (uint64_t)get_field(insn, 5, 16) << (get_field(insn, 21, 2) * 16);

		ret->operands[1] = make_number((int64_t)(get_field(insn, 30, 1) ? bits : ~bits), size);
	} else if ((insn & 0x7f8003e0u) == 0x320003e0u &&
		   decode_logical_number(insn, size, &value)) { /* orr to, zero, #n */
		ret->operands[1] = make_number(value, size);
		ret->kind = DECODE_MOVE;
		ret->operands[0] = make_register((int)to, size);
		ret->written = 1u << to;
		return true;
	} else {
		return false;
	}
	set_result(insn, DECODE_MOVE, size, ret);
	return true;
}

/* movk: insert 16 bits and keep the others */
static bool read_insertion(uint32_t insn, struct decode *ret)
{
	unsigned size = insn >> 31 ? 8 : 4, at = get_field(insn, 21, 2) * 16;

	if ((insn & 0x7f800000u) != 0x72800000u || at >= size * 8)
		return false;
	set_result(insn, DECODE_INSERT, size, ret);
	ret->operands[1] = make_number((int64_t)((uint64_t)get_field(insn, 5, 16) << at), size);
	ret->operands[1].scale = at;
	return true;
}

/* uxtb, uxth, sxtb, sxth, sxtw */
static bool read_widening(uint32_t insn, struct decode *ret)
{
	unsigned size = insn >> 31 ? 8 : 4;
	uint32_t last = get_field(insn, 10, 6);
	bool has_sign = get_field(insn, 29, 2) == 0;

	if ((insn & 0x1f800000u) != 0x13000000u || get_field(insn, 16, 6) || get_field(insn, 22, 1) != insn >> 31 ||
	    (get_field(insn, 29, 2) != 2 && !has_sign))
		return false;
	if (last != 7 && last != 15 && (last != 31 || size != 8 || !has_sign))
		return false;
	set_result(insn, DECODE_WIDEN, size, ret);
	ret->operands[1] = make_source(get_field(insn, 5, 5), (last + 1) / 8);
	return true;
}

/* csel; and csinc, csinv of zero, which is 1 and -1 */
static bool read_choice(uint32_t insn, struct decode *ret)
{
	unsigned size = insn >> 31 ? 8 : 4, which = get_field(insn, 30, 1) * 2 + get_field(insn, 10, 1);
	uint32_t other = get_field(insn, 16, 5);

	if ((insn & 0x3fe00800u) != 0x1a800000u || (which && (other != AARCH64_ZERO || which == 3)))
		return false;
	set_result(insn, DECODE_CHOOSE, size, ret);
	ret->operands[1] = make_source(get_field(insn, 5, 5), size);
	ret->other = which ? DECODE_OTHER : get_other(other);
	return true;
}

/* Arithmetic that is not followed and changes only its result register. */
static bool read_result(uint32_t insn, struct decode *ret)
{
	static const struct {
		uint32_t mask, word;
	} forms[] = {
		{0x1f800000u, 0x12000000u}, /* and, orr, eor of a number */
		{0x1f800000u, 0x13000000u}, /* lsl, lsr, bfi and variants by a number */
		{0x7f800000u, 0x13800000u}, /* extr, ror */
		{0x1f000000u, 0x0a000000u}, /* and, orr, eor of a register */
		{0x1f000000u, 0x0b000000u}, /* add, sub */
		{0x1f000000u, 0x1b000000u}, /* mul, madd and variants */
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if ((insn & forms[i].mask) != forms[i].word)
			continue;
		ret->kind = DECODE_ELSE;
		ret->written = 1u << get_field(insn, 0, 5);
		return true;
	}
	return false;
}

/* Memory */

/* A load or store of one register, of 1 << @log bytes. @op: 0 store, 1 load, 2 and 3 signed loads. */
static void set_access(struct decode *ret, uint32_t reg, unsigned log, unsigned op, struct decode_operand at)
{
	unsigned wide = op == 2 || log == 3 ? 8 : 4;

	at.size = 1u << log;
	if (op == 0) {
		ret->kind = DECODE_MOVE;
		ret->operands[0] = at;
		ret->operands[1] = make_source(reg, 1u << log);
		return;
	}
	ret->kind = log >= 2 && op == 1 ? DECODE_MOVE : DECODE_WIDEN;
	ret->operands[0] = make_target(reg, wide);
	ret->operands[1] = at;
	ret->written = get_register_bit(reg);
}

/* A load or store with an offset or an index; the base register does not change. */
static bool read_access(uint32_t insn, struct decode *ret)
{
	unsigned log = insn >> 30, op = get_field(insn, 22, 2), option = get_field(insn, 13, 3);
	struct decode_operand at;

	if ((insn & 0x3f000000u) == 0x39000000u) {
		at = make_memory((int)get_field(insn, 5, 5), (int64_t)get_field(insn, 10, 12) << log, 0);
	} else if ((insn & 0x3f200c00u) == 0x38000000u) {
		at = make_memory((int)get_field(insn, 5, 5), get_signed_field(insn, 12, 9), 0);
	} else if ((insn & 0x3f200c00u) == 0x38200800u) {
		uint32_t index = get_field(insn, 16, 5);

		at = make_memory((int)get_field(insn, 5, 5), 0, 0);
		at.index = index == AARCH64_ZERO ? DECODE_NONE : option == 3 || option == 7 ? (int)index : DECODE_OTHER;
		at.scale = get_field(insn, 12, 1) ? 1u << log : 1;
	} else {
		return false;
	}
	if (log == 3 && op >= 2) { /* prefetch */
		ret->kind = DECODE_ELSE;
		return op == 2;
	}
	if (log == 2 && op == 3)
		return false;
	set_access(ret, get_field(insn, 0, 5), log, op, at);
	return true;
}

/* ldr of a literal beside the code */
static bool read_literal(uint32_t insn, struct decode *ret)
{
	unsigned kind = insn >> 30;

	if ((insn & 0x3f000000u) != 0x18000000u || kind == 3)
		return false;
	set_access(ret, get_field(insn, 0, 5), kind == 1 ? 3 : 2, kind == 2 ? 2 : 1,
		   make_memory(DECODE_PC, get_signed_field(insn, 5, 19) * 4 - AARCH64_LEN, 0));
	return true;
}

/* ldp, stp of 4 or 8 bytes each; the base register does not change */
static bool read_pair(uint32_t insn, struct decode *ret)
{
	bool is_load = get_field(insn, 22, 1);
	unsigned log = insn >> 31 ? 3 : 2;
	uint32_t first = get_field(insn, 0, 5), second = get_field(insn, 10, 5);

	if ((insn & 0x7f800000u) != 0x29000000u)
		return false;
	struct decode_operand at =
		make_memory((int)get_field(insn, 5, 5), get_signed_field(insn, 15, 7) * (1 << log), 0);

	/* The first load would change the address of the second. */
	if (is_load && (first == get_field(insn, 5, 5) || second == get_field(insn, 5, 5)))
		return false;
	set_access(ret, first, log, is_load, at);
	ret->is_pair = true;
	ret->other = get_other(second);
	if (is_load)
		ret->written |= get_register_bit(second);
	return true;
}

/* ldar, ldapr, ldaxr, ldxr, stlr */
static bool read_ordered(uint32_t insn, struct decode *ret)
{
	unsigned log = insn >> 30;
	bool is_load = (insn & 0x3ffffc00u) == 0x08dffc00u || (insn & 0x3ffffc00u) == 0x085ffc00u ||
		       (insn & 0x3ffffc00u) == 0x085f7c00u || (insn & 0x3ffffc00u) == 0x38bfc000u;

	if (!is_load && (insn & 0x3ffffc00u) != 0x089ffc00u)
		return false;
	set_access(ret, get_field(insn, 0, 5), log, is_load, make_memory((int)get_field(insn, 5, 5), 0, 0));
	return true;
}

bool aarch64_read_data(uint32_t insn, struct decode *ret)
{
	static bool (*const forms[])(uint32_t, struct decode *) = {
		read_address, read_add_number, read_add_register, read_move, read_insertion, read_widening,
		read_choice,  read_access,     read_literal,	  read_pair, read_ordered,   read_result,
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (forms[i](insn, ret))
			return true;
		aarch64_clear(ret);
	}
	return false;
}
