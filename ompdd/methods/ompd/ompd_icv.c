/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ompd.*: control variables and tool data (OpenMP 5.2, 20.5.10). */
#include <stdio.h>

#include "methods/ompd/ompd_call.h"
#include "methods_worker.h"
#include "openmp/model/icv.h"

struct next_icv {
	ompd_icv_id_t current;
	ompd_icv_id_t next;
	ompd_scope_t scope;
	int more;
};

static int call_enumerate_icvs(struct plugin *p, struct ompd_call *call)
{
	struct next_icv *i = call->data;
	const char *name = NULL;
	int rc = plugin_call(p, enumerate_icvs, call->args[0].object, i->current, &i->next, &name, &i->scope, &i->more);

	return ompd_call_take_text(call, rc, name, "returned no name");
}

static struct json_object *scope_json(ompd_scope_t scope)
{
	const char *name = icv_scope_name(scope);
	char text[64];

	if (!name)
		return json_object_new_int64((int64_t)scope);
	snprintf(text, sizeof(text), "ompd_scope_%s", name);
	return json_object_new_string(text);
}

struct error *handle_ompd_enumerate_icvs(struct worker *w, const struct ompd_enumerate_icvs_params *p,
					 struct json_object **ret)
{
	struct next_icv icv = {.current = p->current};
	struct ompd_call call = {
		.routine = "ompd_enumerate_icvs",
		.needs = NEEDS_OPEN,
		.args = {OMPD_ARG(p, handle, HANDLE_ASPACE)},
		.fn = call_enumerate_icvs,
		.data = &icv,
	};
	struct error *err = ompd_call_answer(w, &call, ret);

	if (err)
		return err;
	json_put(*ret, "next_id", json_number_or_hex(icv.next));
	json_put(*ret, "next_icv_name", ompd_call_text_json(&call));
	json_put(*ret, "next_scope", scope_json(icv.scope));
	json_put(*ret, "more", json_object_new_int(icv.more));
	return NULL;
}

struct icv_query {
	ompd_scope_t scope;
	ompd_icv_id_t id;
	ompd_word_t value;
};

static int call_get_icv_from_scope(struct plugin *p, struct ompd_call *call)
{
	struct icv_query *q = call->data;

	return plugin_call(p, get_icv_from_scope, call->args[0].object, q->scope, q->id, &q->value);
}

struct error *handle_ompd_get_icv_from_scope(struct worker *w, const struct ompd_get_icv_from_scope_params *p,
					     struct json_object **ret)
{
	struct icv_query q = {.scope = (ompd_scope_t)p->scope, .id = p->icv_id};
	struct ompd_call call = {
		.routine = "ompd_get_icv_from_scope",
		.needs = NEEDS_VIEW,
		.fn = call_get_icv_from_scope,
		.data = &q,
	};
	struct error *err = ompd_scope_arg(p->handle, p->scope, &call.args[0]);

	if (!err)
		err = ompd_call_answer(w, &call, ret);
	if (!err)
		json_put(*ret, "icv_value", json_word(q.value));
	return err;
}

static int call_get_icv_string_from_scope(struct plugin *p, struct ompd_call *call)
{
	struct icv_query *q = call->data;
	const char *text = NULL;
	int rc = plugin_call(p, get_icv_string_from_scope, call->args[0].object, q->scope, q->id, &text);

	return ompd_call_take_text(call, rc, text, "returned no string");
}

struct error *handle_ompd_get_icv_string_from_scope(struct worker *w,
						    const struct ompd_get_icv_string_from_scope_params *p,
						    struct json_object **ret)
{
	struct icv_query q = {.scope = (ompd_scope_t)p->scope, .id = p->icv_id};
	struct ompd_call call = {
		.routine = "ompd_get_icv_string_from_scope",
		.needs = NEEDS_VIEW,
		.fn = call_get_icv_string_from_scope,
		.data = &q,
	};
	struct error *err = ompd_scope_arg(p->handle, p->scope, &call.args[0]);

	if (!err)
		err = ompd_call_answer(w, &call, ret);
	if (!err)
		json_put(*ret, "icv_string", ompd_call_text_json(&call));
	return err;
}

struct tool_data {
	ompd_scope_t scope;
	ompd_word_t value;
	ompd_address_t ptr;
};

static int call_get_tool_data(struct plugin *p, struct ompd_call *call)
{
	struct tool_data *d = call->data;

	return plugin_call(p, get_tool_data, call->args[0].object, d->scope, &d->value, &d->ptr);
}

struct error *handle_ompd_get_tool_data(struct worker *w, const struct ompd_get_tool_data_params *p,
					struct json_object **ret)
{
	struct tool_data data = {.scope = (ompd_scope_t)p->scope};
	struct ompd_call call = {
		.routine = "ompd_get_tool_data",
		.needs = NEEDS_VIEW,
		.fn = call_get_tool_data,
		.data = &data,
	};
	struct error *err = ompd_scope_arg(p->handle, p->scope, &call.args[0]);

	if (!err)
		err = ompd_call_answer(w, &call, ret);
	if (err)
		return err;
	json_put(*ret, "value", json_word(data.value));
	json_put(*ret, "ptr", json_address(&data.ptr));
	return NULL;
}
