/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Creating and printing the errors of clients. */
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

struct error *failure_create(enum error_code code, const char *name, const char *hint, const char *format, ...)
{
	struct error *f = text_calloc(1, sizeof(*f));
	struct buf message = {0};
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

struct error *failure_from_answer(struct json_object *error)
{
	struct json_object *data = json_read_member(error, "data");
	const char *message = json_read_string(json_read_member(error, "message"));
	struct error *f = failure_create(ERR_ANSWER, json_read_string(json_read_member(data, "name")),
					 json_read_string(json_read_member(data, "hint")), "%s",
					 message ? message : "the daemon answered with an error");

	f->answer = text_strdup(json_object_to_json_string_ext(error, JSON_C_TO_STRING_PLAIN));
	return f;
}
