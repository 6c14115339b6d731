/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of <ompdd/client.h> for errors. */
#include "public_error.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "answer.h"
#include "connection.h"
#include "ompdd/client.h"
#include "rpc/json_read.h"

#define API __attribute__((visibility("default")))

static const struct error *own_error(const struct ompdd_error *error)
{
	return (const struct error *)error;
}

API enum ompdd_error_kind ompdd_error_kind(const struct ompdd_error *error)
{
	const struct error *err = own_error(error);

	if (connection_is_timeout(err))
		return OMPDD_ERROR_TIMEOUT;
	if (err->code == ERR_ANSWER)
		return OMPDD_ERROR_ANSWER;
	if (err->code == ERR_USAGE)
		return OMPDD_ERROR_USAGE;
	return err == &error_nomem ? OMPDD_ERROR_MEMORY : OMPDD_ERROR_CONNECTION;
}

API int ompdd_error_code(const struct ompdd_error *error)
{
	const char *text = own_error(error)->answer;
	struct json_object *answer = text ? answer_parse(text, strlen(text)) : NULL;
	int64_t code = json_read_int(json_read_member(answer, "code"), 0);

	json_object_put(answer);
	return code >= INT32_MIN && code <= INT32_MAX ? (int)code : 0;
}

API const char *ompdd_error_name(const struct ompdd_error *error)
{
	const char *name = error_name(own_error(error));

	return name ? name : "";
}

API const char *ompdd_error_message(const struct ompdd_error *error)
{
	return own_error(error)->message;
}

API const char *ompdd_error_hint(const struct ompdd_error *error)
{
	return error_hint_text(own_error(error));
}

API const char *ompdd_error_json(const struct ompdd_error *error)
{
	const char *text = own_error(error)->answer;

	return text ? text : "";
}

API void ompdd_error_free(struct ompdd_error *error)
{
	error_destroy((struct error *)error);
}
