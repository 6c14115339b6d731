/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What depends on the processor, in two tables: nothing else in ompdd/ knows one. `arch` is that of the target: of the
 * machine itself, or the one that wrote the core. `arch_host` is what only the machine itself can be asked. Another
 * processor is one file that defines both for it (arch_x86_64.c and arch_aarch64.c show how), and a line in arch.c.
 * Both the worker and ompdd-tracer are linked with it: it uses nothing but system calls.
 */
#ifndef OMPDD_TARGET_ARCH_H
#define OMPDD_TARGET_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A stopped thread's general registers, as the kernel has them in its NT_PRSTATUS, and its thread pointer. */
#define ARCH_WORDS 36
struct arch_registers {
	uint64_t word[ARCH_WORDS];
};

/* The most of any processor: registers with a DWARF number (with the program counter); those that a function leaves as
 * they were, beside the stack pointer; bytes before a return address, of an entry of a procedure linkage table, and of
 * the instruction that traps. */
#define ARCH_N_REGISTERS      33
#define ARCH_N_KEPT	      11
#define ARCH_CALL_BYTES	      16
#define ARCH_PLT_BYTES	      20
#define ARCH_BREAKPOINT_BYTES 4
#define ARCH_NUMBER_BYTES     8 /* that number_of_call() looks at */

/* Arguments of a function, or of a system call, that are in registers. */
#define ARCH_N_ARGUMENTS 6
/* Words of a thread's descriptor, from its beginning, that show that it is one. */
#define ARCH_TCB_WORDS 3

struct call_site; /* target/call.h */

/* Of the code that a handler of signals returns to. */
#define ARCH_SIGNAL_BYTES 8

/* What words of memory, one behind the other, become. */
#define ARCH_STORE_WORDS 2
struct arch_store {
	unsigned n;
	uint64_t address, value[ARCH_STORE_WORDS];
};

struct arch {
	const char *name;				 /* for messages */
	const char *uname;				 /* as `uname -m` says */
	uint16_t elf_machine;				 /* EM_… of 64-bit files */
	unsigned red_zone;				 /* bytes below its stack pointer that a function may use */
	unsigned char breakpoint[ARCH_BREAKPOINT_BYTES]; /* the instruction that traps */
	unsigned char breakpoint_len;
	unsigned char
		breakpoint_behind; /* how far behind its beginning the program counter stands when it has trapped */
	int breakpoint_code;	   /* si_code of its SIGTRAP */
	unsigned char call[ARCH_BREAKPOINT_BYTES]; /* the instruction of a system call, `call_len` bytes */
	unsigned char call_len;
	/* DWARF numbers: how many registers have one; the program counter's, the stack and the frame pointer's, and
	 * that of the column of unwinding information with the return address. */
	unsigned char n_registers, pc_register, sp_register, fp_register, return_column;
	unsigned char arguments[ARCH_N_ARGUMENTS]; /* of the registers of a function's arguments */
	unsigned char result;			   /* of the one with what a function returns */
	unsigned char kept[ARCH_N_KEPT];	   /* of those that a function preserves; n_kept of them */
	unsigned char n_kept;
	uint16_t forgotten; /* bit n: libdw does not know that of kept[n] */
	unsigned char call_bytes,
		call_bytes_least; /* bytes before a return address that are read at best and at least */
	unsigned char plt_bytes;  /* of an entry of a procedure linkage table */
	/*
	 * How far the stack pointer moves with the return of a function that has just begun: its return address lies
	 * there. A processor that keeps it in a register has 0 here, and `return_register`.
	 */
	unsigned char return_slot;
	unsigned char return_register;

	/* Words of NT_PRSTATUS's registers, and the note with the thread pointer if that is not among them (0: it is).
	 */
	unsigned char note_words;
	uint32_t pointer_note;
	/* The words of the program counter, the stack pointer and the thread pointer. */
	unsigned char pc_word, sp_word, pointer_word;

