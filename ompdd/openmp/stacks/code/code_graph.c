/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Follows the jumps of a function, then the effect of each instruction on the registers until the result is stable. */
#include "openmp/stacks/code/code_graph.h"

#include <stdlib.h>
#include <string.h>

#include "target/arch/arch.h"
#include "target/target.h"

#define MAX_LENGTH 15 /* bytes of one instruction */
#define WINDOW	   4096
#define MAX_PASSES 32
#define CODE_PAGE  4096

struct reader {
	code_read_fn read;
	void *arg;
	uint64_t start;
	size_t n;
	uint8_t bytes[WINDOW];
};

struct graph_builder {
	struct code_graph *g;
	struct reader reader;
	uint64_t start, end;
	uint32_t stack[CODE_GRAPH_MAX];
	uint32_t n_stack;
};

/* Names of moments. Each moment names a register at an instruction: after the instruction, or on arrival at it. */
static uint64_t encode_moment(uint64_t address, unsigned reg, bool is_met)
{
	return address << 6 | (uint64_t)reg << 1 | is_met;
}

bool code_graph_is_renewed(const struct code_node *node, struct code_value value)
{
	return value.base && !(value.base & 1) && value.base >> 6 == node->address;
}

bool code_graph_is_met(const struct code_node *node, struct code_value value)
{
	return value.base && (value.base & 1) && value.base >> 6 == node->address;
}

/* The graph */

uint32_t code_graph_find(const struct code_graph *g, uint64_t address)
{
	hash_for_each(i, &g->index, hash_number(address))
	{
		if (g->nodes[i].address == address)
			return i;
	}
	return CODE_GRAPH_NONE;
}

static bool decode_insn(struct reader *r, uint64_t address, struct decode *ret)
{
	if (address < r->start || address - r->start > r->n || r->n - (address - r->start) < MAX_LENGTH) {
		r->start = address;
		r->n = r->read(r->arg, address, r->bytes, sizeof(r->bytes));
	}
	size_t offset = address - r->start;

	/* The bytes under a planted breakpoint are not known. */
	return offset < r->n &&
	       (r->n - offset < arch->breakpoint_len ||
		memcmp(r->bytes + offset, arch->breakpoint, arch->breakpoint_len)) &&
	       decode_next(r->bytes + offset, r->n - offset, address, ret) && ret->length;
}

/* Return the node at @address, to be followed if it is new. Return CODE_GRAPH_NONE if there is no code, or too much. */
static uint32_t add_node(struct graph_builder *m, uint64_t address)
{
	struct code_graph *g = m->g;
	uint32_t known = code_graph_find(g, address);
	struct decode insn;

	if (known != CODE_GRAPH_NONE)
		return known;
	/* Moments are named by an address and six bits. */
	if (g->n == CODE_GRAPH_MAX || address >> 58 || !decode_insn(&m->reader, address, &insn) ||
	    !hash_add(&g->index, hash_number(address), g->n))
		return CODE_GRAPH_NONE;
	g->nodes[g->n] = (struct code_node){.address = address, .insn = insn, .edges = CODE_GRAPH_NONE};
	m->stack[m->n_stack++] = g->n;
	return g->n++;
}

static bool add_edge(struct graph_builder *m, uint32_t from, uint64_t address)
{
	struct code_graph *g = m->g;
	uint32_t to = add_node(m, address);

	if (to == CODE_GRAPH_NONE)
		return false;
	g->edges[g->n_edges] = (struct code_edge){from, g->nodes[to].edges};
	g->nodes[to].edges = g->n_edges++;
	return true;
}

/* Return whether @insn frees the function's part of the stack: it pops registers, or adds to the stack pointer. */
static bool is_freeing_stack(const struct decode *insn)
{
	uint32_t sp = 0;

	for (unsigned reg = 0; reg < decode_arch->n_registers; reg++) {
		if (decode_arch->dwarf[reg] == TARGET_REGISTER_SP)
			sp = 1u << reg;
	}
	if (insn->kind == DECODE_CALL || !(insn->written & sp))
		return false;
	return (insn->written & ~sp) || (insn->kind == DECODE_ADD && insn->other == DECODE_NONE &&
					 insn->operands[1].kind == DECODE_NUMBER && insn->operands[1].number > 0);
}

/*
 * Return whether the jump leaves the function. A jump through a slot of a procedure linkage table does. So does a jump
 * without index right behind the end of the frame: a call at the function's end. Other jumps may lead anywhere within.
 */
