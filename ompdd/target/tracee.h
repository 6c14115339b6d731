/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The process that ompdd-tracer traces: its threads, what is planted in it, and its stops. Part of ompdd-tracer only;
 * it uses nothing but system calls, and target/reach to read memory. struct tracee lies in memory that is shared with
 * its keeper (target/keeper.h), which may have to know at any moment what is planted: so that is noted before it is
 * done.
 */
#ifndef OMPDD_TARGET_TRACEE_H
#define OMPDD_TARGET_TRACEE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "target/tracer_protocol.h"

/* As TARGET_MAX_THREADS. */
#define TRACEE_MAX_THREADS 65536
/* The kernel's largest pid. */
#define TRACEE_MAX_TID	  (4u << 20)
#define TRACEE_CODE_BYTES 16
/* How long a page of the stopped process may take that is not in memory. */
#define TRACEE_READ_MS 100
/* How long a thread may take to leave a system call that is interrupted, in rounds of 100 us. */
#define TRACEE_INTERRUPT_ROUNDS 10000

enum tracee_thread_state {
	TRACEE_RUNNING, /* or in a group stop (PTRACE_LISTEN), or not reported yet */
	TRACEE_STOPPED,
	TRACEE_IN_VFORK, /* waits in the kernel for its child; stops before it returns to its code */
	TRACEE_ZOMBIE,	 /* a leader that ended before the others */
	TRACEE_GONE,	 /* to be removed from the table */
};

struct reach; /* target/reach.h */

/* By which a thread came to a place that is a function's beginning. */
struct tracee_call {
	uint64_t address, return_address, sp;
};

enum tracee_sift { TRACEE_UNSIFTED, TRACEE_PASS, TRACEE_ASK, TRACEE_REPORT };

struct tracee_thread {
	pid_t tid;
	enum tracee_thread_state state;
	bool fresh;	    /* has not stopped for the first time yet */
	bool interrupted;   /* told to stop since it was resumed */
	bool other_process; /* of a child that shares the memory (vfork): traced, never reported */
	bool parked;
	bool unexamined; /* stopped, and it was not looked yet whether a SIGTRAP is on its way */
	bool moving;	 /* let go within a stop, to come to another place of it */
	bool at_trap;	 /* it stands in the delivery of a SIGTRAP that it is not to get */
	bool vforked;	 /* its next resume leads into TRACEE_IN_VFORK */
	bool masked;	 /* its signals are blocked for a step; it is to have `mask` again */
	uint64_t mask;
	bool has_kept_mask;	       /* target/tracee_trap.h */
	uint64_t kept_mask;	       /* when it went on last */
	bool has_own_trap;	       /* a SIGTRAP of the program's, to be sent again */
	int sig;		       /* to be delivered when it goes on */
	int group;		       /* the signal of the group stop that it is in */
	uint64_t trapped;	       /* came to this breakpoint, not reported yet */
	uint64_t reported;	       /* stands at this breakpoint: to be stepped past */
	uint64_t stepping;	       /* within a step past this one that takes long */
	int64_t asked_us;	       /* it waits at `trapped` for the worker's word since then; 0: it does not */
	enum tracee_sift sifted;       /* what tracee_sift() said of `trapped` or `reported` */
	uint32_t counted[FILTERS_MAX]; /* and the groups for which it counts there, or at `reported` */
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
	bool is_plain;				    /* each hit is reported; else those that pass a filter */
	bool is_in;				    /* the instruction is there now, or about to be */
	unsigned char bytes[ARCH_BREAKPOINT_BYTES]; /* the instruction; or of a switch in data, what turns it on */
	unsigned len;				    /* of them */
	unsigned char code[TRACEE_CODE_BYTES];	    /* what was there; the first @len are what is replaced */
	unsigned code_len;
	struct target_filter filters[FILTERS_MAX];
	unsigned n_filters;
};

/* What the program does with SIGTRAP. */
enum tracee_trap_kind { TRACEE_TRAP_DEFAULT, TRACEE_TRAP_IGNORED, TRACEE_TRAP_CAUGHT };

/* Words of the kernel's struct sigaction: handler, flags, restorer, mask. */
#define TRACEE_ACTION_WORDS 4

