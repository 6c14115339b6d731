/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The generated decoders: a method's name, a newline, and parameters as JSON. Each refusal names a pointer below
 * /params and can be sent to the client.
 */
#include <json-c/json.h>
#include <string.h>

#include "fuzz.h"
#include "methods.h"
#include "rpc/errors.h"
#include "rpc/message_text.h"

#define MAX_NAME 64

static const char *pointer_of(const struct error *err)
{
	for (int i = 0; i < err->n_details; i++) {
		if (!strcmp(err->details[i].key, "pointer"))
			return err->details[i].value;
	}
	return "";
}

static void check_refusal(const struct error *err)
{
	struct json_object *value = NULL;
	struct json_object *object = errors_to_json(err);

	FUZZ_ASSERT(err->code == ERR_INVALID_PARAMS);
	FUZZ_ASSERT(!strncmp(pointer_of(err), "/params", 7));
	FUZZ_ASSERT(strlen(err->message) < 1024);
	const char *text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN);
	FUZZ_ASSERT(!message_text_parse(text, strlen(text), NULL, &value));
	json_object_put(value);
	json_object_put(object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	const char *end = memchr(text, '\n', size);
	struct json_object *params = NULL;
	char name[MAX_NAME];

	if (!end || end - text >= MAX_NAME)
		return 0;
	memcpy(name, text, (size_t)(end - text));
	name[end - text] = '\0';
	const struct method *method = dispatch_find(name);
	struct error *err = method ? NULL : dispatch_unknown(name);
	if (err) {
		json_object_put(errors_to_json(err));
		error_destroy(err);
		return 0;
	}
	err = message_text_parse(end + 1, size - (size_t)(end + 1 - text), NULL, &params);
	if (!err) {
		err = method->check(params);
		if (err)
			check_refusal(err);
	}
	error_destroy(err);
	json_object_put(params);
	return 0;
}
