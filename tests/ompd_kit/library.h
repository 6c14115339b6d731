/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The OMPD library under test, as one child process has loaded it. */
#ifndef OMPD_KIT_LIBRARY_H
#define OMPD_KIT_LIBRARY_H

#include "omp-tools.h"

/* Load the library @path. Ends the child with a reply if it cannot be loaded. */
void library_load(const char *path);

/* Return the routine @name of 5.2, or its version of 2016. Ends the child if the library lacks it. */
void *library_routine(const char *name);
void *library_routine_2016(const char *name);

/* The routine with the type that omp-tools.h declares. */
#define RAW(name) ((__typeof__(&ompd_##name))library_routine("ompd_" #name))

/* Initialise the library for the tool, unless it is initialised. */
void library_initialize(void);

/* The same routine, in an initialised library. */
#define OMPD(name) (library_initialize(), RAW(name))

#endif
