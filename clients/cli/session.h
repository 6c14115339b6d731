/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One command's conversation with a daemon: connect or start one, attach, ask, detach. */
#ifndef OMPDD_CLI_SESSION_H
#define OMPDD_CLI_SESSION_H

#include "args.h"
#include "rpc.h"

/* Attempts at a process that keeps calling exec. */
#define SESSION_TRIES 12

struct session {
	const struct args *args;
	struct rpc rpc;
	int is_elsewhere;	    /* the daemon: perhaps on another machine */
	int without_regions;	    /* ps: do not ask who is in one */
	int n_execs;		    /* attempts that ended as the process replaced its program meanwhile */
	struct json_object *params; /* of call; owned */
	struct json_object *info;   /* result of target.attach or target.info, or NULL; owned */
	struct json_object *result; /* of what was asked; owned */
};

void session_init(struct session *s, const struct args *args);

/* End the conversation; a private daemon is seen to its end, so do it when all is printed. */
void session_deinit(struct session *s);

/*
 * Ask; on success s->result is the answer. A process that replaces its program meanwhile is asked again, SESSION_TRIES
 * times at most, and with less time between the looks of `why`.
 */
struct failure *session_ask(struct session *s);

/*
 * For what takes more than one answer: connect only; attach to, or launch, what the command line names (s->info); ask
 * one thing. An interrupted session_attach() may have s->info all the same.
 */
struct failure *session_open(struct session *s);
/* The same with a worker alone, if there is one; else a private ompdd. */
struct failure *session_open_alone(struct session *s);
struct failure *session_attach(struct session *s);
/* Detach what session_attach() has attached, after @failure, which may be NULL. Returns that, or the new one. */
struct failure *session_detach(struct session *s, struct failure *failure);
/* *@ret may be NULL, as rpc_wait() has it. */
struct failure *session_call(struct session *s, const char *method, struct json_object *params,
			     struct json_object **ret);

#endif
