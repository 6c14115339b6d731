/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The OpenMP runtimes of one process, each with a model of its own: several, or several copies of one, are usual in
 * programs that load plugins, and in Python. They are numbered as they are found, and keep their numbers.
 */
#ifndef OMPDD_OPENMP_RUNTIMES_H
#define OMPDD_OPENMP_RUNTIMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "openmp/plugin/callbacks.h"

#define RUNTIMES_MAX CALLBACKS_MAX_SPACES

struct handles;
struct model;
struct plugin_options;
struct runtimes;
struct target;

/* Those that @target has now; @target, @options and @handles must outlive them. There is always one model: that it has
 * no runtime is no error here, the program may load one later. */
MUST_USE struct error *runtimes_create(struct target *target, const struct plugin_options *options,
				       struct handles *handles, struct runtimes **ret);
/* To be called before target_destroy() and handles_destroy(). */
void runtimes_destroy(struct runtimes *r);
CLEANUP_DEFINE(runtimes, struct runtimes *, runtimes_destroy)

/* At least 1. */
size_t runtimes_count(const struct runtimes *r);
/* Number @i; it need not be the selected one. */
struct model *runtimes_get(struct runtimes *r, size_t i);
/* The same, selected (model_select()): whoever asks for one that is not the main one selects that again. */
struct model *runtimes_select(struct runtimes *r, size_t i);
/* That which most threads use, as far as has been seen; of those that are used alike the first. Selected. */
struct model *runtimes_main(struct runtimes *r);

/*
 * Libraries may have come since the last look: at least one runtime is to have its own, or why the first one has none.
 * model_need_plugin() of each; the main one is selected then.
 */
MUST_USE struct error *runtimes_need_plugin(struct runtimes *r);

/* Whether more have been mapped, in the present view of the target: they are there from now on. No more than
 * RUNTIMES_MAX are looked at. */
bool runtimes_look_for_more(struct runtimes *r);

/* A capture has seen that @n_threads threads use runtime @i, of which @n_in_region are in a parallel region. */
void runtimes_note_use(struct runtimes *r, size_t i, size_t n_threads, size_t n_in_region);

/* While the target runs, so that the first stop need not wait for it: model_warm_up() of each; see who uses which. */
void runtimes_warm_up(struct runtimes *r);

#endif
