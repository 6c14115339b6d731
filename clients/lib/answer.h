/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The JSON texts that a client receives. */
#ifndef OMPDD_LIB_ANSWER_H
#define OMPDD_LIB_ANSWER_H

#include <stddef.h>

struct json_object;

/* Parse one JSON text, strictly; NULL: not valid JSON, or out of memory. The caller owns the value. */
struct json_object *answer_parse(const char *text, size_t len);

#endif
