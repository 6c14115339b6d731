/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Decoder for aarch64 (AAPCS64), little endian. Every instruction has 32 bits, and its fields name
 * the registers that it can change. A few forms are decoded fully. For all others, each field is
 * taken as a register that is changed.
 */
#include <elf.h>
#include <string.h>

#include "code/decode.h"

#define LEN  4
#define SP   31
#define LINK 30
/* Register 31 is the stack pointer or always zero, depending on the instruction. */
#define ZERO  31
#define PAGES 4096

static uint32_t get_field(uint32_t insn, unsigned at, unsigned bits)
{
	return insn >> at & ((1u << bits) - 1);
}

static int64_t get_signed_field(uint32_t insn, unsigned at, unsigned bits)
{
	uint32_t value = get_field(insn, at, bits), sign = 1u << (bits - 1);

	return (int64_t)(value ^ sign) - (int64_t)sign;
}

/* Operands */

static struct decode_operand make_number(int64_t value, unsigned size)
{
	return (struct decode_operand){
		.kind = DECODE_NUMBER,
		.size = size,
		.number = size == 4 ? (int64_t)(uint32_t)value : value,
	};
}

/* A source operand: register 31 is zero. */
static struct decode_operand make_source(uint32_t reg, unsigned size)
{
	if (reg == ZERO)
		return make_number(0, size);
	return (struct decode_operand){.kind = DECODE_REGISTER, .size = size, .reg = (int)reg};
}

/* A target operand: a result in register 31 is lost. */
static struct decode_operand make_target(uint32_t reg, unsigned size)
{
	return (struct decode_operand){
		.kind = DECODE_REGISTER,
		.size = size,
		.reg = reg == ZERO ? DECODE_OTHER : (int)reg,
	};
}

/* Register 31 is the stack pointer. */
static struct decode_operand make_sp_operand(uint32_t reg, unsigned size)
{
	return (struct decode_operand){.kind = DECODE_REGISTER, .size = size, .reg = (int)reg};
}

static struct decode_operand make_memory(int base, int64_t displacement, unsigned size)
{
	return (struct decode_operand){
		.kind = DECODE_MEMORY,
		.size = size,
		.number = displacement,
		.base = base,
		.index = DECODE_NONE,
	};
}

static int8_t get_other(uint32_t reg)
{
	return reg == ZERO ? DECODE_ZERO : (int8_t)reg;
}

static uint32_t get_register_bit(uint32_t reg)
{
	return reg == ZERO ? 0 : 1u << reg;
}

/*
 * Any other instruction: each field may be a changed register. Some instructions also change the
 * next register, and a few change x16 and x17.
 */
static void read_else(uint32_t insn, struct decode *ret)
{
	static const unsigned fields[] = {0, 5, 10, 16};

	ret->kind = DECODE_ELSE;
	ret->written = 1u << 16 | 1u << 17;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		ret->written |= 3u << get_field(insn, fields[i], 5);
	/* No other instruction changes the stack pointer unless it names it. */
	if (get_field(insn, 5, 5) != SP && get_field(insn, 0, 5) != SP)
		ret->written &= ~(1u << SP);
}

/* Arithmetic */

/* adr, adrp */
static bool read_address(uint32_t insn, struct decode *ret)
{
	int64_t distance = get_signed_field(insn, 5, 19) * 4 + (int64_t)get_field(insn, 29, 2);

	if ((insn & 0x1f000000u) != 0x10000000u)
		return false;
	ret->kind = DECODE_LEA;
	ret->operands[0] = make_target(get_field(insn, 0, 5), 8);
	ret->operands[1] =
		insn >> 31 ? make_memory(DECODE_PAGE, distance * PAGES, 8) : make_memory(DECODE_PC, distance - LEN, 8);
	ret->written = get_register_bit(get_field(insn, 0, 5));
	return true;
}

/* add, sub, cmp, cmn and variants. @to is the result's operand, which may be none. */
static void read_sum(uint32_t insn, struct decode_operand to, struct decode_operand a, struct decode_operand b,
		     struct decode *ret)
{
	bool subtracts = get_field(insn, 30, 1), sets_flags = get_field(insn, 29, 1);

