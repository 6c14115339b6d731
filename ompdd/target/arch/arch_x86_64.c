/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* x86-64 Linux (System V ABI, glibc): its registers, and the few instruction forms that ompdd decodes. */
#include "target/arch/arch_x86_64.h"

#include <elf.h>
#include <signal.h>
#include <string.h>

#include "target/arch/arch.h"
#include "target/arch/call_site.h"

/* DWARF numbers: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15, and rip. */
#define N_REGISTERS 17
#define FP	    6
#define SP	    7
#define PC	    16

#define CALL_LEN	  5 /* e8 rel32 */
#define CALL_INDIRECT_LEN 6 /* ff 15 disp32: call *disp32(%rip) */

static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};

/* Registers */

static void by_dwarf(const struct arch_registers *regs, uint64_t ret[ARCH_N_REGISTERS])
{
	const uint64_t *w = regs->word;
	const uint64_t values[N_REGISTERS] = {
		w[X86_RAX], w[X86_RDX], w[X86_RCX], w[X86_RBX], w[X86_RSI], w[X86_RDI],
		w[X86_RBP], w[X86_RSP], w[X86_R8],  w[X86_R9],	w[X86_R10], w[X86_R11],
		w[X86_R12], w[X86_R13], w[X86_R14], w[X86_R15], w[X86_RIP],
	};

	memcpy(ret, values, sizeof(values));
}

static void call_arguments(const uint64_t *w, uint64_t ret[ARCH_N_ARGUMENTS])
{
	const uint64_t args[ARCH_N_ARGUMENTS] = {w[X86_RDI], w[X86_RSI], w[X86_RDX], w[X86_R10], w[X86_R8], w[X86_R9]};

	memcpy(ret, args, sizeof(args));
}

static bool is_in_call(const struct arch_registers *regs, const unsigned char *code, size_t len, long *number_ret,
		       uint64_t args_ret[ARCH_N_ARGUMENTS])
{
	const uint64_t *w = regs->word;
	long result = (long)w[X86_RAX];

	(void)code, (void)len;
	/*
	 * The kernel never returns -ERESTARTSYS, -ERESTARTNOINTR, -ERESTARTNOHAND and -ERESTART_RESTARTBLOCK to a
	 * program: a thread with one of them was interrupted in a system call that will be restarted.
	 */
	if ((long)w[X86_ORIG_RAX] < 0 || (result != -512 && result != -513 && result != -514 && result != -516))
		return false;
	if (number_ret)
		*number_ret = (long)w[X86_ORIG_RAX];
	if (args_ret)
		call_arguments(w, args_ret);
	return true;
}

/* Threads */

/* The thread control block starts with its own address and contains it again (psABI, nptl). */
static bool is_descriptor(uint64_t pthread, const uint64_t words[ARCH_TCB_WORDS])
{
	return words[0] == pthread && words[2] == pthread;
}

/* Static TLS lies below the thread control block (psABI, variant II). */
static bool tls_block(uint64_t pointer, uint64_t offset, uint64_t *ret)
{
	if (offset >= pointer)
		return false;
	*ret = pointer - offset;
	return true;
}

/* Instructions at the start of functions */

/* syscall, sysenter, int 0x80 */
static bool is_system_call(const unsigned char *code, size_t len)
{
	return len >= 2 &&
	       ((code[0] == 0x0f && (code[1] == 0x05 || code[1] == 0x34)) || (code[0] == 0xcd && code[1] == 0x80));
}

/* mov imm32, %eax; syscall */
static long number_of_call(const unsigned char *end, size_t len)
{
	int32_t number;

	if (len < 7 || end[-7] != 0xb8 || end[-2] != 0x0f || end[-1] != 0x05)
		return -1;
	memcpy(&number, end - 6, sizeof(number));
	return number;
}

/* Return the register that `push` of opcode 0x50 + @number pushes. */
static uint64_t pushed_register(const uint64_t *w, unsigned number)
{
	const uint64_t values[16] = {
		w[X86_RAX], w[X86_RCX], w[X86_RDX], w[X86_RBX], w[X86_RSP], w[X86_RBP], w[X86_RSI], w[X86_RDI],
		w[X86_R8],  w[X86_R9],	w[X86_R10], w[X86_R11], w[X86_R12], w[X86_R13], w[X86_R14], w[X86_R15],
	};

	return values[number];
}

/* Most functions start with endbr64 or push. */
static bool emulate_first(const unsigned char *code, size_t len, struct arch_registers *regs,
			  struct arch_store *store_ret)
{
	unsigned rex = len >= 2 && code[0] == 0x41;
	uint64_t *w = regs->word;

	*store_ret = (struct arch_store){0};
	if (len >= sizeof(endbr64) && !memcmp(code, endbr64, sizeof(endbr64))) {
		w[X86_RIP] += sizeof(endbr64);
		return true;
	}
	if (len <= rex || code[rex] < 0x50 || code[rex] > 0x57)
		return false;
	*store_ret = (struct arch_store){
		.n = 1,
		.address = w[X86_RSP] - 8,
		.value = {pushed_register(w, (code[rex] & 7) + rex * 8)},
	};
	w[X86_RSP] -= 8;
	w[X86_RIP] += 1 + rex;
	return true;
}

