/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The decoder of method parameters: checks a JSON object against a table of fields and fills
 * a C struct. The tables and structs are generated from protocol/schema (methods.c); nothing else
 * calls this.
 */
#ifndef OMPDD_RPC_PARAMS_H
#define OMPDD_RPC_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct json_object;

/* What a parameter is in JSON, and what it becomes in the struct. */
enum param_kind {
	PARAM_INT,    /* integer min..max → int64_t */
	PARAM_BOOL,   /* true, false → bool */
	PARAM_STRING, /* string of min..max bytes → const char * */
	PARAM_ENUM,   /* one of names → enum, the index in names */
	PARAM_VALUES, /* one of names, or integer min..max → int64_t, the value */
	PARAM_HEX,    /* "0x…" → uint64_t */
	PARAM_WORD,   /* integer within ±2^53, or "0x…" → int64_t */
	PARAM_NUMBER, /* integer up to 2^53, or "0x…" → uint64_t */
	PARAM_TARGET, /* "t1" → const char * */
	PARAM_HANDLE, /* "t1:e1:par:2" → const char * */
	PARAM_ARRAY, /* array of min..max handles, strings, names or target ids → const char *const * and its count */
	PARAM_ID,    /* string of at most max bytes, or integer → struct json_object * */
	PARAM_ENV,   /* object of at most max variables, each a string or null → struct json_object * */
};

struct param {
	const char *name; /* NULL ends a table */
	enum param_kind kind;
	bool required;
	size_t offset;	   /* of the member */
	size_t has_offset; /* of the bool that says whether it was given; 0: none */
	size_t n_offset;   /* PARAM_ARRAY: of the size_t count */
	int64_t min;
	int64_t max;
	enum param_kind item_kind; /* PARAM_ARRAY: PARAM_HANDLE, _TARGET, _ENUM or _STRING, the latter of */
	int64_t item_min;	   /* this many bytes */
	int64_t item_max;
	bool absolute;		  /* a string, or those of an array, must begin with '/' */
	const char *const *names; /* ended by NULL */
	const int64_t *values;
	const char *handle_kind; /* "par"; NULL: any */
	int64_t default_value;
	const char *default_string;
};

/* The largest integer that a client may be expected to hold exactly (2^53 - 1). */
#define PARAM_MAX_SAFE INT64_C(9007199254740991)

/*
 * Decode @params into @object, which is all zeroes. Unknown members, missing and mistyped ones and
 * values out of range are ERR_INVALID_PARAMS with the details "pointer", "expected" and "got";
 * @object owns nothing then. Strings are borrowed from @params; undo with params_deinit() where the
 * table has arrays.
 */
MUST_USE struct error *params_decode(struct json_object *params, const struct param *fields, void *object);

/* Free the arrays in @object. */
void params_deinit(const struct param *fields, void *object);

#endif
