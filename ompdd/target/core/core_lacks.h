/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds what a core lacks: files, memory that was cut off, and memory that the process's dump filter left out. */
#ifndef OMPDD_TARGET_CORE_LACKS_H
#define OMPDD_TARGET_CORE_LACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct core;

/* Missing memory that was requested: it proves nothing. */
struct core_lacks {
	bool was_read;
	uint64_t address;	/* of the first such read */
	bool has_blank_threads; /* the core has zeros in place of the descriptors of threads */
};

/* Count the threads without stack or thread-local storage, and add warnings. Needs the notes and the memory of @c. */
void core_lacks_find(struct core *c);

/*
 * Return whether the process had memory at @addr that the core lacks because it was cut off or left out. False for
 * memory that no program can read, and for memory of a file that is missing here.
 */
bool core_lacks_memory(struct core *c, uint64_t addr);

/* See target_missing_file(). */
struct error *core_lacks_file(struct core *c, uint64_t addr);

/* See target_missing(). */
struct error *core_lacks_explain(struct core *c, uint64_t addr);

#endif
