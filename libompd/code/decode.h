/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What depends on the processor: instructions, as far as code/walk.c follows what they do, the registers that calls
 * use, and how a thread's memory hangs on its thread pointer. Nothing else in libompd knows one. Another processor is
 * one file more beside the one that is there, named as CMake names the processor.
 */
#ifndef OMPDD_LIBOMPD_CODE_DECODE_H
#define OMPDD_LIBOMPD_CODE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp-tools.h"

#define DECODE_REGISTERS                                                                                               \
	16 /* general registers are 0 to at most that - 1; paths keep what each holds, so no more than are needed */
#define DECODE_ARGS	4
#define DECODE_OPERANDS 2
/* Instead of a register's number. */
#define DECODE_NONE  (-1)
#define DECODE_PC    (-2) /* the address of the next instruction */
#define DECODE_OTHER (-3) /* one that is not followed */

enum decode_kind {
	DECODE_ELSE,   /* nothing that is followed: what is in `written` becomes unknown */
	DECODE_MOVE,   /* operand 0 = operand 1 */
	DECODE_WIDEN,  /* the same, operand 1 being widened to more bytes */
	DECODE_CHOOSE, /* operand 0 = operand 1, or nothing */
	DECODE_LEA,    /* operand 0 = the address that operand 1 names */
	DECODE_ADD,    /* operand 0 += operand 1 */
	DECODE_SUB,    /* operand 0 -= operand 1 */
	DECODE_CLEAR,  /* operand 0 = 0 */
	DECODE_COMPARE,
	DECODE_RETURN,
	DECODE_CALL,
	DECODE_JUMP,
	DECODE_BRANCH, /* a jump, or nothing */
};

enum decode_operand_kind {
	DECODE_NO_OPERAND, /* or one that is not followed */
	DECODE_REGISTER,
	DECODE_NUMBER,
	DECODE_MEMORY,
};

/* Narrow, as thousands are kept (code/decode_memo). */
struct decode_operand {
	int64_t number; /* DECODE_NUMBER; of DECODE_MEMORY the displacement */
	uint16_t size;	/* bytes */
	uint8_t kind;	/* enum decode_operand_kind */
	int8_t reg;	/* DECODE_REGISTER, or DECODE_OTHER */
	/* DECODE_MEMORY: base + index * scale + number, and the thread pointer if `of_thread`. */
	int8_t base, index; /* or DECODE_NONE, DECODE_OTHER; the base may be DECODE_PC */
	uint8_t scale;
	bool of_thread;
};

struct decode {
	uint8_t kind;	  /* enum decode_kind */
	uint8_t length;	  /* bytes */
	uint32_t written; /* bit n: register n is changed */
	struct decode_operand operands[DECODE_OPERANDS];
	ompd_addr_t target; /* CALL, JUMP, BRANCH: where it goes; 0: the code does not say */
};

/* Where a thread's control block shows that it is one: words of it, from the thread pointer on. */
#define DECODE_TCB_SIZE 24

struct decode_arch {
	const char *name; /* for messages */
	unsigned char arguments[DECODE_ARGS];
	unsigned char result;
	uint32_t lost;			       /* bit n: a call may leave anything in register n */
	unsigned char dwarf[DECODE_REGISTERS]; /* their numbers in unwinding information */
	/* The word that the thread pointer points at is the thread pointer. */
	bool points_at_itself;
};

extern const struct decode_arch decode_arch;

/* The instruction that @code begins with, of which there are @size bytes, at @address in the target. False: there is
 * none. */
bool decode_next(const uint8_t *code, size_t size, ompd_addr_t address, struct decode *ret);

/* No instruction is longer. */
#define DECODE_MAX_LENGTH 16

/*
 * Where in the @size bytes of @code, which lie at @address in the target, an instruction may be that puts the address
 * @target into a register; SIZE_MAX: nowhere. Bytes are taken for one that are none, rarely: the caller looks closer.
 */
size_t decode_find_use(const uint8_t *code, size_t size, ompd_addr_t address, ompd_addr_t target);

/* Whether the @tcb that was read at @thread_pointer is a thread's control block of glibc, to which pthread_t is that
 * pointer. */
bool decode_is_tcb(const uint8_t tcb[DECODE_TCB_SIZE], ompd_addr_t thread_pointer);

/* Whether static thread-local storage may be at @offset from the thread pointer. */
bool decode_is_tls_offset(int64_t offset);

#endif
