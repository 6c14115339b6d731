/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The variables that a function of a runtime uses, as its code shows them. */
#ifndef OMPDD_OPENMP_CODE_USES_H
#define OMPDD_OPENMP_CODE_USES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct target;

/* More are left out. */
#define CODE_USES_MAX 32

/* A variable at a fixed address that a function uses. */
struct code_use {
	uint64_t address;
	unsigned size;
	bool is_written;
	bool is_read;	/* by a plain load or comparison; a lock never is */
	bool is_loaded; /* by a plain load */
};

/* A read at a distance from an address in a register. */
struct code_member {
	int64_t distance;
	unsigned size;
};

struct code_uses {
	struct code_use list[CODE_USES_MAX];
	size_t n;
	struct code_member members[CODE_USES_MAX]; /* of 4 or 8 bytes */
	size_t n_members;
};

/*
 * Reads the uses of @function in the module whose file name starts with @file. ERR_UNKNOWN_LAYOUT: its code is not
 * known. Errors of target_symbol() and target_read().
 */
MUST_USE struct error *code_uses_read(struct target *t, const char *function, const char *file, struct code_uses *ret);

/*
 * Finds the fixed address *@ret that the function at @function returns. *@ret_fixed: whether its code does this, and
 * nothing else. Errors of target_read().
 */
MUST_USE struct error *code_returns(struct target *t, uint64_t function, bool *ret_fixed, uint64_t *ret);

/* Returns whether the function reads @size bytes at @distance from an address in a register. */
bool code_uses_member(const struct code_uses *u, int64_t distance, unsigned size);

#endif
