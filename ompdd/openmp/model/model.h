/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is known of one OpenMP runtime of a target: the hosted library and what that library knows
 * once and for all. Made by target.attach (openmp/model/runtimes.h), opened by the first capture that needs it.
 */
#ifndef OMPDD_OPENMP_MODEL_H
#define OMPDD_OPENMP_MODEL_H

#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "openmp/runtimes/constructs.h"

#define MODEL_MAX_THREADS 65536
/* Steps of one chain of enclosing regions, generating or scheduling tasks. */
#define MODEL_MAX_DEPTH 1024

struct handles;
struct icv_table;
struct model;
struct plugin;
struct plugin_options;
struct runtime;
struct state_table;
struct target;
struct _ompd_aspace_handle;

/*
 * For the first runtime of @target, which must outlive the model, as must @options and @handles. Looks for the runtime
 * and its library at once, but their absence is no error here: the program may load them later.
 */
MUST_USE struct error *model_create(struct target *target, const struct plugin_options *options,
				    struct handles *handles, struct model **ret);
/* For another one, @runtime, whose content is taken; @index is its number in the process, from 1. */
MUST_USE struct error *model_create_for(struct target *target, const struct plugin_options *options,
					struct handles *handles, unsigned index, struct runtime *runtime TAKES,
					struct model **ret);

/* Ends the library, with all its handles. To be called before target_destroy() and handles_destroy(); that of the first
 * runtime last. */
void model_destroy(struct model *m);

/* Its number in the process; that of the first one is 0. */
unsigned model_index(const struct model *m);
/*
 * From now on what is asked without saying of which runtime concerns this one: symbols are looked up in its module
 * first. Of several models, before each use of another one.
 */
void model_select(struct model *m);

/* The runtime and the library, or NULL with the reason in *@why_ret (borrowed until the next call on @m). */
const struct runtime *model_runtime(struct model *m, const struct error **why_ret);
struct plugin *model_plugin(struct model *m, const struct error **why_ret);

/* Look again for what was not there. Never fails: see model_runtime() and model_plugin(). */
void model_look_again(struct model *m);

/* The library is there, else why not (ERR_NO_OPENMP_RUNTIME, ERR_PLUGIN_*; a copy). */
MUST_USE struct error *model_need_plugin(struct model *m);

/*
 * Initialise the library and open the process's address space, if that is not done yet. Within a
 * view, with the guard entered. ERR_UNKNOWN_LAYOUT, ERR_OPENMP_NOT_STARTED, ERR_PLUGIN_INCOMPATIBLE,
 * or the library's code.
 */
MUST_USE struct error *model_open(struct model *m);
/* Try that now, while the target runs, so that the first stop need not wait for it. Failures come again. */
void model_warm_up(struct model *m);
/* The same without the address space: ompd_initialize only. */
MUST_USE struct error *model_initialize(struct model *m);

/* End the library as ompd_finalize does, with all handles; the next model_open() begins anew. Its return code. */
int model_finalize(struct model *m);

/*
 * End the library and initialise it with @api_version, whatever that is. Its return code; after a
 * refusal the next model_open() initialises it as usual.
 */
int model_initialize_again(struct model *m, int64_t api_version);

/*
 * The number of this life of the library, unique among all models of the process; model_finalize() starts another one.
 * What the library gave in an earlier life is gone.
 */
unsigned model_generation(const struct model *m);

/* After model_open(). */
struct _ompd_aspace_handle *model_aspace(struct model *m);
struct icv_table *model_icvs(struct model *m);
const struct state_table *model_states(const struct model *m);
struct target *model_target(struct model *m);
struct handles *model_handles(struct model *m);

/* The construct whose one lock is the static object at @addr: the code of a routine of the runtime for it refers to
 * that. */
enum construct model_lock_construct(const struct model *m, uint64_t addr);

CLEANUP_DEFINE(model, struct model *, model_destroy)

#endif
