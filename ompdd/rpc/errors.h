/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* struct error to JSON-RPC error object: the only place where error numbers meet the wire. */
#ifndef OMPDD_RPC_ERRORS_H
#define OMPDD_RPC_ERRORS_H

#include "base/error.h"

struct json_object;

/*
 * {"code":…,"message":…,"data":{"name":…,"hint":…,<details>}}; with an OMPD code also "rc" in data.
 * Text that is not UTF-8 is escaped. NULL when memory is out; the caller owns the object.
 */
struct json_object *errors_to_json(const struct error *err);

#endif
