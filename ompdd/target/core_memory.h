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
	uint64_t dumped; /* bytes from start that were written; the rest is in files, or was left out */
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

enum core_place {
	CORE_NOWHERE, /* not in any segment, or not written because a file has it: see there */
	CORE_IN_FILE, /* in the core */
	CORE_CUT_OFF, /* it was written, but the core was cut off */
};

/* Add a program header of the core, if it is a PT_LOAD. ERR_LIMIT_EXCEEDED. */
MUST_USE struct error *core_memory_add(struct core_memory *m, const GElf_Phdr *phdr);
/* Sort, and compare with the size of the file. */
void core_memory_finish(struct core_memory *m, uint64_t file_size);
void core_memory_deinit(struct core_memory *m);

/* The segment of @addr, or NULL. */
const struct core_segment *core_memory_segment(const struct core_memory *m, uint64_t addr);

/*
 * Where the bytes from @addr on are. With CORE_IN_FILE, *@len (not 0) is cut to what is contiguous in the file from
 * *@offset_ret on; with the others, to what is in the same place.
 */
enum core_place core_memory_locate(const struct core_memory *m, uint64_t addr, size_t *len, uint64_t *offset_ret);

#endif
