/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Unpacks compressed cores, such as those of systemd-coredump. */
#ifndef OMPDD_TARGET_CORE_UNPACK_H
#define OMPDD_TARGET_CORE_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* The largest size of an unpacked core with its holes. Larger cores must be unpacked by hand. */
#define CORE_MAX_UNPACKED (64ull << 30)
/* The default disk space for an unpacked core. */
#define CORE_SPACE (4ull << 30)

/*
 * If the file @fd is compressed with gzip or zstd, unpack it into a file without a name (in $TMPDIR, else /var/tmp).
 * Set *@fd_ret, which the caller closes, or -1 if the file is not compressed. Holes stay holes; the rest may take
 * @space bytes. *@cut_ret: the compressed file ended too early. ERR_CORE_TOO_LARGE, ERR_CORE_DAMAGED,
 * ERR_CORE_NOT_A_CORE (another format: target/elf/file_format.h).
 */
MUST_USE struct error *core_unpack(int fd, const char *path, uint64_t space, int *fd_ret, bool *cut_ret);

#endif
