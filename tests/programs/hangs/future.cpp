/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A task waits for a promise that is never fulfilled; the other threads wait for the task.
#include "hang.h"
#include <future>

static std::promise<int> promise;

__attribute__((noinline)) static int wait_for_it()
{
	return promise.get_future().get(); // HERE
}

int main()
{
	int got = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(got)
		got = wait_for_it();
	}
	return got;
}
