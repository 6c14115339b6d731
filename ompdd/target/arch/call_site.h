/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A decoded call instruction. */
#ifndef OMPDD_TARGET_CALL_SITE_H
#define OMPDD_TARGET_CALL_SITE_H

#include <stdint.h>

enum call_kind {
	CALL_UNKNOWN,
	CALL_DIRECT,   /* destination in the code */
	CALL_POINTER,  /* destination in memory at an address in the code; call_read() reads it and stores
			* CALL_DIRECT */
	CALL_REGISTER, /* destination in a register */
	CALL_SLOT,     /* destination in memory at a displacement from a register */
};

struct call_site {
	enum call_kind kind;
	unsigned char reg;    /* its DWARF number; CALL_REGISTER, CALL_SLOT */
	int32_t displacement; /* CALL_SLOT */
	uint64_t address;     /* CALL_DIRECT, CALL_POINTER */
};

#endif
