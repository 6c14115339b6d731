/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The object ompd_layout: the places of the runtime's data, for libompd, which reads it from outside. */
#include "abi/ompd_layout.h"

#include <stddef.h>

#include "core/loop/doacross.h"
#include "core/state/icv.h"
#include "core/state/lock_word.h"
#include "core/state/ready.h"
#include "core/state/root.h"
#include "core/state/seat.h"
#include "core/state/task.h"
#include "core/state/team.h"
#include "core/state/thread.h"
#include "core/state/worksharing.h"
#include "core/task/depend.h"
#include "core/task/task_range.h"
#include "layout/layout.h"
#include "os/spin.h"

_Static_assert(LAYOUT_TASK_INITIAL == (int)TASK_INITIAL && LAYOUT_TASK_IMPLICIT == (int)TASK_IMPLICIT &&
		       LAYOUT_TASK_EXPLICIT == (int)TASK_EXPLICIT && LAYOUT_TASK_FINAL == TASK_FINAL &&
		       LAYOUT_TASK_UNDEFERRED == TASK_UNDEFERRED && LAYOUT_TASK_STARTED == TASK_STARTED &&
		       LAYOUT_TASK_RANGE == TASK_RANGE && CACHE_LINE == 64 &&
		       LAYOUT_FRAME_FLAGS == (int)TASK_FRAME_FLAGS && LAYOUT_LOCK_SLEEPERS == LOCK_SLEEPERS &&
		       LAYOUT_LOCK_UNKNOWN == THREAD_LOCK_UNKNOWN &&
		       LAYOUT_LOOP_STATIC_CHUNKS == (int)LOOP_STATIC_CHUNKS && LOOP_STATIC < LOOP_STATIC_CHUNKS &&
		       LAYOUT_LOOP_ORDERED == (int)LOOP_ORDERED && LAYOUT_LOOP_DOACROSS == (int)LOOP_DOACROSS &&
		       LAYOUT_DETACH_FULFILLED == (int)DETACH_FULFILLED &&
		       LAYOUT_DETACH_BLOCK_ENDED == (int)DETACH_BLOCK_ENDED &&
		       LAYOUT_SLAB_SLOTS == (int)TASK_SLAB_SLOTS && LAYOUT_SLOT_SIZE == (int)TASK_SLOT_SIZE,
	       "the debugger's numbers");

extern struct layout ompd_layout;

__attribute__((visibility("default"))) struct layout ompd_layout = {
	.magic = LAYOUT_MAGIC,
	.version = LAYOUT_VERSION,
	.n_entries = LAYOUT_ENTRIES,
	.entries =
		{
#define LAYOUT_STRUCT(type)		 {0, sizeof(struct type)},
#define LAYOUT_FIELD(type, name, member) {offsetof(struct type, member), sizeof(((struct type *)0)->member)},
#include "layout/layout.def"
#undef LAYOUT_STRUCT
#undef LAYOUT_FIELD
		},
};

void layout_init(void)
{
	ompd_layout.root = (uintptr_t)&runtime_root;
	ompd_layout.icv_process = (uintptr_t)&icv_process;
	/* Stored last: a reader that sees it sees the rest as well. */
	__atomic_store_n(&ompd_layout.thread_offset,
			 (int64_t)((intptr_t)&thread_tls - (intptr_t)__builtin_thread_pointer()), __ATOMIC_RELEASE);
}
