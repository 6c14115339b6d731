/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Converts struct error to a JSON-RPC error object. No other file knows the error numbers of the protocol. */
#ifndef OMPDD_RPC_ERRORS_H
#define OMPDD_RPC_ERRORS_H

#include "base/error.h"

struct json_object;

/*
 * Return {"code":…,"message":…,"data":{"name":…,"hint":…,<details>}}; with an OMPD code, data also has "rc". Escapes
 * text that is not UTF-8. Returns NULL if memory is out; the caller owns the object.
 */
struct json_object *errors_to_json(const struct error *err);

#endif
