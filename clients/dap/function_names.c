/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Recognition of names by the lists of runtime.names. */
#include "function_names.h"

#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "message.h"

/* Names that debuggers show for functions without symbols. */
static const char *const nameless[] = {"___lldb_unnamed_symbol", "??"};

static bool has_prefix(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

/* Return whether @name starts with an element of the list @key. */
static bool has_listed_prefix(struct json_object *names, const char *key, const char *name)
{
	struct json_object *list = dap_message_array(names, key);

	for (size_t i = 0; i < dap_message_length(list); i++) {
		const char *prefix = json_read_string(json_object_array_get_idx(list, i));

		if (prefix && has_prefix(name, prefix))
			return true;
	}
	return false;
}

/* Return the first mark of a body in @name, or NULL. */
static const char *find_mark(struct json_object *names, const char *name)
{
	struct json_object *list = dap_message_array(names, "bodies");
	const char *first = NULL;

	for (size_t i = 0; i < dap_message_length(list); i++) {
		const char *mark = json_read_string(json_object_array_get_idx(list, i));
		const char *at = mark ? strstr(name, mark) : NULL;

		if (at && (!first || at < first))
			first = at;
	}
	return first;
}

bool function_names_is_body(struct json_object *names, const char *name)
{
	return find_mark(names, name) != NULL;
}

bool function_names_is_fork(struct json_object *names, const char *name)
{
	return has_listed_prefix(names, "regions", name);
}

bool function_names_is_runtime(struct json_object *names, const char *name)
{
	for (size_t i = 0; i < sizeof(nameless) / sizeof(nameless[0]); i++) {
		if (has_prefix(name, nameless[i]))
			return true;
	}
	return !*name || has_listed_prefix(names, "runtime", name);
}

char *function_names_program_part(struct json_object *names, const char *name)
{
	const char *mark = find_mark(names, name);
	size_t len = mark ? (size_t)(mark - name) : strlen(name);
	struct buf t = {0};

	/* Compilers and debuggers put these between the program's name and the mark. */
	while (mark && len && strchr(".( ", name[len - 1]))
		len--;
	if (!len)
		return NULL;
	text_add_bytes(&t, name, len);
	return text_take(&t);
}
