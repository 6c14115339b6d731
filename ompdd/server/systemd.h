/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages between systemd and its services: sockets and readiness. Does nothing outside of systemd. */
#ifndef OMPDD_SERVER_SYSTEMD_H
#define OMPDD_SERVER_SYSTEMD_H

#include "base/error.h"

struct systemd_sockets {
	int first_fd;
	int n;	      /* 0: no sockets */
	char **names; /* one per socket; the caller frees all with one free() */
};

/*
 * Take the sockets that systemd passed to this process, once; child processes do not get them (sd_listen_fds(3)).
 * Returns ERR_INVALID_PARAMS if systemd's description of them is inconsistent.
 */
MUST_USE struct error *systemd_take_sockets(struct systemd_sockets *ret);

/* Notify systemd (sd_notify(3)): ready to serve; reloading, until systemd_ready(); stopping. */
void systemd_ready(void);
void systemd_reloading(void);
void systemd_stopping(void);

#endif
