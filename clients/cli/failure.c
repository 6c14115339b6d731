/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Creating and printing failures. */
#include "failure.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "text.h"

static char *copy_string(const char *s)
{
	return s && *s ? text_strdup(s) : NULL;
}

struct failure *failure_create(enum exit_code code, const char *name, const char *hint, const char *format, ...)
{
	struct failure *f = text_calloc(1, sizeof(*f));
	struct text message = {0};
	va_list args;

	va_start(args, format);
	text_vprintf(&message, format, args);
	va_end(args);
	f->code = code;
	f->name = copy_string(name);
	f->hint = copy_string(hint);
	f->message = text_take(&message);
	return f;
}

struct failure *failure_from_answer(struct json_object *error)
{
	struct failure *f = text_calloc(1, sizeof(*f));
	struct json_object *data = format_member(error, "data");
	const char *message = format_string(format_member(error, "message"));

	f->code = EXIT_ANSWER;
	f->message = text_strdup(message ? message : "the daemon answered with an error");
	f->name = copy_string(format_string(format_member(data, "name")));
	f->hint = copy_string(format_string(format_member(data, "hint")));
	f->answer = json_object_get(error);
	return f;
}

void failure_destroy(struct failure *f)
{
	if (!f)
		return;
	free(f->name);
	free(f->message);
	free(f->hint);
	json_object_put(f->answer);
	free(f);
}

static struct json_object *create_json(const struct failure *f)
{
	struct json_object *error = json_object_new_object();
	struct json_object *data = json_object_new_object();

	json_object_object_add(error, "message", json_object_new_string(f->message));
	if (f->name)
		json_object_object_add(data, "name", json_object_new_string(f->name));
	if (f->hint)
		json_object_object_add(data, "hint", json_object_new_string(f->hint));
	json_object_object_add(error, "data", data);
	return error;
}

void failure_print(const struct failure *f, FILE *stream, int json, int utf8)
{
	struct text out = {0};

	if (json) {
		struct json_object *error = f->answer ? json_object_get(f->answer) : create_json(f);

		format_json(&out, error, 0);
		json_object_put(error);
	} else {
		text_add(&out, "ompdctl: ");
		text_add_safe(&out, f->message, utf8);
		if (f->name) {
			text_add(&out, " [");
			text_add_safe(&out, f->name, utf8);
			text_add(&out, "]");
		}
		text_add(&out, "\n");
		if (f->hint) {
			text_add(&out, "  hint: ");
			text_add_safe(&out, f->hint, utf8);
			text_add(&out, "\n");
		}
	}
	fwrite(out.data, 1, out.len, stream);
	fflush(stream);
	text_deinit(&out);
}
