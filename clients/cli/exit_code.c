/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Exit codes, and printing the error that ends a client. */
#include "exit_code.h"

#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "text.h"

const struct exit_code_row exit_code_rows[] = {
	{EXIT_OK, "success"},
	{EXIT_ANSWER, "the request failed: no such process, no OpenMP runtime, not permitted, ..."},
	{EXIT_CONNECT, "ompdd cannot be started or reached, ended, or did not answer in time"},
	{EXIT_USAGE, "wrong command line"},
	{EXIT_OUTPUT, "the output cannot be written"},
	{0, NULL},
};

enum exit_code failure_exit_code(const struct error *f)
{
	switch ((int)f->code) {
	case ERR_ANSWER:
		return EXIT_ANSWER;
	case ERR_USAGE:
		return EXIT_USAGE;
	case ERR_OUTPUT:
		return EXIT_OUTPUT;
	default:
		return EXIT_CONNECT;
	}
}

static struct json_object *create_json(const struct error *f)
{
	struct json_object *error = json_object_new_object();
	struct json_object *data = json_object_new_object();

	json_object_object_add(error, "message", json_object_new_string(f->message));
	if (error_name(f))
		json_object_object_add(data, "name", json_object_new_string(error_name(f)));
	if (*error_hint_text(f))
		json_object_object_add(data, "hint", json_object_new_string(error_hint_text(f)));
	json_object_object_add(error, "data", data);
	return error;
}

void failure_print(const struct error *f, FILE *stream, int json, int utf8)
{
	struct buf out = {0};

	if (json) {
		struct json_object *error = f->answer ? answer_parse(f->answer, strlen(f->answer)) : create_json(f);

		format_json(&out, error, 0);
		json_object_put(error);
	} else {
		text_add(&out, "ompdctl: ");
		text_add_safe(&out, f->message, utf8);
		if (error_name(f)) {
			text_add(&out, " [");
			text_add_safe(&out, error_name(f), utf8);
			text_add(&out, "]");
		}
		text_add(&out, "\n");
		if (*error_hint_text(f)) {
			text_add(&out, "  hint: ");
			text_add_safe(&out, error_hint_text(f), utf8);
			text_add(&out, "\n");
		}
	}
	fwrite(out.data, 1, out.len, stream);
	fflush(stream);
	buf_deinit(&out);
}
