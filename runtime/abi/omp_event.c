/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* omp_fulfill_event, in C and Fortran. */
#include <omp.h>

#include "abi/abi.h"
#include "core/detach.h"

/* omp_lib passes the handle by value. */
void omp_fulfill_event_(omp_event_handle_t event);

ABI void omp_fulfill_event(omp_event_handle_t event)
{
	detach_fulfill((struct task *)event);
}

ABI void omp_fulfill_event_(omp_event_handle_t event)
{
	detach_fulfill((struct task *)event);
}
