/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Decoder for aarch64 (AAPCS64), little endian. Every instruction has 32 bits, and its fields name
 * the registers that it can change. A few forms are decoded fully. For all others, each field is
 * taken as a register that is changed.
 */
#include <elf.h>
#include <string.h>

#include "code/aarch64.h"

/*
 * Any other instruction: each field may be a changed register. Some instructions also change the
 * next register, and a few change x16 and x17.
 */
static void read_else(uint32_t insn, struct decode *ret)
{
	static const unsigned fields[] = {0, 5, 10, 16};

	ret->kind = DECODE_ELSE;
	ret->written = 1u << 16 | 1u << 17;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		ret->written |= 3u << get_field(insn, fields[i], 5);
	/* No other instruction changes the stack pointer unless it names it. */
	if (get_field(insn, 5, 5) != AARCH64_SP && get_field(insn, 0, 5) != AARCH64_SP)
		ret->written &= ~(1u << AARCH64_SP);
}

static bool read_jump(uint32_t insn, ompd_addr_t address, struct decode *ret)
{
	uint32_t reg = get_field(insn, 5, 5);
	unsigned size = insn >> 31 ? 8 : 4;

	if ((insn & 0x7c000000u) == 0x14000000u) { /* b, bl */
		ret->kind = insn >> 31 ? DECODE_CALL : DECODE_JUMP;
		ret->target = address + (uint64_t)(get_signed_field(insn, 0, 26) * AARCH64_LEN);
		ret->written = insn >> 31 ? 1u << AARCH64_LINK : 0;
	} else if ((insn & 0xff000010u) == 0x54000000u) { /* b.cond */
		ret->kind = (insn & 15) >= 14 ? DECODE_JUMP : DECODE_BRANCH;
		ret->target = address + (uint64_t)(get_signed_field(insn, 5, 19) * AARCH64_LEN);
	} else if ((insn & 0x7e000000u) == 0x34000000u) { /* cbz, cbnz */
		ret->kind = DECODE_BRANCH;
		ret->target = address + (uint64_t)(get_signed_field(insn, 5, 19) * AARCH64_LEN);
		ret->operands[0] = make_source(get_field(insn, 0, 5), size);
		ret->operands[1] = make_number(0, size);
	} else if ((insn & 0x7e000000u) == 0x36000000u) { /* tbz, tbnz */
		ret->kind = DECODE_BRANCH;
		ret->target = address + (uint64_t)(get_signed_field(insn, 5, 14) * AARCH64_LEN);
		ret->operands[0] = make_source(get_field(insn, 0, 5), size);
		ret->operands[1] = make_number(0, size);
	} else if ((insn & 0xfffff000u) == 0xd61f0000u || (insn & 0xfffff000u) == 0xd71f0000u) { /* br, braa, brab */
		ret->kind = DECODE_JUMP;
		ret->is_of_plt = reg == 16 || reg == 17;
	} else if ((insn & 0xfffff000u) == 0xd63f0000u || (insn & 0xfffff000u) == 0xd73f0000u) { /* blr */
		ret->kind = DECODE_CALL;
		ret->operands[0] = make_source(reg, 8);
		ret->written = 1u << AARCH64_LINK;
	} else if ((insn & 0xfffff000u) == 0xd65f0000u) { /* ret, retaa, retab */
		ret->kind = DECODE_RETURN;
	} else {
		return false;
	}
	return true;
}

/*
 * mrs to, tpidr_el0; and system instructions that change no register: barriers, and hints except
 * pointer authentication
 */
