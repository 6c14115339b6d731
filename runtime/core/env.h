/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The environment variables of OpenMP 5.2 (21) and gcc's GOMP_*: read once, when the library is loaded. */
#ifndef OMPDD_RUNTIME_CORE_ENV_H
#define OMPDD_RUNTIME_CORE_ENV_H

/*
 * Fill icv_process. A bad value gets one warning in libgomp's words and the default. Called by the library's
 * constructor (core/root.c) before anything else.
 */
void env_read(void);
/* OMP_DISPLAY_ENV, omp_display_env(): print all to stderr in libgomp's form. */
void env_display(int verbose);

#endif
