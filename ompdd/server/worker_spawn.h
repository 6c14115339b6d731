/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Starting an ompdd-worker for a user. */
#ifndef OMPDD_SERVER_WORKER_SPAWN_H
#define OMPDD_SERVER_WORKER_SPAWN_H

#include <sys/types.h>

#include "base/error.h"
#include "server/server.h"

/*
 * Start the worker of target @id with @socket as stdin and stdout and @log as stderr (both borrowed); a daemon of root
 * makes it one of @uid, @gid and that user's groups, with what a login of that user has in the place of what the daemon
 * has: folder, umask, limits, priority. Returns before its program runs: who the user is and where the program lies may
 * take a while to find out, over a network. *@status_ret, which the caller closes, is for worker_spawn_failed().
 * ERR_WORKER_FAILED.
 */
MUST_USE struct error *worker_spawn(const struct server_options *options, const char *id, uid_t uid, gid_t gid,
				    int socket, int log, pid_t *pid_ret, int *status_ret);

/* Why the program of a worker that is reaped never ran; NULL: it did. */
MUST_USE struct error *worker_spawn_failed(const struct server_options *options, int status);

#endif
