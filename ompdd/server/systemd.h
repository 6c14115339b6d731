/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What systemd and its services tell each other: sockets, readiness. Nothing happens where nobody is told. */
#ifndef OMPDD_SERVER_SYSTEMD_H
#define OMPDD_SERVER_SYSTEMD_H

#include "base/error.h"

struct systemd_sockets {
	int first_fd;
	int n;	      /* 0: none */
	char **names; /* one for each; the caller frees them with one free() */
};

/*
 * The sockets that systemd passed to this process, once; nobody after us takes them for his (sd_listen_fds(3)).
 * ERR_INVALID_PARAMS: what it says of them does not fit together.
 */
MUST_USE struct error *systemd_take_sockets(struct systemd_sockets *ret);

/* sd_notify(3): that it serves; that it reads its configuration, until systemd_ready(); that it ends. */
void systemd_ready(void);
void systemd_reloading(void);
void systemd_stopping(void);

#endif
