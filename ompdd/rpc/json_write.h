/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Writing JSON: the same text as json-c's without spaces and escaped slashes, straight into our buffers. json-c prints
 * each number with snprintf, and makes a text of its own, which then has to be copied.
 */
#ifndef OMPDD_RPC_JSON_WRITE_H
#define OMPDD_RPC_JSON_WRITE_H

#include "base/buf.h"

struct json_object;

/* Append the text of @value (NULL: null) to @out, of which half may be there after an error. */
MUST_USE struct error *json_write(struct buf *out, struct json_object *value);

/*
 * Keep the text of @object, which must not be changed any more: it is part of an answer hundreds of times. Without
 * memory it is written each time. No other user data may be set on objects.
 */
void json_write_freeze(struct json_object *object);

#endif