static bool read_system(uint32_t insn, struct decode *ret)
{
	if ((insn & 0xffffffe0u) == 0xd53bd040u) {
		set_result(insn, DECODE_LEA, 8, ret);
		ret->operands[1] = make_memory(DECODE_NONE, 0, 8);
		ret->operands[1].of_thread = true;
		return true;
	}
	ret->kind = DECODE_ELSE;
	if ((insn & 0xfffff01fu) == 0xd503301fu) /* clrex, dsb, dmb, isb, sb */
		return true;
	if ((insn & 0xfffff01fu) != 0xd503201fu)
		return false;
	switch (get_field(insn, 5, 7)) {
	case 7: /* xpaclri */
	case 24 ... 31:
		ret->written = 1u << AARCH64_LINK;
		return true;
	case 8:
	case 10:
	case 12:
	case 14:
		ret->written = 1u << 17;
		return true;
	case 40: /* chkfeat */
		ret->written = 1u << 16;
		return true;
	default:
		return true;
	}
}

/* A system call: Linux preserves all registers except the result's. */
static bool read_svc(uint32_t insn, struct decode *ret)
{
	ret->kind = DECODE_ELSE;
	ret->written = 1u;
	return (insn & 0xffe0001fu) == 0xd4000001u;
}

static bool decode_insn(const uint8_t *code, size_t size, ompd_addr_t address, struct decode *ret)
{
	uint32_t insn;

	if (size < AARCH64_LEN || address % AARCH64_LEN)
		return false;
	memcpy(&insn, code, sizeof(insn));
	/* 0 and its neighbours are permanently undefined (udf): they trap. */
	if (insn >> 16 == 0)
		return false;
	aarch64_clear(ret);
	if (read_jump(insn, address, ret) || aarch64_read_data(insn, ret) || read_system(insn, ret))
		return true;
	aarch64_clear(ret);
	if (read_svc(insn, ret))
		return true;
	aarch64_clear(ret);
	read_else(insn, ret);
	return true;
}

/* Find adrp and a later add of the rest to the same register, or find adr. */
static size_t find_use(const uint8_t *code, size_t size, ompd_addr_t address, ompd_addr_t to)
{
	ompd_addr_t page[32];
	uint32_t known = 0, insn;

	for (size_t i = (size_t)(-address % AARCH64_LEN); i + AARCH64_LEN <= size; i += AARCH64_LEN) {
		memcpy(&insn, code + i, sizeof(insn));
		uint32_t reg = get_field(insn, 0, 5), base = get_field(insn, 5, 5);
		int64_t distance = get_signed_field(insn, 5, 19) * 4 + (int64_t)get_field(insn, 29, 2);

		if ((insn & 0x9f000000u) == 0x90000000u) {
			page[reg] = ((address + i) & ~(ompd_addr_t)(AARCH64_PAGE - 1)) +
				    (uint64_t)(distance * AARCH64_PAGE);
			known |= 1u << reg;
		} else if ((insn & 0x9f000000u) == 0x10000000u && address + i + (uint64_t)distance == to) {
			return i;
		} else if ((insn & 0xffc00000u) == 0x91000000u && known >> base & 1 &&
			   page[base] + get_field(insn, 10, 12) == to) {
			return i;
		}
	}
	return SIZE_MAX;
}

/*
 * The control block has two words: the dtv's address and a private word of glibc. Neither proves
 * that it is a control block.
 */
static bool is_tcb(const uint8_t tcb[DECODE_TCB_SIZE], ompd_addr_t thread_pointer)
{
	uint64_t dtv;

	memcpy(&dtv, tcb, sizeof(dtv));
	return thread_pointer && thread_pointer % 16 == 0 && dtv && dtv % 8 == 0;
}

/* Static TLS follows the control block's two words (variant I). */
static bool is_tls_offset(int64_t offset)
{
	return offset >= 16;
}

const struct decode_arch decode_aarch64 = {
	.name = "aarch64",
	.elf_machine = EM_AARCH64,
	.n_registers = 32,
	.aligned = AARCH64_LEN,
	.arguments = {0, 1, 2, 3, 4, 5},
	.result = 0,
	.lost = ((1u << 19) - 1) | 1u << AARCH64_LINK,
	.dwarf = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
		  16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31},
	.loads_apart = true,
	.pointer_is_behind = true,
	.next = decode_insn,
	.find_use = find_use,
	.is_tcb = is_tcb,
	.is_tls_offset = is_tls_offset,
};
