/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Implements rpc.discover: keeps the parsed OpenRPC document. */
#include "rpc/discover.h"

#include <json-c/json.h>

#include "methods.h"

/* Schemas nest deeper than messages may. */
#define DISCOVER_MAX_DEPTH 128

struct error *discover_document(struct json_object **ret)
{
	static struct json_object *document;

	if (!document) {
		struct json_tokener *tok = json_tokener_new_ex(DISCOVER_MAX_DEPTH);

		if (!tok)
			return &error_nomem;
		document = json_tokener_parse_ex(tok, openrpc_json, (int)openrpc_json_len + 1);
		json_tokener_free(tok);
		if (!document)
			return error_create(ERR_INTERNAL_ERROR, "the built-in OpenRPC document does not parse");
	}
	*ret = json_object_get(document);
	return NULL;
}
