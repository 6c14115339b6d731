/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds methods by name in the generated table, suggests similar names, and calls handlers. */
#include "rpc/dispatch.h"

#include <stdlib.h>
#include <string.h>

#include "methods.h"
#include "rpc/suggest.h"

static const char *const tiers[] = {"observe", "inspect", "control", "admin"};

const char *tier_name(enum method_tier tier)
{
	return tiers[tier];
}

bool tier_parse(const char *name, size_t len, enum method_tier *ret)
{
	for (size_t i = 0; i < sizeof(tiers) / sizeof(tiers[0]); i++) {
		if (strlen(tiers[i]) == len && !strncmp(tiers[i], name, len)) {
			*ret = (enum method_tier)i;
			return true;
		}
	}
	return false;
}

static int compare_name(const void *name, const void *method)
{
	return strcmp(name, ((const struct method *)method)->name);
}

const struct method *dispatch_find(const char *name)
{
	return bsearch(name, methods_table, methods_table_n, sizeof(methods_table[0]), compare_name);
}

struct error *dispatch_unknown(const char *name)
{
	const char *best = NULL;
	struct error *err = error_create(ERR_METHOD_NOT_FOUND, "there is no method \"%.64s\"", name);

	for (size_t i = 0; i < methods_table_n; i++)
		suggest_consider(name, methods_table[i].name, &best);
	if (best)
		err = error_hint(err, "did you mean %s? rpc.discover lists the methods", best);
	return err;
}

struct error *dispatch_call(const struct method_handler *handlers, void *context, const char *name,
			    struct json_object *params, struct json_object **ret)
{
	for (const struct method_handler *h = handlers; h->name; h++) {
		if (!strcmp(h->name, name))
			return h->call(context, params, ret);
	}
	return dispatch_unknown(name);
}
