/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A task waits for a task whose event is never fulfilled; taskwait waits for both. */
#include "hang.h"

int data;

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		omp_event_handle_t event;

#pragma omp task depend(out : data) detach(event)
		data = (int)(event != 0);
#pragma omp task depend(in : data)
		data++;
#pragma omp taskwait /* HERE */
	}
	return 0;
}
