/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * gcc's names end with "._omp_fn.N". clang's names contain "omp_outlined" or "omp_task_entry", those of LLVM's IR
 * builder
 * "..omp_par".
 */
#include "openmp/runtimes/body.h"

#include <stdio.h>
#include <string.h>

const char *const body_marks[] = {"_omp_fn", "omp_outlined", "omp_task_entry", "..omp_par", NULL};

static bool has_part(const char *name, const char *part)
{
	return name && strstr(name, part);
}

static bool is_clangs(const char *name)
{
	return has_part(name, "omp_outlined") || has_part(name, "omp_task_entry") || has_part(name, "..omp_par");
}

bool body_is_outlined(const char *name)
{
	return has_part(name, "_omp_fn") || body_is_copier(name) || is_clangs(name);
}

bool body_format_name(unsigned scheme, const char *function, unsigned number, char *ret, size_t size)
{
	int len;

	if (scheme == 0)
		len = snprintf(ret, size, "%s._omp_fn.%u", function, number);
	else if (number)
		len = snprintf(ret, size, "%s.omp_outlined.%u", function, number);
	else
		len = snprintf(ret, size, "%s.omp_outlined", function);
	return len >= 0 && (size_t)len < size;
}

bool body_is_copier(const char *name)
{
	return has_part(name, "_omp_cpyfn");
}

bool body_is_called_by_runtime(const char *name)
{
	const char *number = name ? strstr(name, "._omp_fn.") : NULL;

	if (number) {
		number += strlen("._omp_fn.");
		return *number && number[strspn(number, "0123456789")] == '\0';
	}
	return is_clangs(name) && !has_part(name, "debug__") && !has_part(name, ".cold") && !has_part(name, ".part");
}

bool body_is_of_target(const char *name)
{
	return name && !strncmp(name, "__omp_offloading_", strlen("__omp_offloading_"));
}

enum construct body_direct_construct(const char *name, const char *caller)
{
	const char *outlined = name ? strstr(name, "omp_outlined") : NULL;

	if (has_part(name, "omp_task_entry"))
		return CONSTRUCT_TASK;
	/* With -g clang nests two functions. The function with the task's name calls the task's own function. */
	if (!outlined || strstr(outlined, "debug__"))
		return CONSTRUCT_UNKNOWN;
	return has_part(caller, "omp_task_entry") ? CONSTRUCT_UNKNOWN : CONSTRUCT_PARALLEL;
}
