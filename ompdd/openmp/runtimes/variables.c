/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The prefixes by which runtimes' environment variables are known. */
#include "openmp/runtimes/variables.h"

#include <stddef.h>
#include <string.h>

bool variable_is_of_runtime(const char *name)
{
	static const char *const prefixes[] = {"OMP_", "GOMP_", "KMP_", "LIBOMP_", "LIBOMPTARGET_"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	}
	return false;
}
