/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file behind --token-file. */
#ifndef OMPDD_SERVER_TOKEN_H
#define OMPDD_SERVER_TOKEN_H

#include "base/error.h"

#define TOKEN_MIN_LEN 16
#define TOKEN_MAX_LEN 1024

/*
 * Make a token of 32 random bytes in hex, and write it to file @path, mode 0600, with @certificate (PEM, or NULL)
 * behind it. An existing file is replaced if it is a token file of ours: a regular one that nobody else may access,
 * with one line of 16 to 1024 printable characters and nothing else but a certificate; else ERR_UNAUTHORIZED.
 * ERR_LIMIT_EXCEEDED: another ompdd uses it. The caller frees *@ret, and hands *@fd_ret, which keeps the file ours, to
 * token_remove().
 */
MUST_USE struct error *token_make(const char *path, const char *certificate, char **ret, int *fd_ret);

/* Remove the file, unless another has taken its place. */
void token_remove(const char *path, int fd TAKES);

#endif
