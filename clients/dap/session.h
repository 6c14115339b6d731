/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One client's session: the handler of its requests, and the messages to the client. */
#ifndef OMPDD_DAP_SESSION_H
#define OMPDD_DAP_SESSION_H

#include "custom_events.h"
#include "loop.h"
#include "relay.h"
#include "stream.h"

struct json_object;
struct companion;
struct observer;

struct options {
	const char *native;	/* --native: the adapter; NULL: the first that is installed */
	const char *uri;	/* --connect: the daemon; NULL: a worker of our own */
	const char *token_file; /* --token-file */
	bool observe;		/* --observe: no native adapter, whatever the client configures */
	const char *port;	/* --port */
	int patience_ms; /* --patience: how long an answer may wait for additions, if the client cannot be notified of
			    them later */
};

/* The handler of requests. It is chosen when the client launches or attaches. */
enum dap_session_mode { SESSION_NEW, SESSION_COMPANION, SESSION_OBSERVER, SESSION_OVER };

struct dap_session {
	struct loop loop;
	const struct options *options;
	struct stream client;
	struct relay to_client; /* requests of the native adapter, and the numbers of sent messages */
	enum dap_session_mode mode;
	struct json_object *initialize; /* the client's arguments of `initialize`; owned */
	struct companion *companion;
	struct observer *observer;
	struct custom_events custom;
	bool is_leaving; /* it ends when all output is written */
};

/* Serve the client on @in and @out until either side has exited. Returns the exit status of the program. */
int dap_session_run(const struct options *options, int in, int out);

/* The parts of dap_session_run(). The caller runs the loop. */
void dap_session_init(struct dap_session *s, const struct options *options, int in, int out);
void dap_session_deinit(struct dap_session *s);

/* Handle a request of the client. */
void session_request(struct dap_session *s, struct json_object *request);

/* Send @message with the next number; takes ownership of it. */
void dap_session_send(struct dap_session *s, struct json_object *message);
void dap_session_event(struct dap_session *s, const char *event, struct json_object *body);
void dap_session_answer(struct dap_session *s, struct json_object *request, struct json_object *body);
void dap_session_refuse(struct dap_session *s, struct json_object *request, const char *text);
/* Print a line in the client's console. */
void dap_session_say(struct dap_session *s, const char *category, const char *text);

/* Return whether the client announced that capability in `initialize`. */
bool dap_session_client_can(const struct dap_session *s, const char *what);
/* End the program when all output is written. */
void dap_session_leave(struct dap_session *s);

#endif
