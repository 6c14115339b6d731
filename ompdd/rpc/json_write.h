/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Writes JSON directly into our buffers: the same text as json-c's without spaces and escaped slashes. json-c is
 * slower: it prints each number with snprintf, and creates its own text, which must then be copied.
 */
#ifndef OMPDD_RPC_JSON_WRITE_H
#define OMPDD_RPC_JSON_WRITE_H

#include "base/buf.h"

struct json_object;

/* Append the text of @value (NULL: null) to @out. After an error @out may have a part of the text. */
MUST_USE struct error *json_write(struct buf *out, struct json_object *value);

/*
 * Keep the text of @object, a part of hundreds of answers. @object must not change any more. If memory is out, the text
 * is written anew each time. No other user data may be set on objects.
 */
void json_write_freeze(struct json_object *object);

/* Return a JSON string of the foreign @text, escaped as in utf8_escape() if necessary; NULL if memory is out. */
struct json_object *json_text(const char *text);

#endif