	if (sets_flags && get_field(insn, 0, 5) == ZERO) {
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
	read_sum(insn, get_field(insn, 29, 1) ? make_target(to, size) : make_sp_operand(to, size),
		 make_sp_operand(get_field(insn, 5, 5), size), make_number(value, size), ret);
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
	struct decode_operand base =
		is_extended ? make_sp_operand(get_field(insn, 5, 5), size) : make_source(get_field(insn, 5, 5), size);
	struct decode_operand other = make_source(get_field(insn, 16, 5), size);
	bool is_whole = !is_extended || option == 3 || option == 7;

	if (is_whole && !shift) {
		read_sum(insn,
			 is_extended && !get_field(insn, 29, 1) ? make_sp_operand(to, size) : make_target(to, size),
			 base, other, ret);
		return true;
	}
	/* Record that a comparison happens; the compared operand is not followed. */
	if (get_field(insn, 29, 2) == 3 && to == ZERO) {
		other = (struct decode_operand){.kind = DECODE_REGISTER, .size = size, .reg = DECODE_OTHER};
		read_sum(insn, make_target(to, size), base, other, ret);
		return true;
	}
	/* Represent base and index as a memory operand, which limits the scale. */
	if (size != 8 || insn >> 29 & 3 || shift > 3 || base.kind != DECODE_REGISTER || other.kind != DECODE_REGISTER)
		return false;
	ret->kind = DECODE_LEA;
	ret->operands[0] = is_extended ? make_sp_operand(to, 8) : make_target(to, 8);
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
		ret->operands[0] = make_sp_operand(to, size);
		ret->written = 1u << to;
		return true;
	} else {
		return false;
	}
	ret->kind = DECODE_MOVE;
	ret->operands[0] = make_target(to, size);
	ret->written = get_register_bit(to);
	return true;
}

/* movk: insert 16 bits and keep the others */
static bool read_insertion(uint32_t insn, struct decode *ret)
{
	unsigned size = insn >> 31 ? 8 : 4, at = get_field(insn, 21, 2) * 16;

	if ((insn & 0x7f800000u) != 0x72800000u || at >= size * 8)
		return false;
	ret->kind = DECODE_INSERT;
	ret->operands[0] = make_target(get_field(insn, 0, 5), size);
	ret->operands[1] = make_number((int64_t)((uint64_t)get_field(insn, 5, 16) << at), size);
	ret->operands[1].scale = at;
	ret->written = get_register_bit(get_field(insn, 0, 5));
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
	ret->kind = DECODE_WIDEN;
	ret->operands[0] = make_target(get_field(insn, 0, 5), size);
	ret->operands[1] = make_source(get_field(insn, 5, 5), (last + 1) / 8);
	ret->written = get_register_bit(get_field(insn, 0, 5));
	return true;
}

/* csel; and csinc, csinv of zero, which is 1 and -1 */
static bool read_choice(uint32_t insn, struct decode *ret)
{
	unsigned size = insn >> 31 ? 8 : 4, which = get_field(insn, 30, 1) * 2 + get_field(insn, 10, 1);
	uint32_t other = get_field(insn, 16, 5);

	if ((insn & 0x3fe00800u) != 0x1a800000u || (which && (other != ZERO || which == 3)))
		return false;
	ret->kind = DECODE_CHOOSE;
	ret->operands[0] = make_target(get_field(insn, 0, 5), size);
	ret->operands[1] = make_source(get_field(insn, 5, 5), size);
	ret->other = which ? DECODE_OTHER : get_other(other);
	ret->written = get_register_bit(get_field(insn, 0, 5));
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
		at.index = index == ZERO ? DECODE_NONE : option == 3 || option == 7 ? (int)index : DECODE_OTHER;
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
		   make_memory(DECODE_PC, get_signed_field(insn, 5, 19) * 4 - LEN, 0));
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

/* Jumps */

static bool read_jump(uint32_t insn, ompd_addr_t address, struct decode *ret)
{
	uint32_t reg = get_field(insn, 5, 5);
	unsigned size = insn >> 31 ? 8 : 4;

	if ((insn & 0x7c000000u) == 0x14000000u) { /* b, bl */
		ret->kind = insn >> 31 ? DECODE_CALL : DECODE_JUMP;
		ret->target = address + (uint64_t)(get_signed_field(insn, 0, 26) * LEN);
		ret->written = insn >> 31 ? 1u << LINK : 0;
	} else if ((insn & 0xff000010u) == 0x54000000u) { /* b.cond */
		ret->kind = (insn & 15) >= 14 ? DECODE_JUMP : DECODE_BRANCH;
		ret->target = address + (uint64_t)(get_signed_field(insn, 5, 19) * LEN);
	} else if ((insn & 0x7e000000u) == 0x34000000u) { /* cbz, cbnz */
		ret->kind = DECODE_BRANCH;
		ret->target = address + (uint64_t)(get_signed_field(insn, 5, 19) * LEN);
		ret->operands[0] = make_source(get_field(insn, 0, 5), size);
		ret->operands[1] = make_number(0, size);
	} else if ((insn & 0x7e000000u) == 0x36000000u) { /* tbz, tbnz */
		ret->kind = DECODE_BRANCH;
		ret->target = address + (uint64_t)(get_signed_field(insn, 5, 14) * LEN);
		ret->operands[0] = make_source(get_field(insn, 0, 5), size);
		ret->operands[1] = make_number(0, size);
	} else if ((insn & 0xfffff000u) == 0xd61f0000u || (insn & 0xfffff000u) == 0xd71f0000u) { /* br, braa, brab */
		ret->kind = DECODE_JUMP;
		ret->is_of_plt = reg == 16 || reg == 17;
	} else if ((insn & 0xfffff000u) == 0xd63f0000u || (insn & 0xfffff000u) == 0xd73f0000u) { /* blr */
		ret->kind = DECODE_CALL;
		ret->operands[0] = make_source(reg, 8);
		ret->written = 1u << LINK;
	} else if ((insn & 0xfffff000u) == 0xd65f0000u) { /* ret, retaa, retab */
		ret->kind = DECODE_RETURN;
	} else {
		return false;
	}
	return true;
}

