/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Device memory routines (OpenMP 5.2, 18.8). The only device is the host. */
#include "abi/omp_abi.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "abi/omp_newer.h"
#include "core/team/target.h"

ABI void *omp_target_alloc(size_t size, int device)
{
	abi_is_used();
	return target_device_is_host(device) ? malloc(size) : NULL;
}

ABI void omp_target_free(void *memory, int device)
{
	abi_is_used();
	/* A device that does not exist has allocated nothing. */
	if (target_device_is_there(device))
		free(memory);
}

ABI int omp_target_is_present(const void *memory, int device)
{
	abi_is_used();
	return memory && target_device_is_host(device);
}

ABI int omp_target_memcpy(void *to, const void *from, size_t size, size_t to_offset, size_t from_offset, int to_device,
			  int from_device)
{
	abi_is_used();
	if (!target_device_is_host(to_device) || !target_device_is_host(from_device))
		return EINVAL;
	if (!size)
		return 0;
	if (!to || !from)
		return EINVAL;
	memcpy((char *)to + to_offset, (const char *)from + from_offset, size);
	return 0;
}

/* Copies one dimension of the rectangle after the other. @element: bytes per step in the last dimension. */
static int copy_rect(char *to, const char *from, size_t element, int n_dims, const size_t *volume,
		     const size_t *to_offsets, const size_t *from_offsets, const size_t *to_dims,
		     const size_t *from_dims)
{
	size_t to_slice = element, from_slice = element, to_at, from_at, size;

	if (n_dims == 1) {
		if (__builtin_mul_overflow(element, volume[0], &size) ||
		    __builtin_mul_overflow(element, to_offsets[0], &to_at) ||
		    __builtin_mul_overflow(element, from_offsets[0], &from_at))
			return EINVAL;
		memcpy(to + to_at, from + from_at, size);
		return 0;
	}
	for (int i = 1; i < n_dims; i++) {
		if (__builtin_mul_overflow(to_slice, to_dims[i], &to_slice) ||
		    __builtin_mul_overflow(from_slice, from_dims[i], &from_slice))
			return EINVAL;
	}
	if (__builtin_mul_overflow(to_slice, to_offsets[0], &to_at) ||
	    __builtin_mul_overflow(from_slice, from_offsets[0], &from_at))
		return EINVAL;
	to += to_at;
	from += from_at;
	for (size_t i = 0; i < volume[0]; i++, to += to_slice, from += from_slice) {
		int rc = copy_rect(to, from, element, n_dims - 1, volume + 1, to_offsets + 1, from_offsets + 1,
				   to_dims + 1, from_dims + 1);
		if (rc)
			return rc;
	}
	return 0;
}

ABI int omp_target_memcpy_rect(void *to, const void *from, size_t element, int n_dims, const size_t *volume,
			       const size_t *to_offsets, const size_t *from_offsets, const size_t *to_dims,
			       const size_t *from_dims, int to_device, int from_device)
{
	abi_is_used();
	/* Two null pointers ask for the greatest number of dimensions. */
	if (!to && !from)
		return INT_MAX;
	if (!target_device_is_host(to_device) || !target_device_is_host(from_device) || n_dims < 1 || !to || !from)
		return EINVAL;
	return copy_rect(to, from, element, n_dims, volume, to_offsets, from_offsets, to_dims, from_dims);
}

ABI void *omp_target_memset(void *memory, int value, size_t size, int device)
{
	abi_is_used();
	/* Without that device, the memory is the host's. */
	target_device_is_host(device);
	if (size)
		memset(memory, value, size);
	return memory;
}

/* Host and device addresses are the same. */
ABI void *omp_get_mapped_ptr(const void *memory, int device)
{
	abi_is_used();
	return memory && target_device_is_host(device) ? (void *)(uintptr_t)memory : NULL;
}

ABI int omp_target_is_accessible(const void *memory, size_t size, int device)
{
	abi_is_used();
	return memory && size && target_device_is_host(device);
}

ABI int omp_target_associate_ptr(const void *host, const void *memory, size_t size, size_t offset, int device)
{
	abi_is_used();
	(void)host;
	(void)memory;
	(void)size;
	(void)offset;
	target_device_is_host(device);
	return EINVAL;
}

ABI int omp_target_disassociate_ptr(const void *memory, int device)
{
	abi_is_used();
	(void)memory;
	target_device_is_host(device);
	return EINVAL;
}
