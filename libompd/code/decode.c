/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Select the processor whose instructions are decoded. */
#include "code/decode.h"

#if defined(__x86_64__)
#define HOST decode_x86_64
#elif defined(__aarch64__)
#define HOST decode_aarch64
#else
#error "libompd knows x86-64 and aarch64: libompd/code/decode.h says what another processor needs"
#endif

static const struct decode_arch *const known[] = {&decode_x86_64, &decode_aarch64};

const struct decode_arch *decode_arch = &HOST;

bool decode_use(uint16_t machine)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (known[i]->elf_machine != machine)
			continue;
		decode_arch = known[i];
		return true;
	}
	return false;
}

bool decode_next(const uint8_t *code, size_t size, ompd_addr_t address, struct decode *ret)
{
	return decode_arch->next(code, size, address, ret);
}

size_t decode_find_use(const uint8_t *code, size_t size, ompd_addr_t address, ompd_addr_t target)
{
	return decode_arch->find_use(code, size, address, target);
}

bool decode_is_tcb(const uint8_t tcb[DECODE_TCB_SIZE], ompd_addr_t thread_pointer)
{
	return decode_arch->is_tcb(tcb, thread_pointer);
}

bool decode_is_tls_offset(int64_t offset)
{
	return decode_arch->is_tls_offset(offset);
}
