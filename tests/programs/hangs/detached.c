/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A detached task is executed, but its event is never fulfilled. */
#include "hang.h"

static omp_event_handle_t handle;

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		omp_event_handle_t event;

#pragma omp task detach(event)
		handle = event;
#pragma omp taskwait /* HERE */
	}
	return 0;
}
