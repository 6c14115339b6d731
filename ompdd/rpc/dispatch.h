/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Maps a method's name to its generated decoder and its handler. The tables are generated from protocol/schema.
 * methods_table[] has the names and parameter checks of all methods, for both processes. methods_daemon[] and
 * methods_worker[] have the handlers of one process each.
 */
#ifndef OMPDD_RPC_DISPATCH_H
#define OMPDD_RPC_DISPATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct json_object;

enum method_where {
	METHOD_IN_DAEMON,
	METHOD_IN_WORKER, /* forwarded to the worker of params.target */
};

/* The role of methods that the daemon handles specially, also if a worker answers them: x-role in the schema. */
enum method_role {
	METHOD_ROLE_NONE,
	METHOD_ROLE_AUTHENTICATE, /* allowed before the connection is authenticated */
	METHOD_ROLE_POLL,	  /* may wait in the daemon */
	METHOD_ROLE_ATTACH,	  /* these three create a target and its worker */
	METHOD_ROLE_OPEN_CORE,
	METHOD_ROLE_LAUNCH,
	METHOD_ROLE_DETACH, /* ends them */
	METHOD_ROLE_ERRAND, /* needs no target: a worker is started for this one answer */
};

/* The tier that a client needs to call a method; each tier includes the previous ones: x-tier in the schema. */
enum method_tier {
	TIER_OBSERVE, /* read the target's memory while it runs */
	TIER_INSPECT, /* stop the target to read it, and profile it */
	TIER_CONTROL, /* set breakpoints, step; start programs, and end those */
	TIER_ADMIN,   /* all current and future methods */
};

struct method {
	const char *name;
	enum method_where where;
	enum method_role role;
	enum method_tier tier;
	bool is_calm;	 /* never stops the target, even in stop mode */
	bool is_audited; /* writes a line to the audit log (base/audit.h) */
	/* Decode @params and discard the result: returns the same errors as the handler would. */
	struct error *(*check)(struct json_object *params);
};

/* A handler. @context: the process's own (struct worker *, struct session *). */
struct method_handler {
	const char *name;
	struct error *(*call)(void *context, struct json_object *params, struct json_object **ret);
};

/* tier_name() returns the name of @tier, such as "observe". tier_parse() returns false if @name is not a tier. */
const char *tier_name(enum method_tier tier);
bool tier_parse(const char *name, size_t len, enum method_tier *ret);

/* Find a method by name in the generated table; NULL if there is no such method. */
const struct method *dispatch_find(const char *name);

/* Create ERR_METHOD_NOT_FOUND for @name; its hint suggests a similar method. */
struct error *dispatch_unknown(const char *name);

/*
 * Call the handler of @name in @handlers (terminated by a NULL name). Returns ERR_METHOD_NOT_FOUND if @handlers has no
 * such name. On success the caller owns *@ret, a JSON object.
 */
MUST_USE struct error *dispatch_call(const struct method_handler *handlers, void *context, const char *name,
				     struct json_object *params, struct json_object **ret);

#endif
