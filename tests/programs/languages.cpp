// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// languages_cpp: the nest of 2 and 2 or 3 threads in C++, opened from a lambda and a template, one thread in an explicit task.
#include <omp.h>

#include <functional>

#include "oracle.h"

template <typename F> static void in_team(int size, F &&body)
{
#pragma omp parallel num_threads(size)
	body(omp_get_thread_num());
}

int main()
{
	omp_set_nested(1); /* libgomp before gcc 11 needs this, too */
	omp_set_max_active_levels(2);
	park_begin(5);
	std::function<void(int)> inner = [](int num) {
		if (num == 0) {
#pragma omp task if (0)
			oracle_park();
		}
		oracle_park();
	};
	in_team(2, [&](int num) { in_team(2 + num, inner); });
}
