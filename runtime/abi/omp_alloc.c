/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Allocators of the program: the API routines (OpenMP 5.2, 18.13), and gcc's calls for allocate and allocators. */
#include "abi/omp_abi.h"

#include "core/alloc/alloc.h"
#include "core/alloc/alloc_marks.h"
#include "core/alloc/alloc_traits.h"
#include "core/icv/icv_copy.h"
#include "core/state/icv.h"
#include "core/state/task.h"
#include "core/team/registration.h"
#include "os/memory.h"

#define SAME(ours, standard) _Static_assert((int)(ours) == (int)(standard), "the number of <omp.h>")
SAME(ALLOC_PARTITION, omp_atk_partition);
SAME(ALLOC_CONTENDED, omp_atv_contended);
SAME(ALLOC_ALL, omp_atv_all);
SAME(ALLOC_DEFAULT_MEM_FB, omp_atv_default_mem_fb);
SAME(ALLOC_ENVIRONMENT, omp_atv_environment);
SAME(ALLOC_SPACE_LAST, omp_low_lat_mem_space);

/* Returns omp_null_allocator for an unknown memory space or trait. */
ABI omp_allocator_handle_t omp_init_allocator(omp_memspace_handle_t space, int n_traits,
					      const omp_alloctrait_t traits[])
{
	struct allocator a = ALLOCATOR_INIT;

	abi_is_used();
	if ((space > ALLOC_SPACE_LAST && space != ALLOC_SPACE_MANAGED) || (n_traits > 0 && !traits))
		return omp_null_allocator;
	for (int i = 0; i < n_traits; i++) {
		if (!alloc_trait_set(&a, traits[i].key, traits[i].value))
			return omp_null_allocator;
	}
	return (omp_allocator_handle_t)alloc_create(&a);
}

ABI void omp_destroy_allocator(omp_allocator_handle_t allocator)
{
	abi_is_used();
	alloc_destroy((uintptr_t)allocator);
}

ABI void omp_set_default_allocator(omp_allocator_handle_t allocator)
{
	icv_write(thread_self())->def_allocator = allocator == omp_null_allocator ? ICV_DEFAULT_ALLOCATOR : allocator;
}

ABI omp_allocator_handle_t omp_get_default_allocator(void)
{
	return (omp_allocator_handle_t)icv_read()->def_allocator;
}
FORTRAN_ALIAS(omp_get_default_allocator);

static uintptr_t get_handle(omp_allocator_handle_t allocator)
{
	return allocator == omp_null_allocator ? icv_read()->def_allocator : (uintptr_t)allocator;
}

ABI void *omp_alloc(size_t size, omp_allocator_handle_t allocator)
{
	abi_is_used();
	return alloc_get(get_handle(allocator), ALLOC_ALIGNMENT_DEFAULT, size, false);
}

ABI void *omp_aligned_alloc(size_t alignment, size_t size, omp_allocator_handle_t allocator)
{
	abi_is_used();
	return alloc_get(get_handle(allocator), alignment, size, false);
}

ABI void *omp_calloc(size_t n, size_t size, omp_allocator_handle_t allocator)
{
	abi_is_used();
	return alloc_get(get_handle(allocator), ALLOC_ALIGNMENT_DEFAULT, alloc_array_size(n, size), true);
}

ABI void *omp_aligned_calloc(size_t alignment, size_t n, size_t size, omp_allocator_handle_t allocator)
{
	abi_is_used();
	return alloc_get(get_handle(allocator), alignment, alloc_array_size(n, size), true);
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

/* Fortran. omp_lib declares the others with bind(c). */
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

ABI void *GOMP_alloc(size_t alignment, size_t size, uintptr_t allocator)
{
	const struct task *task = thread_get_introduced()->task;

	if (!allocator)
		allocator = (task ? task->icv : &icv_process.initial)->def_allocator;
	void *memory = alloc_get(allocator, alignment, size, false);
	if (!memory && size)
		memory_report_exhausted(size);
	return memory;
}

ABI void GOMP_free(void *memory, uintptr_t allocator)
{
	(void)allocator; /* the memory knows it */
	alloc_free(memory);
}

/* gfortran's allocators directive. Its variables may be deallocated by code that does not know their allocator. */
ABI void GOMP_add_alloc(void *memory)
{
	alloc_mark(memory);
}

ABI bool GOMP_is_alloc(void *memory)
{
	return alloc_unmark(memory);
}
