/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Maps addresses of a core to positions in its file: the PT_LOAD segments, sorted, without overlaps. */
#ifndef OMPDD_TARGET_CORE_MEMORY_H
#define OMPDD_TARGET_CORE_MEMORY_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Segments of one core. By default the kernel allows a process 65530 mappings. */
#define CORE_MAX_SEGMENTS (1u << 20)

struct core_segment {
	uint64_t start;
	uint64_t end;
	uint64_t offset; /* of start in the core file */
	uint64_t dumped; /* bytes from `start` that were written; the rest was left out */
	uint64_t there;	 /* number of these bytes that the file still has */
	uint32_t flags;	 /* PF_R, PF_W, PF_X */
};

/* All zeroes is empty. */
struct core_memory {
	struct core_segment *segments;
	size_t n;
	size_t cap;
	uint64_t cut;	    /* bytes after the end of the file, according to the headers */
	unsigned n_damaged; /* invalid or overlapping segments, which were skipped or cut */
};

/* The place of the bytes at an address. */
enum core_place {
	CORE_NOWHERE,  /* in no segment: not mapped, or the writer (gdb) omits mappings that it does not write */
	CORE_LEFT_OUT, /* mapped, but not written: its value is unknown unless a file has it */
	CORE_IN_FILE,  /* in the core */
	CORE_CUT_OFF,  /* written, but the core was cut off before it */
};

/* Add a program header of the core if it is a PT_LOAD. ERR_LIMIT_EXCEEDED. */
MUST_USE struct error *core_memory_add(struct core_memory *m, const GElf_Phdr *phdr);
/* Sort the segments and compare them with the size of the file. */
void core_memory_finish(struct core_memory *m, uint64_t file_size);
void core_memory_deinit(struct core_memory *m);

/* Return the segment of @addr, or NULL. */
const struct core_segment *core_memory_segment(const struct core_memory *m, uint64_t addr);

/*
 * Return the place of the bytes at @addr. Reduce *@len (not 0) to the bytes in the same place. With CORE_IN_FILE these
 * bytes are contiguous in the file from *@offset_ret on.
 */
enum core_place core_memory_locate(const struct core_memory *m, uint64_t addr, size_t *len, uint64_t *offset_ret);

#endif
