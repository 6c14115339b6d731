/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One client's session: who answers its requests, and what it is sent. */
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
	const char *uri;	/* --connect: the daemon to ask; NULL: a worker of our own */
	const char *token_file; /* --token-file */
	bool observe;		/* --observe: no native adapter, whatever the client's configuration says */
	const char *port;	/* --port */
	int patience_ms;	/* --patience: how long a client that cannot be told later waits for what is added */
};

/* Who answers: what the session is about is known only when the client launches or attaches. */
enum session_mode { SESSION_NEW, SESSION_COMPANION, SESSION_OBSERVER, SESSION_OVER };

struct session {
	struct loop loop;
	const struct options *options;
	struct stream client;
	struct relay to_client; /* requests of the native adapter's, and the number of what is sent */
	enum session_mode mode;
	struct json_object *initialize; /* the client's arguments of that; owned */
	struct companion *companion;
	struct observer *observer;
	struct custom_events custom;
	bool is_leaving; /* it ends when all is written */
};

/* Serve the client on @in and @out until one of the two sides has left. The exit status of the program. */
int session_run(const struct options *options, int in, int out);

/* The parts of session_run(); the loop is the caller's to run. */
void session_init(struct session *s, const struct options *options, int in, int out);
void session_deinit(struct session *s);

/* A request of the client's. */
void session_request(struct session *s, struct json_object *request);

/* Send, with the next number; takes @message. */
void session_send(struct session *s, struct json_object *message);
void session_event(struct session *s, const char *event, struct json_object *body);
void session_answer(struct session *s, struct json_object *request, struct json_object *body);
void session_refuse(struct session *s, struct json_object *request, const char *text);
/* A line in the client's console. */
void session_say(struct session *s, const char *category, const char *text);

/* Whether the client said in `initialize` that it can do that. */
bool session_client_can(const struct session *s, const char *what);
/* End the program when all is written. */
void session_leave(struct session *s);

#endif
