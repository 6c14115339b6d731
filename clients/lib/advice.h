/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The hints of a client's own errors. They name the client's options, so each client has a table of its own. */
#ifndef OMPDD_LIB_ADVICE_H
#define OMPDD_LIB_ADVICE_H

struct advice {
	const char *timeout;	       /* the daemon did not answer in time */
	const char *not_running;       /* no daemon listens at the address */
	const char *no_daemon_program; /* the program ompdd cannot be started */
	const char *no_bridge;	       /* the program for TLS or HTTP is not installed */
	const char *untrusted_socket;  /* another user could serve the socket that the environment names */
	const char *untrusted_token;   /* the token file that the environment names belongs to another user */
	const char *no_token;	       /* the address needs a token, and no file was named */
};

#endif
