/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks methods and targets against a connection's tier. */
#include "session/permit.h"

#include <stdio.h>
#include <string.h>

static struct error *create_tier_error(const struct client *c, const char *what, enum method_tier needed)
{
	struct error *err = error_create(ERR_NOT_ALLOWED, "%s needs the tier %s, and this connection has %s (%s)", what,
					 tier_name(needed), tier_name(c->peer.tier), c->peer.setting);

	error_detail(err, "tier", "%s", tier_name(needed));
	error_detail(err, "has", "%s", tier_name(c->peer.tier));
	return error_detail(err, "setting", "%s", c->peer.setting);
}

struct error *permit_method(const struct client *c, const struct method *method, struct json_object *params)
{
	struct json_object *mode;

	if (c->peer.tier < method->tier)
		return create_tier_error(c, method->name, method->tier);
	/* Refuse at the attach already, not at the first request that would stop the target. */
	if (method->role == METHOD_ROLE_ATTACH && c->peer.tier < TIER_INSPECT &&
	    !(json_object_object_get_ex(params, "mode", &mode) && json_object_is_type(mode, json_type_string) &&
	      !strcmp(json_object_get_string(mode), "observe")))
		return error_hint(create_tier_error(c, "target.attach with mode \"stop\"", TIER_INSPECT),
				  "attach with mode \"observe\"");
	return NULL;
}

/* Another client may have attached the target in mode "stop": an inspection would stop it. */
struct error *permit_target(const struct client *c, const struct method *method, const struct session_target *t)
{
	char what[128];

	if (method->is_calm || c->peer.tier >= TIER_INSPECT || strcmp(t->mode, "stop"))
		return NULL;
	snprintf(what, sizeof(what), "%s of a target in mode \"stop\"", method->name);
	return error_hint(create_tier_error(c, what, TIER_INSPECT), "attach to it with mode \"observe\" yourself");
}
