/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One client's session: the choice of the handler of its requests. */
#ifndef OMPDD_DAP_SESSION_H
#define OMPDD_DAP_SESSION_H

#include "client.h"
#include "companion.h"
#include "observer.h"

/* The handler of requests. It is chosen when the client launches or attaches. */
enum dap_session_mode { SESSION_NEW, SESSION_COMPANION, SESSION_OBSERVER, SESSION_OVER };

struct dap_session {
	struct dap_client client;
	enum dap_session_mode mode;
	struct companion companion;
	struct observer observer;
	struct json_object *early; /* array of the requests while the companion starts; owned; NULL: none */
};

/* Serve the client on @in and @out until either side has exited. Returns the exit status of the program. */
int dap_session_run(const struct options *options, int in, int out);

/* The parts of dap_session_run(). The caller runs the loop. */
void dap_session_init(struct dap_session *s, const struct options *options, int in, int out);
void dap_session_deinit(struct dap_session *s);

#endif
