/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the daemon can be told, each by one name: an option of the command line, or a line of the configuration file. */
#ifndef OMPDD_SERVER_SETTINGS_H
#define OMPDD_SERVER_SETTINGS_H

#include <stdbool.h>

#include "server/server.h"

struct setting {
	const char *name; /* --NAME VALUE, or NAME = VALUE */
	bool is_flag;	  /* --NAME alone; in the file it is yes or no */
	bool is_list;	  /* may be given several times */
	bool is_fixed;	  /* what it is at the start it stays */
};

/* All of them, in alphabetical order. */
const struct setting *settings_list(size_t *n_ret);
const struct setting *settings_find(const char *name);
/* The name that @name was most likely meant to be; NULL: none is near. */
const char *settings_nearest(const char *name);

/* Set @s of @o, which borrows @value; that of a flag is "yes" or "no". ERR_INVALID_PARAMS says what is wrong with it.
 */
MUST_USE struct error *settings_apply(const struct setting *s, const char *value, struct server_options *o);

/* The first setting that is_fixed and differs in the two; NULL: there is none. */
const struct setting *settings_find_fixed(const struct server_options *a, const struct server_options *b);

#endif
