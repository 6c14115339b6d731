/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the variables that a function of a runtime uses, by decoding its code in order. */
#include "openmp/devices/code_uses.h"

#include "code/decode.h"
#include "target/arch/arch.h"
#include "target/modules/modules.h"
#include "target/target.h"

#define MAX_CODE  4096
#define CODE_PAGE 4096
/* A function that only returns an address is shorter. */
#define MAX_RETURN 32

/* Fixed addresses in registers, in the order of the code. */
struct registers {
	uint64_t values[DECODE_REGISTERS];
	uint32_t known; /* bit n: values[n] is set */
};

static bool is_register(int reg)
{
	return reg >= 0 && reg < DECODE_REGISTERS;
}

/* Return whether a memory operand of @insn, at @at, is at a fixed address. */
static bool find_address(const struct registers *r, const struct decode *insn, uint64_t at,
			 const struct decode_operand *op, uint64_t *ret)
{
	if (op->kind != DECODE_MEMORY || op->of_thread || op->index != DECODE_NONE)
		return false;
	if (op->base == DECODE_PC)
		*ret = at + insn->length + (uint64_t)op->number;
	else if (op->base == DECODE_PAGE)
		*ret = (at & ~(uint64_t)(CODE_PAGE - 1)) + (uint64_t)op->number;
	else if (is_register(op->base) && (r->known >> op->base & 1))
		*ret = r->values[op->base] + (uint64_t)op->number;
	else
		return false;
	return true;
}

static void note_use(struct code_uses *u, uint64_t address, unsigned size, bool is_written, bool is_read,
		     bool is_loaded)
{
	size_t i = 0;

	while (i < u->n && (u->list[i].address != address || u->list[i].size != size))
		i++;
	if (i == CODE_USES_MAX)
		return;
	if (i == u->n)
		u->list[u->n++] = (struct code_use){.address = address, .size = size};
	u->list[i].is_written |= is_written;
	u->list[i].is_read |= is_read;
	u->list[i].is_loaded |= is_loaded;
}

/* Follow fixed addresses in registers. The order of the code is not that of its execution: wrong ones lead nowhere. */
static void follow_registers(struct registers *r, const struct decode *insn, uint64_t at)
{
	const struct decode_operand *to = &insn->operands[0], *from = &insn->operands[1];
	uint32_t written = insn->kind == DECODE_CALL ? decode_arch->lost : insn->written;
	uint64_t value;
	bool is_known = false;

	if (to->kind == DECODE_REGISTER && is_register(to->reg) && to->size == 8) {
		int base = insn->other == DECODE_NONE ? to->reg : insn->other;

		if (insn->kind == DECODE_LEA)
			is_known = find_address(r, insn, at, from, &value);
		else if (insn->kind == DECODE_ADD && from->kind == DECODE_NUMBER && is_register(base) &&
			 (r->known >> base & 1)) {
			value = r->values[base] + (uint64_t)from->number;
			is_known = true;
		}
	}
	r->known &= ~written;
	if (is_known) {
		r->values[to->reg] = value;
		r->known |= 1u << to->reg;
	}
}

static void note_member(struct code_uses *u, int64_t distance, unsigned size)
{
	if (!code_uses_member(u, distance, size) && u->n_members < CODE_USES_MAX)
		u->members[u->n_members++] = (struct code_member){distance, size};
}

static void note_insn(struct code_uses *u, const struct registers *r, const struct decode *insn, uint64_t at)
{
	const struct decode_operand *to = &insn->operands[0], *from = &insn->operands[1];
	bool is_compare = insn->kind == DECODE_COMPARE;
	bool is_load = insn->kind == DECODE_MOVE || insn->kind == DECODE_WIDEN || insn->kind == DECODE_ADD;
	uint64_t address;

	/* Calls and jumps through memory use no variable of the runtime. */
	if (insn->kind == DECODE_LEA || insn->kind == DECODE_CALL || insn->kind == DECODE_JUMP)
		return;
	if (find_address(r, insn, at, to, &address))
		note_use(u, address, to->size, !is_compare, is_compare, false);
	if (find_address(r, insn, at, from, &address)) {
		note_use(u, address, from->size, false, is_compare || is_load, is_load);
	} else if (from->kind == DECODE_MEMORY && !from->of_thread && (from->size == 4 || from->size == 8)) {
		note_member(u, from->number, from->size);
		if (insn->is_pair)
			note_member(u, from->number + from->size, from->size);
	}
}

bool code_uses_member(const struct code_uses *u, int64_t distance, unsigned size)
{
	size_t i = 0;

	while (i < u->n_members && (u->members[i].distance != distance || u->members[i].size != size))
		i++;
	return i < u->n_members;
}

struct error *code_uses_read(struct target *t, const char *function, const char *file, struct code_uses *ret)
{
	uint8_t code[MAX_CODE];
	struct registers registers = {0};
	struct target_symbol symbol;
	struct decode insn;

	*ret = (struct code_uses){0};
	struct error *err = target_symbol(t, function, file, &symbol);
	if (err)
		return err;
	size_t size = symbol.size && symbol.size < sizeof(code) ? (size_t)symbol.size : 0;
	if (!size || !decode_use(arch->elf_machine))
		return error_create(ERR_UNKNOWN_LAYOUT, "cannot find the devices: the code of %s() is not known",
				    function);
	err = target_read(t, symbol.address, code, size);
	if (err)
		return err;
	for (size_t i = 0; i < size && decode_next(code + i, size - i, symbol.address + i, &insn) && insn.length;) {
		note_insn(ret, &registers, &insn, symbol.address + i);
		follow_registers(&registers, &insn, symbol.address + i);
		i += insn.length;
	}
	return NULL;
}

struct error *code_returns(struct target *t, uint64_t function, bool *ret_fixed, uint64_t *ret)
{
	uint8_t code[MAX_RETURN];
	struct registers registers = {0};
	struct decode insn;
	struct error *err = target_read(t, function, code, sizeof(code));

	*ret_fixed = false;
	if (err || !decode_use(arch->elf_machine))
		return err;
	for (size_t i = 0;
	     i < sizeof(code) && decode_next(code + i, sizeof(code) - i, function + i, &insn) && insn.length;) {
		if (insn.kind == DECODE_RETURN) {
			*ret_fixed = registers.known >> decode_arch->result & 1;
			*ret = registers.values[decode_arch->result];
			return NULL;
		}
		if (insn.kind == DECODE_CALL || insn.kind == DECODE_JUMP || insn.kind == DECODE_BRANCH)
			return NULL;
		follow_registers(&registers, &insn, function + i);
		i += insn.length;
	}
	return NULL;
}