static bool is_tail_call(const struct graph_builder *m, const struct code_node *node)
{
	const struct decode_operand *to = &node->insn.operands[0];

	if (node->address < m->start || node->address >= m->end)
		return node->insn.is_of_plt;
	if (to->kind == DECODE_MEMORY && to->index != DECODE_NONE)
		return false;
	for (uint32_t i = 0; i < m->g->n; i++) {
		const struct code_node *before = &m->g->nodes[i];

		if (before->address + before->insn.length == node->address && is_freeing_stack(&before->insn))
			return true;
	}
	return false;
}

static bool add_successors(struct graph_builder *m, uint32_t index)
{
	/* Nodes do not move. */
	const struct code_node *node = &m->g->nodes[index];
	const struct decode *insn = &node->insn;
	uint64_t behind = node->address + insn->length;

	switch (insn->kind) {
	case DECODE_RETURN:
		return true;
	case DECODE_JUMP:
		return insn->target ? add_edge(m, index, insn->target) : is_tail_call(m, node);
	case DECODE_BRANCH:
		return insn->target && add_edge(m, index, insn->target) && add_edge(m, index, behind);
	case DECODE_ELSE:
	case DECODE_MOVE:
	case DECODE_WIDEN:
	case DECODE_CHOOSE:
	case DECODE_LEA:
	case DECODE_ADD:
	case DECODE_SUB:
	case DECODE_CLEAR:
	case DECODE_COMPARE:
	default:
		return add_edge(m, index, behind);
	case DECODE_CALL:
		/* The compiler knew that the call never returns. */
		return behind == m->end || add_edge(m, index, behind);
	}
}

static bool add_entry(struct graph_builder *m, uint64_t address)
{
	uint32_t node = add_node(m, address);

	if (node != CODE_GRAPH_NONE)
		m->g->nodes[node].is_entry = true;
	return node != CODE_GRAPH_NONE;
}

static bool discover_nodes(struct graph_builder *m, const uint64_t *entries, size_t n_entries)
{
	if (!add_entry(m, m->start))
		return false;
	for (size_t i = 0; i < n_entries; i++) {
		if (!add_entry(m, entries[i]))
			return false;
	}
	while (m->n_stack) {
		if (!add_successors(m, m->stack[--m->n_stack]))
			return false;
	}
	return true;
}

/* The registers */

static struct code_value get_arrival_value(const struct code_node *node, unsigned reg)
{
	return (struct code_value){encode_moment(node->address, reg, true), 0};
}

static struct code_value get_written_value(const struct code_node *node, unsigned reg)
{
	return (struct code_value){encode_moment(node->address, reg, false), 0};
}

/* Return the value that register @reg holds where all ways to @node meet. */
static struct code_value merge_values(const struct code_graph *g, const struct code_node *node, unsigned reg)
{
	struct code_value value = get_arrival_value(node, reg);
	bool is_first = true;

	if (node->is_entry)
		return value;
	for (uint32_t i = node->edges; i != CODE_GRAPH_NONE; i = g->edges[i].next) {
		const struct code_node *from = &g->nodes[g->edges[i].from];

		if (!from->is_reached)
			continue;
		if (!is_first && !code_values_equal(value, from->out[reg]))
			return get_arrival_value(node, reg);
		value = from->out[reg];
		is_first = false;
	}
	/* A loop leads back here: the register's value of the last visit no longer holds. */
	return code_graph_is_met(node, value) ? get_arrival_value(node, reg) : value;
}

static bool is_register(const struct decode_operand *op, unsigned size)
{
	return op->kind == DECODE_REGISTER && op->reg >= 0 && op->reg < DECODE_REGISTERS && op->size == size;
}

static bool compute_address(const struct code_node *node, const struct decode_operand *op, struct code_value *ret)
{
	if (op->kind != DECODE_MEMORY || op->of_thread || op->index != DECODE_NONE)
		return false;
	if (op->base == DECODE_PC)
		*ret = (struct code_value){0, (int64_t)(node->address + node->insn.length + (uint64_t)op->number)};
	else if (op->base == DECODE_PAGE)
		*ret = (struct code_value){
			0, (int64_t)((node->address & ~(uint64_t)(CODE_PAGE - 1)) + (uint64_t)op->number)};
	else if (op->base == DECODE_NONE)
		*ret = (struct code_value){0, op->number};
	else if (op->base >= 0 && op->base < DECODE_REGISTERS)
		*ret = (struct code_value){node->in[op->base].base,
					   (int64_t)((uint64_t)node->in[op->base].offset + (uint64_t)op->number)};
	else
		return false;
	return true;
}

