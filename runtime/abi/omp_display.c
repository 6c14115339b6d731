/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* omp_display_env() (OpenMP 5.2, 18.15). */
#include "abi/omp_abi.h"
#include "core/env.h"

ABI void omp_display_env(int verbose)
{
	env_display(verbose != 0);
}
FORTRAN_SET_LOGICAL(omp_display_env)
