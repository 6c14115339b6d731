/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Goes backwards from the call: to the load of the called address, and to the sources of addresses and arguments. */
#include "openmp/stacks/code/code_pointer.h"

#include <string.h>

/* Return the call that ends at @pc. Return NULL if no call, or more than one, may end there. */
static const struct code_node *find_call(const struct code_graph *g, uint64_t pc)
{
	const struct code_node *found = NULL;

	for (uint32_t i = 0; i < g->n; i++) {
		const struct code_node *node = &g->nodes[i];

		if (node->insn.kind != DECODE_CALL || node->address + node->insn.length != pc)
			continue;
		if (found)
			return NULL;
		found = node;
	}
	return found && found->is_reached ? found : NULL;
}

static bool get_address(const struct code_node *node, const struct decode_operand *op, struct code_value *ret)
{
	if (op->kind != DECODE_MEMORY || op->of_thread || op->index != DECODE_NONE)
		return false;
	if (op->base == DECODE_PC)
		*ret = (struct code_value){0, (int64_t)(node->address + node->insn.length)};
	else if (op->base >= 0 && op->base < DECODE_REGISTERS)
		*ret = node->in[op->base];
	else
		return false;
	ret->offset = (int64_t)((uint64_t)ret->offset + (uint64_t)op->number);
	return true;
}

/* Find the address from which @value was loaded. */
static bool find_load(const struct code_graph *g, struct code_value value, struct code_value *ret)
{
	for (uint32_t i = 0; i < g->n; i++) {
		const struct code_node *node = &g->nodes[i];
		const struct decode_operand *to = &node->insn.operands[0];

		if (node->is_reached && node->insn.kind == DECODE_MOVE && !node->insn.is_pair &&
		    code_graph_is_renewed(node, value) && to->kind == DECODE_REGISTER && to->size == 8 &&
		    to->reg >= 0 && to->reg < DECODE_REGISTERS && node->out[to->reg].base == value.base)
			return get_address(node, &node->insn.operands[1], ret);
	}
	return false;
}

/* Find a register that the call preserves and that holds @value. A number needs no register. */
static bool find_register(const struct code_node *call, struct code_value value, int *reg_ret, int64_t *offset_ret)
{
	*reg_ret = -1;
	*offset_ret = value.offset;
	if (!value.base)
		return true;
	for (int reg = 0; reg < (int)decode_arch->n_registers; reg++) {
		if (call->in[reg].base != value.base || (decode_arch->lost >> reg & 1))
			continue;
		*reg_ret = reg;
		*offset_ret = (int64_t)((uint64_t)value.offset - (uint64_t)call->in[reg].offset);
		return true;
	}
	return false;
}

/* Find a preserved register, and the loads that lead from it to @value. @n loads follow after @value. */
static bool trace_value(const struct code_graph *g, const struct code_node *call, struct code_value value, unsigned n,
			struct code_pointer *ret)
{
	int64_t offsets[CODE_POINTER_MAX_LOADS + 1] = {0}; /* the last one first */

	while (!find_register(call, value, &ret->reg, &offsets[n])) {
		if (n == CODE_POINTER_MAX_LOADS)
			return false;
		offsets[n++] = value.offset;
		if (!find_load(g, value, &value))
			return false;
	}
	ret->n_loads = n;
	for (unsigned i = 0; i <= n; i++)
		ret->offsets[i] = offsets[n - i];
	return true;
}

static bool find_pointer(const struct code_graph *g, uint64_t pc, struct code_pointer *ret)
{
	const struct code_node *call = find_call(g, pc);
	struct code_value value;

	if (!call || call->insn.target)
		return false;
	const struct decode_operand *to = &call->insn.operands[0];
	if (to->kind == DECODE_REGISTER && to->reg >= 0 && to->reg < DECODE_REGISTERS)
		return trace_value(g, call, call->in[to->reg], 0, ret);
	return get_address(call, to, &value) && trace_value(g, call, value, 1, ret);
}