struct tracee_trap {
	bool is_current; /* read in this stop */
	enum tracee_trap_kind kind;
	bool has_action;
	uint64_t action[TRACEE_ACTION_WORDS];
	uint64_t call; /* address of a system call instruction of the program's; 0: not looked for yet */
};

enum tracee_mode {
	TRACEE_NONE, /* nothing traced */
	TRACEE_RUNS,
	TRACEE_STOPS, /* all threads stand */
};

struct tracee {
	pid_t pid;
	int memfd;	     /* /proc/PID/mem, -1; for writing where reading has shown that the page is there */
	struct reach *reach; /* for reading it */
	int taskfd;	     /* /proc/PID/task */
	enum tracee_mode mode;
	bool launched; /* it is our child */
	bool exited;
	int exit_status;
	bool execed;   /* since the last look */
	bool settled;  /* see tracee_settle() */
	uint32_t stop; /* counts stops */
	uint64_t word; /* address of the program's that is not to stay as it is; 0: none */
	struct tracee_trap trap;
	pid_t keeper;	 /* target/keeper.h; 0: none */
	bool keeperless; /* there is none to be had */
	int64_t stopped_at_us;
	struct tracee_thread *threads;
	size_t n_threads;
	uint32_t *index; /* tid: place in threads[] + 1 */
	/* Whether nobody is left for whom to wait for what takes long. */
	bool (*is_alone)(struct tracee *p);
	/* Told of what happens; none may call back. */
	void (*event)(struct tracee *p, enum tracer_message_kind kind, pid_t tid, uint64_t value);
	size_t n_planted; /* entries stay when they are lifted: a late trap is still known as ours */
	size_t n_in;
	size_t n_groups;
	/* Large, and what is not used of it not touched. */
	struct tracee_planted planted[TRACER_MAX_PLANTED];
	struct tracee_group groups[TRACER_MAX_PLANTED];
};

/* Functions that return int give an errno, 0 when it was done. First tracee.c: */

/* Maps the tables. */
int tracee_init(struct tracee *p);

/*
 * Stop all threads within @limit_ms. ETIMEDOUT: some threads have not stopped, *@tid_ret is one; call tracee_resume()
 * or tracee_release() for the others.
 */
int tracee_stop(struct tracee *p, unsigned limit_ms, pid_t *tid_ret);
/*
 * The same in two parts, for who has something to say in between. After the first all stand, but some may have a
 * SIGTRAP of ours to come, so that their registers are not to be shown, and none may go on; the second lets these come,
 * all at once.
 */
int tracee_reach_stop(struct tracee *p, unsigned limit_ms, pid_t *tid_ret);
void tracee_examine(struct tracee *p);
/* One that runs; false: it has not come to a stop yet, ask again. */
bool tracee_stop_one(struct tracee *p, struct tracee_thread *t);
/* Resume the stopped thread @t if a SIGTRAP of ours is pending, so that it stops with that. False: none is pending. */
bool tracee_let_trap_come(struct tracee *p, struct tracee_thread *t);
/* Whether a thread is in a step that takes long. */
bool tracee_any_stepping(const struct tracee *p);
/* Let all go on but those parked, past what was reported. */
void tracee_resume(struct tracee *p);
/* The one thread @t, past what it came to, while the others run. False: only tracee_resume() can do that. */
bool tracee_pass_by(struct tracee *p, struct tracee_thread *t);

/*
 * While stopped: the next thread that came to a breakpoint at about the same time as the one that was reported, now
 * taken as reported; NULL when there is none. So every thread's turn comes, however many trap at once.
 */
struct tracee_thread *tracee_next_trapped(struct tracee *p);

/* Take in all that waitpid() has to say, and let what need not stand go on. The thread that came to a breakpoint, or
 * NULL. */
struct tracee_thread *tracee_reap(struct tracee *p);

/*
 * While stopped: @t, which a step has just ended, stands from now on where it would not get a SIGTRAP if we were
 * killed. tracee_stop() does so for all.
 */
void tracee_leave_trap(struct tracee *p, struct tracee_thread *t);

/*
 * While stopped, when that seems to last: leave the process so that nothing happens to it if we are killed. The
 * instructions are taken out until the resume, and no thread stands where it would get a SIGTRAP. tracee_is_settled():
 * there is nothing to do.
 */
void tracee_settle(struct tracee *p);
bool tracee_is_settled(const struct tracee *p);

