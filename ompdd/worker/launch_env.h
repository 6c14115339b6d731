/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The environment of a launched program: that of the user for whom the daemon works, which it hands on with
 * CONTRACT_ENV_PREFIX before the names, or the worker's own when no daemon has started it; changed as the client asks.
 */
#ifndef OMPDD_WORKER_LAUNCH_ENV_H
#define OMPDD_WORKER_LAUNCH_ENV_H

#include <stddef.h>

#include "base/error.h"

/* What a client says of one variable. */
struct launch_variable {
	const char *name;
	const char *value; /* NULL: the program has none of this name */
};

/*
 * *@ret: "NAME=VALUE" texts with NULL behind them, for launch_env_destroy(): those of @environment (as environ) without
 * those that
 * @asked names, then @asked, whose @n names differ.
 */
MUST_USE struct error *launch_env_create(char *const *environment, const struct launch_variable *asked, size_t n,
					 char ***ret);
/* NULL is allowed. */
void launch_env_destroy(char **env);

#endif
