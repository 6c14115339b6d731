/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The OpenMP runtimes of one process, each with its own model. Programs that load plugins, and Python, often have
 * several runtimes or several copies of one. A runtime keeps its number, given in the order of discovery.
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

/*
 * Finds the runtimes of @target. @target, @options and @handles must outlive @ret. There is always one model. A missing
 * runtime is not an error: the program may load one later.
 */
MUST_USE struct error *runtimes_create(struct target *target, const struct plugin_options *options,
				       struct handles *handles, struct runtimes **ret);
/* Call it before target_destroy() and handles_destroy(). */
void runtimes_destroy(struct runtimes *r);
CLEANUP_DEFINE(runtimes, struct runtimes *, runtimes_destroy)

/* Returns the number of models, at least 1. */
size_t runtimes_count(const struct runtimes *r);
/* Returns model number @i, which need not be the selected one. */
struct model *runtimes_get(struct runtimes *r, size_t i);
/*
 * Returns model number @i, selected by model_select(). A caller that uses another model than the main one selects the
 * main one again.
 */
struct model *runtimes_select(struct runtimes *r, size_t i);
/* Selects and returns the model that most threads use, as far as observed. Of equals it is the first one. */
struct model *runtimes_main(struct runtimes *r);

/*
 * Searches for libraries loaded since the last search: model_need_plugin() for each model. Returns NULL if at least one
 * runtime has its library, else the error of the first one. Selects the main model.
 */
MUST_USE struct error *runtimes_need_plugin(struct runtimes *r);

/*
 * Adds runtimes that the current view of the target shows for the first time. Returns whether there were any. At most
 * RUNTIMES_MAX are examined.
 */
bool runtimes_find_more(struct runtimes *r);

/*
 * Notes that @n_threads threads use runtime @i, and that @n_in_region of them are in a parallel region. Called after a
 * capture.
 */
void runtimes_note_use(struct runtimes *r, size_t i, size_t n_threads, size_t n_in_region);

/*
 * Calls model_warm_up() for each model while the target runs, so that the first stop need not wait for it. Also
 * observes which runtime the threads use.
 */
void runtimes_warm_up(struct runtimes *r);

#endif
