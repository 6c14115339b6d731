/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Output of a bridge: answers, and the error before it exits. */
#include "bridge.h"

#include <errno.h>
#include <unistd.h>

#include <json-c/json.h>

#include "exit_code.h"
#include "text.h"

void bridge_put(const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(STDOUT_FILENO, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			_exit(EXIT_OK);
		data += n;
		len -= (size_t)n;
	}
}

void bridge_give_up(const char *name, const char *message, const char *hint)
{
	struct json_object *o = json_object_new_object(), *error = json_object_new_object(),
			   *data = json_object_new_object();
	struct buf text = {0};

	json_object_object_add(o, "jsonrpc", json_object_new_string("2.0"));
	json_object_object_add(error, "message", json_object_new_string(message));
	json_object_object_add(data, "name", json_object_new_string(name));
	if (hint)
		json_object_object_add(data, "hint", json_object_new_string(hint));
	json_object_object_add(error, "data", data);
	json_object_object_add(o, "error", error);
	text_printf(&text, "%s\n", json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
	bridge_put(text.data, text.len);
	_exit(EXIT_CONNECT);
}
