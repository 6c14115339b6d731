/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The handles of one kind in the order of the library's compare routine, so that an object that has a
 * name is found by a few comparisons. Used by openmp/model/handles only; the links are in struct handle.
 */
#ifndef OMPDD_OPENMP_HANDLE_TREE_H
#define OMPDD_OPENMP_HANDLE_TREE_H

#include "base/error.h"
#include "openmp/model/handles.h"

/* The order of two objects. ERR_PLUGIN_MISBEHAVED when the library cannot say. */
MUST_USE struct error *handle_tree_compare(struct plugin *plugin, enum handle_kind kind, void *a, void *b, int *ret);

/* The handle of @object, or NULL in *@ret. */
MUST_USE struct error *handle_tree_find(struct plugin *plugin, struct handle *root, enum handle_kind kind, void *object,
					struct handle **ret);

/* Put @node, with a random priority, where it belongs. What is in the tree stays there when that fails. */
MUST_USE struct error *handle_tree_insert(struct plugin *plugin, struct handle **root, struct handle *node);

/* Take @node out; @plugin NULL, or one whose order is none: by identity. */
void handle_tree_remove(struct plugin *plugin, struct handle **root, struct handle *node);

#endif
