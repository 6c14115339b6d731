/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The conversation of one command with a daemon: connect to or start one, attach, request, detach. */
#ifndef OMPDD_CLI_CONVERSATION_H
#define OMPDD_CLI_CONVERSATION_H

#include "args.h"
#include "rpc.h"

/* Attempts at a process that keeps calling exec(). */
#define SESSION_TRIES 12

struct conversation {
	const struct args *args;
	struct rpc rpc;
	int is_elsewhere;	    /* the daemon may run on another machine */
	int without_regions;	    /* ps: do not request which processes are in a region */
	int n_execs;		    /* attempts that failed because the process called exec() */
	struct json_object *params; /* for call; owned */
	struct json_object *info;   /* result of target.attach or target.info, or NULL; owned */
	struct json_object *result; /* of the request; owned */
};

void conversation_init(struct conversation *s, const struct args *args);

/* End the conversation. It waits until a private daemon has exited, so call it after all output is printed. */
void conversation_deinit(struct conversation *s);

/*
 * Send the request; on success s->result is the answer. Retries when the process calls exec() meanwhile, at most
 * SESSION_TRIES times. Retries of `why` shorten the time between its two samples.
 */
struct error *conversation_ask(struct conversation *s);

/*
 * For commands with more than one request: only connect; attach to or launch the program that the command line names
 * (s->info); send one request. An interrupted conversation_attach() may also have set s->info.
 */
struct error *conversation_open(struct conversation *s);
/* As conversation_open(), but with a worker alone if there is one, otherwise with a private ompdd. */
struct error *conversation_open_alone(struct conversation *s);
struct error *conversation_attach(struct conversation *s);
/* Detach the target of conversation_attach(), after @failure, which may be NULL. Returns @failure, or the new failure.
 */
struct error *conversation_detach(struct conversation *s, struct error *failure);
/* @ret may be NULL, as in rpc_wait(). */
struct error *conversation_call(struct conversation *s, const char *method, struct json_object *params,
				struct json_object **ret);

#endif
