/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A client of ompdd, the debugger service for OpenMP programs: calls and events over one connection. The man page
 * ompdd-protocol(7) lists the methods.
 *
 * A function that can fail returns an error, which the caller frees with ompdd_error_free(), or NULL for success. Out
 * parameters are untouched on error. The library has no threads and no global state, prints nothing, and sets no
 * signal handler. Different threads may use different clients; a client is used by one thread at a time.
 */
#ifndef OMPDD_CLIENT_H
#define OMPDD_CLIENT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct json_object; /* of json-c */
struct ompdd_client;
struct ompdd_error;

/* Unset members are 0. The daemon's address and the environment are in ompdctl(1). */
struct ompdd_client_options {
	size_t size;		/* sizeof(struct ompdd_client_options): later versions may add members */
	int timeout_ms;		/* of each call, and of connecting; 0: 30000 */
	const char *token_file; /* for tcp:, tls:, http: and https: addresses; NULL: $OMPDD_TOKEN_FILE */
	/*
	 * The folder of ompdd-worker, ompdctl-tls and ompdctl-http. NULL: the folder of the installation (pkg-config
	 * --variable=programs libompdd-client).
	 */
	const char *programs;
};

/*
 * Connect to a running ompdd. @address: unix:PATH, tcp:HOST:PORT, or tls:, http:, https: and http+unix:, for which the
 * package ompdd must be installed. NULL: the address that ompdctl uses, $OMPDD_URI or the usual socket. @options may be
 * NULL. The time limit excludes the lookup of HOST. Events need another address than http: and its kind.
 */
struct ompdd_error *ompdd_client_connect(const char *address, const struct ompdd_client_options *options,
					 struct ompdd_client **ret);

/*
 * Start an ompdd-worker without a daemon, as `ompdctl -p PID` does. It has the methods of one target: attach to it with
 * target.attach or target.open_core. The worker is a child process, which ompdd_client_close() ends and reaps.
 */
struct ompdd_error *ompdd_client_start_worker(const struct ompdd_client_options *options, struct ompdd_client **ret);

/*
 * End the connection: the targets that it attached are detached. Waits for a started worker or helper program for at
 * most 6 seconds. NULL is fine.
 */
void ompdd_client_close(struct ompdd_client *client);

/* Set the time limit of the following calls, in milliseconds, at least 1. */
void ompdd_client_set_timeout(struct ompdd_client *client, int timeout_ms);

/*
 * Call @method and wait for the answer. @params, an object, is borrowed; NULL: none. The caller owns *@ret, an object;
 * @ret may be NULL. A byte in @params that is not UTF-8 is sent as U+FFFD.
 *
 * After OMPDD_ERROR_ANSWER and OMPDD_ERROR_TIMEOUT the client is usable; a request that timed out may still have an
 * effect. After OMPDD_ERROR_CONNECTION all further calls fail.
 */
struct ompdd_error *ompdd_client_call(struct ompdd_client *client, const char *method, struct json_object *params,
				      struct json_object **ret);
/* The same with texts of JSON. The caller frees *@ret with free(). */
struct ompdd_error *ompdd_client_call_text(struct ompdd_client *client, const char *method, const char *params,
					   char **ret);

/* Subscribe to the events of @target, "t1" for example; NULL: of all targets, later ones included. */
struct ompdd_error *ompdd_client_subscribe(struct ompdd_client *client, const char *target);

/*
 * Wait for the next event for at most @timeout_ms milliseconds; 0: only look, -1: without limit. *@ret is the event, an
 * object that the caller owns, or NULL if none arrived. At most 65536 events wait: then calls fail until events are
 * fetched.
 */
struct ompdd_error *ompdd_client_next_event(struct ompdd_client *client, int timeout_ms, struct json_object **ret);

/*
 * Return the descriptor to poll for reading. When it is readable, and after each call, fetch events with the time limit
 * 0 until no event is left. Do not read from it, and do not close it.
 */
int ompdd_client_fd(const struct ompdd_client *client);

/* Return the version of the library, for example "0.2.0". */
const char *ompdd_client_version(void);

enum ompdd_error_kind {
	OMPDD_ERROR_ANSWER = 1, /* the daemon answered with an error */
	OMPDD_ERROR_CONNECTION, /* no daemon, or it ended, or it sent something else than answers */
	OMPDD_ERROR_TIMEOUT,	/* no answer within the time limit */
	OMPDD_ERROR_USAGE,	/* an argument is wrong */
	OMPDD_ERROR_MEMORY,	/* out of memory */
};

enum ompdd_error_kind ompdd_error_kind(const struct ompdd_error *error);
/* Return the number of the answer's error, such as -32602; 0: the error is not an answer. */
int ompdd_error_code(const struct ompdd_error *error);
/* Return the stable name, such as "no_such_process"; "": none. */
const char *ompdd_error_name(const struct ompdd_error *error);
/* Return one sentence: what failed, and why. It may have characters that control a terminal. */
const char *ompdd_error_message(const struct ompdd_error *error);
/* Return what the user can do next; "": unknown. */
const char *ompdd_error_hint(const struct ompdd_error *error);
/* Return the answer's error object as JSON; "": the error is not an answer. */
const char *ompdd_error_json(const struct ompdd_error *error);
/* NULL is fine. */
void ompdd_error_free(struct ompdd_error *error);

#ifdef __cplusplus
}
#endif

#endif
