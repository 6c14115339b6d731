/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The configuration file, ompdd.conf(5): lines NAME = VALUE with the names of settings.h. */
#ifndef OMPDD_SERVER_CONFIG_H
#define OMPDD_SERVER_CONFIG_H

#include "server/server.h"

#define CONFIG_MAX_SIZE (64 * 1024)

/*
 * Read @path into @o, each value checked as far as that can be done without listening anywhere. Errors name file and
 * line. A file that somebody else could write is refused. *@text_ret, which the strings in @o point into, is the
 * caller's to free, after an error, too; it is NULL where there is none.
 */
MUST_USE struct error *config_read(const char *path, struct server_options *o, char **text_ret);

#endif
