/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The known processors, and the target's. */
#include "target/arch/arch.h"

#include <elf.h>

#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258
#endif

#if defined(__x86_64__)
#define HOST arch_x86_64
#elif defined(__aarch64__)
#define HOST arch_aarch64
#else
#error "ompdd knows x86-64 and aarch64: target/arch/arch.h says what another processor needs"
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

const char *arch_machine_name(uint16_t machine)
{
	static const struct {
		uint16_t machine;
		const char *name;
	} others[] = {
		{EM_386, "i386"}, {EM_ARM, "arm"},     {EM_S390, "s390"},	    {EM_PPC64, "ppc64"},
		{EM_PPC, "ppc"},  {EM_RISCV, "riscv"}, {EM_LOONGARCH, "loongarch"}, {EM_SPARCV9, "sparc64"},
	};
	const struct arch *one = arch_by_machine(machine);

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (others[i].machine == machine)
			return others[i].name;
	}
	return one ? one->name : "another processor";
}

const char *arch_missing(uint16_t machine, bool is_64_bits, bool is_big_endian)
{
	if (!is_64_bits)
		return "ompdd reads no structures of 32-bit programs, neither glibc's nor an OpenMP runtime's";
	if (is_big_endian)
		return "ompdd reads no big-endian memory";
	if (!arch_by_machine(machine))
		return "ompdd has tables of registers, threads and instructions for x86-64 and aarch64 only";
	return "";
}
