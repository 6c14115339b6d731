// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// names_cpp: a team of 2 that calls functions of all kinds of names over and over.
#include <omp.h>
#include <unistd.h>

#include "oracle.h"

#define NOINLINE __attribute__((noinline, noclone))

static volatile int sum;

namespace ns {
NOINLINE static void same(int n)
{
	sum = sum + n;
}
NOINLINE static void same(const char *text)
{
	sum = sum + *text;
}
template <typename T> NOINLINE T largest(T a, T b)
{
	sum = sum + 1;
	return a < b ? b : a;
}
struct counter {
	int n;
	NOINLINE explicit counter(int first) : n(first)
	{
		sum = sum + n;
	}
	NOINLINE int operator()(int more) const
	{
		sum = sum + more;
		return n + more;
	}
};
NOINLINE void work(int round)
{
	same(round);
	same("text");
	largest(round, 2);
	largest(1.0, 2.0 * round);
	counter c(round);
	c(1);
	usleep(10000);
	sum = 0;
}
} // namespace ns

int main()
{
	park_begin(2);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1)
			oracle_park();
		oracle_say(BY_RUN, "%s", "");
		for (int round = 1;; round++)
			ns::work(round);
	}
}
