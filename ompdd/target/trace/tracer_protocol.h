/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The protocol between ompdd-worker (target/stop/tracer.c) and its ompdd-tracer (tracer/tracer_main.c): messages of
 * fixed size over a SOCK_SEQPACKET pair, and a board of threads in shared memory that only the tracer writes.
 *
 * The worker sends one request at a time and receives one TRACER_REPLY for it; events may arrive before the reply. When
 * the socket closes, for any reason, the tracer removes every breakpoint, detaches every thread, and exits. Before
 * TRACER_KEEP it also kills the launched program, which no client knows yet.
 */
#ifndef OMPDD_TARGET_TRACER_PROTOCOL_H
#define OMPDD_TARGET_TRACER_PROTOCOL_H

#include <stdint.h>
#include <sys/types.h>

#include "target/trace/filter.h"
#include "target/arch/thread.h"

/* Changes with every change below. Both executables must be from one build. */
#define TRACER_PROTOCOL_VERSION 8

/* A tracer's name in /proc; its executable is ompdd-tracer. */
#define TRACER_NAME "omp-tracer"

/* Descriptors of a new tracer. */
#define TRACER_FD_SOCKET 3
#define TRACER_FD_BOARD	 4
#define TRACER_FD_LAUNCH 5 /* /dev/null if nothing is launched */

/* The largest number of breakpoint instructions at once. */
#define TRACER_MAX_PLANTED 4096
/* Size of a launched program's arguments and environment together. */
#define TRACER_MAX_LAUNCH (1u << 20)

enum tracer_op {
	TRACER_ATTACH = 1, /* trace all threads of the process `tid`, which keep running. EPERM: the tracer was
			    * started for another process */
	TRACER_STOP,	   /* stop all threads within `value` ms; resume after `budget_ms` (0: never). ETIMEDOUT,
			    * EALREADY (a hit stopped them) */
	TRACER_RESUME, /* end the stop numbered `value`, past the reported breakpoints. ESTALE: it has already ended */
	TRACER_PLANT,  /* while stopped: write a breakpoint instruction, or the byte `value` if not 0, at `address`.
			* The reply's `value` is the original bytes, the first one lowest. EINVAL: no instruction
			* starts there */
	TRACER_LIFT,   /* remove it again, while stopped */
	TRACER_PLANT_IF,  /* like PLANT for hits that pass `filter`. Each user of an address has its own filter; PLANT
			   * is one user for all hits. ENOSPC also: too many users */
	TRACER_LIFT_IF,	  /* end the PLANT_IF of group `value` */
	TRACER_PASSED,	  /* the reply's `value`: how many hits of group `value` the tracer has counted */
	TRACER_VERDICT,	  /* the answer to TRACER_ASK for `tid`. `value` 1: stop all threads and report it, 0: resume
			   * it. ESRCH: the request has ended because all threads were stopped; the hit is reported */
	TRACER_WORD,	  /* while stopped: write `value` to the 8-byte word at `address`, which must be 0; 0 resets
			   * it, and so does a detach. One word at a time. EEXIST: the word is not 0 */
	TRACER_REGISTERS, /* write the registers of all stopped threads onto the board */
	TRACER_PARK,	  /* exclude the stopped thread `tid` from resumes, until `value` is 0 */
	TRACER_STEP,	  /* step the stopped thread `tid` by one instruction. EINPROGRESS: it sleeps in a system call,
			   * and is stopped */
	TRACER_RELEASE,	  /* remove everything and detach all threads; they run untraced */
	TRACER_KILL,	  /* SIGKILL to a launched process and, unless it is kept, to its children */
	TRACER_KEEP,	  /* `value` 1: the launched process has been reported to its client, and keeps running when
			   * ompdd exits; 0: it has not */
};

struct tracer_request {
	uint32_t op;
	uint32_t seq; /* copied into the reply */
	int32_t tid;
	uint32_t budget_ms;
	uint64_t address;
	uint64_t value;
	struct target_filter filter;
};

enum tracer_message_kind {
	TRACER_REPLY = 1,
	TRACER_LAUNCHED, /* first message after a launch: process `tid` is stopped after its exec; or `error`,
			  * `stage` */
	TRACER_HIT,	 /* all threads are stopped: `tid` hit `address` first; registers as at that instruction */
	TRACER_ASK,	 /* `tid` is stopped at `address`, the others run: does the hit count? */
	TRACER_THREAD_STARTED, /* `tid` */
	TRACER_THREAD_EXITED,  /* `tid` */
	TRACER_FORKED,	       /* the process has an untraced child `value` */
	TRACER_EXECED,	       /* another program runs; nothing is traced any more, all breakpoints are gone */
	TRACER_EXITED,	       /* wait status `value`; -1 if unknown, for a process that is not our child */
};

/* The step in which a launch failed. */
enum tracer_stage {
	TRACER_STAGE_READ, /* the launch block is malformed */
	TRACER_STAGE_FORK,
	TRACER_STAGE_TRACE,
	TRACER_STAGE_DIRECTORY, /* chdir to cwd */
	TRACER_STAGE_STDIN,	/* open the file for standard input, … */
	TRACER_STAGE_STDOUT,
	TRACER_STAGE_STDERR,
	TRACER_STAGE_EXEC,
};

struct tracer_message {
	uint32_t kind;
	uint32_t seq;  /* of a reply */
	int32_t error; /* errno; 0: success */
	uint32_t stage;
	int32_t tid;   /* with an error: the thread that caused it */
	uint32_t stop; /* number of the present stop; 0: the process runs */
	uint64_t address;
	uint64_t value;
	int64_t stopped_us; /* TRACER_RESUME, TRACER_RELEASE: duration of the stop */
	int64_t noticed_us; /* with `stop`: CLOCK_MONOTONIC of its start, by the trap or the first INTERRUPT */
	uint32_t n_threads; /* on the board */
	uint32_t lost;	    /* events dropped before this one because the worker did not read */
	uint32_t n_counted; /* TRACER_HIT, TRACER_ASK: the groups whose filters the hit has passed */
	uint32_t counted[FILTERS_MAX];
	struct arch_registers regs;
};

/* A thread on the board; each stop writes tid, TRACER_REGISTERS the rest. */
struct tracer_board_thread {
	int32_t tid;
	uint32_t has_regs; /* 0: not readable (dying, or in a system call that does not end) */
	struct arch_registers regs;
};

/* The board has a place for each thread. */
#define TRACER_BOARD_SIZE (TARGET_MAX_THREADS * sizeof(struct tracer_board_thread))

/*
 * The launch block, a sealed memory file: this header, then strings, each terminated by NUL: `argc` arguments, `envc`
 * variables, working directory, and files for standard input, output and error ("": the default, /dev/null).
 */
struct tracer_launch {
	uint32_t version;
	uint32_t argc;
	uint32_t envc;
	uint32_t strings_len;
	uint64_t core_soft; /* RLIMIT_CORE for the program: the worker has set its own to 0 */
	uint64_t core_hard;
};

#endif
