/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The devices of LLVM's libomptarget, a library of its own beside libomp. */
#ifndef OMPDD_OPENMP_DEVICES_OMPTARGET_H
#define OMPDD_OPENMP_DEVICES_OMPTARGET_H

#include "openmp/devices/devices.h"

struct omptarget_layout;
struct runtime;
struct target;

/* A red-black tree of the C++ library: std::set or std::map. */
struct omptarget_tree {
	uint64_t compare;
	uint64_t colour; /* the root names the address of this member as its parent */
	uint64_t root, first, last, n;
};

/* The largest value of a node in words. */
#define OMPTARGET_MAX_VALUE 16

/* Visits the values of a tree. */
struct omptarget_visitor {
	const char *what; /* the table, for errors */
	size_t size;	  /* bytes of a value */
	size_t max;	  /* values; more are left out */
	struct error *(*visit)(struct target *t, const uint64_t *value, void *arg);
};

/*
 * Calls @visitor for each value of @tree, whose address is @address, in its order. *@ret_cut: set if there are more.
 * ERR_UNKNOWN_LAYOUT: a node does not name its parent, or the number of nodes is another one. Errors of target_read()
 * and of the visitor. The visitor must refuse values that are not sorted: then no cycle is endless.
 */
MUST_USE struct error *omptarget_tree_walk(struct target *t, uint64_t address, const struct omptarget_tree *tree,
					   const struct omptarget_visitor *visitor, void *arg, bool *ret_cut);

/*
 * Reads the map table @tree, whose address is @address, into @ret. ERR_UNKNOWN_LAYOUT: its nodes are not sorted, do not
 * name their parents, or their number, keys or counts are impossible. Errors of target_read().
 */
MUST_USE struct error *omptarget_maps_read(struct target *t, const struct omptarget_layout *layout, uint64_t address,
					   const struct omptarget_tree *tree, struct device *ret);

/*
 * Reads the images that table @tree of @t, whose address is @address, has for the devices of @ret, into @ret. Each host
 * table of the program's or a library's functions and variables is proven by its address, which its images repeat.
 * ERR_UNKNOWN_LAYOUT: it is not, or an entry has no valid name or place. Errors of target_read().
 */
MUST_USE struct error *omptarget_images_read(struct target *t, const struct omptarget_layout *layout, uint64_t address,
					     const struct omptarget_tree *tree, struct devices *ret);

/*
 * Proves that the record at @address is a plugin, and that its device number @plugin_number is @ret->number. Sets
 * plugin, plugin_number and kind of @ret. ERR_UNKNOWN_LAYOUT: it is not. Errors of target_read() and target_symbol().
 */
MUST_USE struct error *omptarget_plugin_check(struct target *t, const struct omptarget_layout *layout, uint64_t address,
					      int32_t plugin_number, struct device *ret);

/* Returns the error that the record of a device is not one, with the reason @why. */
MUST_USE struct error *omptarget_device_refuse(unsigned number, const char *why);

/* Reads all devices of the libomptarget of @t. @r: the libomp that uses it. */
MUST_USE struct error *omptarget_devices_read(struct target *t, const struct runtime *r, struct devices *ret);

#endif
