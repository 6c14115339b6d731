/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * offload_maps: maps objects on both devices of the stand-in plugin (offload_plugin.c) and prints what omp_target_*()
 * says about them, one JSON object. Then it sleeps. With an argument it maps and unmaps for ever.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "offload_register.h"
#include "park.h"

#define N 64

#pragma omp declare target
int shared_table[N];
#pragma omp end declare target

static int a[N], b[N], c[N], unmapped[N];
static int *grid;

static void run_kernel(int device)
{
#pragma omp target map(tofrom : a) device(device) /* kernel */
	a[0] += shared_table[0] + 1;
}

/* Print host address, size and whether each device has the object. */
static void print_object(const char *name, const void *at, size_t size, const char *end)
{
	printf("{\"name\":\"%s\",\"host\":\"0x%lx\",\"size\":%zu,\"present\":[%s,%s]}%s", name, (unsigned long)at, size,
	       omp_target_is_present((void *)at, 0) ? "true" : "false",
	       omp_target_is_present((void *)at, 1) ? "true" : "false", end);
}

int main(int argc, char **argv)
{
	int local[100] = {0}, varying[argc * 10];
	int *volatile heap = malloc(sizeof(a));
	void *own;

	(void)argv;
	grid = malloc(sizeof(b));
	register_functions();
	run_kernel(0);
	omp_set_default_device(1);
	own = omp_target_alloc(sizeof(c), 1);
	omp_target_associate_ptr(c, own, sizeof(c), 0, 1);
#pragma omp target enter data map(to : a) device(0)
#pragma omp target enter data map(to : a) device(0)
#pragma omp target enter data map(to : b[8 : 16]) device(0)
#pragma omp target enter data map(to : local, varying[0 : argc * 10]) device(1)
	/* A map clause would attach the pointers, which libgomp 10 refuses. */
	omp_target_associate_ptr(heap, omp_target_alloc(sizeof(a), 1), sizeof(a), 0, 1);
	omp_target_associate_ptr(grid, omp_target_alloc(sizeof(b), 1), sizeof(b), 0, 1);
	park_begin(1);
	printf("{\"tid\":%d,\"by\":\"%s\",\"devices\":%d,\"default\":%d,\"initial\":%d,\"own\":\"0x%lx\",\"objects\":[",
	       park_tid(), argc > 1 ? "run" : "pause", omp_get_num_devices(), omp_get_default_device(), omp_get_initial_device(), (unsigned long)own);
	print_object("a", a, sizeof(a), ",");
	print_object("b+0x20", &b[8], 16 * sizeof(*b), ",");
	print_object("c", c, sizeof(c), ",");
	print_object("local", local, sizeof(local), ",");
	print_object("varying", varying, sizeof(varying), ",");
	print_object("heap", heap, sizeof(a), ",");
	print_object("grid", grid, sizeof(b), ",");
	print_object("shared_table", shared_table, sizeof(shared_table), ",");
	print_object("unmapped", unmapped, sizeof(unmapped), "");
	printf("]}\n");
	fflush(stdout);
	while (argc > 1) {
#pragma omp target data map(tofrom : c, local) device(0)
		run_kernel(0);
	}
	park();
}
