/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The process that ompdd-tracer traces: its threads, its planted breakpoints, and its stops. Part of ompdd-tracer only;
 * uses only system calls, and target/memory/timed_reader to read memory. struct tracee is shared with the watchdog,
 * which may need the list of planted breakpoints at any moment. Every change is therefore recorded before it is made.
 */
#ifndef OMPDD_TRACER_TRACEE_H
#define OMPDD_TRACER_TRACEE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "target/trace/tracer_protocol.h"

/* Equals TARGET_MAX_THREADS. */
#define TRACEE_MAX_THREADS 65536
/* The kernel's largest pid. */
#define TRACEE_MAX_TID	  (4u << 20)
#define TRACEE_CODE_BYTES 16
/* Time limit for a page of the stopped process that is not in memory. */
#define TRACEE_READ_MS 100
/* Time limit for a thread to leave an interrupted system call, in rounds of 100 us. */
#define TRACEE_INTERRUPT_ROUNDS 10000

enum tracee_thread_state {
	TRACEE_RUNNING, /* or in a group stop (PTRACE_LISTEN), or not reported yet */
	TRACEE_STOPPED,
	TRACEE_IN_VFORK, /* waits in the kernel for its child; stops before it returns to user code */
	TRACEE_ZOMBIE,	 /* a leader that ended before the others */
	TRACEE_GONE,	 /* to be removed from the table */
};

struct timed_reader; /* target/memory/timed_reader.h */

/* The call that led a thread to a function's first instruction. */
struct tracee_call {
	uint64_t address, return_address, sp;
};

enum tracee_verdict { TRACEE_UNFILTERED, TRACEE_PASS, TRACEE_ASK, TRACEE_REPORT };

struct tracee_thread {
	pid_t tid;
	enum tracee_thread_state state;
	bool fresh;	    /* has not stopped for the first time yet */
	bool interrupted;   /* INTERRUPT sent since it was resumed */
	bool other_process; /* of a child that shares the memory (vfork): traced, never reported */
	bool parked;
	bool unexamined; /* stopped, and not checked yet for a pending SIGTRAP */
	bool moving;	 /* resumed during a stop, to stop at another address */
	bool at_trap;	 /* stopped in the delivery of a SIGTRAP that it must not receive */
	bool vforked;	 /* its next resume leads to TRACEE_IN_VFORK */
	bool masked;	 /* its signals are blocked for a step; `mask` must be restored */
	uint64_t mask;
	bool has_kept_mask;	       /* tracer/tracee_trap.h */
	uint64_t kept_mask;	       /* when it was last resumed */
	uint32_t kept_losses;	       /* trap.n_losses when it was last resumed */
	bool has_own_trap;	       /* a SIGTRAP of the program, to be sent again */
	int sig;		       /* to be delivered at its next resume */
	int group;		       /* the signal of its group stop */
	uint64_t trapped;	       /* hit this breakpoint, not reported yet */
	uint64_t reported;	       /* stopped at this breakpoint, which it must step past */
	uint64_t stepping;	       /* in a slow step past this breakpoint */
	int64_t asked_us;	       /* start of its wait at `trapped` for the worker's answer; 0: it does not wait */
	enum tracee_verdict verdict;   /* result of tracee_filter() for `trapped` or `reported` */
	uint32_t counted[FILTERS_MAX]; /* the groups for which that hit counts */
	uint32_t n_counted;
	struct tracee_call last_call; /* all 0: none */
};

/* A breakpoint that has filters. */
struct tracee_group {
	uint32_t number;
	uint32_t n_places;
	uint64_t n_passed; /* filters that do not ask */
};

struct tracee_planted {
	uint64_t address;
	bool wanted;				    /* between TRACER_PLANT and TRACER_LIFT */
	bool is_plain;				    /* every hit is reported; else only those that pass a filter */
	bool is_in;				    /* the instruction is written, or about to be */
	unsigned char bytes[ARCH_BREAKPOINT_BYTES]; /* the instruction, or the value that turns a switch in data on */
	unsigned len;				    /* length of `bytes` */
	unsigned char code[TRACEE_CODE_BYTES];	    /* the original bytes; the first @len are replaced */
	unsigned code_len;
	struct target_filter filters[FILTERS_MAX];
	unsigned n_filters;
};

/* The program's disposition of SIGTRAP. */
enum tracee_trap_kind { TRACEE_TRAP_DEFAULT, TRACEE_TRAP_IGNORED, TRACEE_TRAP_CAUGHT };

