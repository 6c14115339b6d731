/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which addresses a core has, and where in its file: the PT_LOAD segments, sorted, none over another. */
#ifndef OMPDD_TARGET_CORE_MEMORY_H
#define OMPDD_TARGET_CORE_MEMORY_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Segments of one core; the kernel allows processes 65530 mappings unless told otherwise. */
#define CORE_MAX_SEGMENTS (1u << 20)

struct core_segment {
	uint64_t start;
	uint64_t end;
	uint64_t offset; /* of start in the core file */
	uint64_t dumped; /* bytes from start that were written; the rest was left out */
	uint64_t there;	 /* as many of them the file still has */
	uint32_t flags;	 /* PF_R, PF_W, PF_X */
};

/* All zeroes is empty. */
struct core_memory {
	struct core_segment *segments;
	size_t n;
	size_t cap;
	uint64_t cut;	    /* bytes that the headers promise beyond the end of the file */
	unsigned n_damaged; /* segments that make no sense, or lie over others, and were passed over or cut */
};

/* Where the bytes of an address are. */
enum core_place {
	CORE_NOWHERE,  /* in no segment: not mapped, or the writer omits mappings that it does not write (gdb) */
	CORE_LEFT_OUT, /* mapped, but the writer did not write it: its value is unknown, unless a file has it */
	CORE_IN_FILE,  /* in the core */
	CORE_CUT_OFF,  /* written, but the core was cut off before it */
};

/* Add a program header of the core, if it is a PT_LOAD. ERR_LIMIT_EXCEEDED. */
MUST_USE struct error *core_memory_add(struct core_memory *m, const GElf_Phdr *phdr);
/* Sort, and compare with the size of the file. */
void core_memory_finish(struct core_memory *m, uint64_t file_size);
void core_memory_deinit(struct core_memory *m);

/* The segment of @addr, or NULL. */
const struct core_segment *core_memory_segment(const struct core_memory *m, uint64_t addr);

/*
 * Return the place of the bytes from @addr on. *@len (not 0) is reduced to what is in the same place. With CORE_IN_FILE
 * these bytes are contiguous in the file from *@offset_ret on.
 */
enum core_place core_memory_locate(const struct core_memory *m, uint64_t addr, size_t *len, uint64_t *offset_ret);

#endif
