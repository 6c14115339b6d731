/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A locking function calls itself, in a program that has locked and
 * unlocked before. The called function might unlock, but has not.
 */
#include "hang.h"

static omp_lock_t mine;
static volatile int depth;

__attribute__((noinline)) static void visit(int n)
{
	omp_set_lock(&mine); /* HERE */
	if (n) {
		visit(n - 1);
		depth++;
	}
	omp_unset_lock(&mine);
}

int main(void)
{
	omp_init_lock(&mine);
	visit(0);
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 1)
			visit(1);
	}
	return 0;
}
