/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A target: the memory, threads, symbols and thread-local storage of a process or core. One interface over several ways
 * of access (observe, stop, core). All calls come from one thread of the worker. All data that is read is untrusted.
 */
#ifndef OMPDD_TARGET_TARGET_H
#define OMPDD_TARGET_TARGET_H

#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "target/arch/thread.h"

#define TARGET_MAX_STRING     4096
#define TARGET_MAX_DEBUG_DIRS 32

struct target;

enum target_mode {
	TARGET_OBSERVE, /* no ptrace: process_vm_readv, /proc */
	TARGET_STOP,	/* PTRACE_SEIZE + PTRACE_INTERRUPT for the length of a capture */
	TARGET_CORE,	/* a core file: one view only */
};

/* How a process got its memory. Memory that a fork copied describes threads that the child does not have. */
enum target_image {
	TARGET_IMAGE_UNKNOWN,  /* a core without this information, or a process that is gone */
	TARGET_IMAGE_EXECUTED, /* it has executed its program: everything that its memory describes existed in it */
	TARGET_IMAGE_FORKED,   /* its memory was copied from its parent */
};

/* A warning about a target: a message for people, with a stable name. */
struct target_warning {
	const char *name; /* a literal of protocol/errors.json */
	char *message;
};

/* Properties of a core. */
struct target_core {
	const char *path;
	const char *processor;	  /* the program's, as `uname -m` prints it */
	int signal;		  /* the signal that ended the process; 0: none, it was dumped alive */
	pid_t signal_tid;	  /* the thread that got it */
	bool has_files;		  /* the core names the mapped files (NT_FILE) */
	bool has_auxv;		  /* the core has the address of the program (NT_AUXV) */
	bool is_racy;		  /* threads ran while its memory was copied */
	size_t n_unknown_threads; /* threads without stack or thread-local storage in the core */
};

struct target_core_options {
	const char *core;
	const char *exe;	       /* the program, if it is not at the path in the core; else NULL */
	const char *sysroot;	       /* the folder with the files of the core's machine; NULL: they are on this
					* machine */
	const char *const *debug_dirs; /* folders of separate debug files, in addition to /usr/lib/debug */
	size_t n_debug_dirs;
	uint64_t space; /* limit in bytes for an unpacked core, without its holes; 0: the default */
};

/*
 * Open a core file (ELF, or ELF in gzip or zstd) as a target of mode TARGET_CORE; no process is touched. Missing data
 * that only some requests need is a warning. ERR_CORE_UNREADABLE, ERR_CORE_NOT_A_CORE, ERR_CORE_TRUNCATED (before its
 * notes end), ERR_CORE_WRONG_ARCHITECTURE, ERR_CORE_DAMAGED, ERR_CORE_TOO_LARGE, ERR_CORE_FILE_MISSING and
 * ERR_CORE_FILE_MISMATCH (of options->exe), ERR_LIMIT_EXCEEDED.
 */
MUST_USE struct error *target_open_core(const struct target_core_options *options, struct target **ret);

/*
 * Attach to process @pid. Open a pidfd first. Check with the kernel that memory may be read. In stop mode also check
 * that the process may be traced, without a request to it. A refusal is thus reported at once. Errors:
 * ERR_NO_SUCH_PROCESS, ERR_PERMISSION_DENIED (the hint has the reason: ptrace_scope, other user, container),
 * ERR_ALREADY_TRACED (stop mode; names the tracer), ERR_SELF_ATTACH, ERR_UNSUPPORTED_ARCHITECTURE, ERR_TARGET_EXITING.
 */
MUST_USE struct error *target_attach(pid_t pid, enum target_mode mode, unsigned max_stop_ms, struct target **ret);

/*
 * Search @dir for separate debug files of a process, in addition to /usr/lib/debug. Call it before any use of its
 * symbols. ERR_LIMIT_EXCEEDED.
 */
MUST_USE struct error *target_add_debug_dir(struct target *t, const char *dir);

/* Resume if stopped, detach, free. Leaves the process as it was before target_attach(). */
void target_destroy(struct target *t);
CLEANUP_DEFINE(target, struct target *, target_destroy)

/* Return how the process got its memory, from the kernel or the core's notes. Never fails. */
enum target_image target_image(struct target *t);
/*
 * Return the environment that the program was started with: NAME=VALUE entries, each terminated by NUL. *@ret is
 * malloc'ed. What the program has changed since then is not in it. ERR_PERMISSION_DENIED, ERR_TARGET_EXITED,
 * ERR_MEMORY_UNREADABLE (a core that lacks it).
 */
