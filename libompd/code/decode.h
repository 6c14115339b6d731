/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Everything in libompd that depends on the processor:
 * - the decoding of instructions, as far as code/walk.c follows them;
 * - the registers that calls use;
 * - the position of a thread's memory relative to its thread pointer.
 * A new processor needs one more file in code/, and a line in decode.c. All processors
 * are built on every machine, for cores.
 */
#ifndef OMPDD_LIBOMPD_CODE_DECODE_H
#define OMPDD_LIBOMPD_CODE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp-tools.h"

#define DECODE_REGISTERS 32 /* general registers are 0 to DECODE_REGISTERS - 1, or fewer */
#define DECODE_ARGS	 6
#define DECODE_OPERANDS	 2
/* Special values for a register's number. */
#define DECODE_NONE  (-1)
#define DECODE_PC    (-2) /* the address of the next instruction */
#define DECODE_OTHER (-3) /* a register that is not followed */
#define DECODE_ZERO  (-5) /* always zero */
#define DECODE_PAGE  (-4) /* start of the 4096-byte page of the instruction */

enum decode_kind {
	DECODE_ELSE,	/* not followed: the registers in `written` become unknown */
	DECODE_MOVE,	/* operand 0 = operand 1 */
	DECODE_WIDEN,	/* the same, with operand 1 widened to more bytes */
	DECODE_CHOOSE,	/* operand 0 = operand 1 or `other`; without `other`, operand 1 or unchanged */
	DECODE_LEA,	/* operand 0 = the address of operand 1 */
	DECODE_ADD,	/* operand 0 = `other` + operand 1; without `other`, operand 0 + operand 1 */
	DECODE_SUB,	/* the same with - operand 1 */
	DECODE_CLEAR,	/* operand 0 = 0 */
	DECODE_INSERT,	/* 16 bits of operand 0 = the number operand 1, at bit `scale` of operand 1 */
	DECODE_COMPARE, /* compares operands 0 and 1 */
	DECODE_RETURN,
	DECODE_CALL,
	DECODE_JUMP,
	DECODE_BRANCH, /* a jump that may not happen; a register in operand 0 is compared with operand 1 */
};

enum decode_operand_kind {
	DECODE_NO_OPERAND, /* also an operand that is not followed */
	DECODE_REGISTER,
	DECODE_NUMBER,
	DECODE_MEMORY,
};

/* The struct is compact because code/decode_memo keeps thousands. */
struct decode_operand {
	int64_t number; /* DECODE_NUMBER: the number; DECODE_MEMORY: the displacement */
	uint16_t size;	/* bytes */
	uint8_t kind;	/* enum decode_operand_kind */
	int8_t reg;	/* DECODE_REGISTER, or DECODE_OTHER */
	/* DECODE_MEMORY: base + index * scale + number, plus the thread pointer if `of_thread`. */
	int8_t base, index; /* or DECODE_NONE, DECODE_OTHER; the base also DECODE_PC or DECODE_PAGE */
	uint8_t scale;
	bool of_thread;
};

struct decode {
	uint8_t kind;	/* enum decode_kind */
	uint8_t length; /* bytes */
	int8_t other;	/* a third register: see ADD, CHOOSE, is_pair; or DECODE_NONE, _OTHER, _ZERO */
	/*
	 * MOVE with a second register: `other` is moved too, with the width of operand 1. Its
	 * memory follows that of the first register.
	 */
	bool is_pair : 1;
	bool is_of_plt : 1; /* JUMP: as at the end of an entry in a procedure linkage table */
	uint32_t written;   /* bit n: register n is changed */
	struct decode_operand operands[DECODE_OPERANDS];
	ompd_addr_t target; /* CALL, JUMP, BRANCH: the target; 0: unknown */
};

/* Bytes of a thread's control block, from the thread pointer on, that show what it is. */
#define DECODE_TCB_SIZE 24

struct decode_arch {
	const char *name;     /* for messages */
	uint16_t elf_machine; /* EM_… */
	unsigned n_registers;
	unsigned aligned; /* instruction addresses are multiples of this; 0: any */
	unsigned char arguments[DECODE_ARGS];
	unsigned char result;
	uint32_t lost;			       /* bit n: a call does not preserve register n */
	unsigned char dwarf[DECODE_REGISTERS]; /* register numbers in unwinding information */
	/* The word that the thread pointer points at is the thread pointer. */
	bool points_at_itself;
	/* Only loads and stores have memory operands: a comparison needs a load before it. */
	bool loads_apart;
	/*
	 * glibc's thread descriptor (its pthread_t) ends at the thread pointer instead of starting
	 * there. Then a control block proves nothing.
	 */
	bool pointer_is_behind;
	/* Stock libomp's teams have more room for arguments, and padding (libomp/layout.def). */
	bool pads_libomp;

	/* See the functions below. */
	bool (*next)(const uint8_t *code, size_t size, ompd_addr_t address, struct decode *ret);
	size_t (*find_use)(const uint8_t *code, size_t size, ompd_addr_t address, ompd_addr_t target);
	bool (*is_tcb)(const uint8_t tcb[DECODE_TCB_SIZE], ompd_addr_t thread_pointer);
	bool (*is_tls_offset)(int64_t offset);
};

/* The processor of all targets of this process. The default is the processor of this machine. */
extern const struct decode_arch *decode_arch;
extern const struct decode_arch decode_x86_64, decode_aarch64;

/* Switch to the processor that ELF files call @machine. Returns false if it is not known. */
bool decode_use(uint16_t machine);

/*
 * Decode the first instruction of the @size bytes of @code, which are at @address in the target.
 * Returns false if there is no valid instruction.
 */
bool decode_next(const uint8_t *code, size_t size, ompd_addr_t address, struct decode *ret);

/* Length of the longest instruction in bytes. */
#define DECODE_MAX_LENGTH 16

/*
 * Find an instruction that loads the address @target into a register. The @size bytes of @code are
 * at @address in the target. Returns its offset, or SIZE_MAX. Other bytes rarely match too: the
 * caller must verify the match.
 */
size_t decode_find_use(const uint8_t *code, size_t size, ompd_addr_t address, ompd_addr_t target);

/* Return whether @tcb, read at @thread_pointer, can be a glibc thread control block. */
bool decode_is_tcb(const uint8_t tcb[DECODE_TCB_SIZE], ompd_addr_t thread_pointer);

/* Return whether static thread-local storage can be at @offset from the thread pointer. */
bool decode_is_tls_offset(int64_t offset);

#endif
