/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ompd.*: the library as a whole (OpenMP 5.2, 20.5.1). */
#include "methods/ompd/ompd_call.h"
#include "methods_worker.h"

struct error *handle_ompd_initialize(struct worker *w, const struct ompd_initialize_params *p, struct json_object **ret)
{
	struct error *err = worker_need_target(w);

	if (!err)
		err = model_need_plugin(worker_model(w));
	if (err)
		return err;
	int rc = model_initialize_again(worker_model(w), p->api_version);

	err = ompd_call_check_rc("ompd_initialize", rc);
	return err ? err : ompd_call_answer_done(ret);
}

struct error *handle_ompd_finalize(struct worker *w, const struct ompd_finalize_params *p, struct json_object **ret)
{
	struct error *err = worker_need_target(w);

	(void)p;
	if (!err)
		err = model_need_plugin(worker_model(w));
	if (err)
		return err;
	int rc = model_finalize(worker_model(w));

	err = ompd_call_check_rc("ompd_finalize", rc);
	return err ? err : ompd_call_answer_done(ret);
}

static int call_get_api_version(struct plugin *p, struct ompd_call *call)
{
	return plugin_call(p, get_api_version, (ompd_word_t *)call->data);
}

struct error *handle_ompd_get_api_version(struct worker *w, const struct ompd_get_api_version_params *p,
					  struct json_object **ret)
{
	ompd_word_t version = 0;
	struct ompd_call call = {
		.routine = "ompd_get_api_version",
		.needs = NEEDS_LIBRARY,
		.fn = call_get_api_version,
		.data = &version,
	};
	struct error *err = ompd_call_answer(w, &call, ret);

	(void)p;
	if (!err)
		json_put(*ret, "version", json_object_new_int64(version));
	return err;
}

static int call_get_version_string(struct plugin *p, struct ompd_call *call)
{
	const char *text = NULL;
	int rc = plugin_call(p, get_version_string, &text);

	return ompd_call_take_text(call, rc, text, "returned no string");
}

struct error *handle_ompd_get_version_string(struct worker *w, const struct ompd_get_version_string_params *p,
					     struct json_object **ret)
{
	struct ompd_call call = {
		.routine = "ompd_get_version_string",
		.needs = NEEDS_LIBRARY,
		.fn = call_get_version_string,
	};
	struct error *err = ompd_call_answer(w, &call, ret);

	(void)p;
	if (!err)
		json_put(*ret, "string", ompd_call_text_json(&call));
	return err;
}
