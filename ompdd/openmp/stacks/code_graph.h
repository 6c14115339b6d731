/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A function's code as a graph of instructions, with what the registers hold at each of them: not the values, but which
 * are the same. Whatever is not understood ends it: then nothing is known. The code is hostile input: all is bounded.
 */
#ifndef OMPDD_OPENMP_CODE_GRAPH_H
#define OMPDD_OPENMP_CODE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/decode.h"

/* Instructions of one function with all that it jumps to, and where it may be entered but from its beginning. */
#define CODE_GRAPH_MAX	       4096
#define CODE_GRAPH_MAX_ENTRIES 64

/* Copies up to @size bytes of code at @address; how many there are. */
typedef size_t (*code_read_fn)(void *arg, uint64_t address, uint8_t *buf, size_t size);

/*
 * A number, or what a register held at some instruction, plus a number. Two with the same base are of the same moment:
 * the last time that instruction was executed.
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
	uint32_t edges;	 /* those that lead here; CODE_GRAPH_NONE: none */
	struct code_value in[DECODE_REGISTERS], out[DECODE_REGISTERS];
};

struct code_graph {
	struct code_node *nodes;
	uint32_t n;
	struct code_edge *edges;
	uint32_t n_edges;
	uint32_t *slots; /* nodes by address */
};

/*
 * The graph of the function that begins at @start and ends before @end; it may also be entered at @entries (landing
 * pads), in any state. False: it has jumps of which the code does not say where they go, or a breakpoint, is too large,
 * or memory is out.
 */
bool code_graph_make(struct code_graph *g, code_read_fn read, void *arg, uint64_t start, uint64_t end,
		     const uint64_t *entries, size_t n_entries);
/* All zeroes is a valid empty value. */
void code_graph_deinit(struct code_graph *g);

/* The number of the node at @address; CODE_GRAPH_NONE. */
uint32_t code_graph_find(const struct code_graph *g, uint64_t address);

/* Whether @value is of a moment that passes with each execution of @node: then it is of the one before. */
bool code_graph_is_renewed(const struct code_node *node, struct code_value value);
/* The same, but of the moment just before that, at which several ways to it meet. */
bool code_graph_is_met(const struct code_node *node, struct code_value value);

static inline bool code_values_equal(struct code_value a, struct code_value b)
{
	return a.base == b.base && a.offset == b.offset;
}

#endif
