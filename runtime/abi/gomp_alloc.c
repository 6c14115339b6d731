/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calls of the allocate directive and clause. They end the program when memory runs out. */
#include "abi/abi.h"
#include "core/alloc.h"
#include "core/alloc_marks.h"
#include "core/icv.h"
#include "core/task.h"
#include "os/message.h"

ABI void *GOMP_alloc(size_t alignment, size_t size, uintptr_t allocator)
{
	const struct task *task = thread_get_introduced()->task;

	if (!allocator)
		allocator = (task ? task->icv : &icv_process.initial)->def_allocator;
	void *memory = alloc_get(allocator, alignment, size, false);
	if (!memory && size)
		message_fatal("Out of memory allocating %lu bytes", (unsigned long)size);
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
