/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Predicts what the dynamic linker would do with a library: which libraries it would load, and from which folders. */
#ifndef OMPDD_TARGET_ELF_NEEDS_H
#define OMPDD_TARGET_ELF_NEEDS_H

#include <stdbool.h>
#include <stddef.h>

#define ELF_NEEDS_MAX_NAMES 64

struct elf_needs {
	char *names[ELF_NEEDS_MAX_NAMES]; /* of libraries, in order: DT_NEEDED, DT_FILTER and DT_AUXILIARY */
	size_t n_names;
	char *rpath, *runpath; /* colon-separated folders; NULL: not present */
	bool has_symbol;       /* the file defines the requested symbol */
};

/*
 * Read the file @fd as the dynamic linker does: by its segments, whatever its sections say. @symbol may be NULL. Return
 * false if it is not a shared library of this machine's word size and byte order, or exceeds the limits above. The
 * caller frees with elf_needs_deinit().
 */
bool elf_needs_read(int fd, const char *symbol, struct elf_needs *ret);
void elf_needs_deinit(struct elf_needs *n);

#endif