/* Calls, at the end of @code, @len bytes */

static uint64_t add_displacement(uint64_t next, const unsigned char *disp)
{
	int32_t value;

	memcpy(&value, disp, sizeof(value));
	return next + (uint64_t)(int64_t)value;
}

/* rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi by their DWARF numbers; r8 to r15 have their own. */
static const unsigned char dwarf_numbers[] = {0, 2, 1, 3, 7, 6, 4, 5};

/* ff /2 with a register, after the prefix for r8 to r15 if present. */
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
 * Decode an instruction of opcode @opcode, after the prefix 48 if @wide. Its operands are register @field and memory at
 * a displacement from rbp or rsp.
 */
static bool read_slot(const unsigned char *code, size_t len, bool wide, unsigned char opcode, unsigned char field,
		      struct call_site *ret)
{
	for (size_t size = 1; size <= 4; size += 3) {
		unsigned char mod = (size == 1 ? 0x40 : 0x80) | field << 3;

		for (unsigned with_sib = 0; with_sib < 2; with_sib++) {
			size_t n = 2 + with_sib + size + wide;
			const unsigned char *at = code + len - n;

			if (len < n || (wide && *at++ != 0x48) || at[0] != opcode ||
			    at[1] != (mod | (with_sib ? 4 : 5)) || (with_sib && at[2] != 0x24))
				continue;
			*ret = (struct call_site){.kind = CALL_SLOT,
						  .reg = with_sib ? SP : FP,
						  .displacement = displacement_of(at + 2 + with_sib, size)};
			return true;
		}
	}
	return false;
}

/*
 * Find the load of rax, which calls do not preserve, directly before the end of @code or before the move of an
 * argument.
 */
static void read_load(const unsigned char *code, size_t len, struct call_site *ret)
{
	if (read_slot(code, len, true, 0x8b, 0, ret))
		return;
	/* mov to %rdi */
	if (len >= 3 && (code[len - 3] & 0xfb) == 0x48 && code[len - 2] == 0x89 && (code[len - 1] & 0xc7) == 0xc7)
		read_slot(code, len - 3, true, 0x8b, 0, ret);
}

static size_t decode_calls(const unsigned char *end, size_t len, uint64_t return_address, struct call_site *ret)
{
	const unsigned char *start = end - len;
	unsigned char reg;
	size_t n = 0;

	/* These bytes could also end a longer call, but its displacement would be hundreds of megabytes. */
	if (read_register_call(start, len, &reg, &n)) {
		ret[0] = (struct call_site){.kind = CALL_REGISTER, .reg = reg};
		if (reg == 0)
			read_load(start, len - n, ret);
		return 1;
	}
	if (len >= CALL_INDIRECT_LEN && end[-CALL_INDIRECT_LEN] == 0xff && end[1 - CALL_INDIRECT_LEN] == 0x15) {
		ret[0] = (struct call_site){.kind = CALL_POINTER, .address = add_displacement(return_address, end - 4)};
		return 1;
	}
	/* The byte before may belong to another instruction: check for a direct call too. */
	if (len >= CALL_LEN && end[-CALL_LEN] == 0xe8)
		ret[n++] =
			(struct call_site){.kind = CALL_DIRECT, .address = add_displacement(return_address, end - 4)};
	return n + read_slot(start, len, false, 0xff, 2, &ret[n]);
}

