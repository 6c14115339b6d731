/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A worker on a fake target with the fake library, and calls of its methods by name. */
#ifndef OMPDD_SUPPORT_FAKE_WORKER_H
#define OMPDD_SUPPORT_FAKE_WORKER_H

#include <json-c/json.h>
#include <stdio.h>

#include "base/error.h"
#include "fake_target.h"
#include "methods/event.h"
#include "methods_worker.h"
#include "openmp/model/handle/handles.h"
#include "openmp/model/runtimes.h"
#include "worker/worker.h"

static struct worker w;

static inline void fake_worker_begin(enum target_mode mode, const char *fault)
{
	setenv("FAKE_OMPD", fault, 1);
	setenv("FAKE_OMPD_THREADS", "3", 1);
	w = (struct worker){.write_event = event_write,
			    .plugin_options = {.libompd = FAKE_LIBOMPD, .timeout_ms = 1000}};
	ck_assert_no_err(worker_init(&w, "t1"));
	w.client = 1;
	w.target = fake_target_create(mode);
	size_t gomp = fake_target_add_module(w.target, "/lib/libgomp.so.1", 0x20000, 0x30000, "ab", NULL);

	fake_target_add_symbol(w.target, gomp, "my_task._omp_fn.0", 0x401000, 16, false);
	for (int i = 0; i < 3; i++)
		fake_target_add_thread(w.target, 100 + i, 0x7000 + 0x1000 * (uint64_t)i, "te\xffm");
	fake_target_add_thread(w.target, 199, 0, "other");
	ck_assert_no_err(runtimes_create(w.target, &w.plugin_options, w.handles, &w.runtimes));
}

static inline void fake_worker_end(void)
{
	worker_deinit(&w);
}

/* @params is JSON text without "target". */
static inline struct error *fake_worker_try(const char *method, const char *params, struct json_object **ret)
{
	struct json_object *p = json_tokener_parse(params);

	ck_assert_msg(p != NULL, "bad JSON in a test: %s", params);
	json_object_object_add(p, "target", json_object_new_string("t1"));
	worker_begin_request(&w, w.client);
	struct error *err = dispatch_call(methods_worker, &w, method, p, ret);

	json_object_put(p);
	return err;
}

static inline struct json_object *fake_worker_call(const char *method, const char *params)
{
	struct json_object *ret = NULL;

	ck_assert_no_err(fake_worker_try(method, params, &ret));
	ck_assert_ptr_nonnull(ret);
	return ret;
}

/* Return a member by its path: "threads.0.state.name". Borrowed. The test fails if it is missing. */
static inline struct json_object *at(struct json_object *o, const char *path)
{
	char pointer[256];

	snprintf(pointer, sizeof(pointer), "/%s", path);
	for (char *p = pointer; *p; p++)
		if (*p == '.')
			*p = '/';
	struct json_object *found = NULL;

	ck_assert_msg(json_pointer_get(o, pointer, &found) == 0, "no %s in %s", pointer, json_object_to_json_string(o));
	return found;
}

static inline const char *text_at(struct json_object *o, const char *path)
{
	return json_object_get_string(at(o, path));
}

static inline int int_at(struct json_object *o, const char *path)
{
	return json_object_get_int(at(o, path));
}

#endif
