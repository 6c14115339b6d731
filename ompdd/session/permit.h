/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The permissions of a connection's tier (enum method_tier). ERR_NOT_ALLOWED states the missing tier, and the setting
 * that would grant it.
 */
#ifndef OMPDD_SESSION_PERMIT_H
#define OMPDD_SESSION_PERMIT_H

#include "session/target_table.h"

/* Check that @c may call @method with @params, which are not validated yet. */
MUST_USE struct error *permit_method(const struct client *c, const struct method *method, struct json_object *params);
/* Check that @c may call @method on the target @t, which another client may have attached. */
MUST_USE struct error *permit_target(const struct client *c, const struct method *method,
				     const struct session_target *t);

#endif
