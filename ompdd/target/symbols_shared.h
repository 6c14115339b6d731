/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What was read of files for one process, for the next ones that have mapped the same: for a look at many processes,
 * one after the other, within which files do not change. Outside of that nothing is shared. For one thread only.
 */
#ifndef OMPDD_TARGET_SYMBOLS_SHARED_H
#define OMPDD_TARGET_SYMBOLS_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include "target/symbols.h"

/* Files; more are read for each process. */
#define SYMBOLS_SHARED_MAX 256

/*
 * Which file, as the kernel says, and what the process has of it in its memory. Its debug file is looked up below the
 * root folder of the process: whoever has another one gets nothing of this one's.
 */
struct symbols_file {
	unsigned dev_major, dev_minor;
	uint64_t inode;
	uint64_t root_dev, root_inode;
	const char *build_id; /* "": such a file is not shared */
};

void symbols_shared_begin(void);
void symbols_shared_end(void);

/* A table of @extent that the caller destroys as its own; NULL: there is none. */
struct symbols *symbols_shared_find(const struct symbols_file *file, enum symbols_extent extent);
void symbols_shared_add(const struct symbols_file *file, enum symbols_extent extent, struct symbols *symbols);

/* Whether its compiler is known, as symbols_elf_compiler() gives it: then *@ret, malloc'ed or NULL. */
bool symbols_shared_find_compiler(const struct symbols_file *file, char **ret);
void symbols_shared_add_compiler(const struct symbols_file *file, const char *compiler);

#endif
