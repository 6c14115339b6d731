/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// An exception leaves a function between set and unset of a lock; the next thread waits for it for ever.
#include "hang.h"
#include <stdexcept>

static omp_nest_lock_t lock;
static int thrown;

__attribute__((noinline)) static void work()
{
	omp_set_nest_lock(&lock);
	throw std::runtime_error("no");
}

int main()
{
	omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
			try {
				work();
			} catch (const std::exception &) {
				hang_come(&thrown);
			}
		} else {
			hang_await(&thrown, 1);
			omp_set_nest_lock(&lock); // HERE
			omp_unset_nest_lock(&lock);
		}
	}
	return 0;
}
