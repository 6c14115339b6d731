/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Decides how much of each mapping a core contains, as the kernel does by default (coredump_filter 0x33). The kernel's
 * list of mappings, /proc/PID/maps, is read during the stop. The slower list with their attributes, /proc/PID/smaps, is
 * read before.
 */
#ifndef OMPDD_TARGET_DUMP_MAPS_H
#define OMPDD_TARGET_DUMP_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "target/proc/proc.h"

/* A larger mapping is left out: no program fills it, and the file would exceed the limits of file systems. */
#define DUMP_MAX_MAPPING (UINT64_C(1) << 40)

/* Attributes of a mapping that /proc/PID/maps lacks. */
struct dump_attributes {
	uint64_t start;
	uint64_t end;
	bool is_excluded; /* device memory, or the program asked for it (MADV_DONTDUMP) */
	bool is_changed;  /* the process has changed pages of a private mapping */
};

/* All zeroes is empty. */
struct dump_maps {
	struct dump_attributes *rows; /* by address */
	size_t n, cap;
};

void dump_maps_deinit(struct dump_maps *m);

/* Add a line of /proc/PID/smaps, @len bytes without newline. Lines of unknown form are skipped. Return false when out
 * of memory. */
bool dump_maps_add_line(struct dump_maps *m, const char *line, size_t len);

/* Read /proc/PID/smaps; @dirfd is /proc/PID. Without this file @m stays empty. */
MUST_USE struct error *dump_maps_read(struct dump_maps *m, int dirfd);

/* Return the number of bytes of @map, from its start, that the core contains. @page: bytes of a page. */
uint64_t dump_maps_size(const struct dump_maps *m, const struct proc_map *map, uint64_t page);

#endif
