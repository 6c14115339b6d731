/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The environment of a worker. It has little of ours, so that no variable changes what the worker or its plugins load.
 * It carries the environment of launched programs under names without meaning to the worker.
 */
#ifndef OMPDD_SERVER_WORKER_ENV_H
#define OMPDD_SERVER_WORKER_ENV_H

#include <pwd.h>

#include "base/cleanup.h"
#include "base/contract.h"
#include "base/error.h"

/*
 * Build a worker's environment. @ours is our own; launched programs get it, too. Programs of another user, @pw, get the
 * environment of a login instead. @pw NULL: our own user; pw->pw_name NULL: a user without an entry.
 */
MUST_USE struct error *worker_env_create(char *const *ours, const struct passwd *pw, char ***ret);
void worker_env_destroy(char **env);
CLEANUP_DEFINE(worker_env, char **, worker_env_destroy)

#endif
