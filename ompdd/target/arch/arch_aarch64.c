/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* aarch64 Linux (AAPCS64, glibc), little endian: its registers, and the few instruction forms that ompdd decodes. */
#include "target/arch/arch_aarch64.h"

#include <elf.h>
#include <signal.h>
#include <string.h>

#include "target/arch/arch.h"
#include "target/arch/call_site.h"

#ifndef NT_ARM_TLS
#define NT_ARM_TLS 0x401
#endif

#define LEN	 4 /* of every instruction */
#define LINK	 30
#define SP	 31
#define PC	 32
#define NOP	 0xd503201fu
#define FP_IS_SP 0x910003fdu /* mov x29, sp */
#define SVC	 0xd4000001u

/* PSTATE.BTYPE: set by an indirect branch, which on guarded pages only `bti` may follow. */
#define BTYPE ((uint64_t)3 << 10)

static uint32_t insn_at(const unsigned char *code)
{
	uint32_t insn;

	memcpy(&insn, code, sizeof(insn));
	return insn;
}

static unsigned read_field(uint32_t insn, unsigned at, unsigned bits)
{
	return insn >> at & ((1u << bits) - 1);
}

static int64_t signed_field(uint32_t insn, unsigned at, unsigned bits)
{
	uint32_t value = read_field(insn, at, bits), sign = 1u << (bits - 1);

	return (int64_t)(value ^ sign) - (int64_t)sign;
}

/* Registers */

static void by_dwarf(const struct arch_registers *regs, uint64_t ret[ARCH_N_REGISTERS])
{
	memcpy(ret, regs->word, (PC + 1) * sizeof(ret[0]));
}

static bool is_system_call(const unsigned char *code, size_t len)
{
	return len >= LEN && insn_at(code) == SVC;
}

/* mov x8, #imm16; svc #0 */
static long number_of_call(const unsigned char *end, size_t len)
{
	if (len < 2 * LEN || insn_at(end - LEN) != SVC || (insn_at(end - 2 * LEN) & ~(0xffffu << 5)) != 0xd2800008)
		return -1;
	return (long)read_field(insn_at(end - 2 * LEN), 5, 16);
}

/*
 * The kernel sets a thread that it interrupted in a system call back to the call, with its original first argument. It
 * does so before a debugger or a core's writer reads the thread, which will execute the call again.
 */
static bool is_in_call(const struct arch_registers *regs, const unsigned char *code, size_t len, long *number_ret,
		       uint64_t args_ret[ARCH_N_ARGUMENTS])
{
	if (!is_system_call(code, len))
		return false;
	if (number_ret)
		*number_ret = (long)(int)regs->word[8];
	if (args_ret)
		memcpy(args_ret, regs->word, ARCH_N_ARGUMENTS * sizeof(args_ret[0]));
	return true;
}

/* Static TLS follows the thread control block, to which the thread pointer points (variant I). */
static bool tls_block(uint64_t pointer, uint64_t offset, uint64_t *ret)
{
	return !__builtin_add_overflow(pointer, offset, ret);
}

/* Instructions at the start of functions */

/* Emulate stp of two registers below the stack pointer, which moves there. */
static bool push_pair(uint32_t insn, uint64_t *w, struct arch_store *store_ret)
{
	unsigned first = read_field(insn, 0, 5), second = read_field(insn, 10, 5);

	if ((insn & 0xffc003e0u) != 0xa98003e0u || signed_field(insn, 15, 7) >= 0)
		return false;
	uint64_t sp = w[AARCH64_SP] + (uint64_t)signed_field(insn, 15, 7) * 8;
	*store_ret = (struct arch_store){
		.n = 2,
		.address = sp,
		.value = {first == 31 ? 0 : w[first], second == 31 ? 0 : w[second]},
	};
	w[AARCH64_SP] = sp;
	return true;
}

static bool emulate_first(const unsigned char *code, size_t len, struct arch_registers *regs,
			  struct arch_store *store_ret)
{
	uint64_t *w = regs->word;

	*store_ret = (struct arch_store){0};
	if (len < LEN)
		return false;
	uint32_t insn = insn_at(code);
	if ((insn & 0xffffff3fu) == 0xd503241fu) { /* bti */
		w[AARCH64_PSTATE] &= ~BTYPE;
	} else if (w[AARCH64_PSTATE] & BTYPE) {
		/* It may fault here, which only the processor can decide. */
		return false;
	} else if ((insn & 0xff8003ffu) == 0xd10003ffu) { /* sub sp, sp, #n */
		w[AARCH64_SP] -= (uint64_t)read_field(insn, 10, 12) << (read_field(insn, 22, 1) ? 12 : 0);
	} else if (insn == FP_IS_SP) {
		w[AARCH64_X29] = w[AARCH64_SP];
	} else if (insn != NOP && !push_pair(insn, w, store_ret)) {
		return false;
	}
	w[AARCH64_PC] += LEN;
	return true;
}

/* Calls, at the end of @code, @len bytes */

static bool is_adrp(uint32_t insn)
{
	return (insn & 0x9f000000u) == 0x90000000u;
}