/* Words of the kernel's struct sigaction: handler, flags, restorer, mask. */
#define TRACEE_ACTION_WORDS 4

struct tracee_trap {
	bool is_current; /* read in this stop */
	enum tracee_trap_kind kind;
	bool has_action;
	uint64_t action[TRACEE_ACTION_WORDS];
	uint32_t n_losses; /* how often the kernel has reset the handler */
	uint64_t call;	   /* address of a system call instruction of the program; 0: not searched yet */
};

enum tracee_mode {
	TRACEE_NONE, /* nothing traced */
	TRACEE_RUNS,
	TRACEE_STOPS, /* all threads are stopped */
};

struct tracee {
	pid_t pid;
	int memfd;		     /* /proc/PID/mem, or -1; for writing to pages that a read has found in memory */
	struct timed_reader *reader; /* reads the memory */
	int taskfd;		     /* /proc/PID/task */
	enum tracee_mode mode;
	bool launched; /* it is our child */
	bool exited;
	int exit_status;
	bool execed;   /* since the last check */
	bool settled;  /* see tracee_settle() */
	uint32_t stop; /* counts stops */
	uint64_t word; /* address of the program's word that must be reset; 0: none */
	struct tracee_trap trap;
	pid_t watchdog;	  /* the watchdog's pid; 0: none */
	bool no_watchdog; /* no watchdog can be started */
	int64_t stopped_at_us;
	struct tracee_thread *threads;
	size_t n_threads;
	uint32_t *index; /* tid: index in threads[] + 1 */
	/* Return whether no client is left that could wait for a slow operation. */
	bool (*is_alone)(struct tracee *p);
	/* Called for each event; must not call back. */
	void (*event)(struct tracee *p, enum tracer_message_kind kind, pid_t tid, uint64_t value);
	size_t n_planted; /* lifted entries stay: a late trap is still recognized as ours */
	size_t n_in;
	size_t n_groups;
	/* Large; unused entries are never touched. */
	struct tracee_planted planted[TRACER_MAX_PLANTED];
	struct tracee_group groups[TRACER_MAX_PLANTED];
};

/* Functions that return int return an errno, or 0 on success. First tracee.c: */

/* Allocate the tables. */
int tracee_init(struct tracee *p);

/*
 * Stop all threads within @limit_ms. ETIMEDOUT: some threads have not stopped, *@tid_ret is one; call tracee_resume()
 * or tracee_release() for the others.
 */
int tracee_stop(struct tracee *p, unsigned limit_ms, pid_t *tid_ret);
/*
 * The same in two parts, for a caller with work in between. After the first part all threads are stopped, but a SIGTRAP
 * of ours may be pending. Until the second part, registers must not be shown and no thread may be resumed. The second
 * part lets all these SIGTRAPs arrive.
 */
int tracee_reach_stop(struct tracee *p, unsigned limit_ms, pid_t *tid_ret);
void tracee_examine(struct tracee *p);
/* Stop one running thread. Return false if it has not stopped yet: call again. */
bool tracee_stop_one(struct tracee *p, struct tracee_thread *t);
/*
 * Resume the stopped thread @t if a SIGTRAP of ours is pending, so that it stops with that. Return false if none is
 * pending.
 */
bool tracee_let_trap_come(struct tracee *p, struct tracee_thread *t);
/* Return whether a thread is in a slow step. */
bool tracee_any_stepping(const struct tracee *p);
/* Resume all threads except parked ones, past reported breakpoints. */
void tracee_resume(struct tracee *p);
/* Resume only @t, past its breakpoint, while the others run. Return false if only tracee_resume() can do that. */
bool tracee_pass_by(struct tracee *p, struct tracee_thread *t);

/*
 * While stopped: return the next thread that hit a breakpoint at about the same time as the reported one, and mark it
 * as reported; NULL without one. Every thread gets its turn, however many trap together.
 */
struct tracee_thread *tracee_next_trapped(struct tracee *p);

/*
 * Process all results of waitpid(), and resume threads that need not stay stopped. Return the thread that hit a
 * breakpoint, or NULL.
 */
struct tracee_thread *tracee_reap(struct tracee *p);

/*
 * While stopped: make sure that @t, which has just stepped, would not receive a SIGTRAP if we were killed.
 * tracee_stop() does this for all threads.
 */
void tracee_leave_trap(struct tracee *p, struct tracee_thread *t);

/*
 * In a long stop: leave the process in a state that survives our death. Remove the instructions until the resume, and
 * leave no thread where it would receive a SIGTRAP. tracee_is_settled(): nothing is left to do.
 */
