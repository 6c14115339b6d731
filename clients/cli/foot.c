/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reasons, collected while a view is drawn and printed below it. */
#include "foot.h"

#include <string.h>

#include "format.h"

void foot_note(struct foot *f, const char *what, struct json_object *value)
{
	const char *why = json_read_reason(value) ? json_read_string(json_read_member(value, "message")) : NULL;

	if (!why)
		why = json_read_reason(value);
	if (!why || f->n == FOOT_MAX_REASONS)
		return;
	for (size_t i = 0; i < f->n; i++) {
		if (!strcmp(f->what[i], what) && !strcmp(f->why[i], why))
			return;
	}
	f->what[f->n] = what;
	f->why[f->n++] = why;
}

void foot_show(const struct foot *f, const struct style *style, struct buf *out)
{
	for (size_t i = 0; i < f->n; i++) {
		text_printf(out, "- %s not known: ", f->what[i]);
		text_add_safe(out, f->why[i], style->utf8);
		text_add(out, "\n");
	}
}
