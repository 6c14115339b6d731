/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A function's code as a graph of instructions, with the values of the registers at each instruction. The values are
 * symbolic: only their equality is known. An instruction that is not understood makes the whole graph unknown. The code
 * is hostile input: everything is bounded.
 */
#ifndef OMPDD_OPENMP_CODE_GRAPH_H
#define OMPDD_OPENMP_CODE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "code/decode.h"

/* Limits for the instructions of a function, with all that it jumps to, and for its entries besides its start. */
#define CODE_GRAPH_MAX	       4096
#define CODE_GRAPH_MAX_ENTRIES 64

/* Copies up to @size bytes of code at @address into @buf. Returns the number of bytes. */
typedef size_t (*code_read_fn)(void *arg, uint64_t address, uint8_t *buf, size_t size);

/*
 * A number, or the content of a register at some instruction, plus a number. Two values with the same base are of the
 * same moment: the last execution of that instruction.
 */
struct code_value {
	uint64_t base; /* 0: the number `offset` */
	int64_t offset;
};

struct code_edge {
	uint32_t from;
	uint32_t next; /* the next edge to the same node; CODE_GRAPH_NONE */
};

#define CODE_GRAPH_NONE UINT32_MAX

struct code_node {
	uint64_t address;
	struct decode insn;
	bool is_entry;
	bool is_reached; /* in[] and out[] are set */
	uint32_t edges;	 /* edges that lead here; CODE_GRAPH_NONE: no edge */
	struct code_value in[DECODE_REGISTERS], out[DECODE_REGISTERS];
};

struct code_graph {
	struct code_node *nodes;
	uint32_t n;
	struct code_edge *edges;
	uint32_t n_edges;
	struct hash index; /* of nodes, by address */
};

/*
 * Creates the graph of the function from @start up to @end. The function may also be entered at @entries (landing
 * pads), in any state. Returns false if it has a breakpoint or jumps with unknown targets, if it is too large, or if
 * memory is out.
 */
bool code_graph_make(struct code_graph *g, code_read_fn read, void *arg, uint64_t start, uint64_t end,
		     const uint64_t *entries, size_t n_entries);
/* All zeroes is a valid empty value. */
void code_graph_deinit(struct code_graph *g);

/* Returns the number of the node at @address, or CODE_GRAPH_NONE. */
uint32_t code_graph_find(const struct code_graph *g, uint64_t address);

/*
 * Returns whether @value belongs to a moment that each execution of @node renews. Then it is of the execution before.
 */
bool code_graph_is_renewed(const struct code_node *node, struct code_value value);
/* Returns the same for the moment just before, where several ways to @node meet. */
bool code_graph_is_met(const struct code_node *node, struct code_value value);

static inline bool code_values_equal(struct code_value a, struct code_value b)
{
	return a.base == b.base && a.offset == b.offset;
}

#endif
