/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Implements event.subscribe, event.unsubscribe, and event.poll without its wait; called through methods_daemon[]. */
#include "methods_daemon.h"
#include "session/events.h"
#include "session/json.h"
#include "session/target_table.h"

struct error *handle_event_subscribe(struct session *s, const struct event_subscribe_params *p,
				     struct json_object **ret)
{
	_cleanup_json_ struct json_object *o = json_object_new_object();
	struct session_target *t;
	struct error *err = NULL;
	uint32_t types = p->types ? 0 : UINT32_MAX;
	int64_t id;

	for (size_t i = 0; i < p->n_types; i++)
		types |= 1u << event_type_find(p->types[i]);
	for (size_t i = 0; !err && i < p->n_targets; i++)
		err = target_find(s, s->current, p->targets[i], &t);
	if (err)
		return err;
	err = o ? events_subscribe(s->current, types, p->targets, p->n_targets, s->events.last, &id) : &error_nomem;
	if (err)
		return err;
	err = json_add(o, "subscription", json_object_new_int64(id));
	if (!err)
		err = json_add(o, "cursor", json_object_new_uint64(s->events.last));
	if (err)
		return err;
	*ret = no_cleanup(o);
	return NULL;
}

struct error *handle_event_unsubscribe(struct session *s, const struct event_unsubscribe_params *p,
				       struct json_object **ret)
{
	_cleanup_json_ struct json_object *o = json_object_new_object();

	if (!events_unsubscribe(s->current, p->has_subscription ? p->subscription : 0))
		return error_detail(error_create(ERR_INVALID_PARAMS, "this connection has no subscription %lld",
						 (long long)p->subscription),
				    "pointer", "/params/subscription");
	struct error *err =
		o ? json_add(o, "subscriptions", json_object_new_int64((int64_t)s->current->n_subscriptions))
		  : &error_nomem;
	if (err)
		return err;
	*ret = no_cleanup(o);
	return NULL;
}

struct error *handle_event_poll(struct session *s, const struct event_poll_params *p, struct json_object **ret)
{
	uint64_t since = p->has_since ? (uint64_t)p->since : event_ring_oldest(&s->events) - 1;

	return events_poll_result(s->current, since, (size_t)p->max, ret);
}
