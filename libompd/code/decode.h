/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What depends on the processor: instructions, as far as code/walk.c follows what they do, the registers that calls
 * use, and how a thread's memory hangs on its thread pointer. Nothing else in libompd knows one. Another processor is
 * one file more beside those that are there, and a line in decode.c. All are there on all machines, for cores.
 */
#ifndef OMPDD_LIBOMPD_CODE_DECODE_H
#define OMPDD_LIBOMPD_CODE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp-tools.h"

#define DECODE_REGISTERS 32 /* general registers are 0 to at most that - 1 */
#define DECODE_ARGS	 6
#define DECODE_OPERANDS	 2
/* Instead of a register's number. */
#define DECODE_NONE  (-1)
#define DECODE_PC    (-2) /* the address of the next instruction */
#define DECODE_OTHER (-3) /* one that is not followed */
#define DECODE_ZERO  (-5) /* what is always zero */
#define DECODE_PAGE  (-4) /* where the 4096 bytes begin in which the instruction is */

enum decode_kind {
	DECODE_ELSE,	/* nothing that is followed: what is in `written` becomes unknown */
	DECODE_MOVE,	/* operand 0 = operand 1 */
	DECODE_WIDEN,	/* the same, operand 1 being widened to more bytes */
	DECODE_CHOOSE,	/* operand 0 = operand 1, or `other`, or, without that, nothing */
	DECODE_LEA,	/* operand 0 = the address that operand 1 names */
	DECODE_ADD,	/* operand 0 = `other`, or, without that, itself, + operand 1 */
	DECODE_SUB,	/* operand 0 = the same - operand 1 */
	DECODE_CLEAR,	/* operand 0 = 0 */
	DECODE_INSERT,	/* 16 bits of operand 0, from bit `scale` of operand 1 on, = those of the number operand 1 */
	DECODE_COMPARE, /* operands 0 and 1 */
	DECODE_RETURN,
	DECODE_CALL,
	DECODE_JUMP,
	DECODE_BRANCH, /* a jump, or nothing; operand 0, if it is a register, is compared with operand 1 */
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
	int8_t base, index; /* or DECODE_NONE, DECODE_OTHER; the base may be DECODE_PC or DECODE_PAGE */
	uint8_t scale;
	bool of_thread;
};

struct decode {
	uint8_t kind;	/* enum decode_kind */
	uint8_t length; /* bytes */
	int8_t other;	/* a third register: see ADD, CHOOSE and is_pair; DECODE_NONE, _OTHER, _ZERO */
	/* MOVE, of what is as wide as operand 1: `other` is moved, too; its memory is behind that of the first. */
	bool is_pair : 1;
	bool is_of_plt : 1; /* JUMP: as entries of procedure linkage tables end */
	uint32_t written;   /* bit n: register n is changed */
	struct decode_operand operands[DECODE_OPERANDS];
	ompd_addr_t target; /* CALL, JUMP, BRANCH: where it goes; 0: the code does not say */
};

/* Where a thread's control block shows that it is one: words of it, from the thread pointer on. */
#define DECODE_TCB_SIZE 24

struct decode_arch {
	const char *name;     /* for messages */
	uint16_t elf_machine; /* EM_… */
	unsigned n_registers;
	unsigned aligned; /* addresses of instructions are multiples of that; 0: any */
	unsigned char arguments[DECODE_ARGS];
	unsigned char result;
	uint32_t lost;			       /* bit n: a call may leave anything in register n */
	unsigned char dwarf[DECODE_REGISTERS]; /* their numbers in unwinding information */
	/* The word that the thread pointer points at is the thread pointer. */
	bool points_at_itself;
	/* Only loads and stores have memory as an operand: what is compared was loaded before. */
	bool loads_apart;
	/* glibc's thread descriptor, which is its pthread_t, ends where the thread pointer points, and does not begin
	 * there: a control block shows nothing. */
	bool pointer_is_behind;
	/* Teams of stock libomp have more room for arguments there, and padding (libomp/layout.def). */
	bool pads_libomp;

	/* As the functions below. */
	bool (*next)(const uint8_t *code, size_t size, ompd_addr_t address, struct decode *ret);
	size_t (*find_use)(const uint8_t *code, size_t size, ompd_addr_t address, ompd_addr_t target);
	bool (*is_tcb)(const uint8_t tcb[DECODE_TCB_SIZE], ompd_addr_t thread_pointer);
	bool (*is_tls_offset)(int64_t offset);
};

/* That of all targets of this process: at first that of the machine itself. */
extern const struct decode_arch *decode_arch;
extern const struct decode_arch decode_x86_64, decode_aarch64;

/* From now on it is the one that ELF files call @machine. False: that is not known. */
bool decode_use(uint16_t machine);

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

/* Whether the @tcb that was read at @thread_pointer may be a thread's control block of glibc. */
bool decode_is_tcb(const uint8_t tcb[DECODE_TCB_SIZE], ompd_addr_t thread_pointer);

/* Whether static thread-local storage may be at @offset from the thread pointer. */
bool decode_is_tls_offset(int64_t offset);

#endif