/* Compute the value that the instruction writes to its first operand, if that is a register and the value is known. */
static bool compute_result(const struct code_node *node, struct code_value *ret)
{
	const struct decode_operand *to = &node->insn.operands[0], *from = &node->insn.operands[1];
	bool is_whole = is_register(to, 8);

	if (!is_whole && !is_register(to, 4))
		return false;
	switch (node->insn.kind) {
	case DECODE_MOVE:
		if (from->kind == DECODE_NUMBER) {
			/* The upper half becomes zero. */
			*ret = (struct code_value){0, is_whole ? from->number : (int64_t)(uint32_t)from->number};
			return true;
		}
		if (!is_whole || !is_register(from, 8))
			return false;
		*ret = node->in[from->reg];
		return true;
	case DECODE_CLEAR:
		*ret = (struct code_value){0, 0};
		return true;
	case DECODE_LEA:
		return is_whole && compute_address(node, from, ret);
	case DECODE_ADD:
	case DECODE_SUB:
		if (!is_whole || from->kind != DECODE_NUMBER || node->insn.other < DECODE_NONE)
			return false;
		*ret = node->in[node->insn.other == DECODE_NONE ? to->reg : node->insn.other];
		ret->offset = node->insn.kind == DECODE_ADD ? (int64_t)((uint64_t)ret->offset + (uint64_t)from->number)
							    : (int64_t)((uint64_t)ret->offset - (uint64_t)from->number);
		return true;
	case DECODE_ELSE:
	case DECODE_WIDEN:
	case DECODE_CHOOSE:
	case DECODE_COMPARE:
	case DECODE_RETURN:
	case DECODE_CALL:
	case DECODE_JUMP:
	case DECODE_BRANCH:
	default:
		return false;
	}
}

static void execute_insn(const struct code_node *node, struct code_value out[DECODE_REGISTERS])
{
	uint32_t written = node->insn.written;
	struct code_value result;

	/* A called function returns with the stack pointer unchanged. */
	if (node->insn.kind == DECODE_CALL)
		written = decode_arch->lost;
	for (unsigned reg = 0; reg < decode_arch->n_registers; reg++) {
		bool is_old = code_graph_is_renewed(node, node->in[reg]);

		out[reg] = is_old || (written >> reg & 1) ? get_written_value(node, reg) : node->in[reg];
	}
	if (compute_result(node, &result) && !code_graph_is_renewed(node, result))
		out[node->insn.operands[0].reg] = result;
}

static bool run_pass(struct code_graph *g)
{
	bool changed = false;

	for (uint32_t i = 0; i < g->n; i++) {
		struct code_node *node = &g->nodes[i];
		struct code_value out[DECODE_REGISTERS];
		bool is_reached = node->is_entry;

		for (uint32_t k = node->edges; k != CODE_GRAPH_NONE && !is_reached; k = g->edges[k].next)
			is_reached = g->nodes[g->edges[k].from].is_reached;
		if (!is_reached)
			continue;
		for (unsigned reg = 0; reg < decode_arch->n_registers; reg++)
			node->in[reg] = merge_values(g, node, reg);
		execute_insn(node, out);
		changed |= !node->is_reached;
		for (unsigned reg = 0; reg < decode_arch->n_registers && !changed; reg++)
			changed = !code_values_equal(out[reg], node->out[reg]);
		memcpy(node->out, out, decode_arch->n_registers * sizeof(out[0]));
		node->is_reached = true;
	}
	return changed;
}

bool code_graph_make(struct code_graph *g, code_read_fn read, void *arg, uint64_t start, uint64_t end,
		     const uint64_t *entries, size_t n_entries)
{
	struct graph_builder *m = calloc(1, sizeof(*m));
	bool done = false;

	*g = (struct code_graph){
		.nodes = malloc(CODE_GRAPH_MAX * sizeof(*g->nodes)),
		.edges = malloc(2 * CODE_GRAPH_MAX * sizeof(*g->edges)),
	};
	if (m && g->nodes && g->edges && n_entries <= CODE_GRAPH_MAX_ENTRIES && decode_use(arch->elf_machine)) {
		*m = (struct graph_builder){.g = g, .reader = {.read = read, .arg = arg}, .start = start, .end = end};
		done = discover_nodes(m, entries, n_entries);
	}
	free(m);
	for (unsigned i = 0; done && run_pass(g); i++)
		done = i < MAX_PASSES;
	if (!done)
		code_graph_deinit(g);
	return done;
}

void code_graph_deinit(struct code_graph *g)
{
	free(g->nodes);
	free(g->edges);
	hash_deinit(&g->index);
	*g = (struct code_graph){0};
}
