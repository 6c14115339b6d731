/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The configuration file, ompdd.conf(5): lines NAME = VALUE with the names of settings.h. */
#ifndef OMPDD_SERVER_CONFIG_H
#define OMPDD_SERVER_CONFIG_H

#include "server/server.h"

#define CONFIG_MAX_SIZE (64 * 1024)

/*
 * Read @path into @o. Checks each value as far as that is possible without listening. Errors name file and line.
 * Refuses a file that another user could write. The strings in @o point into *@text_ret; the caller frees it, also
 * after an error. It is NULL if nothing was allocated.
 */
MUST_USE struct error *config_read(const char *path, struct server_options *o, char **text_ret);

#endif
