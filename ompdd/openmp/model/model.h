/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One OpenMP runtime of a target: the hosted library, and the library's answers that never change. Created by
 * target.attach (openmp/model/runtimes.h), opened by the first capture that needs it.
 */
#ifndef OMPDD_OPENMP_MODEL_H
#define OMPDD_OPENMP_MODEL_H

#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "openmp/runtimes/constructs.h"

#define MODEL_MAX_THREADS 65536
/* Maximum length of a chain of enclosing regions, generating tasks or scheduling tasks. */
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
 * Creates the model of the first runtime of @target. @target, @options and @handles must outlive the model. Searches
 * for the runtime and its library at once. Their absence is not an error: the program may load them later.
 */
MUST_USE struct error *model_create(struct target *target, const struct plugin_options *options,
				    struct handles *handles, struct model **ret);
/* Creates the model of another runtime. Takes the content of @runtime. @index is its number in the process, from 1. */
MUST_USE struct error *model_create_for(struct target *target, const struct plugin_options *options,
					struct handles *handles, unsigned index, struct runtime *runtime TAKES,
					struct model **ret);

/*
 * Ends the library, with all its handles. Call it before target_destroy() and handles_destroy(). Destroy the model of
 * the first runtime last.
 */
void model_destroy(struct model *m);

/* Returns the number of the runtime in the process; 0 is the first one. */
unsigned model_index(const struct model *m);
/*
 * Makes @m the default model: symbols are looked up in its module first. With several models, call it before each use
 * of another one.
 */
void model_select(struct model *m);

/* Return the runtime and the library, or NULL with the reason in *@why_ret (borrowed until the next call on @m). */
const struct runtime *model_runtime(struct model *m, const struct error **why_ret);
struct plugin *model_plugin(struct model *m, const struct error **why_ret);

/* Searches again for a missing runtime or library. Never fails: see model_runtime() and model_plugin(). */
void model_refresh(struct model *m);

/* Returns NULL if the library is present, else the reason (ERR_NO_OPENMP_RUNTIME, ERR_PLUGIN_*; a copy). */
MUST_USE struct error *model_need_plugin(struct model *m);

/*
 * Initialises the library and opens the process's address space, unless that is done already. Call it within a view,
 * with the guard entered. ERR_UNKNOWN_LAYOUT, ERR_OPENMP_NOT_STARTED, ERR_PLUGIN_INCOMPATIBLE, or the library's code.
 */
MUST_USE struct error *model_open(struct model *m);
/*
 * Tries model_open() while the target runs, so that the first stop need not wait for it. A later call reports failures
 * again.
 */
void model_warm_up(struct model *m);
/* Calls ompd_initialize only, without opening the address space. */
MUST_USE struct error *model_initialize(struct model *m);

/*
 * Ends the library as ompd_finalize does, with all handles. Returns its return code. The next model_open() starts
 * again.
 */
int model_finalize(struct model *m);

/*
 * Ends the library and initialises it with any @api_version. Returns its return code. After a refusal the next
 * model_open() initialises it as usual.
 */
int model_initialize_again(struct model *m, int64_t api_version);

/*
 * Returns the number of the library's current life, unique among all models of the process. model_finalize() starts a
 * new life, and objects of an earlier life are invalid.
 */
unsigned model_generation(const struct model *m);

/* These are valid after model_open(). */
struct _ompd_aspace_handle *model_aspace(struct model *m);
struct icv_table *model_icvs(struct model *m);
const struct state_table *model_states(const struct model *m);
struct target *model_target(struct model *m);
struct handles *model_handles(struct model *m);

/*
 * Returns the construct whose only lock is the static object at @addr. The code of the runtime's routine for that
 * construct refers to the object.
 */
enum construct model_lock_construct(const struct model *m, uint64_t addr);

CLEANUP_DEFINE(model, struct model *, model_destroy)

#endif
