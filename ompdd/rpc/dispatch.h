/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * From a method's name to its generated decoder and its handler. The tables are generated
 * from protocol/schema: methods_table[] (all, for both processes: names and parameter checks) and, per
 * process, the handlers (methods_daemon[] and methods_worker[]).
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

/* Methods of which the daemon has to know more than where they are answered: x-role in the schema. */
enum method_role {
	METHOD_ROLE_NONE,
	METHOD_ROLE_AUTHENTICATE, /* may come before the connection is authenticated */
	METHOD_ROLE_POLL,	  /* may wait in the daemon */
	METHOD_ROLE_ATTACH,	  /* these three begin a target and its worker */
	METHOD_ROLE_OPEN_CORE,
	METHOD_ROLE_LAUNCH,
	METHOD_ROLE_DETACH, /* ends them */
	METHOD_ROLE_ERRAND, /* about no target: a worker is started for this one answer */
};

/* What who may call it may do besides; each has all that are before it: x-tier in the schema. */
enum method_tier {
	TIER_OBSERVE, /* see what the target's memory says while it runs */
	TIER_INSPECT, /* stop it for that, and profile it */
	TIER_CONTROL, /* breakpoints, steps; start programs, and end those */
	TIER_ADMIN,   /* all there will ever be */
};

struct method {
	const char *name;
	enum method_where where;
	enum method_role role;
	enum method_tier tier;
	bool is_calm;	 /* stops nothing, also where a target is in stop mode */
	bool is_audited; /* leaves a line in the audit log (base/audit.h) */
	/* Decode @params and throw the result away: the same errors as the handler would give. */
	struct error *(*check)(struct json_object *params);
};

/* A handler: @context is the process's own (struct worker *, struct session *). */
struct method_handler {
	const char *name;
	struct error *(*call)(void *context, struct json_object *params, struct json_object **ret);
};

/* "observe" and so on; false: @name is none. */
const char *tier_name(enum method_tier tier);
bool tier_parse(const char *name, size_t len, enum method_tier *ret);

/* Find a method by name in the generated table; NULL when there is none. */
const struct method *dispatch_find(const char *name);

/* ERR_METHOD_NOT_FOUND for @name; its hint names the method that may have been meant. */
struct error *dispatch_unknown(const char *name);

/*
 * Call the handler of @name in @handlers (ended by a NULL name). ERR_METHOD_NOT_FOUND when it
 * is not there. On success the caller owns *@ret, a JSON object.
 */
MUST_USE struct error *dispatch_call(const struct method_handler *handlers, void *context, const char *name,
				     struct json_object *params, struct json_object **ret);

#endif
