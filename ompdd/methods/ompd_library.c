/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ompd.*: the library as a whole (OpenMP 5.2, 20.5.1). */
#include <stdlib.h>

#include "methods/ompd_call.h"
#include "methods_worker.h"
#include "rpc/utf8.h"

struct error *handle_ompd_initialize(struct worker *w, const struct ompd_initialize_params *p,
				     struct json_object **ret)
{
	struct error *err = worker_need_target(w);

	if (!err)
		err = model_need_plugin(w->model);
	if (err)
		return err;
	int rc = model_initialize_again(w->model, p->api_version);

	if (!ompd_rc_is_valid(rc))
		return ompd_misbehaved("ompd_initialize", "returned no code of OMPD");
	if (rc != ompd_rc_ok)
		return error_create_ompd(rc, "ompd_initialize");
	*ret = json_object_new_object();
	return *ret ? NULL : &error_nomem;
}

struct error *handle_ompd_finalize(struct worker *w, const struct ompd_finalize_params *p,
				   struct json_object **ret)
{
	struct error *err = worker_need_target(w);

	(void)p;
	if (!err)
		err = model_need_plugin(w->model);
	if (err)
		return err;
	int rc = model_finalize(w->model);

	if (!ompd_rc_is_valid(rc))
		return ompd_misbehaved("ompd_finalize", "returned no code of OMPD");
	if (rc != ompd_rc_ok)
		return error_create_ompd(rc, "ompd_finalize");
	*ret = json_object_new_object();
	return *ret ? NULL : &error_nomem;
}

static int call_get_api_version(struct plugin *p, struct ompd_call *call)
{
	return plugin_call(p, get_api_version, (ompd_word_t *)call->data);
}

struct error *handle_ompd_get_api_version(struct worker *w,
					  const struct ompd_get_api_version_params *p,
					  struct json_object **ret)
{
	ompd_word_t version = 0;
	struct ompd_call call = {
		.routine = "ompd_get_api_version",
		.needs = NEEDS_LIBRARY,
		.fn = call_get_api_version,
		.data = &version,
	};
	struct error *err = ompd_call_run(w, &call);

	(void)p;
	if (err)
		return err;
	*ret = ompd_call_result(&call);
	if (!*ret)
		return &error_nomem;
	json_put(*ret, "version", json_object_new_int64(version));
	return NULL;
}

static int call_get_version_string(struct plugin *p, struct ompd_call *call)
{
	const char *text = NULL;
	int rc = plugin_call(p, get_version_string, &text);

	if (rc == ompd_rc_ok) {
		char **copy = call->data;

		free(*copy);
		*copy = ompd_call_take_string(text);
	}
	return rc;
}

struct error *handle_ompd_get_version_string(struct worker *w,
					     const struct ompd_get_version_string_params *p,
					     struct json_object **ret)
{
	_cleanup_free_ char *text = NULL;
	struct ompd_call call = {
		.routine = "ompd_get_version_string",
		.needs = NEEDS_LIBRARY,
		.fn = call_get_version_string,
		.data = &text,
	};
	struct error *err = ompd_call_run(w, &call);

	(void)p;
	if (err)
		return err;
	if (!text)
		return ompd_misbehaved(call.routine, "gave no string");
	*ret = ompd_call_result(&call);
	if (!*ret)
		return &error_nomem;
	json_put(*ret, "string", utf8_json(text));
	return NULL;
}