static bool plt_slot(const unsigned char *code, size_t len, uint64_t address, uint64_t *ret)
{
	size_t at = 0;

	if (len < 16)
		return false;
	if (!memcmp(code, endbr64, sizeof(endbr64)))
		at = sizeof(endbr64);
	if (code[at] == 0xf2) /* bnd */
		at++;
	/* jmp *disp32(%rip) */
	if (code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	*ret = add_displacement(address + at + 6, code + at + 2);
	return true;
}

/* lea disp32(%rip) or cmpxchg disp32(%rip): the displacement is relative to its own end. */
static bool mentions_address(const unsigned char *code, size_t len, uint64_t address, uint64_t to)
{
	for (size_t at = 0; at + 4 <= len; at++) {
		if (add_displacement(address + at + 4, code + at) == to)
			return true;
	}
	return false;
}

const struct arch arch_x86_64 = {
	.name = "x86-64",
	.uname = "x86_64",
	.elf_machine = EM_X86_64,
	.red_zone = 128,
	.breakpoint = {0xcc}, /* int3 */
	.breakpoint_len = 1,
	.breakpoint_behind = 1,
	.breakpoint_code = SI_KERNEL,
	.call = {0x0f, 0x05}, /* syscall */
	.call_len = 2,
	.n_registers = N_REGISTERS,
	.pc_register = PC,
	.sp_register = SP,
	.fp_register = FP,
	.return_column = PC,
	.arguments = {5, 4, 1, 2, 8, 9}, /* rdi, rsi, rdx, rcx, r8, r9 */
	.result = 0,			 /* rax */
	.kept = {3, FP, 12, 13, 14, 15}, /* rbx, rbp, r12 to r15 */
	.n_kept = 6,
	.forgotten = 1, /* rbx: libdw's table has rax in its place */
	/* A load, the move of an argument, and the call; call *disp32(%rip). */
	.call_bytes = 16,
	.call_bytes_least = 6,
	.plt_bytes = 16,
	.return_slot = 8,
	.note_words = X86_WORDS,
	.pc_word = X86_RIP,
	.sp_word = X86_RSP,
	.pointer_word = X86_FS_BASE,
	.by_dwarf = by_dwarf,
	.is_in_call = is_in_call,
	.is_descriptor = is_descriptor,
	.tls_block = tls_block,
	.is_system_call = is_system_call,
	.number_of_call = number_of_call,
	.emulate = emulate_first,
	.calls = decode_calls,
	.plt_slot = plt_slot,
	.mentions = mentions_address,
};

/* The machine itself */

#if defined(__x86_64__)
#include <asm/perf_regs.h>
#include <errno.h>
#include <linux/audit.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <ucontext.h>

_Static_assert(sizeof(struct user_regs_struct) == X86_WORDS * sizeof(uint64_t) &&
		       offsetof(struct user_regs_struct, rip) == X86_RIP * sizeof(uint64_t) &&
		       offsetof(struct user_regs_struct, fs_base) == X86_FS_BASE * sizeof(uint64_t),
	       "the kernel's order of registers");

static bool read_registers(pid_t tid, struct arch_registers *ret)
{
	return ptrace(PTRACE_GETREGS, tid, NULL, ret->word) == 0;
}

static bool write_registers(pid_t tid, const struct arch_registers *regs)
{
	return ptrace(PTRACE_SETREGS, tid, NULL, regs->word) == 0;
}

static bool read_pc(pid_t tid, uint64_t *ret)
{
	errno = 0;
	*ret = (uint64_t)ptrace(PTRACE_PEEKUSER, tid, offsetof(struct user, regs.rip), NULL);
	return errno == 0;
}

/* The kernel's own code: a restart unless a signal handler runs. It never reaches the program. */
#define ERESTARTNOHAND 514

static bool read_interrupted_call(pid_t tid, long *number_ret, uint64_t args_ret[ARCH_N_ARGUMENTS])
{
	struct arch_registers regs;

	errno = 0;
	/* Few threads are interrupted: reading one word is cheaper than reading all registers. */
	if (ptrace(PTRACE_PEEKUSER, tid, offsetof(struct user, regs.rax), NULL) != -EINTR || errno ||
	    !read_registers(tid, &regs) || (long)regs.word[X86_ORIG_RAX] < 0)
		return false;
	*number_ret = (long)regs.word[X86_ORIG_RAX];
	call_arguments(regs.word, args_ret);
	return true;
}

static bool restart_call(pid_t tid)
{
	return ptrace(PTRACE_POKEUSER, tid, offsetof(struct user, regs.rax), (void *)-(long)ERESTARTNOHAND) == 0;
}

static void set_call(struct arch_registers *regs, uint64_t address, long number, const uint64_t args[ARCH_N_ARGUMENTS])
{
	static const unsigned char words[ARCH_N_ARGUMENTS] = {X86_RDI, X86_RSI, X86_RDX, X86_R10, X86_R8, X86_R9};

	for (size_t i = 0; i < ARCH_N_ARGUMENTS; i++)
		regs->word[words[i]] = args[i];
	regs->word[X86_RAX] = (uint64_t)number;
	/* No system call is interrupted, so the kernel restarts none. */
	regs->word[X86_ORIG_RAX] = (uint64_t)-1;
	regs->word[X86_RIP] = address;
}

static void set_call_result(void *context, long result)
{
	ucontext_t *c = context;

	c->uc_mcontext.gregs[REG_RAX] = result;
}

const struct arch_host arch_host = {
	.arch = &arch_x86_64,
	.audit = AUDIT_ARCH_X86_64,
	.requests = {{.request = PTRACE_GETREGS},
		     {.request = PTRACE_PEEKUSER},
		     {PTRACE_POKEUSER, true, offsetof(struct user, regs.rax), (uint32_t)-ERESTARTNOHAND}},
	.perf = {PERF_REG_X86_AX, PERF_REG_X86_DX, PERF_REG_X86_CX, PERF_REG_X86_BX, PERF_REG_X86_SI, PERF_REG_X86_DI,
		 PERF_REG_X86_BP, PERF_REG_X86_SP, PERF_REG_X86_R8, PERF_REG_X86_R9, PERF_REG_X86_R10, PERF_REG_X86_R11,
		 PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14, PERF_REG_X86_R15, PERF_REG_X86_IP},
	.read_registers = read_registers,
	.write_registers = write_registers,
	.read_pc = read_pc,
	.read_interrupted_call = read_interrupted_call,
	.restart_call = restart_call,
	.set_call = set_call,
	.set_call_result = set_call_result,
};
#endif
