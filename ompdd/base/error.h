/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The one error type of all programs. A function that can fail returns `struct error *`; NULL means success. Only
 * rpc/errors.c turns it into JSON, and only clients/cli/exit_code.c prints it.
 */
#ifndef OMPDD_BASE_ERROR_H
#define OMPDD_BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * ERROR_CODES(X) with X(IDENT, number, "name", "default hint"): generated from
 * protocol/errors.json, which also feeds METHODS.md and openrpc.json.
 */
#include "error_codes.h"

#define MUST_USE __attribute__((warn_unused_result))
/* Marks a parameter that the callee takes ownership of, also on error. */
#define TAKES

enum error_code {
#define X(ident, number, name, hint) ERR_##ident,
	ERROR_CODES(X)
#undef X
	/*
	 * An OMPD return code other than ok; see error_create_ompd(). Its wire number is
	 * 2000 + rc and its wire name that of the code ("ompd_rc_unavailable").
	 */
	ERR_OMPD,
	/* Errors of clients, created by failure_create(); each has its own name. */
	ERR_ANSWER,  /* the daemon answered with an error */
	ERR_CONNECT, /* no daemon, or the daemon died, hung or sent garbage */
	ERR_USAGE,   /* a wrong command line */
	ERR_OUTPUT,  /* the output cannot be written */
};

/* The maximum number of key/value pairs that an error carries to the client in its `data`. */
#define ERROR_MAX_DETAILS 8

struct error_detail {
	const char *key; /* a literal, snake_case; becomes a member of `data` */
	char *value;	 /* owned by the error; becomes a JSON string */
};

struct error {
	enum error_code code;
	int ompd_rc;  /* only with ERR_OMPD */
	char *name;   /* only with the codes of clients; NULL: none */
	char *answer; /* the error object that a client has received, as JSON; NULL: none */
	char *message;
	char *hint; /* NULL: the code's default hint */
	struct error_detail details[ERROR_MAX_DETAILS];
	int n_details;
};

/* Returned if memory is out; error_destroy() does not free it. */
extern struct error error_nomem;

/*
 * Create an error. The message is one sentence: what failed and why, without a final stop. Never returns NULL; returns
 * &error_nomem if memory is out.
 */
struct error *error_create(enum error_code code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Destroy @err; NULL is fine. */
void error_destroy(struct error *err);

/* Create an error for the OMPD return code @rc (ompd_rc_t, 1..13) of @routine ("ompd_get_state"). */
struct error *error_create_ompd(int rc, const char *routine);

/* Create ERR_INTERNAL_ERROR with the text of @errnum: "open /x: No such file". For unexpected errno only. */
struct error *error_create_errno(int errnum, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Replace the hint of @err, and return @err. */
struct error *error_hint(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Add a member to the `data` of @err (dropped when full), and return @err. @key is a literal. */
struct error *error_detail(struct error *err, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Prefix the message of @err with "format: ", and return @err. */
struct error *error_wrap(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Return true if @err is not NULL and has @code. */
bool error_is(const struct error *err, enum error_code code);

/* If @*err has @code, destroy it, set @*err to NULL and return true. */
bool error_catch(struct error **err, enum error_code code);

/* Return the stable name of @err, as in `data.name`; borrowed. NULL: an error of a client without a name. */
const char *error_name(const struct error *err);

/* Return the wire number of @err: the table's, or 2000 + rc for ERR_OMPD. */
int error_number(const struct error *err);

/* Return the hint of @err: its own, or else the code's default; "" if it has no hint. */
const char *error_hint_text(const struct error *err);

/* Return the name of an ompd_rc_t ("ompd_rc_unavailable"); "ompd_rc_unknown" out of range. */
const char *error_ompd_rc_name(int rc);

#endif