/* tracee_attach.c: the beginning. */

/* Trace all threads of @pid and stop them, within @limit_ms; *@tid_ret: which thread was the reason of an error. */
int tracee_attach(struct tracee *p, pid_t pid, unsigned limit_ms, pid_t *tid_ret);
/* Trace the child @pid; -1 and errno when that fails. */
int tracee_seize_child(pid_t pid);
/* The child @pid, stopped in its exec, is our process from now on. */
int tracee_adopt(struct tracee *p, pid_t pid);

/* tracee_release.c: the end. */

/*
 * Remove everything that is planted and detach all threads. Detaches stopped threads first; stops another thread only
 * for the moment of its detaching. Waits for threads that may still hit a breakpoint. tracee_reap() detaches threads
 * that are left, or the kernel does when this process ends.
 */
void tracee_release(struct tracee *p);

/* tracee_step.c: of one thread, while all stand. */

/*
 * One instruction of @t, past what it came to. EAGAIN: it is in a group stop; EINPROGRESS: it sleeps in a
 * system call, which its next resume goes on with; EBUSY: it got no processor for it; ESRCH: it is gone.
 */
int tracee_step(struct tracee *p, struct tracee_thread *t);
/* Past the breakpoint that was reported. */
void tracee_step_over(struct tracee *p, struct tracee_thread *t);

/* tracee_note.c: the table of threads. Places in it change with tracee_compact() only, which takes out those that are
 * gone. */
struct tracee_thread *tracee_find(struct tracee *p, pid_t tid);
struct tracee_thread *tracee_add(struct tracee *p, pid_t tid);
void tracee_compact(struct tracee *p);
/* Take in one answer of waitpid(), which was for @tid; or ask for that of @t, false when there is none. */
void tracee_note(struct tracee *p, pid_t tid, int status);
bool tracee_wait_one(struct tracee *p, struct tracee_thread *t);
/* Give a stopped thread its own signal mask back after a step. */
void tracee_unmask(struct tracee_thread *t);
/* Detach a thread that is stopped. */
void tracee_detach(struct tracee_thread *t);
/* traced_state() of it. */
char tracee_state(const struct tracee *p, const struct tracee_thread *t);

/* tracee_code.c: the program's text. */

/* @byte: what to write; 0: a breakpoint instruction. Into @old_ret: what was there, as a number in little endian.
 * EINVAL: no instruction begins there. */
int tracee_plant(struct tracee *p, uint64_t address, unsigned char byte, uint64_t *old_ret);
int tracee_lift(struct tracee *p, uint64_t address);
struct tracee_planted *tracee_planted_at(struct tracee *p, uint64_t address);
/* Write the instruction, or what was there. */
int tracee_put(struct tracee *p, struct tracee_planted *at, bool in);
bool tracee_read(struct tracee *p, uint64_t address, void *buf, size_t len);
/* Take our instructions out of the memory of @child, a stopped fork of the process. */
void tracee_clean_child(struct tracee *p, pid_t child);
/* Do what the instruction at @at does, if it is one of a few that begin functions; false: it must be stepped. */
bool tracee_emulate(struct tracee *p, pid_t tid, const struct tracee_planted *at);

/* Write @value, not 0, into the word at @address, which must be 0; or 0 into that one again. EBUSY: there is one. */
int tracee_set_word(struct tracee *p, uint64_t address, uint64_t value);

/* tracee_sift.c: filters. */

/* Whether @t, which has come to @at, passes one that is reported, or one of which the worker is to be asked. Counts. */
enum tracee_sift tracee_sift(struct tracee *p, struct tracee_thread *t, const struct tracee_planted *at);
/* As tracee_plant() and tracee_lift(), for one user of the place. ENOSPC also: too many of them. */
int tracee_plant_if(struct tracee *p, const struct target_filter *filter, uint64_t address, uint64_t *old_ret);
int tracee_lift_if(struct tracee *p, uint32_t group, uint64_t address);
/* How many hits have passed the group's filters. */
uint64_t tracee_passed(struct tracee *p, uint32_t group);

/* tracee_launch.c: start the program that the block in @fd describes, up to its exec. *@stage_ret: what failed. */
int tracee_launch(struct tracee *p, int fd, enum tracer_stage *stage_ret);

#endif
