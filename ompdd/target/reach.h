/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reading memory of a process that stands and does not go on by itself, without ever hanging: what is in memory is read
 * at once, what would have to be brought (from a file, from swap; or by the stopped process itself, which cannot) by a
 * thread aside that is not waited for any longer than a limit.
 */
#ifndef OMPDD_TARGET_REACH_H
#define OMPDD_TARGET_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reach;

/* @memfd is /proc/PID/mem and @mapfd /proc/PID/pagemap; both become its own. NULL: memory is out. */
struct reach *reach_create(int memfd, int mapfd);
/* NULL is fine. */
void reach_destroy(struct reach *r);

/* Whether all pages of these bytes are in memory. */
bool reach_is_present(struct reach *r, uint64_t addr, size_t len);
/* @len bytes; false: there is nothing at @addr, or it did not come within @limit_ms, or what did not come before has
 * not come yet. */
bool reach_read(struct reach *r, uint64_t addr, void *buf, size_t len, unsigned limit_ms);
/* Whether what was asked for last is still to come. */
bool reach_is_late(const struct reach *r);

#endif
