/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The object ompd_layout, which the runtime exports and libompd reads from the target, and the numbers that both use.
 * It is in .data, so that a core file contains it.
 */
#ifndef OMPDD_RUNTIME_LAYOUT_LAYOUT_H
#define OMPDD_RUNTIME_LAYOUT_LAYOUT_H

#include <stdint.h>

#define LAYOUT_MAGIC   0x31796c2d64706d6fULL /* "ompd-ly1" */
#define LAYOUT_VERSION 13

enum layout_entry_number {
#define LAYOUT_STRUCT(type)		 LAYOUT_##type,
#define LAYOUT_FIELD(type, name, member) LAYOUT_##type##_##name,
#include "layout.def"
#undef LAYOUT_STRUCT
#undef LAYOUT_FIELD
	LAYOUT_ENTRIES
};

struct layout_entry {
	uint32_t offset; /* of the member; 0 for a struct */
	uint32_t size;
};

struct layout {
	uint64_t magic;
	uint32_t version;
	uint32_t n_entries;
	uint64_t root;	       /* address of the struct root */
	uint64_t icv_process;  /* address of the struct icv_process */
	int64_t thread_offset; /* of a thread's struct thread, from its thread pointer; 0: the runtime is not set up yet
				*/
	struct layout_entry entries[LAYOUT_ENTRIES];
};

/* Values of task.kind, and bits of task.flags, as in core/state/task.h. */
enum { LAYOUT_TASK_INITIAL, LAYOUT_TASK_IMPLICIT, LAYOUT_TASK_EXPLICIT };
#define LAYOUT_TASK_FINAL      4
#define LAYOUT_TASK_UNDEFERRED 1
#define LAYOUT_TASK_STARTED    64
#define LAYOUT_FRAME_FLAGS     0x10 /* TASK_FRAME_FLAGS */
#define LAYOUT_TASK_RANGE      4096

/*
 * The first four bytes of any lock. 0: free. Otherwise the lock_word of the holder, perhaps with the first of these
 * bits. Without the second bit, or with the third, the word is not that of a lock. The second bit alone: the holder is
 * unknown.
 */
#define LAYOUT_LOCK_SLEEPERS 1u
#define LAYOUT_LOCK_UNKNOWN  0x40000000u
#define LAYOUT_LOCK_NEVER    0xa0000000u

/* Greatest values of workshare.kind, and of member.in_order, with which each thread's iterations are fixed. */
#define LAYOUT_LOOP_STATIC_CHUNKS 1
#define LAYOUT_LOOP_ORDERED	  1
#define LAYOUT_LOOP_DOACROSS	  2

/* Values of task.detach: the block has ended, the event is fulfilled. */
#define LAYOUT_DETACH_FULFILLED	  1
#define LAYOUT_DETACH_BLOCK_ENDED 2

#define LAYOUT_SLAB_SLOTS 32
#define LAYOUT_SLOT_SIZE  384

/* The slot @n of the task_slab at @slab. */
static inline uint64_t layout_slot(uint64_t slab, unsigned n)
{
	return slab + 64 + (uint64_t)n * LAYOUT_SLOT_SIZE;
}

/* The range follows a struct task of @task_size bytes, on the next cache line. */
static inline uint64_t layout_task_range(uint64_t task, uint32_t task_size)
{
	return task + (task_size + 63u) / 64 * 64;
}

#endif
