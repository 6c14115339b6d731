/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From the protocol's JSON values to text. */
#ifndef OMPDD_CLI_FORMAT_H
#define OMPDD_CLI_FORMAT_H

#include <stdint.h>

#include "answer.h"
#include "rpc/json_read.h"
#include "text.h"

struct json_object;

/*
 * Append a value for a reader: strings and numbers unchanged, true and false as yes and no, {"address","symbol"} as the
 * symbol. A missing value is "-", with its reason when verbose.
 */
void format_value(struct buf *t, const struct style *style, struct json_object *value);
/* Return the text of format_value() as a new string; the caller frees it. */
char *format_value_string(const struct style *style, struct json_object *value);

/* Append a duration: "212 µs", "1.5 ms", "2.1 s". */
void format_duration(struct buf *t, const struct style *style, int64_t microseconds);

/* Append @value as one line of JSON (indented with @pretty) and a newline, without raw control characters. */
void format_json(struct buf *t, struct json_object *value, int pretty);

#endif
