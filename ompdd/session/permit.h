/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a connection's tier (enum method_tier) lets it do. ERR_NOT_ALLOWED says what is missing, and which setting would
 * give it. */
#ifndef OMPDD_SESSION_PERMIT_H
#define OMPDD_SESSION_PERMIT_H

#include "session/target_table.h"

/* Whether @c may call @method with @params, which are not checked yet. */
MUST_USE struct error *permit_method(const struct client *c, const struct method *method, struct json_object *params);
/* And on the target @t, which others may have attached. */
MUST_USE struct error *permit_target(const struct client *c, const struct method *method,
				     const struct session_target *t);

#endif
