/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads memory of a stopped process without ever hanging. Pages in memory are read at once. Other pages come from a
 * file, from swap, or from the stopped process itself, which cannot supply them. A helper thread reads those, with a
 * time limit.
 */
#ifndef OMPDD_TARGET_TIMED_READER_H
#define OMPDD_TARGET_TIMED_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct timed_reader;

/*
 * @memfd is /proc/PID/mem and @mapfd /proc/PID/pagemap; takes ownership of both. Return NULL when memory is exhausted.
 */
struct timed_reader *timed_reader_create(int memfd, int mapfd);
/* NULL is fine. */
void timed_reader_destroy(struct timed_reader *r);

/* Return whether all pages of these bytes are in memory. */
bool timed_reader_is_present(struct timed_reader *r, uint64_t addr, size_t len);
/*
 * Read @len bytes. Return false if nothing is mapped at @addr, the read exceeded @limit_ms, or an earlier read that did
 * so is still pending.
 */
bool timed_reader_read(struct timed_reader *r, uint64_t addr, void *buf, size_t len, unsigned limit_ms);
/* Return whether the last read is still pending. */
bool timed_reader_is_late(const struct timed_reader *r);

#endif
