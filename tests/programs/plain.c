/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* plain: no OpenMP at all. */
#include "park.h"

int main(void)
{
	park_begin(1);
	park_say("{\"tid\":%d,\"by\":\"pause\"}", park_tid());
	park();
}
