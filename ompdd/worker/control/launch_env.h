/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The environment of a launched program. The daemon passes its user's environment with CONTRACT_ENV_PREFIX before the
 * names. A worker without a daemon uses its own environment. The client's changes apply to both.
 */
#ifndef OMPDD_WORKER_LAUNCH_ENV_H
#define OMPDD_WORKER_LAUNCH_ENV_H

#include <stddef.h>

#include "base/error.h"

/* A client's change of one variable. */
struct launch_variable {
	const char *name;
	const char *value; /* NULL: remove the variable */
};

/*
 * Create the environment from @environment (as environ) with the changes of @asked, whose @n names differ. *@ret:
 * "NAME=VALUE" texts, NULL-terminated; free it with launch_env_destroy(). The variables of @asked come last.
 */
MUST_USE struct error *launch_env_create(char *const *environment, const struct launch_variable *asked, size_t n,
					 char ***ret);
/* Free @env. NULL is allowed. */
void launch_env_destroy(char **env);

#endif
