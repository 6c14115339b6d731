/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* strange_user: runs on strange_gomp's libgomp.so.1. */
#include "park.h"

int main(void)
{
	park_begin(1);
#pragma omp parallel
	{
		park_say("{\"tid\":%d,\"by\":\"pause\"}", park_tid());
		park();
	}
}
