/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fields of aarch64's instructions and the operands in them, for code/aarch64*.c. */
#ifndef OMPDD_LIBOMPD_CODE_AARCH64_H
#define OMPDD_LIBOMPD_CODE_AARCH64_H

#include "code/decode.h"

#define AARCH64_LEN  4
#define AARCH64_LINK 30
/* Register 31 is the stack pointer or always zero, depending on the instruction. */
#define AARCH64_SP   31
#define AARCH64_ZERO 31
#define AARCH64_PAGE 4096

static inline uint32_t get_field(uint32_t insn, unsigned at, unsigned bits)
{
	return insn >> at & ((1u << bits) - 1);
}

static inline int64_t get_signed_field(uint32_t insn, unsigned at, unsigned bits)
{
	uint32_t value = get_field(insn, at, bits), sign = 1u << (bits - 1);

	return (int64_t)(value ^ sign) - (int64_t)sign;
}

/* Operands */

static inline struct decode_operand make_number(int64_t value, unsigned size)
{
	return (struct decode_operand){
		.kind = DECODE_NUMBER,
		.size = size,
		.number = size == 4 ? (int64_t)(uint32_t)value : value,
	};
}

/* Register 31 is the stack pointer. */
static inline struct decode_operand make_register(int reg, unsigned size)
{
	return (struct decode_operand){.kind = DECODE_REGISTER, .size = size, .reg = (int8_t)reg};
}

/* A source operand: register 31 is zero. */
static inline struct decode_operand make_source(uint32_t reg, unsigned size)
{
	return reg == AARCH64_ZERO ? make_number(0, size) : make_register((int)reg, size);
}

/* A target operand: a result in register 31 is lost. */
static inline struct decode_operand make_target(uint32_t reg, unsigned size)
{
	return make_register(reg == AARCH64_ZERO ? DECODE_OTHER : (int)reg, size);
}

static inline struct decode_operand make_memory(int base, int64_t displacement, unsigned size)
{
	return (struct decode_operand){
		.kind = DECODE_MEMORY,
		.size = size,
		.number = displacement,
		.base = base,
		.index = DECODE_NONE,
	};
}

static inline uint32_t get_register_bit(uint32_t reg)
{
	return reg == AARCH64_ZERO ? 0 : 1u << reg;
}

/* Set @ret to an instruction of @kind whose result is in the first register that @insn names. */
static inline void set_result(uint32_t insn, enum decode_kind kind, unsigned size, struct decode *ret)
{
	uint32_t to = get_field(insn, 0, 5);

	ret->kind = kind;
	ret->operands[0] = make_target(to, size);
	ret->written = get_register_bit(to);
}

/* Decode arithmetic, loads and stores. Returns false for any other instruction. */
bool aarch64_read_data(uint32_t insn, struct decode *ret);

/* Clear @ret: an instruction that is not decoded yet. */
static inline void aarch64_clear(struct decode *ret)
{
	*ret = (struct decode){.length = AARCH64_LEN, .other = DECODE_NONE};
}

#endif
