/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Readable form of stack.get and stack.groups. */
#ifndef OMPDD_CLI_STACKS_H
#define OMPDD_CLI_STACKS_H

#include "text.h"

struct json_object;

/* @info is the result of target.attach or target.info, or NULL. With style->all, equal stacks are not folded. */
void stacks_show(struct json_object *result, struct json_object *info, const struct style *style, struct text *out);

/* Append only the frames and boundaries of a result of stack.get. */
void stacks_show_frames(struct json_object *result, const struct style *style, struct text *out);

#endif
