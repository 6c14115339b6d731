/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The daemon's settings. Each has one name: an option of the command line, and a line of the configuration file. */
#ifndef OMPDD_SERVER_SETTINGS_H
#define OMPDD_SERVER_SETTINGS_H

#include <stdbool.h>

#include "server/server.h"

struct setting {
	const char *name; /* --NAME VALUE, or NAME = VALUE */
	bool is_flag;	  /* --NAME alone; yes or no in the file */
	bool is_list;	  /* may be given several times */
	bool is_fixed;	  /* cannot change after the start */
};

/* Return all settings in alphabetical order. */
const struct setting *settings_list(size_t *n_ret);
const struct setting *settings_find(const char *name);
/* Return the most similar name to @name; NULL if no name is similar. */
const char *settings_nearest(const char *name);

/*
 * Set @s in @o, which borrows @value. The value of a flag is "yes" or "no". Returns ERR_INVALID_PARAMS with the reason
 * if @value is not valid.
 */
MUST_USE struct error *settings_apply(const struct setting *s, const char *value, struct server_options *o);

/* Find the first setting that is_fixed and differs between @a and @b. Returns NULL if there is no such setting. */
const struct setting *settings_find_fixed(const struct server_options *a, const struct server_options *b);

#endif
