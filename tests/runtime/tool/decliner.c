/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library with a tool that looks at the runtime and does not want to be used. */
#include <omp-tools.h>
#include <stddef.h>

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
	(void)version, (void)runtime;
	return NULL;
}
