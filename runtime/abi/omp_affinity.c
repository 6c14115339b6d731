/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Routines about places, and the display of affinity (OpenMP 5.2, 18.3). */
#include "abi/omp_abi.h"

#include <stdlib.h>
#include <string.h>

#include "core/affinity/affinity_format.h"
#include "core/affinity/places.h"
#include "os/memory.h"

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

ABI void omp_set_affinity_format(const char *format)
{
	abi_is_used();
	affinity_set_format(format, SIZE_MAX);
}

ABI size_t omp_get_affinity_format(char *buffer, size_t size)
{
	abi_is_used();
	return affinity_get_format(buffer, size);
}

ABI void omp_display_affinity(const char *format)
{
	affinity_display(get_bound_thread(), format);
}

ABI size_t omp_capture_affinity(char *buffer, size_t size, const char *format)
{
	return affinity_capture(get_bound_thread(), buffer, size, format);
}

/*
 * Fortran passes the lengths of strings after all other arguments. Strings are padded with blanks and not terminated.
 */
void omp_set_affinity_format_(const char *format, size_t len);
int32_t omp_get_affinity_format_(char *buffer, size_t size);
void omp_display_affinity_(const char *format, size_t len);
int32_t omp_capture_affinity_(char *buffer, const char *format, size_t size, size_t format_len);

/* The caller frees it. */
static char *copy_c_string(const char *text, size_t len)
{
	char *copy = memory_alloc(len + 1);
	memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

ABI void omp_set_affinity_format_(const char *format, size_t len)
{
	char *copy = copy_c_string(format, len);

	affinity_set_format(copy, SIZE_MAX);
	free(copy);
}

ABI int32_t omp_get_affinity_format_(char *buffer, size_t size)
{
	size_t len = icv_process.affinity_format_len;

	memcpy(buffer, icv_process.affinity_format, len < size ? len : size);
	if (len < size)
		memset(buffer + len, ' ', size - len);
	return (int32_t)len;
}

ABI void omp_display_affinity_(const char *format, size_t len)
{
	char *copy = copy_c_string(format, len);

	omp_display_affinity(copy);
	free(copy);
}

ABI int32_t omp_capture_affinity_(char *buffer, const char *format, size_t size, size_t format_len)
{
	char *copy = copy_c_string(format, format_len), *text = memory_alloc(size + 1);
	size_t len = omp_capture_affinity(text, size + 1, copy);

	memcpy(buffer, text, len < size ? len : size);
	if (len < size)
		memset(buffer + len, ' ', size - len);
	free(text);
	free(copy);
	return (int32_t)len;
}
