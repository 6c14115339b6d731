/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Cores that systemd-coredump, or a thrifty administrator, has compressed. */
#ifndef OMPDD_TARGET_CORE_UNPACK_H
#define OMPDD_TARGET_CORE_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* A core may unpack to this size with its holes; larger ones are to be unpacked by hand. */
#define CORE_MAX_UNPACKED (64ull << 30)
/* And take so much room, unless options say otherwise. */
#define CORE_SPACE (4ull << 30)

/*
 * When the file @fd is compressed with gzip or zstd, unpack it into a file without a name (in $TMPDIR, else /var/tmp)
 * and set *@fd_ret, which the caller closes; holes stay holes, and what is none may take @space bytes. Otherwise
 * *@fd_ret is -1. *@cut_ret: the compressed file ended too early. ERR_CORE_TOO_LARGE, ERR_CORE_DAMAGED,
 * ERR_CORE_NOT_A_CORE (another format: target/file_format.h).
 */
MUST_USE struct error *core_unpack(int fd, const char *path, uint64_t space, int *fd_ret, bool *cut_ret);

#endif