	void (*by_dwarf)(const struct arch_registers *regs, uint64_t ret[ARCH_N_REGISTERS]);
	/*
	 * Whether the thread was interrupted in a system call that it will go on with; then its number and arguments,
	 * if @number_ret and @args_ret are not NULL. @code: the @len bytes at its program counter, where the kernel may
	 * have set it back to the call; it is only looked at if `call_is_ahead`.
	 */
	bool (*is_in_call)(const struct arch_registers *regs, const unsigned char *code, size_t len, long *number_ret,
			   uint64_t args_ret[ARCH_N_ARGUMENTS]);
	bool call_is_ahead;
	/* Whether libgomp makes its system calls through the C library's syscall(), not in code of its own. */
	bool calls_in_libc;

	/*
	 * glibc's threads: pthread_t is the address of the thread's descriptor. The thread pointer points there, or, if
	 * `pointer_is_behind`, behind it, as far as glibc's _thread_db_pthread_dtvp says.
	 */
	bool pointer_is_behind;
	/* Whether @words, which are at @pthread, may begin a descriptor; NULL: they show nothing. */
	bool (*is_descriptor)(uint64_t pthread, const uint64_t words[ARCH_TCB_WORDS]);
	/* Where the thread with thread pointer @pointer has the static TLS block of a module whose link map says
	 * @offset; false: nowhere. */
	bool (*tls_block)(uint64_t pointer, uint64_t offset, uint64_t *ret);

	/* Code: @code, @len bytes. None reads further than that. */

	/* Whether it begins with a system call. */
	bool (*is_system_call)(const unsigned char *code, size_t len);
	/* The number of the system call that ends at @end, if the code before it loads that at once: else -1. */
	long (*number_of_call)(const unsigned char *end, size_t len);
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
	/*
	 * Whether it is the kernel's code that a handler of signals returns to, and no unwinding information tells of
	 * the frame there (NULL: it always does). The interrupted thread's registers lie `signal_registers` bytes
	 * above the stack pointer then, n_registers words by DWARF's numbers.
	 */
	bool (*is_signal_return)(const unsigned char *code, size_t len);
	unsigned signal_registers;
	/* Whether code at @address seems to mention the address @to. */
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

/* Its table; NULL: it is not known here. For @machine of an ELF file of 64 bits in little endian. */
const struct arch *arch_by_machine(uint16_t machine);
/* The target is of that processor from now on; a process has one target. */
void arch_use(const struct arch *other);
/* For messages: "s390x"; "another processor", if it is not one of those that Linux mostly runs on. */
const char *arch_machine_name(uint16_t machine);
/* What ompdd lacks for programs of such ELF files; an empty text: nothing. All are literals. */
const char *arch_missing(uint16_t machine, bool is_64_bits, bool is_big_endian);

extern const struct arch arch_x86_64, arch_aarch64;

/* A request of ptrace(2), with any arguments or with exactly these two. */
struct arch_request {
	uint32_t request;
	bool is_exact;
	uint32_t at, value;
};

/* Of the machine itself. */
struct arch_host {
	const struct arch *arch;
	uint32_t audit;			      /* AUDIT_ARCH_… of its system calls */
	struct arch_request requests[3];      /* of read_registers(), read_interrupted_call() and restart_call() */
	unsigned char perf[ARCH_N_REGISTERS]; /* numbers of registers in perf_event_open(2), by DWARF number */
	/* Of a thread that we trace and that stands. False and errno: it is gone, or it runs. */
	bool (*read_registers)(pid_t tid, struct arch_registers *ret);
	bool (*write_registers)(pid_t tid, const struct arch_registers *regs);
	bool (*read_pc)(pid_t tid, uint64_t *ret);
	/*
	 * Whether that thread's stop ended a system call with EINTR; then its number and arguments. NULL, as
	 * restart_call(): the kernel does not show the arguments any more.
	 */
	bool (*read_interrupted_call)(pid_t tid, long *number_ret, uint64_t args_ret[ARCH_N_ARGUMENTS]);
	/* Have the kernel restart that call when the thread goes on, unless a signal handler runs first. */
	bool (*restart_call)(pid_t tid);
	/* Have @regs execute the system call instruction at @address next, as call @number with @args. */
	void (*set_call)(struct arch_registers *regs, uint64_t address, long number,
			 const uint64_t args[ARCH_N_ARGUMENTS]);
	/* In a signal handler with @context: what the system call that the signal stands for returns. */
	void (*set_call_result)(void *context, long result);
};

extern const struct arch_host arch_host;

#endif
