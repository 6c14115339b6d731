/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OMP_DISPLAY_ENV and omp_display_env(). */
#ifndef OMPDD_RUNTIME_CORE_ICV_ENV_DISPLAY_H
#define OMPDD_RUNTIME_CORE_ICV_ENV_DISPLAY_H

/* OMP_DISPLAY_ENV and omp_display_env(): prints all variables on stderr in libgomp's form. */
void env_display(int verbose);

#endif