/* Return the value that adrp at @address stores in its register. */
static uint64_t page_of(uint32_t insn, uint64_t address)
{
	int64_t pages = signed_field(insn, 5, 19) * 4 + (int64_t)read_field(insn, 29, 2);

	return (address & ~(uint64_t)4095) + (uint64_t)pages * 4096;
}

/* Decode a 64-bit ldr into @reg from an address relative to another register. */
static bool is_load(uint32_t insn, unsigned reg, unsigned *base_ret, int32_t *displacement_ret)
{
	if (read_field(insn, 0, 5) != reg)
		return false;
	*base_ret = read_field(insn, 5, 5);
	if ((insn & 0xffc00000u) == 0xf9400000u) {
		*displacement_ret = (int32_t)read_field(insn, 10, 12) * 8;
		return true;
	}
	*displacement_ret = (int32_t)signed_field(insn, 12, 9);
	return (insn & 0xffe00c00u) == 0xf8400000u;
}

/* Return whether the instruction is a mov from a register other than @reg to an argument register. */
static bool is_argument(uint32_t insn, unsigned reg)
{
	return (insn & 0xffe0ffe0u) == 0xaa0003e0u && read_field(insn, 0, 5) < 8 && read_field(insn, 0, 5) != reg;
}

/* Find the load of @reg, which calls do not preserve, directly before @end or before the move of an argument. */
static void read_load(const unsigned char *end, size_t len, unsigned reg, uint64_t address, struct call_site *ret)
{
	unsigned base;
	int32_t displacement;

	if (len >= LEN && is_argument(insn_at(end - LEN), reg)) {
		end -= LEN;
		len -= LEN;
		address -= LEN;
	}
	if (len < LEN || !is_load(insn_at(end - LEN), reg, &base, &displacement))
		return;
	if (base == SP || base == AARCH64_X29) {
		*ret = (struct call_site){.kind = CALL_SLOT, .reg = (unsigned char)base, .displacement = displacement};
		return;
	}
	uint32_t before = len >= 2 * LEN ? insn_at(end - 2 * LEN) : NOP;
	if (is_adrp(before) && read_field(before, 0, 5) == base)
		*ret = (struct call_site){
			.kind = CALL_POINTER,
			.address = page_of(before, address - 2 * LEN) + (uint64_t)(int64_t)displacement,
		};
}

static size_t decode_calls(const unsigned char *end, size_t len, uint64_t return_address, struct call_site *ret)
{
	uint64_t address = return_address - LEN;

	if (len < LEN)
		return 0;
	uint32_t insn = insn_at(end - LEN);
	if (insn >> 26 == 0x25) { /* bl */
		*ret = (struct call_site){
			.kind = CALL_DIRECT,
			.address = address + (uint64_t)signed_field(insn, 0, 26) * LEN,
		};
		return 1;
	}
	if ((insn & 0xfffffc1fu) != 0xd63f0000u) /* blr */
		return 0;
	*ret = (struct call_site){.kind = CALL_REGISTER, .reg = (unsigned char)read_field(insn, 5, 5)};
	if (ret->reg < 19)
		read_load(end - LEN, len - LEN, ret->reg, address, ret);
	return 1;
}

/* An optional bti; adrp x16, page; ldr x17, [x16, #slot]; add x16, x16, #slot; br x17 */
static bool plt_slot(const unsigned char *code, size_t len, uint64_t address, uint64_t *ret)
{
	unsigned base;
	int32_t displacement;

	if (len >= LEN && (insn_at(code) & 0xffffff3fu) == 0xd503241fu) {
		code += LEN;
		len -= LEN;
		address += LEN;
	}
	if (len < 4 * LEN)
		return false;
	uint32_t page = insn_at(code);
	if (!is_adrp(page) || read_field(page, 0, 5) != 16 || !is_load(insn_at(code + LEN), 17, &base, &displacement) ||
	    base != 16 || insn_at(code + 3 * LEN) != 0xd61f0220u)
		return false;
	*ret = page_of(page, address) + (uint64_t)(int64_t)displacement;
	return true;
}

/* adr; or adrp and a later add of the offset to its result */
static bool mentions_address(const unsigned char *code, size_t len, uint64_t address, uint64_t to)
{
	uint64_t page[32];
	uint32_t known = 0;

	for (size_t at = 0; at + LEN <= len; at += LEN) {
		uint32_t insn = insn_at(code + at);
		unsigned reg = read_field(insn, 0, 5), base = read_field(insn, 5, 5);

		if (is_adrp(insn)) {
			page[reg] = page_of(insn, address + at);
			known |= 1u << reg;
			if (page[reg] == to)
				return true;
		} else if ((insn & 0x9f000000u) == 0x10000000u) { /* adr */
			if (address + at +
				    (uint64_t)(signed_field(insn, 5, 19) * 4 + (int64_t)read_field(insn, 29, 2)) ==
			    to)
				return true;
		} else if ((insn & 0xffc00000u) == 0x91000000u && known >> base & 1) { /* add */
			if (page[base] + read_field(insn, 10, 12) == to)
				return true;
		}
	}
	return false;
}

