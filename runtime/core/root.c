/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The list of threads, and the library's constructor. */
#include "core/root.h"

#include "core/env.h"
#include "core/fork.h"
#include "core/icv.h"
#include "core/lock.h"
#include "core/places.h"
#include "core/thread.h"
#include "core/wait.h"
#include "os/fence.h"
#include "tools/ompd.h"
#include "tools/ompt.h"
#include "tools/point.h"

struct root runtime_root = {.places = &places};

static struct lock root_lock;

void root_lock_acquire(void)
{
	lock_acquire(&root_lock, ompt_state_overhead);
}

void root_lock_release(void)
{
	lock_release(&root_lock);
}

void root_add(struct thread *t)
{
	root_lock_acquire();
	t->prev = NULL;
	t->next = runtime_root.threads;
	if (t->next)
		t->next->prev = t;
	__atomic_store_n(&runtime_root.threads, t, __ATOMIC_RELEASE);
	t->serial = ++runtime_root.n_ever;
	t->lock_word = THREAD_LOCK_WORD(t->serial);
	__atomic_store_n(&runtime_root.n_threads, runtime_root.n_threads + 1, __ATOMIC_RELAXED);
	root_lock_release();
}

void root_remove(struct thread *t)
{
	root_lock_acquire();
	if (t->next)
		t->next->prev = t->prev;
	/* One store: a reader finds the thread or not, and all others in either case. */
	__atomic_store_n(t->prev ? &t->prev->next : &runtime_root.threads, t->next, __ATOMIC_RELEASE);
	__atomic_store_n(&runtime_root.n_threads, runtime_root.n_threads - 1, __ATOMIC_RELAXED);
	root_lock_release();
}

void root_keep_only(struct thread *t)
{
	runtime_root.threads = t->serial ? t : NULL;
	runtime_root.n_threads = t->serial ? 1 : 0;
	t->next = t->prev = NULL;
}

static __attribute__((constructor)) void start_runtime(void)
{
	env_read();
	ompd_init();
	wait_init();
	fence_init();
	thread_init();
	fork_init();
	if (!ompt_is_likely())
		thread_register(thread_peek());
	point_library_loaded();
}
