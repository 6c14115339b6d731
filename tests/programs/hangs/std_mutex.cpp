// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A std::mutex and an OpenMP lock, taken in opposite order by two threads; a third thread waits for the lock.
#include "hang.h"
#include <mutex>

static std::mutex journal;
static omp_lock_t table;
static int met;
volatile int work;

__attribute__((noinline)) static void journal_first()
{
	std::lock_guard<std::mutex> guard(journal);
	hang_meet(&met, 2);
	omp_set_lock(&table); // HERE
	work++;
	omp_unset_lock(&table);
}

__attribute__((noinline)) static void table_first()
{
	omp_set_lock(&table);
	hang_meet(&met, 2);
	{
		std::lock_guard<std::mutex> guard(journal); // HERE
		work++;
	}
	omp_unset_lock(&table);
}

__attribute__((noinline)) static void table_only()
{
	hang_await(&met, 2);
	omp_set_lock(&table);
	work++;
	omp_unset_lock(&table);
}

int main()
{
	omp_init_lock(&table);
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0)
			journal_first();
		else if (omp_get_thread_num() == 1)
			table_first();
		else
			table_only();
	}
	return 0;
}