bool code_pointer_find(struct code_releases *r, const struct code_function *f, uint64_t pc, struct code_pointer *ret)
{
	struct code_graph g;

	if (!code_graph_make(&g, r->world->read, r->world->arg, f->start, f->end, f->entries, f->n_entries))
		return false;
	bool found = find_pointer(&g, pc, ret);
	code_graph_deinit(&g);
	return found;
}

bool code_argument_find(struct code_releases *r, const struct code_function *f, uint64_t pc, unsigned n,
			struct code_pointer *ret)
{
	struct code_graph g;

	if (n >= DECODE_ARGS ||
	    !code_graph_make(&g, r->world->read, r->world->arg, f->start, f->end, f->entries, f->n_entries))
		return false;
	const struct code_node *call = find_call(&g, pc);
	bool found = call && trace_value(&g, call, call->in[decode_arch->arguments[n]], 0, ret);
	code_graph_deinit(&g);
	return found;
}

/* Return the instruction that wrote @value to a register from the low half of another one. NULL: no such instruction.
 */
static const struct code_node *find_move(const struct code_graph *g, struct code_value value)
{
	for (uint32_t i = 0; i < g->n; i++) {
		const struct code_node *node = &g->nodes[i];
		const struct decode_operand *to = &node->insn.operands[0], *from = &node->insn.operands[1];

		if (node->is_reached && (node->insn.kind == DECODE_MOVE || node->insn.kind == DECODE_WIDEN) &&
		    !node->insn.is_pair && code_graph_is_renewed(node, value) && to->kind == DECODE_REGISTER &&
		    to->size >= 4 && to->reg >= 0 && to->reg < DECODE_REGISTERS && from->kind == DECODE_REGISTER &&
		    from->size == 4 && from->reg >= 0 && from->reg < DECODE_REGISTERS &&
		    node->out[to->reg].base == value.base)
			return node;
	}
	return NULL;
}

/* Return whether @value is one of the function's own arguments. No jump leads back to the function's start. */
static bool find_own_argument(const struct code_graph *g, struct code_value value, int *ret)
{
	const struct code_node *start = &g->nodes[0];

	for (unsigned i = 0; i < DECODE_ARGS && start->edges == CODE_GRAPH_NONE; i++) {
		struct code_value argument = start->in[decode_arch->arguments[i]];

		if (argument.base != value.base || argument.offset)
			continue;
		*ret = (int)i;
		return true;
	}
	return false;
}

static bool trace_integer(const struct code_graph *g, const struct code_node *call, struct code_value value,
			  struct code_integer *ret)
{
	for (unsigned i = 0; i <= CODE_POINTER_MAX_LOADS; i++) {
		const struct code_node *move;

		*ret = (struct code_integer){.kind = CODE_INTEGER_NUMBER, .offset = value.offset};
		if (!value.base)
			return true;
		ret->kind = CODE_INTEGER_REGISTER;
		if (find_register(call, value, &ret->number, &ret->offset))
			return true;
		*ret = (struct code_integer){.kind = CODE_INTEGER_ARGUMENT, .offset = value.offset};
		if (find_own_argument(g, value, &ret->number))
			return true;
		move = find_move(g, value);
		if (!move)
			return false;
		struct code_value from = move->in[move->insn.operands[1].reg];

		value = (struct code_value){from.base, (int64_t)((uint64_t)from.offset + (uint64_t)value.offset)};
	}
	return false;
}

bool code_integer_find(struct code_releases *r, const struct code_function *f, uint64_t pc, unsigned n,
		       struct code_integer *ret)
{
	struct code_graph g;

	if (n >= DECODE_ARGS ||
	    !code_graph_make(&g, r->world->read, r->world->arg, f->start, f->end, f->entries, f->n_entries))
		return false;
	const struct code_node *call = find_call(&g, pc);
	bool found = call && trace_integer(&g, call, call->in[decode_arch->arguments[n]], ret);
	code_graph_deinit(&g);
	return found;
}
