/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texts of views, appended piece by piece. */
#include "view/phrase.h"

#include <stdarg.h>
#include <string.h>

#include <json-c/json.h>

/* An error is that memory is out: the text ends there. */
static void ignore_error(struct error *err)
{
	error_destroy(err);
}

void phrase_add(struct buf *p, const char *text)
{
	ignore_error(buf_append(p, text, strlen(text)));
}

void phrase_printf(struct buf *p, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	ignore_error(buf_vprintf(p, format, args));
	va_end(args);
}

const char *phrase_text(const struct buf *p)
{
	return p->data ? p->data : "";
}

struct json_object *phrase_take_json(struct buf *p)
{
	struct json_object *json = json_object_new_string_len(phrase_text(p), (int)p->len);

	buf_deinit(p);
	return json;
}
