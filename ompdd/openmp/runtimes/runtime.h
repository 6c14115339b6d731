/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which OpenMP runtime a process has mapped: kind, file, version, build id. Called by openmp/model/model
 * when a target is attached; shown as `runtime` in results.
 */
#ifndef OMPDD_OPENMP_RUNTIME_H
#define OMPDD_OPENMP_RUNTIME_H

#include <stdint.h>

#include "base/error.h"

enum runtime_kind {
	RUNTIME_LIBGOMP, /* GNU's, dynamic or linked into the executable */
	RUNTIME_LIBOMP,  /* LLVM's or Intel's */
	RUNTIME_OMPRT,   /* ours, in libgomp's place */
	RUNTIME_OTHER,   /* unknown, but it names an OMPD library */
};

struct runtime {
	enum runtime_kind kind;
	char *path;        /* of the module; owned */
	char version[32];  /* "12"; "" when not known */
	char build_id[41]; /* "" when the file has none */
	uint64_t start;    /* address range of the module */
	uint64_t end;
	bool is_executable; /* linked statically: the module is the program itself */
};

struct target;

/* Look through the modules of @t. ERR_NO_OPENMP_RUNTIME, or those of reading it. */
MUST_USE struct error *runtime_find(struct target *t, struct runtime *ret);
void runtime_deinit(struct runtime *r);

/*
 * Why LLVM's runtime @r shows none of the symbols that its OMPD library asks for: ERR_RUNTIME_STRIPPED, or ERR_PLUGIN_NOT_FOUND when it was
 * built without OMPD; NULL when it has them, or is another runtime.
 */
MUST_USE struct error *runtime_check_symbols(struct target *t, const struct runtime *r);

/* "libgomp", "libomp", "omprt", "unknown"; literals. */
const char *runtime_kind_name(enum runtime_kind kind);

#endif
