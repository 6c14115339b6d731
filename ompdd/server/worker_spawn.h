/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Starting an ompdd-worker for a user. */
#ifndef OMPDD_SERVER_WORKER_SPAWN_H
#define OMPDD_SERVER_WORKER_SPAWN_H

#include <sys/types.h>

#include "base/error.h"
#include "server/server.h"

/*
 * Start the worker of target @id with @socket as stdin and stdout and @log as stderr (both borrowed); a daemon of root
 * makes it one of @uid, @gid and that user's groups. Returns when its program runs. ERR_WORKER_FAILED.
 */
MUST_USE struct error *worker_spawn(const struct server_options *options, const char *id, uid_t uid, gid_t gid,
				    int socket, int log, pid_t *pid_ret);

#endif
