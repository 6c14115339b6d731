/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What ompdd-worker (target/tracer.c) and its ompdd-tracer (target/tracer_main.c) say to each other: messages of fixed
 * size over a SOCK_SEQPACKET pair, and a board of threads in shared memory that only the tracer writes.
 *
 * The worker asks one thing at a time and gets one TRACER_REPLY for it; events may come before the reply. The end of
 * the socket, however it comes about, is the order to take out every breakpoint, to let every thread go, and to leave;
 * before TRACER_KEEP, to end the launched program, of which nobody knows yet.
 */
#ifndef OMPDD_TARGET_TRACER_PROTOCOL_H
#define OMPDD_TARGET_TRACER_PROTOCOL_H

#include <stdint.h>
#include <sys/types.h>

#include "target/arch.h"
#include "target/filter.h"

/* Changes with every change below; the two executables must be of one build. */
#define TRACER_PROTOCOL_VERSION 8

/* How /proc calls a tracer, whose executable is ompdd-tracer. */
#define TRACER_NAME "omp-tracer"

/* Descriptors of a new tracer. */
#define TRACER_FD_SOCKET 3
#define TRACER_FD_BOARD	 4
#define TRACER_FD_LAUNCH 5 /* /dev/null when nothing is to be launched */

/* Places with a breakpoint instruction at once. */
#define TRACER_MAX_PLANTED 4096
/* A launched program's arguments and environment together. */
#define TRACER_MAX_LAUNCH (1u << 20)

enum tracer_op {
	TRACER_ATTACH = 1, /* trace all threads of the process `tid`; they run on. EPERM: it is not the one that the
			      tracer was started for */
	TRACER_STOP,   /* stop all within `value` ms; resume by itself after `budget_ms` (0: never); ETIMEDOUT, EALREADY
			  (a hit did it) */
	TRACER_RESUME, /* end the stop numbered `value`, past the breakpoints that were reported; ESTALE: it has ended
			  already */
	TRACER_PLANT,  /* a breakpoint instruction, or the byte `value` if not 0, at `address`, while stopped; the
			  reply's `value` is what was there, its first byte the lowest; EINVAL: no
			  instruction begins there */
	TRACER_LIFT,   /* take it out again, while stopped */
	TRACER_PLANT_IF, /* the same as PLANT, but hits are reported that pass `filter`; of several users of a place
			    each has its own, and PLANT is one for all hits. ENOSPC also: it has too many */
	TRACER_LIFT_IF,	 /* end that of group `value` */
	TRACER_PASSED,	 /* the reply's `value`: how many hits of group `value` the tracer has counted */
	TRACER_VERDICT, /* of TRACER_ASK, for `tid`: `value` 1: stop all and report it, 0: let it go on. ESRCH: it is no
			   longer asked, as all were stopped meanwhile; the hit is reported then */
	TRACER_WORD, /* while stopped: `value` into the word of 8 bytes at `address`, which is 0; 0: 0 again, as is done
			when the program is let go. One word at a time. EEXIST: it is something else */
	TRACER_REGISTERS, /* write the registers of all stopped threads onto the board */
	TRACER_PARK,	  /* leave the stopped thread `tid` out of the next resumes, until `value` is 0 */
	TRACER_STEP, /* one instruction of the stopped thread `tid`; EINPROGRESS: it sleeps in a system call, and stands
		      */
	TRACER_RELEASE, /* take everything out, detach all threads; they run untraced */
	TRACER_KILL,	/* SIGKILL; for a launched process only; unless it is kept, to what it has started, too */
	TRACER_KEEP,	/* `value` 1: who asked for the launched process is told of it, and it runs on, whoever ends; 0:
			   they were not */
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
	TRACER_LAUNCHED, /* the first message of a tracer with something to launch: process `tid` stands behind its
			    exec; or `error`, `stage` */
	TRACER_HIT,	 /* all threads are stopped: `tid` came to `address` first; registers as at that instruction */
	TRACER_ASK,	 /* the others run: `tid` stands at `address`; does it count? */
	TRACER_THREAD_STARTED, /* `tid` */
	TRACER_THREAD_EXITED,  /* `tid` */
	TRACER_FORKED,	       /* the process has a child `value`, which is not traced */
	TRACER_EXECED,	       /* another program runs; nothing is traced any more, all breakpoints are gone */
	TRACER_EXITED,	       /* wait status `value`; for a process that is not our child only what is known (-1) */
};

/* In which step a launch failed. */
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
	int32_t error; /* errno, 0: it was done */
	uint32_t stage;
	int32_t tid;   /* also of an error: the thread that made it */
	uint32_t stop; /* number of the present stop; 0: the process runs */
	uint64_t address;
	uint64_t value;
	int64_t stopped_us; /* TRACER_RESUME, TRACER_RELEASE: how long the stop lasted */
	int64_t noticed_us; /* with `stop`: CLOCK_MONOTONIC when it began, with the trap that was seen or the first
			       INTERRUPT */
	uint32_t n_threads; /* on the board */
	uint32_t lost;	    /* events that were dropped before this one, as the worker did not read */
	uint32_t n_counted; /* TRACER_HIT, TRACER_ASK: the groups whose filters it has passed */
	uint32_t counted[FILTERS_MAX];
	struct arch_registers regs;
};

/* One thread on the board, written at each stop (tid) and by TRACER_REGISTERS (the rest). */
struct tracer_board_thread {
	int32_t tid;
	uint32_t has_regs; /* 0: it could not be read (dying, or within a system call that does not end) */
	struct arch_registers regs;
};

/*
 * The launch block, a sealed memory file: this header and then strings, each ended by a NUL: `argc` arguments,
 * `envc` variables, working directory, and files for standard input, output and error ("": leave it, /dev/null).
 */
struct tracer_launch {
	uint32_t version;
	uint32_t argc;
	uint32_t envc;
	uint32_t strings_len;
	uint64_t core_soft; /* RLIMIT_CORE for the program: the worker has taken it from itself */
	uint64_t core_hard;
};

#endif
