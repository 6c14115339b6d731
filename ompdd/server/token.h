/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file behind --token-file. */
#ifndef OMPDD_SERVER_TOKEN_H
#define OMPDD_SERVER_TOKEN_H

#include "base/error.h"

#define TOKEN_MIN_LEN 16
#define TOKEN_MAX_LEN 1024

/*
 * Read the token of file @path; when there is no such file, make one of 32 random bytes in hex,
 * mode 0600. An existing file must be a regular one of our own that nobody else may access, with
 * one line of 16 to 1024 printable characters: else ERR_UNAUTHORIZED. The caller frees *@ret.
 */
MUST_USE struct error *token_load(const char *path, char **ret);

#endif
