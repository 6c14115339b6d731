/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Recognizes the format of a file that was given as a core by its first bytes. */
#ifndef OMPDD_TARGET_FILE_FORMAT_H
#define OMPDD_TARGET_FILE_FORMAT_H

#include <stddef.h>

#include "base/error.h"

/* The number of first bytes that are examined. */
#define FILE_FORMAT_BYTES 512

enum file_format_kind {
	FILE_FORMAT_OTHER, /* not a core, and nothing that ompdd can unpack */
	FILE_FORMAT_GZIP,
	FILE_FORMAT_ZSTD,
};

struct file_format {
	const char *magic;
	size_t len;
	size_t offset; /* of the magic in the file */
	enum file_format_kind kind;
	const char *name; /* for messages: "an xz file" */
	/* A command or an instruction; %s is the file's path. NULL: the default hint. */
	const char *hint;
};

/* Return the format of a file that starts with the @len bytes @bytes. NULL: not in the table; it may be ELF. */
const struct file_format *file_format_find(const void *bytes, size_t len);

/*
 * Return ERR_CORE_NOT_A_CORE for the file @path, with its format, if known, and that format's hint. @format may be
 * NULL.
 */
struct error *file_format_error(const struct file_format *format, const char *path);

#endif
