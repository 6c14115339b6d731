/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file behind --token-file. */
#ifndef OMPDD_SERVER_TOKEN_H
#define OMPDD_SERVER_TOKEN_H

#include "base/error.h"

#define TOKEN_MIN_LEN 16
#define TOKEN_MAX_LEN 1024

/*
 * Create a token of 32 random bytes in hex. Writes it to the file @path, mode 0600, followed by @certificate (PEM, or
 * NULL). Replaces an existing file only if it is one of our token files. Such a file is regular, and only our user can
 * access it. It has one line of 16 to 1024 printable characters and nothing else but a certificate. Returns
 * ERR_UNAUTHORIZED for another file, ERR_LIMIT_EXCEEDED if another ompdd uses it. The caller frees *@ret, and passes
 * *@fd_ret, which holds the lock, to token_remove().
 */
MUST_USE struct error *token_make(const char *path, const char *certificate, char **ret, int *fd_ret);

/* Remove the file, unless another file has replaced it. */
void token_remove(const char *path, int fd TAKES);

#endif
