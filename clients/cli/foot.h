/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lines below a view: why a value is not known, each reason once. */
#ifndef OMPDD_CLI_FOOT_H
#define OMPDD_CLI_FOOT_H

#include <stddef.h>

#include "text.h"

struct json_object;

/* Most distinct reasons below one view. */
#define FOOT_MAX_REASONS 4

/* All zeroes: nothing to print. */
struct foot {
	size_t n;
	const char *what[FOOT_MAX_REASONS], *why[FOOT_MAX_REASONS];
};

/* Note the reason, if @value of the JSON is one, why @what (borrowed: "state") is not known. @value must outlive the
 * foot. */
void foot_note(struct foot *f, const char *what, struct json_object *value);

void foot_show(const struct foot *f, const struct style *style, struct buf *out);

#endif
