/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A small machine for location expressions. It has the operations that compilers use for variables in memory and
 * registers. Any other operation, or a register whose value is lost, ends without a result.
 */
#include "target/source/location.h"

#include <dwarf.h>

#define MAX_DEPTH 16
#define MAX_STEPS 256

struct machine {
	const struct location_frame *f;
	uint64_t object;
	uint64_t stack[MAX_DEPTH];
	unsigned n;
	bool is_value; /* the result is a value, not an address */
};

bool location_read(const struct location_frame *f, uint64_t address, uint64_t *ret)
{
	return stack_copy_read(f->t, f->copy, address, ret);
}

static bool push(struct machine *m, uint64_t value)
{
	if (m->n == MAX_DEPTH)
		return false;
	m->stack[m->n++] = value;
	return true;
}

static bool push_register(struct machine *m, uint64_t reg, uint64_t offset)
{
	uint64_t value;

	return reg <= UINT16_MAX && stack_frame_register(m->f->at, (unsigned)reg, &value) && push(m, value + offset);
}

static bool calculate(struct machine *m, unsigned atom)
{
	if (m->n < 2)
		return false;
	uint64_t b = m->stack[--m->n], *a = &m->stack[m->n - 1];

	switch (atom) {
	case DW_OP_plus:
		*a += b;
		return true;
	case DW_OP_minus:
		*a -= b;
		return true;
	case DW_OP_mul:
		*a *= b;
		return true;
	default: /* DW_OP_and */
		*a &= b;
		return true;
	}
}

static bool step(struct machine *m, const Dwarf_Op *op)
{
	const struct location_frame *f = m->f;

	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push(m, op->atom - DW_OP_lit0);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return push_register(m, op->atom - DW_OP_breg0, op->number);
	switch (op->atom) {
	case DW_OP_bregx:
		return push_register(m, op->number, op->number2);
	case DW_OP_fbreg:
		return f->has_base && push(m, f->base + op->number);
	case DW_OP_call_frame_cfa:
		return f->cfa && push(m, f->cfa);
	case DW_OP_addr:
		return push(m, op->number + f->bias);
	case DW_OP_push_object_address:
		return m->object && push(m, m->object);
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		return push(m, op->number);
	case DW_OP_deref:
		return m->n && location_read(f, m->stack[m->n - 1], &m->stack[m->n - 1]);
	case DW_OP_dup:
		return m->n && push(m, m->stack[m->n - 1]);
	case DW_OP_plus_uconst:
		if (m->n)
			m->stack[m->n - 1] += op->number;
		return m->n;
	case DW_OP_plus:
	case DW_OP_minus:
	case DW_OP_mul:
	case DW_OP_and:
		return calculate(m, op->atom);
	case DW_OP_stack_value:
		m->is_value = true;
		return m->n;
	case DW_OP_nop:
		return true;
	default:
		return false;
	}
}

/* A register name alone says that the value is in that register. */
static bool is_register(const Dwarf_Op *ops, size_t n, uint64_t *ret)
{
	if (n != 1 || !((ops->atom >= DW_OP_reg0 && ops->atom <= DW_OP_reg31) || ops->atom == DW_OP_regx))
		return false;
	*ret = ops->atom == DW_OP_regx ? ops->number : (uint64_t)(ops->atom - DW_OP_reg0);
	return true;
}

static bool run(struct machine *m, Dwarf_Attribute *attr)
{
	Dwarf_Op *ops;
	size_t n;
	uint64_t reg;

	if (dwarf_getlocation_addr(attr, m->f->pc, &ops, &n, 1) != 1 || !n || n > MAX_STEPS)
		return false;
	if (is_register(ops, n, &reg)) {
		m->is_value = true;
		return push_register(m, reg, 0);
	}
	for (size_t i = 0; i < n; i++) {
		/* An operation behind a value describes another part of the object. */
		if (m->is_value || !step(m, &ops[i]))
			return false;
	}
	return m->n > 0;
}

bool location_find(const struct location_frame *f, Dwarf_Attribute *attr, uint64_t object, uint64_t *ret)
{
	struct machine m = {.f = f, .object = object};

	if (!run(&m, attr))
		return false;
	*ret = m.stack[m.n - 1];
	return true;
}

bool location_find_variable(const struct location_frame *f, Dwarf_Attribute *attr, uint64_t *ret,
			    bool *is_in_register_ret)
{
	struct machine m = {.f = f};

	if (!run(&m, attr))
		return false;
	*ret = m.stack[m.n - 1];
	*is_in_register_ret = m.is_value;
	return true;
}

void location_find_base(struct location_frame *f, Dwarf_Die *function)
{
	Dwarf_Attribute attr;

	f->has_base = dwarf_attr_integrate(function, DW_AT_frame_base, &attr) && location_find(f, &attr, 0, &f->base);
}

bool location_find_global(Dwarf_Attribute *attr, uint64_t bias, uint64_t *ret)
{
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_getlocation(attr, &ops, &n) != 0 || n != 1 || ops->atom != DW_OP_addr)
		return false;
	*ret = ops->number + bias;
	return true;
}
