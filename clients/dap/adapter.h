/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages to and from the native adapter. */
#ifndef OMPDD_DAP_ADAPTER_H
#define OMPDD_DAP_ADAPTER_H

#include "client.h"
#include "native.h"

struct adapter {
	struct dap_client *client;
	struct native process;
	bool is_open;
	bool has_left;			  /* it has answered `disconnect`, and no longer holds a program */
	char *why;			  /* why it is not open */
	struct json_object *capabilities; /* owned */
	struct relay relay;
	/* Gets each event of the adapter; borrowed. */
	void (*event)(void *arg, struct json_object *event);
	/* Called once, when it has exited, unless the client leaves. All requests are answered then. @words say how. */
	void (*ended)(void *arg, const char *words);
	void *arg;
};

/*
 * Start the adapter that @choice names, in the form of native_open(); NULL: that of --native, or an installed one.
 * Returns false if none was started; a->why is the reason. The caller sets client, event, ended and arg.
 */
bool adapter_open(struct adapter *a, struct json_object *choice);
/* Read the messages of a->process, which is open. */
void adapter_listen(struct adapter *a);
/* Send nothing more. An adapter that no longer holds a program is ended, even if it hangs. */
void adapter_close(struct adapter *a);
/* Free the adapter, which is closed. Waiting requests of our own fail, those of the client get no answer. */
void adapter_deinit(struct adapter *a);

bool adapter_can(const struct adapter *a, const char *what);
bool adapter_is_lldb(const struct adapter *a);

/* Send @request of the client. @done NULL: its response is passed on. Otherwise @done is called once with @arg. */
void adapter_forward(struct adapter *a, struct json_object *request, relay_fn *done, void *arg);
/* Send it with other @arguments, and take ownership of those. Returns false if it was refused; then @done is not
 * called. */
bool adapter_forward_changed(struct adapter *a, struct json_object *request, struct json_object *arguments,
			     relay_fn *done, void *arg);
/* Send a request of our own; takes ownership of @arguments. @done, which may be NULL, is called once with @arg. */
void adapter_ask(struct adapter *a, const char *command, struct json_object *arguments, relay_fn *done, void *arg);
/* Evaluate @command in the debugger's console. */
void adapter_evaluate(struct adapter *a, const char *command, relay_fn *done, void *arg);
/* Return the text that the debugger printed; NULL: none. Borrowed from @response. */
const char *adapter_printed(struct json_object *response);
/* Resume the program. @thread: for adapters that resume single threads. */
void adapter_continue(struct adapter *a, int64_t thread, relay_fn *done, void *arg);
/* Request a thread's stack of at most @levels frames. */
void adapter_request_stack(struct adapter *a, int64_t thread, int64_t levels, relay_fn *done, void *arg);
/* Pass on the client's response to a request of the adapter. */
void adapter_respond(struct adapter *a, struct json_object *response);

/* Store the numbers of the native breakpoints in the @body of a `stopped`, at most @max. Returns their number. */
size_t adapter_hit_breakpoints(struct json_object *body, int64_t *ids, size_t max);

#endif
