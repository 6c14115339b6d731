/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The environment variables of OpenMP 5.2 (21) and gcc's GOMP_*, read once, when the library is loaded. */
#ifndef OMPDD_RUNTIME_CORE_ICV_ENV_H
#define OMPDD_RUNTIME_CORE_ICV_ENV_H

/*
 * Fills icv_process. A bad value causes one warning in libgomp's words, and the default stays. Called first by the
 * library's constructor (abi/library.c).
 */
void env_read(void);

#endif
