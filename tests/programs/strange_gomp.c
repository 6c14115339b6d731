/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A libgomp.so.1 without a known layout, whose accessors show nothing: it resembles a libgomp of the far future. */
int GOMP_parallel_calls;
static __thread int in_region;

__attribute__((visibility("default"))) void GOMP_parallel(void (*fn)(void *), void *data, unsigned num_threads, unsigned flags)
{
	(void)num_threads, (void)flags;
	in_region++;
	fn(data);
	in_region--;
}

#define ACCESSOR(name)                                                                                                 \
	__attribute__((visibility("default"), noinline)) int name(void)                                                \
	{                                                                                                              \
		volatile int answer = in_region * 3;                                                                   \
		for (int i = 0; i < 10; i++)                                                                           \
			answer += i;                                                                                   \
		return answer;                                                                                         \
	}
ACCESSOR(omp_get_thread_num)
ACCESSOR(omp_get_num_threads)
ACCESSOR(omp_get_level)
ACCESSOR(omp_get_active_level)
ACCESSOR(omp_get_max_threads)
ACCESSOR(omp_get_dynamic)
ACCESSOR(omp_in_final)
ACCESSOR(omp_get_thread_limit)