MUST_USE struct error *target_environment(struct target *t, char **ret, size_t *len_ret);
pid_t target_pid(const struct target *t);
enum target_mode target_mode(const struct target *t);
/* Return the path of the executable as /proc/PID/exe shows it; borrowed. */
const char *target_exe(const struct target *t);
unsigned target_max_stop_ms(const struct target *t);
/* Return the properties of a core, borrowed; NULL for a process. */
const struct target_core *target_core(const struct target *t);
const struct target_warning *target_warnings(const struct target *t, size_t *n_ret);

/*
 * Check that the process still runs the program of the attach (compares start time, exe and mm identity). Called at the
 * start of each capture. ERR_TARGET_EXITED, ERR_TARGET_EXEC.
 */
MUST_USE struct error *target_check(struct target *t);

/*
 * Stop every thread (SEIZE + INTERRUPT, repeated until no new thread appears) for @budget_ms milliseconds at most; 0:
 * until target_resume(). At the limit a timer resumes the target, whatever this process does then. The next call of
 * target_read() or target_resume() returns ERR_STOP_TIMEOUT. Stop mode only (ERR_MODE_UNSUPPORTED).
 */
MUST_USE struct error *target_stop(struct target *t, unsigned budget_ms);

/*
 * DETACH every thread and re-inject the signals that arrived. *@stopped_us_ret: the duration of the stop, from the
 * first INTERRUPT to the last DETACH.
 */
MUST_USE struct error *target_resume(struct target *t, int64_t *stopped_us_ret);
/* Call @fn with @context at the end of each later stop, with its duration in microseconds. */
void target_on_stop_ended(struct target *t, void (*fn)(void *context, int64_t us), void *context);

/*
 * Begin a proof that threads sleep: the target is neither stopped nor traced for it. A stop with a time limit before
 * target_end_proof() stops only the other threads. *@n_running_ret: the number of threads that the proof does not rely
 * on, because they run or have broken a proof. Return false if nothing can be proven, or the second proof since
 * target_reset_proof() was void.
 */
MUST_USE bool target_begin_proof(struct target *t, size_t *n_running_ret);
/*
 * Return whether all threads that the proof relies on have slept since target_begin_proof(): these have changed no
 * memory. If there were no others, no thread was created either. Otherwise the proof is void. False without a proof.
 */
MUST_USE bool target_end_proof(struct target *t);
/*
 * Return whether the last proof relied on @tid, and it has slept from target_begin_proof() to target_end_proof(), even
 * if others have not. False before target_end_proof().
 */
MUST_USE bool target_has_slept(struct target *t, pid_t tid);
/* End the proof without a result. */
void target_cancel_proof(struct target *t);
/* Forget which threads have broken proofs, and whose registers are needed. */
void target_reset_proof(struct target *t);
/*
 * Note that the stack pointer and program counter of @tid are not enough. Later proofs do not rely on it, so that a
 * stop stops it, too. target_needs_registers() is then true until the next proof.
 */
void target_need_registers(struct target *t, pid_t tid);
bool target_needs_registers(const struct target *t);

/*
 * Stop the threads that run, for max_stop_ms at most, with a proof that the others sleep; all threads if that cannot be
 * proven. target_resume_running() ends the stop and the proof. *@is_void_ret: what was read in the stop is void,
 * because a thread that was left asleep has run, or its registers are needed. Repeat the stop then: it stops that
 * thread, too. Errors: those of target_stop() and target_resume().
 */
MUST_USE struct error *target_stop_running(struct target *t);
MUST_USE struct error *target_resume_running(struct target *t, int64_t *stopped_us_ret, bool *is_void_ret);

/*
 * Views that are read when the target runs again. target_copy() stops the target for max_stop_ms at most, copies the
 * pages and registers that earlier views requested, and resumes it. It stops only the threads that run, if a proof
 * shows that the others sleep. A void proof is repeated. *@stopped_us_ret: the duration of all its stops. Until
 * target_copy_end() all reads use this copy. target_copy_end() returns false if the copy lacked requested data: then
 * the results are void. Errors: those of target_stop() and target_resume(): there is no copy. target_can_copy() is true
 * for a process in stop mode.
 */
bool target_can_copy(const struct target *t);
MUST_USE struct error *target_copy(struct target *t, int64_t *stopped_us_ret);
MUST_USE bool target_copy_end(struct target *t);
/*
 * Between target_learn(t, true) and target_learn(t, false), views are read from the running target, only to find out
 * what the next copy needs. target_has_learned() is true afterwards.
 */
void target_learn(struct target *t, bool begin);
bool target_has_learned(const struct target *t);

/*
 * Between target_warm_up(t, true) and target_warm_up(t, false), the target is read only to find out what later views
 * need. The activity of threads is not read.
 */
void target_warm_up(struct target *t, bool begin);
bool target_is_warming_up(const struct target *t);

