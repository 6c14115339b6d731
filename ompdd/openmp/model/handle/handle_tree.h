/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The handles of one kind in the order of the library's compare routine, so that a few comparisons find a named object.
 * Used by openmp/model/handle/handles only; the links are in struct handle.
 */
#ifndef OMPDD_OPENMP_HANDLE_TREE_H
#define OMPDD_OPENMP_HANDLE_TREE_H

#include "base/error.h"
#include "openmp/model/handle/handles.h"

/* Compares two objects. ERR_PLUGIN_MISBEHAVED when the library cannot say. */
MUST_USE struct error *handle_tree_compare(struct plugin *plugin, enum handle_kind kind, void *a, void *b, int *ret);

/* Finds the handle of @object, or NULL in *@ret. ERR_PLUGIN_MISBEHAVED. */
MUST_USE struct error *handle_tree_find(struct plugin *plugin, struct handle *root, enum handle_kind kind, void *object,
					struct handle **ret);

/* Inserts @node with a random priority. On failure all other handles stay in the tree. ERR_PLUGIN_MISBEHAVED. */
MUST_USE struct error *handle_tree_insert(struct plugin *plugin, struct handle **root, struct handle *node);

/* Removes @node. It is searched by identity if @plugin is NULL or its order is inconsistent. */
void handle_tree_remove(struct plugin *plugin, struct handle **root, struct handle *node);

#endif
