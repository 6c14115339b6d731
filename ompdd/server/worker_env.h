/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The environment of a worker: little of ours, so that nothing there decides what the worker or a plugin in it loads;
 * and, with names that mean nothing to them, that of the programs which it may launch.
 */
#ifndef OMPDD_SERVER_WORKER_ENV_H
#define OMPDD_SERVER_WORKER_ENV_H

#include <pwd.h>

#include "base/cleanup.h"
#include "base/contract.h"
#include "base/error.h"

/*
 * @ours is our own environment. Launched programs get it too, but those of another user, @pw, get what a login gives.
 * @pw NULL: our own user; pw->pw_name NULL: one without an entry.
 */
MUST_USE struct error *worker_env_create(char *const *ours, const struct passwd *pw, char ***ret);
void worker_env_destroy(char **env);
CLEANUP_DEFINE(worker_env, char **, worker_env_destroy)

#endif
