/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The errors of parameters: each is ERR_INVALID_PARAMS and says where ("pointer", a JSON pointer), what was "expected"
 * and what it "got" instead.
 */
#ifndef OMPDD_RPC_PARAM_ERROR_H
#define OMPDD_RPC_PARAM_ERROR_H

#include "base/error.h"
#include "rpc/params.h"

/* A value and where it stands. */
struct param_place {
	const struct param *field;
	struct json_object *value;
	int index; /* in an array; -1: not in one */
};

/* The value is not what its field takes. */
MUST_USE struct error *param_error_mistyped(const struct param_place *p);

/* A required one was not given. */
MUST_USE struct error *param_error_missing(const struct param *field);

/* The method has no parameter @name; hints at one of @fields that is written alike. */
MUST_USE struct error *param_error_unknown(const struct param *fields, const char *name);

/* Member @name of a PARAM_ENV: its value is wrong; or if @is_value says that this is one, its name. */
MUST_USE struct error *param_error_variable(const struct param *field, const char *name, bool is_value);

#endif
