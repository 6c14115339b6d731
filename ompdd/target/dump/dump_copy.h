/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Copies memory of a process to a file, in pieces. The process is stopped at first. When the time limit of the stop is
 * over, it runs again, and the rest is copied while it runs.
 */
#ifndef OMPDD_TARGET_DUMP_COPY_H
#define OMPDD_TARGET_DUMP_COPY_H

#include "target/dump/dump.h"
#include "target/process/process.h"

struct dump_copy {
	struct process *process;
	const struct dump_request *request; /* borrowed */
	uint64_t page;			    /* bytes of a page */
	unsigned char *piece;
	uint64_t *touched; /* entries of /proc/PID/pagemap for a piece */
	int mapfd;	   /* /proc/PID/pagemap; -1: all pages are read */
	bool runs;	   /* the stop is over */
	int64_t stopped_us;
	uint64_t copied, late, unreadable; /* bytes */
};

/* @p is stopped with a time limit. ERR_NO_MEMORY. */
MUST_USE struct error *dump_copy_init(struct dump_copy *c, struct process *p, const struct dump_request *request);
void dump_copy_deinit(struct dump_copy *c);

/*
 * Copy @len bytes at @addr to the offset @at of the file. @is_anonymous: a page that the process has never touched is
 * zero; it becomes a hole in the file. ERR_DUMP_FAILED, ERR_TARGET_EXITED.
 */
MUST_USE struct error *dump_copy_range(struct dump_copy *c, uint64_t addr, uint64_t len, uint64_t at,
				       bool is_anonymous);

/* Write all @len bytes at the offset @at of the file. ERR_DUMP_FAILED. */
MUST_USE struct error *dump_copy_write(int fd, const void *data, size_t len, uint64_t at);

/* Let the process run, if it is still stopped. */
void dump_copy_end_stop(struct dump_copy *c);

#endif
