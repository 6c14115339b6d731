/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file with the token that a daemon requires at a network address. */
#ifndef OMPDD_LIB_TOKEN_H
#define OMPDD_LIB_TOKEN_H

#include "advice.h"
#include "failure.h"

/*
 * Find the file that the user names: @named (an option, or NULL), or $OMPDD_TOKEN_FILE. *@ret belongs to the option or
 * the environment. Fails with ERR_USAGE if the user names no file for an address of @scheme, and with ERR_CONNECT if
 * the environment names the file of another user: sudo and su may keep the environment.
 */
struct error *token_find(const char *named, const struct advice *advice, const char *scheme, const char **ret);

/* Read the token in the file @path, at most 64 KiB. The caller frees *@ret. */
struct error *token_read(const char *path, char **ret);

#endif
