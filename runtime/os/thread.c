/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Operating-system threads: start, detached, and thread id. */
#include "os/thread.h"

#include <limits.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

int os_thread_start(void *(*entry)(void *), void *arg, size_t stack_size, const void *cpus, size_t cpus_size,
		    pthread_t *id_ret)
{
	pthread_attr_t attr;
	int rc;

	rc = pthread_attr_init(&attr);
	if (rc)
		return rc;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (stack_size)
		rc = pthread_attr_setstacksize(&attr, stack_size < (size_t)PTHREAD_STACK_MIN ? (size_t)PTHREAD_STACK_MIN
											     : stack_size);
	if (!rc && cpus)
		rc = pthread_attr_setaffinity_np(&attr, cpus_size, cpus);
	if (!rc)
		rc = pthread_create(id_ret, &attr, entry, arg);
	pthread_attr_destroy(&attr);
	return rc;
}

pid_t os_thread_id(void)
{
	return (pid_t)syscall(SYS_gettid);
}
