/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A table of system calls by their numbers on each processor. */
#include "target/arch/syscalls.h"

#include <stddef.h>

#include "target/arch/arch.h"

static const struct {
	long here, x86_64, aarch64;
	const char *name;
} calls[] = {
#define CALL(name, x86_64, aarch64) {SYS_##name, x86_64, aarch64, #name},
#include "target/arch/syscalls.def"
#undef CALL
};
#define N_CALLS (sizeof(calls) / sizeof(calls[0]))

const char *syscall_name(long number)
{
	for (size_t i = 0; i < N_CALLS; i++) {
		if (calls[i].here == number)
			return calls[i].name;
	}
	return NULL;
}

long syscall_here(const struct arch *of, long number)
{
	if (of == arch_host.arch || number < 0)
		return number;
	for (size_t i = 0; i < N_CALLS; i++) {
		if ((of == &arch_x86_64 ? calls[i].x86_64 : calls[i].aarch64) == number)
			return calls[i].here;
	}
	return SYSCALL_UNKNOWN;
}
