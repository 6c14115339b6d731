/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Strict parsing of answers. */
#include "answer.h"

#include <stdbool.h>
#include <stdint.h>

#include <json-c/json.h>

/* Nesting limit of accepted JSON: twice the depth that a daemon sends. */
#define MAX_DEPTH 64

/* Return the parser's flags. The strict mode of json-c 0.18 refuses all non-ASCII characters, so a text that has
 * some is not parsed in strict mode. */
static int get_strictness(const char *text, size_t len)
{
	bool is_ascii = true;

	for (size_t i = 0; i < len && is_ascii; i++)
		is_ascii = (unsigned char)text[i] < 0x80;
	return JSON_TOKENER_VALIDATE_UTF8 | (is_ascii || json_c_version_num() >> 8 != 18 ? JSON_TOKENER_STRICT : 0);
}

struct json_object *answer_parse(const char *text, size_t len)
{
	struct json_tokener *tokener = len < INT32_MAX ? json_tokener_new_ex(MAX_DEPTH) : NULL;
	struct json_object *value;

	if (!tokener)
		return NULL;
	json_tokener_set_flags(tokener, get_strictness(text, len));
	value = json_tokener_parse_ex(tokener, text, (int)len);
	if (json_tokener_get_error(tokener) != json_tokener_success || json_tokener_get_parse_end(tokener) != len) {
		json_object_put(value);
		value = NULL;
	}
	json_tokener_free(tokener);
	return value;
}
