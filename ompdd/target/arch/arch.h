/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Everything that depends on the processor, in two tables: no other file in ompdd/ knows a processor.
 * - `arch` describes the target's processor: this machine's, or that of the machine that wrote the core.
 * - `arch_host` holds what can be requested of this machine only.
 * A new processor needs one file that defines both tables (see arch_x86_64.c and arch_aarch64.c) and a line in arch.c.
 * The worker and ompdd-tracer both link this code: it uses only system calls.
 */
#ifndef OMPDD_TARGET_ARCH_H
#define OMPDD_TARGET_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A stopped thread's general registers, in the order of the kernel's NT_PRSTATUS, and its thread pointer. */
#define ARCH_WORDS 36
struct arch_registers {
	uint64_t word[ARCH_WORDS];
};

/*
 * Maximum over all processors of: registers with a DWARF number (with the program counter); registers that a function
 * preserves, without the stack pointer; bytes before a return address; bytes of an entry of a procedure linkage table;
 * bytes of the breakpoint instruction.
 */
#define ARCH_N_REGISTERS      33
#define ARCH_N_KEPT	      11
#define ARCH_CALL_BYTES	      16
#define ARCH_PLT_BYTES	      20
#define ARCH_BREAKPOINT_BYTES 4
#define ARCH_NUMBER_BYTES     8 /* bytes that number_of_call() reads */

/* Arguments of a function or a system call that are passed in registers. */
#define ARCH_N_ARGUMENTS 6
/* The number of words at the start of a thread's descriptor that identify a descriptor. */
#define ARCH_TCB_WORDS 3

struct call_site; /* call_site.h */

/* Size in bytes of the code that a signal handler returns to. */
#define ARCH_SIGNAL_BYTES 8

/* A store of consecutive words to memory. */
#define ARCH_STORE_WORDS 2
struct arch_store {
	unsigned n;
	uint64_t address, value[ARCH_STORE_WORDS];
};

struct arch {
	const char *name;				 /* for messages */
	const char *uname;				 /* the name that `uname -m` prints */
	uint16_t elf_machine;				 /* EM_… of 64-bit files */
	unsigned red_zone;				 /* bytes below the stack pointer that a function may use */
	unsigned char breakpoint[ARCH_BREAKPOINT_BYTES]; /* the breakpoint instruction */
	unsigned char breakpoint_len;
	unsigned char breakpoint_behind; /* distance from the start of the breakpoint instruction to the program counter
					  * after the trap */
	int breakpoint_code;		 /* si_code of its SIGTRAP */
	unsigned char call[ARCH_BREAKPOINT_BYTES]; /* the system call instruction, `call_len` bytes */
	unsigned char call_len;
	/*
	 * DWARF numbers: the number of registers that have one; the program counter, the stack pointer, the frame
	 * pointer; the column of the return address in the unwinding information.
	 */
	unsigned char n_registers, pc_register, sp_register, fp_register, return_column;
	unsigned char arguments[ARCH_N_ARGUMENTS]; /* the registers of a function's arguments */
	unsigned char result;			   /* the register of a function's result */
	unsigned char kept[ARCH_N_KEPT];	   /* the `n_kept` registers that a function preserves */
	unsigned char n_kept;
	uint16_t forgotten; /* bit n: libdw has no rule for kept[n] */
	unsigned char call_bytes,
		call_bytes_least; /* bytes before a return address that are read: preferred and minimum */
	unsigned char plt_bytes;  /* of an entry of a procedure linkage table */
	/*
	 * The distance that the stack pointer moves when a function returns right at its start: the return address lies
	 * there. 0 on a processor that keeps it in a register, `return_register`.
	 */
	unsigned char return_slot;
	unsigned char return_register;

	/*
	 * The number of register words in NT_PRSTATUS. The note with the thread pointer; 0 if NT_PRSTATUS contains it.
	 */
	unsigned char note_words;
	uint32_t pointer_note;
	/* The index of the words of the program counter, the stack pointer and the thread pointer. */
	unsigned char pc_word, sp_word, pointer_word;

	void (*by_dwarf)(const struct arch_registers *regs, uint64_t ret[ARCH_N_REGISTERS]);
	/*
	 * Return whether the thread was interrupted in a system call that it will continue. If so, store the call's
	 * number and arguments unless @number_ret or @args_ret is NULL. @code: the @len bytes at the program counter,
	 * where the kernel may have set it back to the call; only read if `call_is_ahead`.
	 */
	bool (*is_in_call)(const struct arch_registers *regs, const unsigned char *code, size_t len, long *number_ret,
			   uint64_t args_ret[ARCH_N_ARGUMENTS]);
	bool call_is_ahead;
	/* True if a runtime makes its system calls through the C library's syscall(), not in its own code. */
	bool calls_in_libc;

