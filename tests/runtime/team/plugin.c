/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The library of dlopens.c. */
int plugin(int n);
int plugin(int n)
{
	int sum = 0;

#pragma omp parallel num_threads(n) reduction(+ : sum)
	sum++;
	return sum;
}
