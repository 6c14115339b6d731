/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Decodes method parameters: checks a JSON object against a table of fields and fills a C struct. Only the tables and
 * structs generated from protocol/schema (methods.c) use it.
 */
#ifndef OMPDD_RPC_PARAMS_H
#define OMPDD_RPC_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct json_object;

/* The JSON form of a parameter, and its type in the struct. */
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
	size_t has_offset; /* of the bool that is true if the parameter is present; 0: no such bool */
	size_t n_offset;   /* PARAM_ARRAY: of the size_t count */
	int64_t min;
	int64_t max;
	enum param_kind item_kind; /* PARAM_ARRAY: PARAM_HANDLE, _TARGET, _ENUM or _STRING */
	/* PARAM_ARRAY of PARAM_STRING: this and the next are the range of bytes of an item */
	int64_t item_min;
	int64_t item_max;
	bool absolute;		  /* a string, or each string of an array, must start with '/' */
	const char *const *names; /* terminated by NULL */
	const int64_t *values;
	const char *handle_kind; /* "par"; NULL: any */
	int64_t default_value;
	const char *default_string;
};

/* The largest integer that every client can represent exactly (2^53 - 1). */
#define PARAM_MAX_SAFE INT64_C(9007199254740991)

/*
 * Decode @params into @object, which must be all zeroes. Returns ERR_INVALID_PARAMS with the details "pointer",
 * "expected" and "got" for unknown, missing and mistyped members, and for values out of range. @object owns nothing
 * after an error. Strings are borrowed from @params. Release arrays with params_deinit().
 */
MUST_USE struct error *params_decode(struct json_object *params, const struct param *fields, void *object);

/* Free the arrays in @object. */
void params_deinit(const struct param *fields, void *object);

#endif
