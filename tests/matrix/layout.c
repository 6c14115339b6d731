/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Prints libompd's knowledge about the libgomp that this program runs on: the version, offsets in structures (`seen`:
 * proven by code, `used`: with the table's), addresses of variables from libgomp's base. check_layout.py runs it, and
 * has the correct values from debug information.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <omp.h>
#include <stdio.h>

#include "callbacks.h"
#include "gomp/gomp.h"
#include "gomp/accessors.h"
#include "self_target.h"

static uint64_t base_of(void *function)
{
	Dl_info info;

	return dladdr(function, &info) ? (uint64_t)(uintptr_t)info.dli_fbase : 0;
}

static void print_fields(const char *how, const struct gomp_layout *layout)
{
#define X(field)                                                                                   \
	if (layout->field != OFFSET_UNKNOWN)                                                            \
		printf("%s %s %" PRIu32 "\n", how, #field, layout->field);
	GOMP_FIELDS(X)
#undef X
}

int main(void)
{
	ompd_address_space_context_t *context = self_target_context();
	struct gomp *gomp = NULL;
	struct gomp seen = { 0 };
	struct gomp_layout layout;
	struct process *process;
	const char *why = NULL;

	int sum = 0;

	/* A region, so that libgomp works as in any program. */
#pragma omp parallel num_threads(2) reduction(+ : sum)
	sum += omp_get_thread_num();
	if (sum != 1)
		return 2;
	if (cb_install(self_target_callbacks()) != ompd_rc_ok)
		return 2;
	ompd_rc_t rc = gomp_accessors_read(context, &seen, &layout, &why);

	print_fields("seen", &layout);
	if (rc != ompd_rc_ok) {
		printf("failed %s\n", why);
		return 1;
	}
	if (process_create(context, &process) != ompd_rc_ok) {
		printf("failed %s\n", self_target.printed);
		return 1;
	}
	gomp = process->data;
	printf("version %d\n", gomp->version);
	print_fields("used", &gomp->layout);
	uint64_t base = base_of((void *)(uintptr_t)omp_get_level);

#define X(variable)                                                                                \
	if (gomp->variable.address)                                                                \
		printf("variable %s %" PRIu64 " %" PRIu32 "\n", #variable,                         \
		       gomp->variable.address - base, gomp->variable.width);
	GOMP_VARIABLES(X)
#undef X
	printf("said %s\n", self_target.printed);
	process_unref(process);
	return 0;
}