/*
 * The vDSO's __kernel_rt_sigreturn: mov x8, #139; svc #0. Since 5.8 the kernel has no unwinding information for it, so
 * that unwinders look for these two instructions.
 */
static bool is_signal_return(const unsigned char *code, size_t len)
{
	return len >= 2 * LEN && insn_at(code) == 0xd2801168u && insn_at(code + LEN) == SVC;
}

const struct arch arch_aarch64 = {
	.name = "aarch64",
	.uname = "aarch64",
	.elf_machine = EM_AARCH64,
	.breakpoint = {0x00, 0x00, 0x20, 0xd4}, /* brk #0 */
	.breakpoint_len = LEN,
	.breakpoint_code = TRAP_BRKPT,
	.call = {0x01, 0x00, 0x00, 0xd4}, /* svc #0 */
	.call_len = LEN,
	.n_registers = PC + 1,
	.pc_register = PC,
	.sp_register = SP,
	.fp_register = AARCH64_X29,
	.return_column = LINK,
	.arguments = {0, 1, 2, 3, 4, 5},
	.kept = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28, AARCH64_X29},
	.n_kept = 11,
	/* The address of a pointer, its load, the move of an argument, and the call; bl. */
	.call_bytes = 4 * LEN,
	.call_bytes_least = LEN,
	.plt_bytes = 5 * LEN,
	.return_register = LINK,
	.note_words = AARCH64_PSTATE + 1,
	.pointer_note = NT_ARM_TLS,
	.pc_word = AARCH64_PC,
	.sp_word = AARCH64_SP,
	.pointer_word = AARCH64_TPIDR,
	.by_dwarf = by_dwarf,
	.is_in_call = is_in_call,
	.calls_in_libc = true,
	.call_is_ahead = true,
	.pointer_is_behind = true,
	.tls_block = tls_block,
	.is_system_call = is_system_call,
	.number_of_call = number_of_call,
	.emulate = emulate_first,
	.calls = decode_calls,
	.plt_slot = plt_slot,
	.mentions = mentions_address,
	.is_signal_return = is_signal_return,
	/* siginfo; flags, link, stack and padded mask of the ucontext, aligned to 16 bytes; fault_address; x0 */
	.signal_registers = 128 + 176 + 8,
};

/* The machine itself */

#if defined(__aarch64__)
#include <asm/perf_regs.h>
#include <linux/audit.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <ucontext.h>

static bool read_registers(pid_t tid, struct arch_registers *ret)
{
	struct iovec general = {ret->word, (AARCH64_PSTATE + 1) * sizeof(ret->word[0])};
	struct iovec pointer = {&ret->word[AARCH64_TPIDR], sizeof(ret->word[0])};

	return ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &general) == 0 &&
	       ptrace(PTRACE_GETREGSET, tid, NT_ARM_TLS, &pointer) == 0;
}

static bool write_registers(pid_t tid, const struct arch_registers *regs)
{
	struct arch_registers copy = *regs;
	struct iovec general = {copy.word, (AARCH64_PSTATE + 1) * sizeof(copy.word[0])};

	return ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &general) == 0;
}

static bool read_pc(pid_t tid, uint64_t *ret)
{
	struct arch_registers regs;
	struct iovec general = {regs.word, (AARCH64_PSTATE + 1) * sizeof(regs.word[0])};

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &general))
		return false;
	*ret = regs.word[AARCH64_PC];
	return true;
}

static void set_call(struct arch_registers *regs, uint64_t address, long number, const uint64_t args[ARCH_N_ARGUMENTS])
{
	memcpy(regs->word, args, ARCH_N_ARGUMENTS * sizeof(args[0]));
	regs->word[8] = (uint64_t)number;
	regs->word[AARCH64_PC] = address;
	/* Clear the state of an indirect branch: the jump to the call is not its target. */
	regs->word[AARCH64_PSTATE] &= ~BTYPE;
}

static void set_call_result(void *context, long result)
{
	ucontext_t *c = context;

	c->uc_mcontext.regs[0] = (unsigned long long)result;
}

const struct arch_host arch_host = {
	.arch = &arch_aarch64,
	.audit = AUDIT_ARCH_AARCH64,
	.requests = {{.request = PTRACE_GETREGSET}},
	/* In the same order. */
	.perf = {0,
		 1,
		 2,
		 3,
		 4,
		 5,
		 6,
		 7,
		 8,
		 9,
		 10,
		 11,
		 12,
		 13,
		 14,
		 15,
		 16,
		 17,
		 18,
		 19,
		 20,
		 21,
		 22,
		 23,
		 24,
		 25,
		 26,
		 27,
		 28,
		 29,
		 PERF_REG_ARM64_LR,
		 PERF_REG_ARM64_SP,
		 PERF_REG_ARM64_PC},
	.read_registers = read_registers,
	.write_registers = write_registers,
	.read_pc = read_pc,
	.set_call = set_call,
	.set_call_result = set_call_result,
};
#endif
