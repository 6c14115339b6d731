/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Registers a program's functions and variables for the stand-in plugin (offload_plugin.c), as gcc's objects do. */
#ifndef OMPDD_TESTS_OFFLOAD_REGISTER_H
#define OMPDD_TESTS_OFFLOAD_REGISTER_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define TYPE_NVPTX 5

void GOMP_offload_register_ver(unsigned version, const void *host_table, int target, const void *data);

/*
 * gcc's start files set these marks around the addresses of the functions and variables for devices. A gcc that was
 * built without devices has no such files: the program has no functions for devices then.
 */
extern void *__offload_func_table[] __attribute__((weak)), *__offload_funcs_end[] __attribute__((weak));
extern void *__offload_var_table[] __attribute__((weak)), *__offload_vars_end[] __attribute__((weak));

/* The image's data: the number of entries, then the address and size of each; a function has size 1. */
static inline void register_functions(void)
{
	static void *table[4];
	size_t n = (size_t)(__offload_funcs_end - __offload_func_table);
	size_t n_variables = (size_t)(__offload_vars_end - __offload_var_table) / 2;
	uintptr_t *data = malloc((1 + 2 * (n + n_variables)) * sizeof(*data)), *at = data;

	table[0] = __offload_func_table;
	table[1] = __offload_funcs_end;
	table[2] = __offload_var_table;
	table[3] = __offload_vars_end;
	*at++ = n + n_variables;
	for (size_t i = 0; i < n; i++) {
		*at++ = (uintptr_t)__offload_func_table[i];
		*at++ = 1;
	}
	for (size_t i = 0; i < 2 * n_variables; i++)
		*at++ = (uintptr_t)__offload_var_table[i];
	GOMP_offload_register_ver(1 << 16 | 1, table, TYPE_NVPTX, data);
}

#endif
