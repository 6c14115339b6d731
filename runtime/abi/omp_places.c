/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Routines about places (OpenMP 5.2, 18.3.1 to 18.3.6). */
#include "abi/omp_abi.h"
#include "core/places.h"

ABI omp_proc_bind_t omp_get_proc_bind(void)
{
	return (omp_proc_bind_t)icv_read()->bind;
}
FORTRAN_ALIAS(omp_get_proc_bind);

ABI int omp_get_num_places(void)
{
	abi_is_used();
	return (int)places.n;
}
FORTRAN_ALIAS(omp_get_num_places);

static const cpu_set_t *get_place(int64_t number)
{
	return number >= 0 && number < (int64_t)places.n ? place_list_get(&places, (uint32_t)number) : NULL;
}

ABI int omp_get_place_num_procs(int number)
{
	const cpu_set_t *set = get_place(number);

	abi_is_used();
	return set ? CPU_COUNT_S(places.set_size, set) : 0;
}
FORTRAN_GET_INT(omp_get_place_num_procs)

/* Returns the next CPU of @set from @cpu on; -1: none. */
static int find_cpu(const cpu_set_t *set, int cpu)
{
	for (; (size_t)cpu < places.set_size * 8; cpu++) {
		if (CPU_ISSET_S((size_t)cpu, places.set_size, set))
			return cpu;
	}
	return -1;
}

ABI void omp_get_place_proc_ids(int number, int *ids)
{
	const cpu_set_t *set = get_place(number);

	abi_is_used();
	for (int cpu = set ? find_cpu(set, 0) : -1; cpu >= 0; cpu = find_cpu(set, cpu + 1))
		*ids++ = cpu;
}

void omp_get_place_proc_ids_(const int32_t *number, int32_t *ids);
void omp_get_place_proc_ids_8_(const int64_t *number, int64_t *ids);

ABI void omp_get_place_proc_ids_(const int32_t *number, int32_t *ids)
{
	omp_get_place_proc_ids(*number, ids);
}

ABI void omp_get_place_proc_ids_8_(const int64_t *number, int64_t *ids)
{
	const cpu_set_t *set = get_place(*number);

	for (int cpu = set ? find_cpu(set, 0) : -1; cpu >= 0; cpu = find_cpu(set, cpu + 1))
		*ids++ = cpu;
}

/* Returns the calling thread, after it was bound to its place if it has to be. */
static const struct thread *get_bound_thread(void)
{
	struct thread *t = thread_self();

	places_bind_root(t);
	return t;
}

ABI int omp_get_place_num(void)
{
	return places.n ? get_bound_thread()->place - 1 : -1;
}
FORTRAN_ALIAS(omp_get_place_num);

ABI int omp_get_partition_num_places(void)
{
	return places.n ? (int)get_bound_thread()->place_len : 0;
}
FORTRAN_ALIAS(omp_get_partition_num_places);

ABI void omp_get_partition_place_nums(int *numbers)
{
	const struct thread *t;

	if (!places.n)
		return;
	t = get_bound_thread();
	for (uint32_t i = 0; i < t->place_len; i++)
		numbers[i] = (int)(t->place_first + i);
}

void omp_get_partition_place_nums_(int32_t *numbers);
void omp_get_partition_place_nums_8_(int64_t *numbers);

ABI void omp_get_partition_place_nums_(int32_t *numbers)
{
	omp_get_partition_place_nums(numbers);
}

ABI void omp_get_partition_place_nums_8_(int64_t *numbers)
{
	const struct thread *t;

	if (!places.n)
		return;
	t = get_bound_thread();
	for (uint32_t i = 0; i < t->place_len; i++)
		numbers[i] = (int64_t)(t->place_first + i);
}
