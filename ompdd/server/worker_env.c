/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Builds the environment of a worker. */
#include "server/worker_env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

#define PATH "PATH=/usr/local/bin:/usr/bin:/bin"

struct list_of {
	char **items;
	size_t n, cap;
};

/* "PREFIXtextvalue" */
static struct error *add_variable(struct list_of *l, const char *prefix, const char *text, const char *value)
{
	if (!VECTOR_RESERVE(l->items, l->n + 2, l->cap))
		return &error_nomem;
	if (asprintf(&l->items[l->n], "%s%s%s", prefix, text, value) < 0) {
		l->items[l->n] = NULL;
		return &error_nomem;
	}
	l->n++;
	l->items[l->n] = NULL;
	return NULL;
}

static struct error *add_own_variables(struct list_of *l, char *const *ours)
{
	static const char *const keep[] = {"TZ=",	    "TMPDIR=",	     "ASAN_OPTIONS=",	  "UBSAN_OPTIONS=",
					   "LSAN_OPTIONS=", "TSAN_OPTIONS=", "LLVM_PROFILE_FILE="};
	struct error *err = add_variable(l, "", PATH, "");

	if (!err)
		err = add_variable(l, "", "LC_ALL=C.UTF-8", "");
	for (; *ours && !err; ours++) {
		for (size_t i = 0; i < sizeof(keep) / sizeof(keep[0]) && !err; i++) {
			if (!strncmp(*ours, keep[i], strlen(keep[i])))
				err = add_variable(l, "", *ours, "");
		}
	}
	return err;
}

static struct error *add_login(struct list_of *l, const struct passwd *pw)
{
	const char *const variables[][2] = {
		{"HOME=", pw->pw_dir},
		{"USER=", pw->pw_name},
		{"LOGNAME=", pw->pw_name},
		{"SHELL=", pw->pw_shell},
	};
	struct error *err = add_variable(l, CONTRACT_ENV_PREFIX, PATH, "");

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]) && !err; i++) {
		if (variables[i][1])
			err = add_variable(l, CONTRACT_ENV_PREFIX, variables[i][0], variables[i][1]);
	}
	return err;
}

struct error *worker_env_create(char *const *ours, const struct passwd *pw, char ***ret)
{
	struct list_of l = {0};
	struct error *err = add_own_variables(&l, ours);

	if (!err)
		err = add_variable(&l, CONTRACT_ENV_PREFIX, "=", "");
	if (!err && pw)
		err = add_login(&l, pw);
	for (; !err && !pw && *ours; ours++)
		err = add_variable(&l, CONTRACT_ENV_PREFIX, *ours, "");
	if (err) {
		worker_env_destroy(l.items);
		return err;
	}
	*ret = l.items;
	return NULL;
}

void worker_env_destroy(char **env)
{
	for (size_t i = 0; env && env[i]; i++)
		free(env[i]);
	free(env);
}
