/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The few forms of call and PLT entry that compilers and linkers for x86-64 write. */
#include "target/call.h"

#include <string.h>

#include "target/target_ops.h"

#define CALL_LEN 5 /* e8 rel32 */
#define CALL_INDIRECT_LEN 6 /* ff 15 disp32: call *disp32(%rip) */
#define PLT_ENTRY 16
/* The longest that is read: a load, the move of an argument, and the call. */
#define CALL_MAX_LEN 16

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

/* Calls through pointers, at the end of @code, @len bytes */

/* rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi by their DWARF numbers; r8 to r15 have their own. */
static const unsigned char dwarf_numbers[] = {0, 2, 1, 3, 7, 6, 4, 5};

/* ff /2 with a register, behind its prefix for r8 to r15 if there is one. */
static bool read_register_call(const unsigned char *code, size_t len, unsigned char *ret, size_t *len_ret)
{
	const unsigned char *end = code + len;

	if (len < 3 || end[-2] != 0xff || (end[-1] & 0xf8) != 0xd0)
		return false;
	bool is_high = end[-3] == 0x41;
	*ret = is_high ? 8 + (end[-1] & 7) : dwarf_numbers[end[-1] & 7];
	*len_ret = is_high ? 3 : 2;
	return true;
}

static int32_t displacement_of(const unsigned char *at, size_t size)
{
	int32_t value;

	if (size == 1)
		return (int8_t)*at;
	memcpy(&value, at, sizeof(value));
	return value;
}

/*
 * An instruction of opcode @opcode (behind the prefix 48 if @wide) whose operands are register @field and what rbp or rsp points at, with a
 * displacement.
 */
static bool read_slot(const unsigned char *code, size_t len, bool wide, unsigned char opcode, unsigned char field, struct call *ret)
{
	for (size_t size = 1; size <= 4; size += 3) {
		unsigned char mod = (size == 1 ? 0x40 : 0x80) | field << 3;

		for (unsigned with_sib = 0; with_sib < 2; with_sib++) {
			size_t n = 2 + with_sib + size + wide;
			const unsigned char *at = code + len - n;

			if (len < n || (wide && *at++ != 0x48) || at[0] != opcode || at[1] != (mod | (with_sib ? 4 : 5)) ||
			    (with_sib && at[2] != 0x24))
				continue;
			*ret = (struct call){.kind = CALL_SLOT,
					     .reg = with_sib ? TARGET_REGISTER_SP : TARGET_REGISTER_BP,
					     .displacement = displacement_of(at + 2 + with_sib, size)};
			return true;
		}
	}
	return false;
}

/* What rax, which calls do not preserve, was loaded from just before the end of @code, or before an argument was moved. */
static void read_load(const unsigned char *code, size_t len, struct call *ret)
{
	if (read_slot(code, len, true, 0x8b, 0, ret))
		return;
	/* mov to %rdi */
	if (len >= 3 && (code[len - 3] & 0xfb) == 0x48 && code[len - 2] == 0x89 && (code[len - 1] & 0xc7) == 0xc7)
		read_slot(code, len - 3, true, 0x8b, 0, ret);
}

/* The code that ends at @return_address into the end of @code; how much of it. */
static size_t read_code(struct target *t, uint64_t return_address, unsigned char *code)
{
	/* Before the first function of a section is less. */
	static const size_t sizes[] = {CALL_MAX_LEN, CALL_INDIRECT_LEN};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (return_address >= sizes[i] &&
		    target_try_read_raw(t, return_address - sizes[i], code + CALL_MAX_LEN - sizes[i], sizes[i]))
			return sizes[i];
	}
	return 0;
}

void call_read(struct target *t, uint64_t return_address, struct call *ret)
{
	unsigned char code[CALL_MAX_LEN], reg;
	size_t len = read_code(t, return_address, code), n;
	const unsigned char *end = code + sizeof(code), *start = end - len;
	uint64_t address;

	*ret = (struct call){.kind = CALL_UNKNOWN};
	if (!len)
		return;
	/* As the end of a longer call, this would be one over hundreds of megabytes. */
	if (read_register_call(start, len, &reg, &n)) {
		*ret = (struct call){.kind = CALL_REGISTER, .reg = reg};
		if (reg == 0)
			read_load(start, len - n, ret);
		return;
	}
	if (end[-CALL_INDIRECT_LEN] == 0xff && end[1 - CALL_INDIRECT_LEN] == 0x15) {
		if (target_try_read_raw(t, relative(return_address, end - 4), &address, sizeof(address)))
			*ret = (struct call){.kind = CALL_DIRECT, .address = address};
		return;
	}
	address = relative(return_address, end - 4);
	/* Else that byte is one of another instruction. */
	if (end[-CALL_LEN] == 0xe8 && target_module_at(t, address))
		*ret = (struct call){.kind = CALL_DIRECT, .address = through_plt(t, address)};
	else
		read_slot(start, len, false, 0xff, 2, ret);
}

bool call_target(struct target *t, uint64_t return_address, uint64_t *ret)
{
	struct call call;

	call_read(t, return_address, &call);
	if (call.kind != CALL_DIRECT)
		return false;
	*ret = call.address;
	return true;
}

bool call_of_frame(struct target *t, const struct call *call, const struct stack_copy *copy, const struct stack *stack, size_t i,
		   uint64_t *ret)
{
	const struct stack_frame *frame = &stack->frames[i];
	uint64_t base;

	if (frame->is_exact)
		return false;
	switch (call->kind) {
	case CALL_DIRECT:
		*ret = call->address;
		return true;
	case CALL_REGISTER:
		return stack_frame_register(frame, call->reg, ret);
	case CALL_SLOT:
		break;
	case CALL_UNKNOWN:
		return false;
	}
	/* Only what lies in the frame itself is nobody else's to change. */
	if (!stack_frame_register(frame, call->reg, &base) || !frame->sp || i + 1 >= stack->n || !stack->frames[i + 1].sp)
		return false;
	base += (uint64_t)(int64_t)call->displacement;
	if (base < frame->sp || stack->frames[i + 1].sp < sizeof(*ret) || base > stack->frames[i + 1].sp - sizeof(*ret))
		return false;
	return stack_copy_read(t, copy, base, ret);
}
