/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Environment of a launched program: selects variables of the worker's environment, and applies the client's changes.
 */
#include "worker/control/launch_env.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/contract.h"

static bool is_handed_on(const char *variable)
{
	return !strncmp(variable, CONTRACT_ENV_PREFIX, strlen(CONTRACT_ENV_PREFIX));
}

/*
 * Return whether @asked replaces the variable in "NAME=VALUE". A text without a name is useless, so it is left out,
 * too.
 */
static bool is_replaced(const struct launch_variable *asked, size_t n, const char *variable)
{
	const char *equals = strchr(variable, '=');
	size_t len = equals ? (size_t)(equals - variable) : 0;

	for (size_t i = 0; i < n && len; i++) {
		if (!strncmp(asked[i].name, variable, len) && !asked[i].name[len])
			return true;
	}
	return !len;
}

void launch_env_destroy(char **env)
{
	for (size_t i = 0; env && env[i]; i++)
		free(env[i]);
	free(env);
}
CLEANUP_DEFINE(env, char **, launch_env_destroy)

struct error *launch_env_create(char *const *environment, const struct launch_variable *asked, size_t n_asked,
				char ***ret)
{
	bool handed_on = false;
	size_t n = 0, max = 1 + n_asked;

	for (char *const *e = environment; *e; e++, max++)
		handed_on |= is_handed_on(*e);
	_cleanup_(cleanup_env) char **env = calloc(max, sizeof(*env));
	if (!env)
		return &error_nomem;
	for (char *const *e = environment; *e; e++) {
		if (handed_on && !is_handed_on(*e))
			continue;
		const char *variable = handed_on ? *e + strlen(CONTRACT_ENV_PREFIX) : *e;
		if (is_replaced(asked, n_asked, variable))
			continue;
		env[n] = strdup(variable);
		if (!env[n++])
			return &error_nomem;
	}
	for (size_t i = 0; i < n_asked; i++) {
		if (!asked[i].value)
			continue;
		if (asprintf(&env[n], "%s=%s", asked[i].name, asked[i].value) < 0) {
			env[n] = NULL;
			return &error_nomem;
		}
		n++;
	}
	*ret = no_cleanup(env);
	return NULL;
}