bool target_is_stopped(const struct target *t);
/* Return the duration of the stop so far, from the first INTERRUPT or the trap of a hit; 0 if not stopped. */
int64_t target_stopped_us(const struct target *t);
/*
 * Check whether a held target was killed (SIGKILL). Call it on SIGCHLD and when target_exit_fd() is readable. Later
 * requests for the target's state return ERR_TARGET_EXITED.
 */
void target_poll(struct target *t);
/* Return a descriptor that is readable once the process has exited; -1: this kernel has none. Borrowed. */
int target_exit_fd(const struct target *t);
/* Observe mode: return whether all threads are stopped by another process (states t or T). */
bool target_is_stopped_by_other(struct target *t);

/*
 * Start a new view: drop cached pages and the thread list. The pages of the previous view are read again together on
 * first use. Call it after target_stop(), or at the start of an observe capture.
 */
void target_view_begin(struct target *t);
/* The same for memory only: the thread list stays. */
void target_view_begin_memory(struct target *t);

/*
 * The same, but the thread list of the previous view stays, even if threads started or ended. Only the used parts of
 * its pages are read, at once. For frequent views with the same requests.
 */
void target_view_again(struct target *t);

/*
 * Store the target's present number of threads without listing them. Return false if it is gone or the kernel does not
 * report it.
 */
bool target_count_threads(struct target *t, size_t *ret);

/* Return the threads of this view by tid, the main thread first; borrowed until the next target_view_begin(). */
MUST_USE struct error *target_threads(struct target *t, const struct target_thread **ret, size_t *n_ret);
/* Find a thread of this view by kernel id or by pthread_t, or return NULL. */
const struct target_thread *target_thread_by_tid(struct target *t, pid_t tid);
const struct target_thread *target_thread_by_pthread(struct target *t, uint64_t pthread);

/*
 * Read what @tid does: from registers if stopped by us, else from /proc/PID/task/TID/syscall. Never fails: known =
 * false.
 */
void target_activity(struct target *t, pid_t tid, struct target_activity *ret);

/*
 * An interrupted call with a time limit continues as restart_syscall with unchanged arguments. Replace it in @a by the
 * original call, if the code before it loads that call's number.
 */
MUST_USE struct error *target_find_restarted(struct target *t, struct target_activity *a);

/* Start slow reads: target_activity() will soon be called for all threads. */
void target_expect_activities(struct target *t);

/*
 * Return the registers of @tid: all if it is stopped by us or in a core. In observe mode: the program counter and the
 * stack pointer if it sleeps or another process has stopped it. Return false if none is known: the thread runs or is
 * gone, or an emulator executes the program.
 */
bool target_registers(struct target *t, pid_t tid, struct target_registers *ret);

/*
 * Store the return address of a function from @regs, the registers at its first instruction. Errors: those of
 * target_read().
 */
MUST_USE struct error *target_return_address(struct target *t, const struct target_registers *regs, uint64_t *ret);

/*
 * Observe mode: set all registers of @tid as reported by the debugger that holds it. target_registers() returns them
 * until the thread runs again. *@ret_taken is false if the thread is not stopped there. ERR_MODE_UNSUPPORTED.
 */
MUST_USE struct error *target_report_registers(struct target *t, pid_t tid, const struct target_registers *registers,
					       bool *ret_taken);

/* Read exactly @len bytes through the page cache of this view. ERR_MEMORY_UNREADABLE (detail "address"),
 * ERR_TARGET_EXITED, ERR_STOP_TIMEOUT. */
MUST_USE struct error *target_read(struct target *t, uint64_t addr, void *buf, size_t len);
/* Read a NUL-terminated string of at most @size - 1 bytes; longer ones are ERR_MEMORY_UNREADABLE. */
MUST_USE struct error *target_read_string(struct target *t, uint64_t addr, char *buf, size_t size);

/*
 * Return an error for data that a core lacks and OpenMP's state needs, first for the file mapped at @addr (0: none in
 * particular). ERR_CORE_FILE_MISSING, ERR_CORE_FILE_MISMATCH, ERR_CORE_TRUNCATED, ERR_CORE_MEMORY_LEFT_OUT (data
 * "missing"), ERR_CORE_NOTES_MISSING. NULL: nothing is known to be missing, or the target is not a core.
 */
struct error *target_missing(struct target *t, uint64_t addr);

/*
 * Return whether the process had memory at @addr that its core lacks. Such memory proves nothing. False for a process.
 */
bool target_lacks(struct target *t, uint64_t addr);

/*
 * Return why the symbols of a core's file that was mapped at @addr (0: none in particular) are unknown: the file or the
 * note that names it is missing. ERR_CORE_FILE_MISSING, ERR_CORE_FILE_MISMATCH, ERR_CORE_NOTES_MISSING. NULL: they are
 * known, or the target is not a core.
 */
struct error *target_missing_file(struct target *t, uint64_t addr);

#endif
