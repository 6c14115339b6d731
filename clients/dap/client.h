/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The client: its stream, the messages to it, and its capabilities. */
#ifndef OMPDD_DAP_CLIENT_H
#define OMPDD_DAP_CLIENT_H

#include "loop.h"
#include "relay.h"
#include "stream.h"

struct json_object;

struct options {
	const char *native;	/* --native: the adapter; NULL: the first that is installed */
	const char *uri;	/* --connect: the daemon; NULL: a worker of our own */
	const char *token_file; /* --token-file */
	bool observe;		/* --observe: no native adapter, whatever the client configures */
	int patience_ms; /* --patience: how long an answer may wait for additions, if the client cannot be notified of
			    them later */
};

struct dap_client {
	struct loop loop;
	const struct options *options;
	struct stream stream;
	struct relay relay;		/* requests of the native adapter, and the numbers of sent messages */
	struct json_object *initialize; /* the client's arguments of `initialize`; owned */
	struct json_object *announced;	/* the capabilities that the client knows; owned */
	bool is_leaving;		/* the program ends when all output is written */
};

/* Open the client on @in and @out. The caller sets received, over and arg of the stream. */
void dap_client_init(struct dap_client *c, const struct options *options, int in, int out);
void dap_client_deinit(struct dap_client *c);

/* Return whether the client announced that capability in `initialize`. */
bool dap_client_can(const struct dap_client *c, const char *what);
/* Return whether the client can be notified that an answer has changed. */
bool dap_client_can_refresh(const struct dap_client *c);
/* Return how long an answer may wait for our additions, in milliseconds; 0 if the client can be notified of them. */
int dap_client_patience(const struct dap_client *c);

/* Send @message with the next number; takes ownership of it. */
void dap_client_send(struct dap_client *c, struct json_object *message);
/* These take ownership of @body, which may be NULL. */
void dap_client_send_event(struct dap_client *c, const char *event, struct json_object *body);
void dap_client_answer(struct dap_client *c, struct json_object *request, struct json_object *body);
void dap_client_refuse(struct dap_client *c, struct json_object *request, const char *text);
/* Pass a native response on as the answer to @request. */
void dap_client_pass(struct dap_client *c, struct json_object *request, struct json_object *response);
/* Pass it on with another @body; takes ownership of @body. */
void dap_client_pass_changed(struct dap_client *c, struct json_object *request, struct json_object *response,
			     struct json_object *body);
/* Print @text in the client's console. @category: of DAP's `output`. */
void dap_client_print(struct dap_client *c, const char *category, const char *text);

/* End the loop when all output is written. */
void dap_client_leave(struct dap_client *c);
/* End the loop after the longest time that a native adapter may need to exit. */
void dap_client_leave_later(struct dap_client *c);

#endif
