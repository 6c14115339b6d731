/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The name of a handle on the wire: "t1:e14:par:3", which is "<target>:e<epoch>:<kind>:<number>"; of a runtime that is
 * not the process's first one "t1:e14:r1:par:3", with its index.
 */
#ifndef OMPDD_OPENMP_HANDLE_NAME_H
#define OMPDD_OPENMP_HANDLE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "t999999999:e" + 19 digits + ":r99:task:" + 10 digits + NUL. */
#define HANDLE_NAME_SIZE 64
/* Indexes of runtimes are below that. */
#define HANDLE_MAX_RUNTIMES 100

enum handle_kind { HANDLE_ASPACE, HANDLE_THREAD, HANDLE_PARALLEL, HANDLE_TASK };
#define HANDLE_KINDS 4

struct handle_name {
	uint64_t epoch;
	unsigned runtime; /* below HANDLE_MAX_RUNTIMES */
	enum handle_kind kind;
	uint64_t number; /* whatever the client has sent; 0 is no handle's */
};

/* Write the name of (@epoch, @runtime, @kind, @number) into @ret; its length. */
size_t handle_name_write(const char *target_id, uint64_t epoch, unsigned runtime, enum handle_kind kind,
			 uint32_t number, char ret[HANDLE_NAME_SIZE]);

/* False for what is no such name; whose target it is and whether it was given to anybody, the caller must look up. */
bool handle_name_parse(const char *text, struct handle_name *ret);

/* "par"; a literal. */
const char *handle_kind_name(enum handle_kind kind);

#endif
