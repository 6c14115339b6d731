/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program without OpenMP loads and unloads a library with it. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	for (int i = 0; i < 20; i++) {
		void *lib = dlopen(argv[argc - 1], RTLD_NOW);
		int (*plugin)(int);

		if (!lib) {
			puts(dlerror());
			abort();
		}
		plugin = (int (*)(int))dlsym(lib, "plugin");
		if (plugin(3) != 3 || plugin(1) != 1 || plugin(4) != 4)
			abort();
		dlclose(lib);
	}
	return 0;
}
