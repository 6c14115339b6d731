/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which processors are known, and which is the target's. */
#include "target/arch.h"

#if defined(__x86_64__)
#define HOST arch_x86_64
#elif defined(__aarch64__)
#define HOST arch_aarch64
#else
#error "ompdd knows x86-64 and aarch64: target/arch.h says what another processor needs"
#endif

static const struct arch *const known[] = {&arch_x86_64, &arch_aarch64};

const struct arch *arch = &HOST;

const struct arch *arch_by_machine(uint16_t machine)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (known[i]->elf_machine == machine)
			return known[i];
	}
	return NULL;
}

void arch_use(const struct arch *other)
{
	arch = other;
}

const char *arch_names(void)
{
	return "x86-64, aarch64";
}
