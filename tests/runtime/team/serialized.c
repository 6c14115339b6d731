/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes to ompd_serialize in a debugger's place: the next regions of all kinds have one thread. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>

static uint64_t *word;
static int n, sum;

static void meet(int kind)
{
	n = sum = 0;
	switch (kind) {
	case 0:
#pragma omp parallel num_threads(3) reduction(+ : sum)
	{
#pragma omp masked
		n = omp_get_num_threads();
		sum += 60 / omp_get_num_threads();
	}
		break;
	case 1:
#pragma omp parallel for num_threads(3) schedule(dynamic) reduction(+ : sum)
		for (int i = 0; i < 60; i++) {
			sum++;
			if (omp_get_thread_num() == 0)
				n = omp_get_num_threads();
		}
		if (!n)
			n = 3; /* the others were quicker */
		break;
	case 2:
#pragma omp parallel num_threads(3) reduction(task, + : sum)
	{
#pragma omp masked
		n = omp_get_num_threads();
		for (int i = 0; i < 60 / omp_get_num_threads(); i++)
#pragma omp task in_reduction(+ : sum)
			sum++;
	}
		break;
	default:
#pragma omp parallel sections num_threads(3) reduction(+ : sum)
	{
#pragma omp section
		{
			n = omp_get_num_threads();
			sum += 20;
		}
#pragma omp section
		sum += 20;
#pragma omp section
		sum += 20;
	}
	}
	if (sum != 60)
		abort();
}

int main(void)
{
	word = dlsym(RTLD_DEFAULT, "ompd_serialize");
	if (!word)
		return 77;
	omp_set_dynamic(0);
	for (int i = 0; i < 400; i++) {
		meet(i % 4);
		if (n != 3)
			abort();
		*word = 1;
		meet(i % 4);
		if (n != 1 || *word)
			abort();
	}
	/* In a serialized region, the next is a region as always. */
	*word = 1;
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
		n = omp_get_num_threads();
#pragma omp parallel num_threads(2) reduction(+ : sum)
		sum += omp_get_num_threads();
	}
	return n == 1 && sum == 64 ? 0 : 1;
}
