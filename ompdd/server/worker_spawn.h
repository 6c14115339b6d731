/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Starts an ompdd-worker for a user. */
#ifndef OMPDD_SERVER_WORKER_SPAWN_H
#define OMPDD_SERVER_WORKER_SPAWN_H

#include <sys/types.h>

#include "base/error.h"
#include "server/server.h"

/*
 * Start the worker of target @id, with @socket as stdin and stdout and @log as stderr (both borrowed). A daemon of root
 * starts it as @uid, @gid and that user's groups. The worker then has the folder, umask, limits and priority of a login
 * of that user. Returns before its program runs: the lookup of the user and of the program may be slow, over a network.
 * The caller closes *@status_ret, which is for worker_spawn_failed(). Returns ERR_WORKER_FAILED.
 */
MUST_USE struct error *worker_spawn(const struct server_options *options, const char *id, uid_t uid, gid_t gid,
				    int socket, int log, pid_t *pid_ret, int *status_ret);

/* Return why the program of a reaped worker never ran; NULL: it ran. */
MUST_USE struct error *worker_spawn_failed(const struct server_options *options, int status);

#endif
