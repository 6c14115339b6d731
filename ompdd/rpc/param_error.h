/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Creates the errors of parameters: ERR_INVALID_PARAMS with the details "pointer" (a JSON pointer to the value),
 * "expected" and "got".
 */
#ifndef OMPDD_RPC_PARAM_ERROR_H
#define OMPDD_RPC_PARAM_ERROR_H

#include "base/error.h"
#include "rpc/params.h"

/* A value and its position. */
struct param_place {
	const struct param *field;
	struct json_object *value;
	int index; /* index in an array; -1: not in an array */
};

/* The value has the wrong type or range for its field. */
MUST_USE struct error *param_error_mistyped(const struct param_place *p);

/* A required parameter is missing. */
MUST_USE struct error *param_error_missing(const struct param *field);

/* The method has no parameter @name; suggests a similar name from @fields. */
MUST_USE struct error *param_error_unknown(const struct param *fields, const char *name);

/*
 * The member @name of a PARAM_ENV is wrong: its name if @is_value is true (the value is a string or null), else its
 * value.
 */
MUST_USE struct error *param_error_variable(const struct param *field, const char *name, bool is_value);

#endif
