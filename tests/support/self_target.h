/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * OMPD callbacks on the test's own process, so that libompd and a runtime are tested in one process
 * without ptrace. Memory is read through the kernel: a bad address is an error, not a crash.
 */
#ifndef OMPDD_SUPPORT_SELF_TARGET_H
#define OMPDD_SUPPORT_SELF_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp-tools.h"

/* Bytes that a test puts in front of the process's memory; they win over it. */
struct self_target_patch {
	uint64_t address;
	size_t size;
	const void *bytes;
};

/* What a test may bend; all zero is an honest target. self_target_reset() sets it to that. */
struct self_target {
	const char *hide[16];	  /* symbols that are not found */
	bool no_files;		  /* a lookup in a named file finds nothing */
	const char *rename[8][2]; /* {asked, given}: another symbol's address */
	struct {
		const char *name;
		uint64_t address;
	} symbols[16]; /* symbols at these addresses */
	struct self_target_patch patches[16];
	uint64_t reads_until_failure;  /* 1: the next read fails, and all later ones; 0: never */
	uint64_t allocs_until_failure; /* the same for alloc_memory */
	uint8_t pointer_size;	       /* what sizeof_type says; 0: the truth */
	bool is_frozen; /* memory is taken to stay as it is: a page that was read once is read of a copy from then on */

	/* Counters */
	uint64_t reads;
	uint64_t bytes_read;
	uint64_t pages_copied; /* of frozen memory; what is behind 1024 pages is taken to be nowhere */
	uint64_t symbol_lookups;
	uint64_t allocs;
	int64_t live_blocks; /* allocated and not freed */
	char printed[4096];  /* what print_string got, the last of it */
};

extern struct self_target self_target;

/* Put in front of the @size bytes at @address a copy of them, in @copy, which the test changes and keeps. */
void self_target_patch_copy(int slot, uint64_t address, size_t size, void *copy);

/* The callback table and the context of this process. */
const ompd_callbacks_t *self_target_callbacks(void);
ompd_address_space_context_t *self_target_context(void);
void self_target_reset(void);

/*
 * Make the calling thread known by its kernel id (OMPD_THREAD_ID_LWP); pthread ids need no
 * registration. Up to 1024 threads.
 */
void self_target_register(void);

#endif
