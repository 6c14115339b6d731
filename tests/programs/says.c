/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* says: prints a line on each output, and exits. No OpenMP. */
#include <stdio.h>

int main(void)
{
	puts("said");
	fputs("complained\n", stderr);
	return 0;
}
