// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// locks_cpp WHERE: thread 0 holds the lock that thread 1 waits for. WHERE is global, local, namespace, pool or heap.
#include <omp.h>
#include <cstring>

#include "oracle.h"

extern "C" omp_lock_t global_lock;
omp_lock_t global_lock;

namespace ns {
static omp_lock_t lock;
}

static struct {
	long before[3];
	omp_lock_t lock;
	long behind;
} pool;

static omp_lock_t *choose(const char *where)
{
	static omp_lock_t local_lock;

	if (!std::strcmp(where, "global"))
		return &global_lock;
	if (!std::strcmp(where, "local"))
		return &local_lock;
	if (!std::strcmp(where, "namespace"))
		return &ns::lock;
	return !std::strcmp(where, "pool") ? &pool.lock : new omp_lock_t;
}

int main(int argc, char **argv)
{
	omp_lock_t *lock = choose(argc > 1 ? argv[1] : "");
	int entered = 0;

	park_begin(2);
	omp_init_lock(lock);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			omp_set_lock(lock);
			__atomic_store_n(&entered, 1, __ATOMIC_RELEASE);
			oracle_park();
		}
		park_await(&entered, 1);
		oracle_say(BY_FUTEX, "\"wait_address\":\"%p\"", static_cast<void *>(lock));
		omp_set_lock(lock);
	}
	return 0;
}
