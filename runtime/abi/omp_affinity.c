/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Routines about the display of affinity (OpenMP 5.2, 18.3.7 to 18.3.10). */
#include <stdlib.h>
#include <string.h>

#include "abi/omp_abi.h"
#include "core/affinity.h"
#include "core/places.h"
#include "os/memory.h"

/* Returns the calling thread, after it was bound to its place if it has to be. */
static const struct thread *get_bound_thread(void)
{
	struct thread *t = thread_self();

	places_bind_root(t);
	return t;
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
