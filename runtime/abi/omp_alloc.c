/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory management routines (OpenMP 5.2, 18.13). */
#include <stdlib.h>

#include "abi/omp_abi.h"
#include "core/alloc.h"

#define ALIGNMENT_DEFAULT sizeof(void *)

/* One trait into @a. False: there is no such trait, or it has no such value. */
static bool set_trait(struct allocator *a, const omp_alloctrait_t *trait)
{
	uintptr_t value = trait->value;
	bool by_default = value == (uintptr_t)omp_atv_default;

	switch (trait->key) {
	case omp_atk_sync_hint:
		/* All can be used by any thread at any time. */
		return by_default || (value >= omp_atv_contended && value <= omp_atv_private);
	case omp_atk_alignment:
		if (by_default)
			a->alignment = ALIGNMENT_DEFAULT;
		else if (!value || (value & (value - 1)))
			return false;
		else
			a->alignment = value;
		return true;
	case omp_atk_access:
		return by_default || (value >= omp_atv_all && value <= omp_atv_cgroup);
	case omp_atk_pool_size:
		a->pool_size = by_default ? SIZE_MAX : value;
		return true;
	case omp_atk_fallback:
		if (by_default)
			value = omp_atv_default_mem_fb;
		if (value < omp_atv_default_mem_fb || value > omp_atv_allocator_fb)
			return false;
		a->fallback = (enum alloc_fallback)(value - omp_atv_default_mem_fb);
		return true;
	case omp_atk_fb_data:
		a->fallback_allocator = value;
		return true;
	case omp_atk_pinned:
		if (!by_default && value > omp_atv_true)
			return false;
		a->pinned = value == omp_atv_true;
		return true;
	case omp_atk_partition:
		return by_default || (value >= omp_atv_environment && value <= omp_atv_interleaved);
	default:
		return false;
	}
}

/* A handle, or omp_null_allocator: an unknown trait, or a memory space that this machine has not (high bandwidth). */
ABI omp_allocator_handle_t omp_init_allocator(omp_memspace_handle_t space, int n_traits,
					      const omp_alloctrait_t traits[])
{
	struct allocator a = {.alignment = ALIGNMENT_DEFAULT, .pool_size = SIZE_MAX}, *result;

	abi_is_used();
	if (space > omp_low_lat_mem_space || space == omp_high_bw_mem_space)
		return omp_null_allocator;
	for (int i = 0; i < n_traits; i++) {
		if (!set_trait(&a, &traits[i]))
			return omp_null_allocator;
	}
	result = malloc(sizeof(*result));
	if (!result)
		return omp_null_allocator;
	*result = a;
	return (omp_allocator_handle_t)(uintptr_t)result;
}

ABI void omp_destroy_allocator(omp_allocator_handle_t allocator)
{
	abi_is_used();
	if (allocator > ALLOCATOR_PREDEFINED)
		free((void *)(uintptr_t)allocator);
}

ABI void omp_set_default_allocator(omp_allocator_handle_t allocator)
{
	icv_write()->def_allocator = allocator == omp_null_allocator ? ICV_DEFAULT_ALLOCATOR : allocator;
}

ABI omp_allocator_handle_t omp_get_default_allocator(void)
{
	return (omp_allocator_handle_t)icv_read()->def_allocator;
}
FORTRAN_ALIAS(omp_get_default_allocator);

static uintptr_t handle_of(omp_allocator_handle_t allocator)
{
	return allocator == omp_null_allocator ? icv_read()->def_allocator : (uintptr_t)allocator;
}

ABI void *omp_alloc(size_t size, omp_allocator_handle_t allocator)
{
	abi_is_used();
	return alloc_get(handle_of(allocator), ALIGNMENT_DEFAULT, size, false);
}

ABI void *omp_aligned_alloc(size_t alignment, size_t size, omp_allocator_handle_t allocator)
{
	abi_is_used();
	return alloc_get(handle_of(allocator), alignment, size, false);
}

ABI void *omp_calloc(size_t n, size_t size, omp_allocator_handle_t allocator)
{
	abi_is_used();
	return alloc_get(handle_of(allocator), ALIGNMENT_DEFAULT, alloc_array_size(n, size), true);
}

ABI void *omp_aligned_calloc(size_t alignment, size_t n, size_t size, omp_allocator_handle_t allocator)
{
	abi_is_used();
	return alloc_get(handle_of(allocator), alignment, alloc_array_size(n, size), true);
}

ABI void omp_free(void *memory, omp_allocator_handle_t allocator)
{
	abi_is_used();
	(void)allocator; /* the memory knows it */
	alloc_free(memory);
}

ABI void *omp_realloc(void *memory, size_t size, omp_allocator_handle_t allocator,
		      omp_allocator_handle_t free_allocator)
{
	abi_is_used();
	if (!memory)
		return omp_alloc(size, allocator);
	if (!size) {
		alloc_free(memory);
		return NULL;
	}
	return alloc_resize(memory, size, (uintptr_t)(allocator == omp_null_allocator ? free_allocator : allocator));
}

/* Fortran; the others have bind(c) there. */
uintptr_t omp_init_allocator_(const uintptr_t *space, const int32_t *n_traits, const omp_alloctrait_t *traits);
uintptr_t omp_init_allocator_8_(const uintptr_t *space, const int64_t *n_traits, const omp_alloctrait_t *traits);
void omp_destroy_allocator_(const uintptr_t *allocator);
void omp_set_default_allocator_(const uintptr_t *allocator);

ABI uintptr_t omp_init_allocator_(const uintptr_t *space, const int32_t *n_traits, const omp_alloctrait_t *traits)
{
	return (uintptr_t)omp_init_allocator((omp_memspace_handle_t)*space, *n_traits, traits);
}

ABI uintptr_t omp_init_allocator_8_(const uintptr_t *space, const int64_t *n_traits, const omp_alloctrait_t *traits)
{
	return (uintptr_t)omp_init_allocator((omp_memspace_handle_t)*space, fortran_int(*n_traits), traits);
}

ABI void omp_destroy_allocator_(const uintptr_t *allocator)
{
	omp_destroy_allocator((omp_allocator_handle_t)*allocator);
}

ABI void omp_set_default_allocator_(const uintptr_t *allocator)
{
	omp_set_default_allocator((omp_allocator_handle_t)*allocator);
}
