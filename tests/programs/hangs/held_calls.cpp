// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thread 1 holds a lock and sleeps in a function that it called indirectly, as argv[1] says; thread 0 waits for the
// lock. "released": the function that it called has released the lock and left by a jump, and the same function sleeps.
#include "hang.h"
#include <cstdlib>
#include <cstring>
#include <functional>

static omp_lock_t shared;
static int stage;
static volatile int after;

extern "C" __attribute__((noinline)) void asleep(void)
{
	hang_come(&stage);
	pause(); // HERE
	after++;
}

extern "C" int compare(const void *, const void *)
{
	asleep();
	return after;
}

// Ends with a jump in optimized code; it calls the function through memory that always contains its address.
static void (*volatile next)(void) = asleep;
extern "C" __attribute__((noinline)) void release_first(void)
{
	omp_unset_lock(&shared);
	next();
}

struct base {
	virtual void step() = 0;
	virtual ~base() {}
};

struct derived : base {
	void step() override
	{
		asleep();
		after++;
	}
};

struct table {
	int n;
	void (*function)(void);
};

__attribute__((noinline)) static void by_pointer(void (*function)(void))
{
	omp_set_lock(&shared);
	function();
	omp_unset_lock(&shared);
}

__attribute__((noinline)) static void by_table(const table *t)
{
	omp_set_lock(&shared);
	t->function();
	after += t->n;
	omp_unset_lock(&shared);
}

__attribute__((noinline)) static void by_object(base *object)
{
	omp_set_lock(&shared);
	object->step();
	after++;
	omp_unset_lock(&shared);
	object->step();
}

__attribute__((noinline)) static void by_closure(const std::function<void()> &function)
{
	omp_set_lock(&shared);
	function();
	after++;
	omp_unset_lock(&shared);
	function();
}

__attribute__((noinline)) static void by_qsort(void)
{
	int numbers[] = {3, 2, 1};

	omp_set_lock(&shared);
	qsort(numbers, 3, sizeof(int), compare);
	after += numbers[0];
	omp_unset_lock(&shared);
}

__attribute__((noinline)) static void by_bsearch(void)
{
	int numbers[] = {1, 2, 3}, key = 2;

	omp_set_lock(&shared);
	after += bsearch(&key, numbers, 3, sizeof(int), compare) != NULL;
	omp_unset_lock(&shared);
}

static void hold(const char *how)
{
	static table functions = {1, asleep};
	static derived object;

	if (!strcmp(how, "pointer"))
		by_pointer(asleep);
	else if (!strcmp(how, "released"))
		by_pointer(release_first);
	else if (!strcmp(how, "table"))
		by_table(&functions);
	else if (!strcmp(how, "virtual"))
		by_object(&object);
	else if (!strcmp(how, "closure"))
		by_closure([] { asleep(), after++; });
	else if (!strcmp(how, "qsort"))
		by_qsort();
	else if (!strcmp(how, "bsearch"))
		by_bsearch();
}

int main(int argc, char **argv)
{
	omp_init_lock(&shared);
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 1) {
			hold(argc > 1 ? argv[1] : "pointer");
		} else if (omp_get_thread_num() == 0) {
			hang_await(&stage, 1);
			if (argc > 1 && !strcmp(argv[1], "released"))
				hang_await(&stage, 2);
			omp_set_lock(&shared);
			omp_unset_lock(&shared);
		} else if (argc > 1 && !strcmp(argv[1], "released")) {
			void (*volatile set)(omp_lock_t *) = omp_set_lock;

			hang_await(&stage, 1);
			set(&shared);
			hang_come(&stage);
			pause();
			after++;
		}
	}
	return 0;
}
