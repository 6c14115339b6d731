/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Recognises the files of a process that serve devices: the OpenMP runtimes' own, and the drivers below them. */
#ifndef OMPDD_OPENMP_OFFLOAD_H
#define OMPDD_OPENMP_OFFLOAD_H

#include <stdbool.h>
#include <stdint.h>

struct target;

/*
 * Returns whether the file at @path is a part of an OpenMP runtime that serves devices: a plugin of libgomp, or LLVM's
 * libomptarget with its plugins. NULL is no such file.
 */
bool offload_is_of_runtime(const char *path);

/*
 * Returns whether the file at @path serves one kind of device. Code inside its calls is the device's, also where the
 * host executes it.
 */
bool offload_is_plugin(const char *path);

/* Returns whether the file at @path is the plugin whose devices are the host's processor: its calls run code of
 * devices. */
bool offload_is_host_plugin(const char *path);

/* Returns whether the host plugin's function @name runs code of a device. */
bool offload_runs_region(const char *name);

/* Returns whether the plugin's function @name copies from the host to its device, or within it. */
bool offload_copies_to_device(const char *name);

/* Work of a plugin for the runtime. */
enum offload_activity {
	OFFLOAD_UNKNOWN,
	OFFLOAD_START,	   /* initialises a device, or loads the program's image */
	OFFLOAD_DATA,	   /* copies or fills memory */
	OFFLOAD_RUN,	   /* starts a target region and waits for its end */
	OFFLOAD_RUN_ASYNC, /* starts a target region of a target task, and returns */
};

/* Returns what the plugin's function @name does. Only names of libgomp's and LLVM's plugins are known. */
enum offload_activity offload_activity_of(const char *name);

/*
 * Returns whether the file at @path is a driver or its interface. Programs may call it, too: it serves the runtime only
 * where the runtime called it.
 */
bool offload_is_driver(const char *path);

/* Returns whether the process has a file of the runtime that serves devices. */
bool offload_is_present(struct target *t);

/* Returns whether the code at @pc belongs to a file that serves devices, of the runtime or a driver. */
bool offload_has_code(struct target *t, uint64_t pc);

#endif
