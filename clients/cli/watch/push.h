/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sends a profile to a server by the program ompdctl-push. */
#ifndef OMPDD_CLI_WATCH_PUSH_H
#define OMPDD_CLI_WATCH_PUSH_H

#include <stdint.h>

#include "connection.h"

/* A profile in the format pprof. */
struct push {
	const char *url;     /* of the server: "http://localhost:4040" */
	const char *program; /* name of the program */
	pid_t pid;
	int64_t begun_us, elapsed_us; /* since 1970, and its duration */
	const char *data;
	size_t len;
};

/* Check that @url is an http: or https: address without a password. Fails with ERR_USAGE. */
struct error *push_check(const char *url);

/* Send the profile, and wait for the answer, but not longer than a minute. A signal of @signals ends the wait. */
struct error *push_send(const struct push *p, const struct connection *signals);

#endif
