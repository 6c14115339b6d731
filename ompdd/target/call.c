/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The few forms of call and PLT entry that compilers and linkers for x86-64 write. */
#include "target/call.h"

#include <string.h>

#include "target/target_ops.h"

#define CALL_LEN 5 /* e8 rel32 */
#define CALL_INDIRECT_LEN 6 /* ff 15 disp32: call *disp32(%rip) */
#define PLT_ENTRY 16

static uint64_t relative(uint64_t next, const unsigned char *disp)
{
	int32_t value;

	memcpy(&value, disp, sizeof(value));
	return next + (uint64_t)(int64_t)value;
}

/* If @addr is an entry of a procedure linkage table, where it jumps to. */
static uint64_t through_plt(struct target *t, uint64_t addr)
{
	static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	unsigned char code[PLT_ENTRY];
	uint64_t to;
	size_t at = 0;

	if (!target_try_read_raw(t, addr, code, sizeof(code)))
		return addr;
	if (!memcmp(code, endbr64, sizeof(endbr64)))
		at = sizeof(endbr64);
	if (code[at] == 0xf2) /* bnd */
		at++;
	/* jmp *disp32(%rip) */
	if (code[at] != 0xff || code[at + 1] != 0x25 ||
	    !target_try_read_raw(t, relative(addr + at + 6, code + at + 2), &to, sizeof(to)))
		return addr;
	return to;
}

bool call_target(struct target *t, uint64_t return_address, uint64_t *ret)
{
	unsigned char code[CALL_INDIRECT_LEN];

	if (return_address < sizeof(code) ||
	    !target_try_read_raw(t, return_address - sizeof(code), code, sizeof(code)))
		return false;
	if (code[0] == 0xff && code[1] == 0x15)
		return target_try_read_raw(t, relative(return_address, code + 2), ret, sizeof(*ret));
	if (code[CALL_INDIRECT_LEN - CALL_LEN] != 0xe8)
		return false;
	*ret = through_plt(t, relative(return_address, code + CALL_INDIRECT_LEN - CALL_LEN + 1));
	return true;
}
