/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The devices of LLVM's libomptarget, a library of its own beside libomp. */
#ifndef OMPDD_OPENMP_DEVICES_OMPTARGET_H
#define OMPDD_OPENMP_DEVICES_OMPTARGET_H

#include "openmp/devices/devices.h"

struct runtime;
struct target;

/* A red-black tree of the C++ library: std::set or std::map. */
struct omptarget_tree {
	uint64_t compare;
	uint64_t colour; /* the root names the address of this member as its parent */
	uint64_t root, first, last, n;
};

/*
 * Reads the map table @tree, whose address is @address, into @ret. ERR_UNKNOWN_LAYOUT: its nodes are not sorted, do not
 * name their parents, or their number or counts are impossible. Errors of target_read().
 */
MUST_USE struct error *omptarget_maps_read(struct target *t, uint64_t address, const struct omptarget_tree *tree,
					   struct device *ret);

/* Reads all devices of the libomptarget of @t. @r: the libomp that uses it. */
MUST_USE struct error *omptarget_devices_read(struct target *t, const struct runtime *r, struct devices *ret);

#endif
