/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a core file of a running process. */
#ifndef OMPDD_TARGET_DUMP_H
#define OMPDD_TARGET_DUMP_H

#include "target/target.h"

struct dump_request {
	int fd; /* an empty regular file, open for writing */
	/* Called between pieces: return false to give up. */
	bool (*goes_on)(void *context);
	void *context;
};

struct dump_result {
	uint64_t size; /* of the file, with its holes */
	size_t n_threads;
	size_t n_mappings;
	int64_t stopped_us;
	/* Bytes of memory: written; written while the threads ran; not readable, zero in the file; left out, as the
	 * kernel leaves out the contents of mapped files. */
	uint64_t copied, late, unreadable, left_out;
};

/*
 * Stop the process for max_stop_ms at most, and write a core of it. Small mappings come first. When the time limit of
 * the stop is over, the process runs again, and the rest of its memory is copied while it runs: result->late. The file
 * starts with its ELF header only when it is complete. No more than a piece of memory is held at a time. Stop mode
 * only, and not while the process is held stopped. ERR_MODE_UNSUPPORTED, ERR_TARGET_HELD, ERR_DUMP_FAILED (the file, or
 * goes_on()), ERR_LIMIT_EXCEEDED (mappings), and the errors of target_stop() and target_check().
 */
MUST_USE struct error *dump_write(struct target *t, const struct dump_request *request, struct dump_result *ret);

#endif
