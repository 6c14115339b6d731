/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The chain of a thread's Python frames in memory, before their names are read. */
#ifndef OMPDD_OPENMP_PYTHON_CHAIN_H
#define OMPDD_OPENMP_PYTHON_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct python;
struct python_thread;

/* Limit for the frames of a chain; the frames further out are left out. */
#define PYTHON_MAX_FRAMES 4096

struct python_frame {
	uint64_t code;	      /* address of its code object */
	uint64_t instruction; /* 3.9, 3.10: index of the instruction; from 3.11 on, its address */
	uint64_t entry;	      /* address of a record on the C stack, in the frame that executes it; 0: no record */
	bool is_generator;
};

/* All zeroes is a valid empty chain. */
struct python_chain {
	struct python_frame *frames; /* innermost first */
	uint32_t n, cap;
};

/*
 * Reads the frames of @thread, at most @max. @is_fresh: from the target itself, not from the pages of this view.
 * Returns false if the links contradict each other, or if memory is out: @ret is empty then.
 */
bool python_chain_read(const struct python *py, const struct python_thread *thread, uint32_t max, bool is_fresh,
		       struct python_chain *ret);
bool python_chain_is_same(const struct python_chain *a, const struct python_chain *b);
void python_chain_deinit(struct python_chain *chain);

#endif