	/*
	 * glibc's threads: pthread_t is the address of the thread's descriptor. The thread pointer is that address or,
	 * if `pointer_is_behind`, lies behind it by glibc's _thread_db_pthread_dtvp.
	 */
	bool pointer_is_behind;
	/* Return whether @words, read at @pthread, can be the start of a descriptor. NULL: the words prove nothing. */
	bool (*is_descriptor)(uint64_t pthread, const uint64_t words[ARCH_TCB_WORDS]);
	/*
	 * Store the address of a module's static TLS block in the thread with thread pointer @pointer. @offset: from
	 * the module's link map. Return false if there is no such block.
	 */
	bool (*tls_block)(uint64_t pointer, uint64_t offset, uint64_t *ret);

	/* Functions that decode code: @code, @len bytes. They read no further. */

	/* Return whether @code starts with a system call. */
	bool (*is_system_call)(const unsigned char *code, size_t len);
	/*
	 * Return the number of the system call that ends at @end if the code directly before it loads the number, else
	 * -1.
	 */
	long (*number_of_call)(const unsigned char *end, size_t len);
	/*
	 * Apply the first instruction of @code to @regs if it is one of the few that functions start with. The caller
	 * applies its effect on memory, @store_ret. Return false and change nothing for any other instruction.
	 */
	bool (*emulate)(const unsigned char *code, size_t len, struct arch_registers *regs,
			struct arch_store *store_ret);
	/*
	 * Store up to two possible decodings of the call that ends at @end in @ret[2], the likelier first, and return
	 * how many. The call returns to @return_address. A CALL_DIRECT counts only if a module contains its
	 * destination.
	 */
	size_t (*calls)(const unsigned char *end, size_t len, uint64_t return_address, struct call_site *ret);
	/* If @code is an entry of a procedure linkage table at @address, store the slot that it jumps through. */
	bool (*plt_slot)(const unsigned char *code, size_t len, uint64_t address, uint64_t *ret);
	/*
	 * Return whether @code is the kernel's code that a signal handler returns to, without unwinding information for
	 * its frame. NULL: there always is some. The interrupted thread's registers then lie `signal_registers` bytes
	 * above the stack pointer: n_registers words, by DWARF number.
	 */
	bool (*is_signal_return)(const unsigned char *code, size_t len);
	unsigned signal_registers;
	/* Return whether code at @address seems to refer to the address @to. */
	bool (*mentions)(const unsigned char *code, size_t len, uint64_t address, uint64_t to);
};

extern const struct arch *arch;

static inline uint64_t arch_pc(const struct arch_registers *regs)
{
	return regs->word[arch->pc_word];
}

static inline void arch_set_pc(struct arch_registers *regs, uint64_t pc)
{
	regs->word[arch->pc_word] = pc;
}

static inline uint64_t arch_sp(const struct arch_registers *regs)
{
	return regs->word[arch->sp_word];
}

static inline uint64_t arch_thread_pointer(const struct arch_registers *regs)
{
	return regs->word[arch->pointer_word];
}

/* Return the table for @machine of a 64-bit little-endian ELF file, or NULL if ompdd does not support it. */
const struct arch *arch_by_machine(uint16_t machine);
/* Set the target's processor. A process has one target. */
void arch_use(const struct arch *other);
/* Return a name for messages, such as "s390x", or "another processor" if Linux rarely runs on it. */
const char *arch_machine_name(uint16_t machine);
/* Return the feature that ompdd lacks for programs of such ELF files, or an empty text. All are literals. */
const char *arch_missing(uint16_t machine, bool is_64_bits, bool is_big_endian);

extern const struct arch arch_x86_64, arch_aarch64;

/* A ptrace(2) request, with any arguments or with exactly these two. */
struct arch_request {
	uint32_t request;
	bool is_exact;
	uint32_t at, value;
};

/* Access to this machine. */
struct arch_host {
	const struct arch *arch;
	uint32_t audit;			      /* AUDIT_ARCH_... of its system calls */
	struct arch_request requests[3];      /* the requests of read_registers(), read_interrupted_call() and
					       * restart_call() */
	unsigned char perf[ARCH_N_REGISTERS]; /* register numbers of perf_event_open(2), by DWARF number */
	/* @tid: a stopped thread that this process traces. Return false with errno if it is gone or runs. */
	bool (*read_registers)(pid_t tid, struct arch_registers *ret);
	bool (*write_registers)(pid_t tid, const struct arch_registers *regs);
	bool (*read_pc)(pid_t tid, uint64_t *ret);
	/*
	 * Return whether the thread's stop ended a system call with EINTR, and store the call's number and arguments.
	 * NULL, like restart_call(), if the kernel does not show the arguments any more.
	 */
	bool (*read_interrupted_call)(pid_t tid, long *number_ret, uint64_t args_ret[ARCH_N_ARGUMENTS]);
	/* Make the kernel restart that call when the thread resumes, unless a signal handler runs first. */
	bool (*restart_call)(pid_t tid);
	/* Change @regs to execute the system call instruction at @address next: call @number with @args. */
	void (*set_call)(struct arch_registers *regs, uint64_t address, long number,
			 const uint64_t args[ARCH_N_ARGUMENTS]);
	/* In a signal handler with @context: set the result of the system call that raised the signal. */
	void (*set_call_result)(void *context, long result);
};

extern const struct arch_host arch_host;

#endif
