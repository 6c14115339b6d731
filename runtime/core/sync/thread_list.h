/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The list of all threads (runtime_root.threads), and its lock. */
#ifndef OMPDD_RUNTIME_CORE_SYNC_THREAD_LIST_H
#define OMPDD_RUNTIME_CORE_SYNC_THREAD_LIST_H

struct thread;

/* Adds or removes a thread, under the root's lock. A reader in another process sees a consistent list at any moment. */
void thread_list_add(struct thread *t);
void thread_list_remove(struct thread *t);

/* For fork(): no other thread changes the list; in the child, only @t remains. */
void thread_list_lock(void);
void thread_list_unlock(void);
void thread_list_keep_only(struct thread *t);

#endif
