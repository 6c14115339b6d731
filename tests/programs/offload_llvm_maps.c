/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * offload_llvm_maps [again]: for clang with a device whose code the host executes. It maps objects on devices 0 and 1
 * and prints what omp_*() says about them, one JSON object. Then it sleeps. With an argument it maps and unmaps for
 * ever.
 */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

#define N 64

#pragma omp declare target
int shared_table[N];
#pragma omp end declare target

int a[N], b[N], c[N], unmapped[N];

static void print_object(const char *name, void *at, const char *end)
{
	printf("{\"name\":\"%s\",\"host\":\"0x%lx\",\"present\":[%d,%d]}%s", name, (unsigned long)at,
	       omp_target_is_present(at, 0), omp_target_is_present(at, 1), end);
}

int main(int argc, char **argv)
{
	int local[N] = {0};
	void *own = omp_target_alloc(sizeof(c), 1);

	(void)argv;
	omp_target_associate_ptr(c, own, sizeof(c), 0, 1);
#pragma omp target enter data map(to : a, b[8 : 16]) device(0)
#pragma omp target enter data map(to : a) device(0)
#pragma omp target enter data map(to : local) device(1)
#pragma omp target device(1) /* the runtime prints its tables behind it */
	shared_table[0]++;
	printf("{\"devices\":%d,\"own\":\"0x%lx\",\"objects\":[", omp_get_num_devices(), (unsigned long)own);
	print_object("a", a, ",");
	print_object("b+0x20", &b[8], ",");
	print_object("c", c, ",");
	print_object("", local, ",");
	print_object("shared_table", shared_table, ",");
	print_object("unmapped", unmapped, "]}\n");
	fflush(stdout);
	while (argc > 1) {
#pragma omp target data map(tofrom : c, local) device(0)
#pragma omp target map(tofrom : unmapped) device(0)
		unmapped[0]++;
	}
	pause();
}
