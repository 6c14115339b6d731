/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread of a target: its ids, the system call in which it sleeps, and its general registers. */
#ifndef OMPDD_TARGET_THREAD_H
#define OMPDD_TARGET_THREAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "target/arch/arch.h"

/* Threads of one target; more are ERR_LIMIT_EXCEEDED. */
#define TARGET_MAX_THREADS 65536

struct target_thread {
	pid_t tid;
	uint64_t pthread; /* pthread_t; 0 when not known */
	char comm[16];	  /* NUL-terminated raw bytes that the target chose; read when the thread was first seen */
	char state;	  /* letter of /proc/PID/task/TID/stat; 't' in stop mode, where the state before the stop is
			   * unknown */
};

/* The present activity of a thread, as far as it is certain. */
struct target_activity {
	bool known;	 /* false: nothing below is valid (running, or not readable) */
	bool in_syscall; /* blocked in, or stopped inside, system call nr(args) */
	long syscall;
	uint64_t args[ARCH_N_ARGUMENTS];
	uint64_t pc;
	uint64_t sp;
	/* The register for return addresses, on a processor that has one; 0: none, or not read (observe mode). */
	uint64_t link;
};

/* The size of value[], by the processor's DWARF numbers; arch->n_registers of them are used. */
#define TARGET_N_REGISTERS   ARCH_N_REGISTERS
#define TARGET_ALL_REGISTERS (((uint64_t)1 << arch->n_registers) - 1)
#define TARGET_REGISTER_SP   arch->sp_register
#define TARGET_REGISTER_PC   arch->pc_register

struct target_registers {
	uint64_t value[TARGET_N_REGISTERS];
	uint64_t known; /* bit n: value[n] is valid; the others are 0 */
};

#endif
