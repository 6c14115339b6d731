/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What depends on the processor, in one table: nothing else in ompdd/ knows one. Another processor is one header with
 * its numbers and one file that defines `arch` (arch_x86_64.h and .c show both), named as CMake names the processor,
 * and a line below. Both the worker and ompdd-tracer are linked with it: it uses nothing but system calls.
 */
#ifndef OMPDD_TARGET_ARCH_H
#define OMPDD_TARGET_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Of each processor: struct arch_registers, all that a stopped thread's general registers are; ARCH_N_REGISTERS, how
 * many of them have a DWARF number (0 to that - 1, with the program counter); those numbers of the program counter, the
 * stack and the frame pointer (ARCH_REGISTER_PC, _SP, _FP); ARCH_N_KEPT, of how many a function leaves the value as it
 * was, beside the stack pointer; how many bytes of code before a return address are read at best and at least
 * (ARCH_CALL_BYTES, ARCH_CALL_BYTES_LEAST), and how many an entry of a procedure linkage table has (ARCH_PLT_BYTES).
 */
#if defined(__x86_64__)
#include "target/arch_x86_64.h"
#else
#error "ompdd knows x86-64 only: target/arch.h says what another processor needs"
#endif

/* Arguments of a function, or of a system call, that are in registers. */
#define ARCH_N_ARGUMENTS 6
/* Words of a thread's descriptor, from its beginning, that show that it is one. */
#define ARCH_TCB_WORDS 3

struct call_site; /* target/call.h */

/* What a word of memory becomes. */
struct arch_store {
	bool any;
	uint64_t address, value;
};

struct arch {
	const char *name;	  /* for messages */
	uint16_t elf_machine;	  /* EM_… of 64-bit files */
	uint32_t audit;		  /* AUDIT_ARCH_… of its system calls */
	unsigned red_zone;	  /* bytes below its stack pointer that a function may use */
	unsigned char breakpoint; /* the instruction that traps; one byte, which is what the tracer replaces */
	unsigned char
		breakpoint_behind; /* how far behind its beginning the program counter stands when it has trapped */
	unsigned char arguments[ARCH_N_ARGUMENTS]; /* DWARF numbers of the registers of a function's arguments */
	unsigned char result;			   /* of the one with what a function returns */
	unsigned char kept[ARCH_N_KEPT];	   /* of those that a function preserves */
	unsigned char forgotten;		   /* bit n: libdw does not know that of kept[n] */
	unsigned char perf[ARCH_N_REGISTERS];	   /* their numbers in perf_event_open(2), by DWARF number */
	/*
	 * How far the stack pointer moves with the return of a function that has just begun: its return address lies
	 * there. A processor that keeps it in a register has 0 here, and `return_register`.
	 */
	unsigned char return_slot;
	unsigned char return_register;

	/* Of a thread that we trace and that stands. False and errno: it is gone, or it runs. */
	bool (*read_registers)(pid_t tid, struct arch_registers *ret);
	bool (*write_registers)(pid_t tid, const struct arch_registers *regs);
	bool (*read_pc)(pid_t tid, uint64_t *ret);

	uint64_t (*pc)(const struct arch_registers *regs);
	void (*set_pc)(struct arch_registers *regs, uint64_t pc);
	uint64_t (*sp)(const struct arch_registers *regs);
	uint64_t (*thread_pointer)(const struct arch_registers *regs);
	void (*by_dwarf)(const struct arch_registers *regs, uint64_t ret[ARCH_N_REGISTERS]);
	/*
	 * Whether the thread was interrupted in a system call that it will go on with; then its number and arguments,
	 * if @number_ret and
	 * @args_ret are not NULL.
	 */
	bool (*is_in_call)(const struct arch_registers *regs, long *number_ret, uint64_t args_ret[ARCH_N_ARGUMENTS]);
	/* In a signal handler with @context: what the system call that the signal stands for returns. */
	void (*set_call_result)(void *context, long result);

	/* glibc's threads. The pthread_t of the thread with thread pointer @pointer; it is the address of the thread's
	 * descriptor. */
	uint64_t (*pthread_of)(uint64_t pointer);
	/* Whether @words, which are at @pthread, begin a descriptor. */
	bool (*is_descriptor)(uint64_t pthread, const uint64_t words[ARCH_TCB_WORDS]);
	/* Where thread @pthread has the static TLS block of a module whose link map says @offset; false: nowhere. */
	bool (*tls_block)(uint64_t pthread, uint64_t offset, uint64_t *ret);

	/* Code: @code, @len bytes. None reads further than that. */

	/* Whether it begins with a system call. */
	bool (*is_system_call)(const unsigned char *code, size_t len);
	/*
	 * Do to @regs what the instruction does that it begins with, if that is one of the few that functions begin
	 * with; what that does to memory is left to the caller. False, and nothing is changed: it is another.
	 */
	bool (*emulate)(const unsigned char *code, size_t len, struct arch_registers *regs,
			struct arch_store *store_ret);
	/*
	 * What the call may be that ends at @end, with what returns to @return_address, likelier first, into @ret[2];
	 * how many. CALL_DIRECT is one only if there is a module where it goes.
	 */
	size_t (*calls)(const unsigned char *end, size_t len, uint64_t return_address, struct call_site *ret);
	/* If it is an entry of a procedure linkage table at @address, the slot that this jumps through. */
	bool (*plt_slot)(const unsigned char *code, size_t len, uint64_t address, uint64_t *ret);
	/* Whether code at @address seems to mention the address @to. */
	bool (*mentions)(const unsigned char *code, size_t len, uint64_t address, uint64_t to);
};

extern const struct arch arch;

#endif
