/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A fixture for tests with one child, its target and a model with the fake OMPD library: child_fixture.h, `h` and `m`.
 */
#ifndef OMPDD_SUPPORT_MODEL_FIXTURE_H
#define OMPDD_SUPPORT_MODEL_FIXTURE_H

#include <dlfcn.h>
#include <stdlib.h>

#include "base/error.h"
#include "check_main.h"
#include "child_fixture.h"
#include "openmp/model/handle/handles.h"
#include "openmp/model/model.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"

static struct handles *h;
static struct model *m;
static struct plugin_options options = {.libompd = FAKE_LIBOMPD};

/* Start a child that executes @body, with @n_ready threads, and create its model. */
static inline void start_model(void (*body)(void), int n_ready, enum target_mode mode)
{
	setenv("FAKE_OMPD", "", 1);
	/* The library is only mapped, so that there is a runtime. */
	ck_assert(dlopen("libgomp.so.1", RTLD_NOW) || dlopen("libomp.so.5", RTLD_NOW));
	attach_child(body, n_ready, mode, 1000);
	h = handles_create(0);
	ck_assert_no_err(model_create(t, &options, h, &m));
	ck_assert_no_err(model_need_plugin(m));
}

/* Take the model down before teardown(). */
static inline void stop_model(void)
{
	model_destroy(m);
	handles_destroy(h);
	m = NULL;
	h = NULL;
}

#endif
