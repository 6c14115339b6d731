/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program's region runs on libgomp, a loaded library's region on LLVM's runtime: each has threads of its own. */
#include "hang.h"
#include <dlfcn.h>

__attribute__((noinline)) static void lost(void)
{
	for (;;)
		pause(); /* HERE */
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!dlopen(argv[i], RTLD_NOW | RTLD_LOCAL))
			puts(dlerror());
	}
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 2)
			lost();
	}
	return 0;
}
