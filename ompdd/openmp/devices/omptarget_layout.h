/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where releases of LLVM's libomptarget keep devices, plugins, maps and images: all that differs between them. */
#ifndef OMPDD_OPENMP_OMPTARGET_LAYOUT_H
#define OMPDD_OPENMP_OMPTARGET_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct target;

/* Start of the library's file name; its plugins have other names. */
#define OMPTARGET_LIBRARY "libomptarget.so"

#define OMPTARGET_MAX_RELEASE 32

/* Kinds of records of plugins. */
enum omptarget_plugin {
	OMPTARGET_PLUGIN_NUMBERED, /* number of its first device, their number, a handle, functions of the plugin's file
				    */
	OMPTARGET_PLUGIN_NAMED,	   /* a name and a handle, functions of the plugin's file */
	OMPTARGET_PLUGIN_BUILT_IN, /* an object whose class is part of the library */
};

/* Distances are in bytes. */
struct omptarget_layout {
	unsigned first, last; /* releases of LLVM */
	bool is_small;	      /* a list is an llvm::SmallVector, not a std::vector */
	enum omptarget_plugin plugin;
	/* In struct PluginManager. */
	struct {
		size_t plugins, devices; /* lists of addresses */
		size_t images;		 /* std::map by host table */
	} manager;
	/* In struct DeviceTy, which starts with its number, its plugin and its number there. */
	struct {
		size_t state; /* of a byte; 0: the list has only initialised devices */
		size_t maps;  /* std::set by host address */
		size_t lock;
	} device;
	/* In struct HostDataToTargetTy, which starts with base, start, end and name. */
	struct {
		bool is_apart; /* the table has its start and its address, not itself */
		size_t device_address, counts;
	} object;
	size_t images; /* from the key of struct TranslationTable to a list of addresses, by device */
	/* In an entry: the address, name and size of a function or variable follow each other. */
	struct {
		size_t bytes;
		size_t address, flags;
		size_t kind; /* of two words of 2 bytes: the version of the entry, and its language; 0: none */
	} entry;
};

/* A list of addresses. */
struct omptarget_list {
	uint64_t first, n;
};

/* Returns the layout of @release of LLVM, or NULL. */
const struct omptarget_layout *omptarget_layout_of(unsigned release);

/*
 * Finds the layout of the libomptarget of @t by the functions that it exports, and writes their releases into @release,
 * such as "LLVM 15". ERR_UNKNOWN_LAYOUT: no known release exports them.
 */
MUST_USE struct error *omptarget_layout_find(struct target *t, char release[OMPTARGET_MAX_RELEASE],
					     const struct omptarget_layout **ret);

/* Returns the error that the tables of a libomptarget of @release cannot be read, for the reason @why. */
MUST_USE struct error *omptarget_layout_refuse(const char *release, const char *why);

/* Reads the list that starts with @words. Returns false if it is impossible, or has more than @max addresses. */
bool omptarget_list_decode(const struct omptarget_layout *layout, const uint64_t words[2], size_t max,
			   struct omptarget_list *ret);

#endif
