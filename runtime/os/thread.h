/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Operating-system threads. */
#ifndef OMPDD_RUNTIME_OS_THREAD_H
#define OMPDD_RUNTIME_OS_THREAD_H

#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Starts a detached thread with @stack_size bytes of stack (0: the system's default). It is bound to the CPUs of @cpus
 * (a cpu_set_t of @cpus_size bytes; NULL: as its creator). It inherits its creator's signal mask. Returns 0 or an
 * errno value.
 */
int os_thread_start(void *(*entry)(void *), void *arg, size_t stack_size, const void *cpus, size_t cpus_size,
		    pthread_t *id_ret);

/* The kernel's id of the calling thread. */
pid_t os_thread_id(void);

#endif
