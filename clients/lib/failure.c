/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Creating the errors of clients. */
#include "failure.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "base/buf.h"
#include "rpc/json_read.h"

/* Copy @s, which may be NULL or "". Returns false if memory is out. */
static bool copy_string(const char *s, char **ret)
{
	*ret = s && *s ? strdup(s) : NULL;
	return *ret || !s || !*s;
}

struct error *failure_create(enum error_code code, const char *name, const char *hint, const char *format, ...)
{
	struct buf message = {0};
	va_list args;

	va_start(args, format);
	struct error *err = buf_vprintf(&message, format, args);
	va_end(args);
	if (err)
		return err;
	struct error *f = calloc(1, sizeof(*f));
	if (!f) {
		buf_deinit(&message);
		return &error_nomem;
	}
	f->code = code;
	f->message = message.data;
	if (copy_string(name, &f->name) && copy_string(hint, &f->hint))
		return f;
	error_destroy(f);
	return &error_nomem;
}

struct error *failure_from_answer(struct json_object *error)
{
	struct json_object *data = json_read_member(error, "data");
	const char *message = json_read_string(json_read_member(error, "message"));
	const char *text = json_object_to_json_string_ext(error, JSON_C_TO_STRING_PLAIN);
	struct error *f = failure_create(ERR_ANSWER, json_read_string(json_read_member(data, "name")),
					 json_read_string(json_read_member(data, "hint")), "%s",
					 message ? message : "the daemon answered with an error");

	if (f != &error_nomem)
		f->answer = text ? strdup(text) : NULL;
	if (f->answer || f == &error_nomem)
		return f;
	error_destroy(f);
	return &error_nomem;
}
