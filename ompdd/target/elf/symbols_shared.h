/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Caches data read from files for other processes that have mapped the same files, during a survey of many processes.
 * Files do not change during a survey, and nothing is shared outside of it. For one thread only.
 */
#ifndef OMPDD_TARGET_SYMBOLS_SHARED_H
#define OMPDD_TARGET_SYMBOLS_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include "target/elf/symbols.h"

/* Limit for the cached files; others are read for each process. */
#define SYMBOLS_SHARED_MAX 256

/*
 * Identifies a file by the kernel's numbers and by its part in the process's memory. Its debug file is searched below
 * the process's root folder: a process with another root folder shares nothing with this one.
 */
struct symbols_file {
	unsigned dev_major, dev_minor;
	uint64_t inode;
	uint64_t root_dev, root_inode;
	const char *build_id; /* "": such a file is not shared */
};

void symbols_shared_begin(void);
void symbols_shared_end(void);

/* Return a table of @extent, which the caller destroys, or NULL. */
struct symbols *symbols_shared_find(const struct symbols_file *file, enum symbols_extent extent);
void symbols_shared_add(const struct symbols_file *file, enum symbols_extent extent, struct symbols *symbols);

/* Return whether the compiler is known, as elf_sections_compiler() returns it; store it in *@ret, malloc'ed or NULL. */
bool symbols_shared_find_compiler(const struct symbols_file *file, char **ret);
void symbols_shared_add_compiler(const struct symbols_file *file, const char *compiler);

#endif
