/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Appends to the text of a view. If memory is out, the text ends there. */
#ifndef OMPDD_VIEW_PHRASE_H
#define OMPDD_VIEW_PHRASE_H

#include "base/buf.h"

struct json_object;

void phrase_add(struct buf *p, const char *text);
void phrase_printf(struct buf *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Return the text so far, or "". Borrowed, valid until the next append. */
const char *phrase_text(const struct buf *p);
/* Return the text as a JSON string and free it. */
struct json_object *phrase_take_json(struct buf *p);

#endif
