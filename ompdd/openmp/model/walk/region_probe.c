/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Creates a model for one question and destroys it at once. */
#include "openmp/model/walk/region_probe.h"

#include <omp-tools.h>

#include "openmp/model/handle/handles.h"
#include "openmp/model/model.h"
#include "openmp/model/snapshot.h"
#include "openmp/model/walk/walk.h"
#include "openmp/plugin/plugin.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/runtime.h"
#include "target/target.h"

/* Observe mode never stops the target. */
#define UNUSED_STOP_MS 1

CLEANUP_DEFINE(handles, struct handles *, handles_destroy)

/* Whether @s has a region of the program, not only the initial region. */
static bool has_region(const struct snapshot *s)
{
	for (size_t i = 0; i < s->n_parallels; i++) {
		if (s->parallels[i].level.rc == ompd_rc_ok && s->parallels[i].level.value > 0)
			return true;
	}
	return false;
}

/* The code of the first thread that may be in a region unseen; ompd_rc_ok: there is no such thread. */
static int find_gap(const struct snapshot *s)
{
	for (size_t i = 0; i < s->n_threads; i++) {
		const struct snapshot_thread *t = &s->threads[i];

		if (!t->openmp && t->openmp_rc != ompd_rc_unavailable)
			return t->openmp_rc;
		if (t->openmp && t->parallel.rc != ompd_rc_ok && t->parallel.rc != ompd_rc_unavailable)
			return t->parallel.rc;
	}
	return ompd_rc_ok;
}

static struct error *check_region(struct model *m, const struct plugin_options *options, bool *ret)
{
	struct snapshot s = {0};
	struct error *err = model_need_plugin(m);

	if (!err) {
		target_view_begin(model_target(m));
		err = walk_snapshot(m, 0, 1, SNAPSHOT_PARALLELS, options->timeout_ms, &s);
	}
	bool unused = error_catch(&err, ERR_OPENMP_NOT_STARTED);
	if (!err) {
		int rc = unused ? ompd_rc_ok : find_gap(&s);

		*ret = !unused && has_region(&s);
		if (!*ret && rc != ompd_rc_ok)
			err = error_create_ompd(rc, "ompd_get_curr_parallel_handle");
	}
	snapshot_deinit(&s);
	return err;
}

struct error *region_probe_process(pid_t pid, const struct plugin_options *options, struct region_probe *ret)
{
	const struct plugin_options own = {
		.libompd = options->libompd ? options->libompd : options->own_libompd,
		.own_libompd = options->own_libompd,
		.timeout_ms = options->timeout_ms,
	};
	/* Destroyed in the reverse order. */
	_cleanup_(cleanup_target) struct target *target = NULL;
	_cleanup_(cleanup_handles) struct handles *handles = handles_create(own.timeout_ms);
	_cleanup_(cleanup_model) struct model *model = NULL;
	struct region_probe probe = {0};
	const struct error *why;

	if (!handles)
		return &error_nomem;
	struct error *err = target_attach(pid, TARGET_OBSERVE, UNUSED_STOP_MS, &target);
	if (!err)
		err = model_create(target, &own, handles, &model);
	if (!err)
		err = check_region(model, &own, &probe.in_region);
	if (err)
		return err;
	const struct runtime *runtime = model_runtime(model, &why);
	probe.kind = runtime ? runtime->descriptor->name : NULL;
	*ret = probe;
	return NULL;
}