void tracee_settle(struct tracee *p);
bool tracee_is_settled(const struct tracee *p);

/* tracee_attach.c: start of tracing. */

/* Trace all threads of @pid and stop them within @limit_ms; *@tid_ret: the thread that caused an error. */
int tracee_attach(struct tracee *p, pid_t pid, unsigned limit_ms, pid_t *tid_ret);
/* Trace the child @pid. Return -1 with errno on failure. */
int tracee_seize_child(pid_t pid);
/* Take the child @pid, stopped in its exec, as the traced process. */
int tracee_adopt(struct tracee *p, pid_t pid);

/* tracee_release.c: end of tracing. */

/*
 * Remove everything that is planted and detach all threads. Detaches stopped threads first; stops another thread only
 * for the moment of its detaching. Waits for threads that may still hit a breakpoint. tracee_reap() detaches threads
 * that are left, or the kernel does when this process ends.
 */
void tracee_release(struct tracee *p);

/* tracee_step.c: steps of one thread while all threads are stopped. */

/*
 * Step @t by one instruction, past its breakpoint. EAGAIN: it is in a group stop; EINPROGRESS: it sleeps in a system
 * call, which its next resume continues; EBUSY: it got no processor; ESRCH: it is gone.
 */
int tracee_step(struct tracee *p, struct tracee_thread *t);
/* Step past the reported breakpoint. */
void tracee_step_over(struct tracee *p, struct tracee_thread *t);

/* tracee_note.c: the table of threads. Only tracee_compact(), which removes ended threads, moves entries. */
struct tracee_thread *tracee_find(struct tracee *p, pid_t tid);
struct tracee_thread *tracee_add(struct tracee *p, pid_t tid);
void tracee_compact(struct tracee *p);
/* Process a status of waitpid() for @tid; or call waitpid() for @t, and return false without a status. */
void tracee_note(struct tracee *p, pid_t tid, int status);
bool tracee_wait_one(struct tracee *p, struct tracee_thread *t);
/* Restore a stopped thread's signal mask after a step. */
void tracee_unmask(struct tracee_thread *t);
/* Detach a stopped thread. */
void tracee_detach(struct tracee_thread *t);
/* Return traced_state() of @t. */
char tracee_state(const struct tracee *p, const struct tracee_thread *t);

/* tracee_code.c: the program's text. */

/*
 * Write @byte; 0: a breakpoint instruction. *@old_ret: the original bytes as a little-endian number. EINVAL: no
 * instruction starts there.
 */
int tracee_plant(struct tracee *p, uint64_t address, unsigned char byte, uint64_t *old_ret);
int tracee_lift(struct tracee *p, uint64_t address);
struct tracee_planted *tracee_planted_at(struct tracee *p, uint64_t address);
/* Write the breakpoint instruction, or the original bytes. */
int tracee_put(struct tracee *p, struct tracee_planted *at, bool in);
bool tracee_read(struct tracee *p, uint64_t address, void *buf, size_t len);
/* Remove our instructions from the memory of @child, a stopped fork of the process. */
void tracee_clean_child(struct tracee *p, pid_t child);
/*
 * Emulate the instruction at @at if it is one of a few that functions start with; return false if it must be stepped.
 */
bool tracee_emulate(struct tracee *p, pid_t tid, const struct tracee_planted *at);

/*
 * Write @value, not 0, to the word at @address, which must be 0; or reset that word to 0. EBUSY: a word is already set.
 */
int tracee_set_word(struct tracee *p, uint64_t address, uint64_t value);

/* tracee_filter.c: filters. */

/* Apply the filters of @at to the hit of @t: report it, ask the worker, or pass. Counts the hit. */
enum tracee_verdict tracee_filter(struct tracee *p, struct tracee_thread *t, const struct tracee_planted *at);
/* Like tracee_plant() and tracee_lift(), for one user of the address. ENOSPC also if it has too many users. */
int tracee_plant_if(struct tracee *p, const struct target_filter *filter, uint64_t address, uint64_t *old_ret);
int tracee_lift_if(struct tracee *p, uint32_t group, uint64_t address);
/* Return how many hits have passed the group's filters. */
uint64_t tracee_passed(struct tracee *p, uint32_t group);

/*
 * tracee_launch.c: start the program described by the block in @fd, up to its exec. *@stage_ret: the step that failed.
 */
int tracee_launch(struct tracee *p, int fd, enum tracer_stage *stage_ret);

#endif
