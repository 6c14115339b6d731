/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Queries the kernel, and the compiler's macros. */
#include "base/confine.h"

#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#endif
#define LANDLOCK_VERSION 1u /* LANDLOCK_CREATE_RULESET_VERSION */

bool confine_has_seccomp(void)
{
	uint32_t action = SECCOMP_RET_TRAP;

	return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

int confine_landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION);

	return abi > 0 ? (int)abi : 0;
}

bool confine_is_sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
	return true;
#else
	return false;
#endif
#else
	return false;
#endif
}
