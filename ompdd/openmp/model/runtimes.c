/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Keeps one model for each runtime, and the most used one. */
#include "openmp/model/runtimes.h"

#include <stdlib.h>

#include "base/log.h"
#include "openmp/model/model.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"
#include "openmp/runtimes/runtime.h"
#include "target/target.h"

/* Threads to ask about, to find the most used runtime before the first capture. */
#define MAX_ASKED 1024

struct runtimes {
	struct target *target;
	const struct plugin_options *options;
	struct handles *handles;
	struct model *models[RUNTIMES_MAX];
	size_t n;
	size_t main;
	struct {
		size_t n_threads, n_in_region;
	} use[RUNTIMES_MAX];
};

size_t runtimes_count(const struct runtimes *r)
{
	return r->n;
}

struct model *runtimes_get(struct runtimes *r, size_t i)
{
	return r->models[i];
}

struct model *runtimes_select(struct runtimes *r, size_t i)
{
	model_select(r->models[i]);
	return r->models[i];
}

struct model *runtimes_main(struct runtimes *r)
{
	return runtimes_select(r, r->main);
}

struct error *runtimes_need_plugin(struct runtimes *r)
{
	struct error *err = NULL;
	bool is_there = false;

	for (size_t i = r->n; i-- > 0;) {
		error_destroy(err);
		err = model_need_plugin(runtimes_select(r, i));
		is_there |= !err;
	}
	runtimes_main(r);
	if (!is_there)
		return err;
	error_destroy(err);
	return NULL;
}

static size_t list_known_starts(struct runtimes *r, uint64_t *starts)
{
	const struct error *why;
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct runtime *runtime = model_runtime(r->models[i], &why);

		if (runtime)
			starts[n++] = runtime->start;
	}
	return n;
}

/* Adds one unknown runtime. Returns false if there is no other one, or if it cannot be seen now. */
static bool add_runtime(struct runtimes *r)
{
	uint64_t starts[RUNTIMES_MAX];
	struct runtime runtime;
	bool found = false;
	size_t n = list_known_starts(r, starts);

	/* The first model finds its runtime itself. */
	if (n < r->n || r->n == RUNTIMES_MAX)
		return false;
	struct error *err = runtime_find_more(r->target, starts, n, &runtime, &found);

	if (!err && found)
		err = model_create_for(r->target, r->options, r->handles, (unsigned)r->n, &runtime, &r->models[r->n]);
	if (err)
		log_err(LOG_INFO, err, "search for more runtimes");
	else if (found)
		r->n++;
	found = found && !err;
	error_destroy(err);
	return found;
}

bool runtimes_find_more(struct runtimes *r)
{
	size_t before = r->n;

	while (add_runtime(r))
		;
	model_select(r->models[r->main]);
	return r->n > before;
}

struct error *runtimes_create(struct target *target, const struct plugin_options *options, struct handles *handles,
			      struct runtimes **ret)
{
	struct runtimes *r = calloc(1, sizeof(*r));

	if (!r)
		return &error_nomem;
	r->target = target;
	r->options = options;
	r->handles = handles;
	struct error *err = model_create(target, options, handles, &r->models[0]);

	if (err) {
		free(r);
		return err;
	}
	r->n = 1;
	runtimes_find_more(r);
	*ret = r;
	return NULL;
}

void runtimes_destroy(struct runtimes *r)
{
	if (!r)
		return;
	while (r->n > 0)
		model_destroy(r->models[--r->n]);
	free(r);
}

static bool is_used_more(const struct runtimes *r, size_t a, size_t b)
{
	if (r->use[a].n_in_region != r->use[b].n_in_region)
		return r->use[a].n_in_region > r->use[b].n_in_region;
	return r->use[a].n_threads > r->use[b].n_threads;
}

void runtimes_note_use(struct runtimes *r, size_t i, size_t n_threads, size_t n_in_region)
{
	r->use[i].n_threads = n_threads;
	r->use[i].n_in_region = n_in_region;
	r->main = 0;
	for (size_t k = 1; k < r->n; k++) {
		if (is_used_more(r, k, r->main))
			r->main = k;
	}
}

/* Counts the threads, of the first MAX_ASKED, that the library knows. */
static size_t count_threads(struct runtimes *r, struct model *m)
{
	const struct target_thread *threads;
	const struct error *why;
	size_t n, n_known = 0;
	struct plugin *p = model_plugin(m, &why);
	struct error *err = target_threads(r->target, &threads, &n);

	for (size_t i = 0; !err && i < n && i < MAX_ASKED; i++) {
		ompd_thread_handle_t *handle = NULL;
		uint64_t pthread = threads[i].pthread;

		if (plugin_call(p, get_thread_handle, model_aspace(m), OMPD_THREAD_ID_PTHREAD, sizeof(pthread),
				&pthread, &handle) != ompd_rc_ok ||
		    !handle)
			continue;
		n_known++;
		plugin_call(p, rel_thread_handle, handle);
	}
	error_destroy(err);
	return n_known;
}

void runtimes_warm_up(struct runtimes *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct model *m = runtimes_select(r, i);

		model_warm_up(m);
		if (r->n == 1 || !model_aspace(m))
			continue;
		guard_enter(r->options->timeout_ms);
		size_t n_threads = count_threads(r, m);
		guard_leave();
		error_destroy(callbacks_take_error());
		runtimes_note_use(r, i, n_threads, 0);
	}
	model_select(r->models[r->main]);
}
