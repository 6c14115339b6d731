/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reasons, collected while a view is drawn and printed below it. */
#include "foot.h"

#include <string.h>

#include "format.h"

void foot_note(struct foot *f, const char *what, struct json_object *value)
{
	const char *why = format_reason(value) ? format_string(format_member(value, "message")) : NULL;

	if (!why)
		why = format_reason(value);
	if (!why || f->n == FOOT_MAX_REASONS)
		return;
	for (size_t i = 0; i < f->n; i++) {
		if (!strcmp(f->what[i], what) && !strcmp(f->why[i], why))
			return;
	}
	f->what[f->n] = what;
	f->why[f->n++] = why;
}

void foot_note_states(struct foot *f, const struct overview *s)
{
	for (size_t i = 0; i < s->n_threads; i++) {
		struct json_object *state = format_member(s->threads[i].json, "state");
		const char *source = format_string(format_member(state, "source"));

		if (!s->threads[i].openmp)
			continue;
		f->inferred |= source && !strcmp(source, "inferred");
		foot_note(f, "state", state);
	}
}

void foot_show(const struct foot *f, const struct style *style, struct text *out)
{
	if (f->inferred)
		text_add(out, "~ inferred from what the thread does in the kernel or where it runs\n");
	for (size_t i = 0; i < f->n; i++) {
		text_printf(out, "- %s not known: ", f->what[i]);
		text_add_safe(out, f->why[i], style->utf8);
		text_add(out, "\n");
	}
}
