/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The environment variables that OpenMP runtimes read. */
#ifndef OMPDD_OPENMP_VARIABLES_H
#define OMPDD_OPENMP_VARIABLES_H

#include <stdbool.h>

/*
 * Return whether @name, a name or "NAME=VALUE", is a variable of some runtime. Runtimes read each other's variables:
 * libomp reads GOMP_CPU_AFFINITY.
 */
bool variable_is_of_runtime(const char *name);

#endif
