/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The name of a handle in the protocol: "t1:e14:par:3" is "<target>:e<epoch>:<kind>:<number>". A runtime that is not
 * the first one of the process adds its index: "t1:e14:r1:par:3".
 */
#ifndef OMPDD_OPENMP_HANDLE_NAME_H
#define OMPDD_OPENMP_HANDLE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "t999999999:e" + 19 digits + ":r99:task:" + 10 digits + NUL. */
#define HANDLE_NAME_SIZE 64
/* The indexes of runtimes are below this. */
#define HANDLE_MAX_RUNTIMES 100

enum handle_kind { HANDLE_ASPACE, HANDLE_THREAD, HANDLE_PARALLEL, HANDLE_TASK };
#define HANDLE_KINDS 4

struct handle_name {
	uint64_t epoch;
	unsigned runtime; /* below HANDLE_MAX_RUNTIMES */
	enum handle_kind kind;
	uint64_t number; /* as sent by the client; 0 is never a valid number */
};

/* Writes the name of (@epoch, @runtime, @kind, @number) into @ret. Returns its length. */
size_t handle_name_write(const char *target_id, uint64_t epoch, unsigned runtime, enum handle_kind kind,
			 uint32_t number, char ret[HANDLE_NAME_SIZE]);

/* Parses @text. Returns false if it is not such a name. The caller checks the target and whether the handle exists. */
bool handle_name_parse(const char *text, struct handle_name *ret);

/* Returns the name of @kind, such as "par": a literal. */
const char *handle_kind_name(enum handle_kind kind);

#endif
