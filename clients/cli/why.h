/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Readable form of diagnose.get: one screen, for any number of threads. */
#ifndef OMPDD_CLI_WHY_H
#define OMPDD_CLI_WHY_H

#include "text.h"

struct json_object;

/* @info is the result of target.attach or target.info, or NULL. With style->all, print all evidence. */
void why_show(struct json_object *result, struct json_object *info, const struct style *style, struct text *out);

#endif
