/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The list of threads. */
#include "core/sync/thread_list.h"

#include "core/state/lock_word.h"
#include "core/state/root.h"
#include "core/sync/lock.h"
#include "omp-tools.h"

static struct lock list_lock;

void thread_list_lock(void)
{
	lock_acquire(&list_lock, ompt_state_overhead);
}

void thread_list_unlock(void)
{
	lock_release(&list_lock);
}

void thread_list_add(struct thread *t)
{
	thread_list_lock();
	t->prev = NULL;
	t->next = runtime_root.threads;
	if (t->next)
		t->next->prev = t;
	__atomic_store_n(&runtime_root.threads, t, __ATOMIC_RELEASE);
	t->serial = ++runtime_root.n_ever;
	t->lock_word = THREAD_LOCK_WORD(t->serial);
	__atomic_store_n(&runtime_root.n_threads, runtime_root.n_threads + 1, __ATOMIC_RELAXED);
	thread_list_unlock();
}

void thread_list_remove(struct thread *t)
{
	thread_list_lock();
	if (t->next)
		t->next->prev = t->prev;
	/* One store: a reader finds the thread or not, and all others in either case. */
	__atomic_store_n(t->prev ? &t->prev->next : &runtime_root.threads, t->next, __ATOMIC_RELEASE);
	__atomic_store_n(&runtime_root.n_threads, runtime_root.n_threads - 1, __ATOMIC_RELAXED);
	thread_list_unlock();
}

void thread_list_keep_only(struct thread *t)
{
	runtime_root.threads = t->serial ? t : NULL;
	runtime_root.n_threads = t->serial ? 1 : 0;
	t->next = t->prev = NULL;
}