/*
 * mrs to, tpidr_el0; and system instructions that change no register: barriers, and hints except
 * pointer authentication
 */
static bool read_system(uint32_t insn, struct decode *ret)
{
	if ((insn & 0xffffffe0u) == 0xd53bd040u) {
		ret->kind = DECODE_LEA;
		ret->operands[0] = make_target(get_field(insn, 0, 5), 8);
		ret->operands[1] = make_memory(DECODE_NONE, 0, 8);
		ret->operands[1].of_thread = true;
		ret->written = get_register_bit(get_field(insn, 0, 5));
		return true;
	}
	ret->kind = DECODE_ELSE;
	if ((insn & 0xfffff01fu) == 0xd503301fu) /* clrex, dsb, dmb, isb, sb */
		return true;
	if ((insn & 0xfffff01fu) != 0xd503201fu)
		return false;
	switch (get_field(insn, 5, 7)) {
	case 7: /* xpaclri */
	case 24 ... 31:
		ret->written = 1u << LINK;
		return true;
	case 8:
	case 10:
	case 12:
	case 14:
		ret->written = 1u << 17;
		return true;
	case 40: /* chkfeat */
		ret->written = 1u << 16;
		return true;
	default:
		return true;
	}
}

/* A system call: Linux preserves all registers except the result's. */
static bool read_svc(uint32_t insn, struct decode *ret)
{
	ret->kind = DECODE_ELSE;
	ret->written = 1u;
	return (insn & 0xffe0001fu) == 0xd4000001u;
}

static bool decode_insn(const uint8_t *code, size_t size, ompd_addr_t address, struct decode *ret)
{
	uint32_t insn;

	if (size < LEN || address % LEN)
		return false;
	memcpy(&insn, code, sizeof(insn));
	/* 0 and its neighbours are permanently undefined (udf): they trap. */
	if (insn >> 16 == 0)
		return false;
	static bool (*const forms[])(uint32_t, struct decode *) = {
		read_address,  read_add_number, read_add_register, read_move,	 read_insertion,
		read_widening, read_choice,	read_access,	   read_literal, read_pair,
		read_ordered,  read_result,	read_system,	   read_svc,
	};

	*ret = (struct decode){.length = LEN, .other = DECODE_NONE};
	if (read_jump(insn, address, ret))
		return true;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (forms[i](insn, ret))
			return true;
		*ret = (struct decode){.length = LEN, .other = DECODE_NONE};
	}
	read_else(insn, ret);
	return true;
}

/* Find adrp and a later add of the rest to the same register, or find adr. */
static size_t find_use(const uint8_t *code, size_t size, ompd_addr_t address, ompd_addr_t to)
{
	ompd_addr_t page[32];
	uint32_t known = 0, insn;

	for (size_t i = (size_t)(-address % LEN); i + LEN <= size; i += LEN) {
		memcpy(&insn, code + i, sizeof(insn));
		uint32_t reg = get_field(insn, 0, 5), base = get_field(insn, 5, 5);
		int64_t distance = get_signed_field(insn, 5, 19) * 4 + (int64_t)get_field(insn, 29, 2);

		if ((insn & 0x9f000000u) == 0x90000000u) {
			page[reg] = ((address + i) & ~(ompd_addr_t)(PAGES - 1)) + (uint64_t)(distance * PAGES);
			known |= 1u << reg;
		} else if ((insn & 0x9f000000u) == 0x10000000u && address + i + (uint64_t)distance == to) {
			return i;
		} else if ((insn & 0xffc00000u) == 0x91000000u && known >> base & 1 &&
			   page[base] + get_field(insn, 10, 12) == to) {
			return i;
		}
	}
	return SIZE_MAX;
}

/*
 * The control block has two words: the dtv's address and a private word of glibc. Neither proves
 * that it is a control block.
 */
static bool is_tcb(const uint8_t tcb[DECODE_TCB_SIZE], ompd_addr_t thread_pointer)
{
	uint64_t dtv;

	memcpy(&dtv, tcb, sizeof(dtv));
	return thread_pointer && thread_pointer % 16 == 0 && dtv && dtv % 8 == 0;
}

/* Static TLS follows the control block's two words (variant I). */
static bool is_tls_offset(int64_t offset)
{
	return offset >= 16;
}

const struct decode_arch decode_aarch64 = {
	.name = "aarch64",
	.elf_machine = EM_AARCH64,
	.n_registers = 32,
	.aligned = LEN,
	.arguments = {0, 1, 2, 3, 4, 5},
	.result = 0,
	.lost = ((1u << 19) - 1) | 1u << LINK,
	.dwarf = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
		  16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31},
	.loads_apart = true,
	.pointer_is_behind = true,
	.next = decode_insn,
	.find_use = find_use,
	.is_tcb = is_tcb,
	.is_tls_offset = is_tls_offset,
};
