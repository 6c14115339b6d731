/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* membarrier(), registered when the library starts if the kernel has it. */
#include "os/fence.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_missing, has_worked; /* atomic */

static long call_membarrier(int command)
{
	return syscall(SYS_membarrier, command, 0, 0);
}

void fence_init(void)
{
	/* Registration is free now. With other threads it waits until each CPU was idle or switched, about 10 ms. */
	if (__libc_single_threaded)
		call_membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

bool fence_works(void)
{
	return __atomic_load_n(&has_worked, __ATOMIC_RELAXED);
}

bool fence_all(void)
{
	if (__atomic_load_n(&is_missing, __ATOMIC_RELAXED))
		return false;
	if (call_membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0)
		goto done;
	/* EPERM: this process is not registered, because it had threads in fence_init(). */
	if (errno == EPERM && call_membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0 &&
	    call_membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0)
		goto done;
	__atomic_store_n(&is_missing, true, __ATOMIC_RELAXED);
	__atomic_store_n(&has_worked, false, __ATOMIC_RELAXED); /* a seccomp filter may forbid it later */
	return false;
done:
	if (!__atomic_load_n(&has_worked, __ATOMIC_RELAXED))
		__atomic_store_n(&has_worked, true, __ATOMIC_RELAXED);
	return true;
}
