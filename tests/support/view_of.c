/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Builds a view for a fake daemon: reads {"view", "fold", "numbered", "verbose", "columns", "source", "info"} from
 * standard input, and writes the view, or {"error": message, "hint"}.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "rpc/json_read.h"
#include "view/view.h"

#define MAX_COLUMNS 16

static enum view_kind parse_kind(const char *name)
{
	int kind = VIEW_TREE;

	while (kind < VIEW_WHY && strcmp(view_name((enum view_kind)kind), name))
		kind++;
	return (enum view_kind)kind;
}

int main(void)
{
	struct json_object *in = json_object_from_fd(STDIN_FILENO), *columns = json_read_member(in, "columns"), *out;
	const char *keys[MAX_COLUMNS];
	struct view_request request = {
		.kind = parse_kind(json_read_text(in, "view")),
		.fold = json_read_bool(json_read_member(in, "fold")),
		.numbered = json_read_bool(json_read_member(in, "numbered")),
		.verbose = json_read_bool(json_read_member(in, "verbose")),
		.columns = columns ? keys : NULL,
	};

	for (; request.n_columns < json_read_length(columns) && request.n_columns < MAX_COLUMNS; request.n_columns++)
		keys[request.n_columns] = json_object_get_string(json_object_array_get_idx(columns, request.n_columns));
	struct error *err = view_build(&request, json_read_member(in, "source"), json_read_member(in, "info"), &out);
	if (err) {
		out = json_object_new_object();
		json_object_object_add(out, "error", json_object_new_string(err->message));
		json_object_object_add(out, "hint", json_object_new_string(err->hint ? err->hint : ""));
	}
	puts(json_object_to_json_string_ext(out, JSON_C_TO_STRING_PLAIN));
	error_destroy(err);
	json_object_put(out);
	json_object_put(in);
	return 0;
}
