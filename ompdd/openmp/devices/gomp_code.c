/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds libgomp's variables for devices in its code. The two functions that register images use them all. Each variable
 * is identified by its size, and by which of the functions write it.
 */
#include <string.h>

#include "base/path.h"
#include "code/decode.h"
#include "openmp/devices/devices_gomp.h"
#include "openmp/runtimes/runtime.h"
#include "target/arch/arch.h"
#include "target/modules/modules.h"
#include "target/target.h"

#define MAX_CODE      4096
#define MAX_VARIABLES 32
#define CODE_PAGE     4096

/* A variable at a fixed address that a function uses. */
struct used {
	uint64_t address;
	unsigned size;
	bool is_written;
	bool is_read; /* by a plain load or comparison; a lock never is */
};

struct uses {
	struct used list[MAX_VARIABLES];
	size_t n;
	/* The fixed addresses in registers, in the order of the code. */
	uint64_t values[DECODE_REGISTERS];
	uint32_t known; /* bit n: values[n] is set */
};

static bool is_register(int reg)
{
	return reg >= 0 && reg < DECODE_REGISTERS;
}

/* Return whether a memory operand of @insn, at @at, is at a fixed address. */
static bool find_address(const struct uses *u, const struct decode *insn, uint64_t at, const struct decode_operand *op,
			 uint64_t *ret)
{
	if (op->kind != DECODE_MEMORY || op->of_thread || op->index != DECODE_NONE)
		return false;
	if (op->base == DECODE_PC)
		*ret = at + insn->length + (uint64_t)op->number;
	else if (op->base == DECODE_PAGE)
		*ret = (at & ~(uint64_t)(CODE_PAGE - 1)) + (uint64_t)op->number;
	else if (is_register(op->base) && (u->known >> op->base & 1))
		*ret = u->values[op->base] + (uint64_t)op->number;
	else
		return false;
	return true;
}

static void note_use(struct uses *u, uint64_t address, unsigned size, bool is_written, bool is_read)
{
	size_t i = 0;

	while (i < u->n && (u->list[i].address != address || u->list[i].size != size))
		i++;
	if (i == MAX_VARIABLES)
		return;
	if (i == u->n)
		u->list[u->n++] = (struct used){.address = address, .size = size};
	u->list[i].is_written |= is_written;
	u->list[i].is_read |= is_read;
}

/* Follow fixed addresses in registers. The order of the code is not that of its execution: wrong ones lead nowhere. */
static void follow_registers(struct uses *u, const struct decode *insn, uint64_t at)
{
	const struct decode_operand *to = &insn->operands[0], *from = &insn->operands[1];
	uint32_t written = insn->kind == DECODE_CALL ? decode_arch->lost : insn->written;
	uint64_t value;
	bool is_known = false;

	if (to->kind == DECODE_REGISTER && is_register(to->reg) && to->size == 8) {
		int base = insn->other == DECODE_NONE ? to->reg : insn->other;

		if (insn->kind == DECODE_LEA)
			is_known = find_address(u, insn, at, from, &value);
		else if (insn->kind == DECODE_ADD && from->kind == DECODE_NUMBER && is_register(base) &&
			 (u->known >> base & 1)) {
			value = u->values[base] + (uint64_t)from->number;
			is_known = true;
		}
	}
	u->known &= ~written;
	if (is_known) {
		u->values[to->reg] = value;
		u->known |= 1u << to->reg;
	}
}

static void note_insn(struct uses *u, const struct decode *insn, uint64_t at)
{
	bool is_compare = insn->kind == DECODE_COMPARE;
	uint64_t address;

	/* Calls and jumps through memory use no variable of libgomp. */
	if (insn->kind == DECODE_LEA || insn->kind == DECODE_CALL || insn->kind == DECODE_JUMP)
		return;
	if (find_address(u, insn, at, &insn->operands[0], &address))
		note_use(u, address, insn->operands[0].size, !is_compare, is_compare);
	if (find_address(u, insn, at, &insn->operands[1], &address))
		note_use(u, address, insn->operands[1].size, false,
			 is_compare || insn->kind == DECODE_MOVE || insn->kind == DECODE_WIDEN ||
				 insn->kind == DECODE_ADD);
}

static struct error *read_uses(struct target *t, const struct runtime *r, const char *function, struct uses *ret)
{
	uint8_t code[MAX_CODE];
	struct target_symbol symbol;
	struct decode insn;

	*ret = (struct uses){0};
	target_prefer_module(t, r->start);
	struct error *err = target_symbol(t, function, path_file_name(r->path), &symbol);
	if (err)
		return err;
	size_t size = symbol.size && symbol.size < sizeof(code) ? (size_t)symbol.size : 0;
	if (!size || !decode_use(arch->elf_machine))
		return error_create(ERR_UNKNOWN_LAYOUT, "cannot find libgomp's devices: the code of %s() is not known",
				    function);
	err = target_read(t, symbol.address, code, size);
	if (err)
		return err;
	for (size_t i = 0; i < size && decode_next(code + i, size - i, symbol.address + i, &insn) && insn.length;) {
		note_insn(ret, &insn, symbol.address + i);
		follow_registers(ret, &insn, symbol.address + i);
		i += insn.length;
	}
	return NULL;
}

/* Return the only variable of @size that both functions read, and write as given; 0 without one. */
static uint64_t find_variable(const struct uses *a, const struct uses *b, unsigned size, bool a_writes, bool b_writes)
{
	uint64_t found = 0;

	for (size_t i = 0; i < a->n; i++) {
		const struct used *one = &a->list[i];

		for (size_t k = 0; k < b->n; k++) {
			const struct used *two = &b->list[k];

			if (one->address != two->address || one->size != size || two->size != size || !one->is_read ||
			    !two->is_read || one->is_written != a_writes || two->is_written != b_writes)
				continue;
			if (found)
				return 0;
			found = one->address;
		}
	}
	return found;
}

struct error *gomp_devices_find(struct target *t, const struct runtime *r, struct gomp_devices_variables *ret)
{
	struct uses adds, removes;
	struct error *err = read_uses(t, r, "GOMP_offload_register_ver", &adds);

	if (!err)
		err = read_uses(t, r, "GOMP_offload_unregister_ver", &removes);
	if (err)
		return err;
	ret->devices = find_variable(&adds, &removes, 8, false, false);
	ret->n_devices = find_variable(&adds, &removes, 4, false, false);
	ret->images = find_variable(&adds, &removes, 8, true, false);
	ret->n_images = find_variable(&adds, &removes, 4, true, true);
	if (ret->devices && ret->n_devices)
		return NULL;
	return error_create(ERR_UNKNOWN_LAYOUT, "cannot find libgomp's devices: its code shows no such variables");
}
