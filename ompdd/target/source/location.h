/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Evaluates the location expressions of debug information (DWARF 5, 2.5 and 2.6) in a frame of a stack. */
#ifndef OMPDD_TARGET_LOCATION_H
#define OMPDD_TARGET_LOCATION_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "target/target.h"
#include "target/unwind/stack_copy.h"
#include "target/unwind/stack_frame.h"

struct location_frame {
	struct target *t;
	const struct stack_copy *copy;
	const struct stack_frame *at;
	uint64_t pc;   /* in the file; for a return address inside the call */
	uint64_t bias; /* of the module */
	uint64_t cfa;  /* 0: not known */
	bool has_base; /* set by location_find_base() */
	uint64_t base;
};

/* Find the frame base of @function, to which locations of its variables refer. */
void location_find_base(struct location_frame *f, Dwarf_Die *function);

/*
 * Evaluate @attr, the location of a variable. *@is_in_register_ret: *@ret is its value, else its address. Returns false
 * if it has no location at the frame's program counter, an unknown one, or one in several parts.
 */
bool location_find_variable(const struct location_frame *f, Dwarf_Attribute *attr, uint64_t *ret,
			    bool *is_in_register_ret);

/* Evaluate @attr, an expression about the object at @object: a bound, or the place of an array's data. */
bool location_find(const struct location_frame *f, Dwarf_Attribute *attr, uint64_t object, uint64_t *ret);

/* Read the address of a variable that is at the same place as long as its module is loaded. */
bool location_find_global(Dwarf_Attribute *attr, uint64_t bias, uint64_t *ret);

/* Read the word at @address in the memory of the frame's thread. */
bool location_read(const struct location_frame *f, uint64_t address, uint64_t *ret);

#endif
