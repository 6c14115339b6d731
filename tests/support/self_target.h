/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * OMPD callbacks on the test's own process, so that libompd and a runtime are tested in one process without ptrace. The
 * kernel reads the memory: a bad address is an error, not a crash.
 */
#ifndef OMPDD_SUPPORT_SELF_TARGET_H
#define OMPDD_SUPPORT_SELF_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp-tools.h"

/* Bytes that a test puts in place of the process's memory. */
struct self_target_patch {
	uint64_t address;
	size_t size;
	const void *bytes;
};

/* Faults that a test may set; all zeroes is an honest target. self_target_reset() clears them. */
struct self_target {
	const char *hide[16];	  /* symbols that are not found */
	bool no_files;		  /* lookups in a named file fail */
	const char *rename[8][2]; /* {requested, returned}: another symbol's address */
	struct {
		const char *name;
		uint64_t address;
	} symbols[16]; /* symbols at these addresses */
	struct self_target_patch patches[16];
	uint64_t reads_until_failure;  /* 1: the next read and all later reads fail; 0: no failure */
	uint64_t allocs_until_failure; /* the same for alloc_memory */
	uint8_t pointer_size;	       /* the size that sizeof_type reports; 0: the true one */
	bool is_frozen; /* memory is taken as constant: later reads of a page use a copy of the first read */

	/* Counters */
	uint64_t reads;
	uint64_t bytes_read;
	uint64_t pages_copied; /* of frozen memory; reads of pages after the first 1024 fail */
	uint64_t symbol_lookups;
	uint64_t allocs;
	int64_t live_blocks; /* allocated and not freed */
	char printed[4096];  /* the last part of print_string's output */
};

extern struct self_target self_target;

/* Replace the @size bytes at @address by @copy, which is filled with them. The test changes and keeps @copy. */
void self_target_patch_copy(int slot, uint64_t address, size_t size, void *copy);

/* Return the callback table. Its context is this process. */
const ompd_callbacks_t *self_target_callbacks(void);
ompd_address_space_context_t *self_target_context(void);
void self_target_reset(void);

/*
 * Register the calling thread by its kernel id (OMPD_THREAD_ID_LWP); pthread ids need no registration. Up to 1024
 * threads.
 */
void self_target_register(void);

#endif
