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
#include "target/arch.h"

#define TARGET_MAX_THREADS    65536
#define TARGET_MAX_STRING     4096
#define TARGET_MAX_DEBUG_DIRS 32

struct target;

enum target_mode {
	TARGET_OBSERVE, /* no ptrace: process_vm_readv, /proc */
	TARGET_STOP,	/* PTRACE_SEIZE + PTRACE_INTERRUPT for the length of a capture */
	TARGET_CORE,	/* a core file: one view only */
};

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

/* The general registers by the DWARF numbers of the processor. */
/* The size of value[]; arch->n_registers of them are used on the present processor. */
#define TARGET_N_REGISTERS   ARCH_N_REGISTERS
#define TARGET_ALL_REGISTERS (((uint64_t)1 << arch->n_registers) - 1)
#define TARGET_REGISTER_SP   arch->sp_register
#define TARGET_REGISTER_PC   arch->pc_register

struct target_registers {
	uint64_t value[TARGET_N_REGISTERS];
	uint64_t known; /* bit n: value[n] is valid; the others are 0 */
};

struct target_module {
	char *path;	   /* the name in the target's link map or maps */
	uint64_t base;	   /* load bias: add to the ELF file's virtual addresses */
	uint64_t start;	   /* lowest mapped address */
	uint64_t end;	   /* after the highest mapped address */
	char build_id[41]; /* lower-case hex; "" without one */
	char *compiler;	   /* first string of .comment ("GCC: (Debian 12.2.0-14) 12.2.0"), or NULL */
};

struct target_symbol {
	uint64_t address; /* in the target; for TLS symbols the offset in the module's TLS block */
	uint64_t size;
	bool is_tls;
	const struct target_module *module;
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
 * Attach to process @pid. Open a pidfd first. Check with the kernel that memory may be read. In stop mode also check by
 * SEIZE and DETACH of the main thread that the process may be traced. A refusal is thus reported at once. Errors:
 * ERR_NO_SUCH_PROCESS, ERR_PERMISSION_DENIED (the hint has the reason: ptrace_scope, other user, container),
 * ERR_ALREADY_TRACED (stop mode; names the tracer), ERR_SELF_ATTACH, ERR_UNSUPPORTED_ARCHITECTURE, ERR_TARGET_EXITING.
 */
MUST_USE struct error *target_attach(pid_t pid, enum target_mode mode, unsigned max_stop_ms, struct target **ret);

/* Free memory that can be read again, if memory is short (base/memory_limit.h). Called between requests. */
void target_relax(struct target *t);

/*
 * Search @dir for separate debug files of a process, in addition to /usr/lib/debug. Call it before any use of its
 * symbols. ERR_LIMIT_EXCEEDED.
 */
MUST_USE struct error *target_add_debug_dir(struct target *t, const char *dir);

/* Resume if stopped, detach, free. Leaves the process as it was before target_attach(). */
void target_destroy(struct target *t);
CLEANUP_DEFINE(target, struct target *, target_destroy)

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
 * Views that are read when the target runs again. target_copy() stops the target for max_stop_ms at most, copies the
 * pages and registers that earlier views requested, and resumes it. Until target_copy_end() all reads use this copy.
 * target_copy_end() returns false if the copy lacked requested data: then the results are void. Errors: those of
 * target_stop() and target_resume(): there is no copy. target_can_copy() is true for a process in stop mode.
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
 * Observe mode: set all registers of @tid as reported by the debugger that holds it. target_registers() returns them
 * until the thread runs again. *@ret_taken is false if the thread is not stopped there. ERR_MODE_UNSUPPORTED.
 */
MUST_USE struct error *target_tell_registers(struct target *t, pid_t tid, const struct target_registers *registers,
					     bool *ret_taken);

/* Read exactly @len bytes through the page cache of this view. ERR_MEMORY_UNREADABLE (detail "address"),
 * ERR_TARGET_EXITED, ERR_STOP_TIMEOUT. */
MUST_USE struct error *target_read(struct target *t, uint64_t addr, void *buf, size_t len);
/* Read a NUL-terminated string of at most @size - 1 bytes; longer ones are ERR_MEMORY_UNREADABLE. */
MUST_USE struct error *target_read_string(struct target *t, uint64_t addr, char *buf, size_t size);

/*
 * Return the modules (executable and shared objects), refreshed if the link map changed; borrowed until the next view.
 */
MUST_USE struct error *target_modules(struct target *t, const struct target_module **ret, size_t *n_ret);
/* Return the module that maps @addr, or NULL. */
const struct target_module *target_module_at(struct target *t, uint64_t addr);

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

/*
 * Find a symbol by exact name: in .symtab, then the separate debug file (build-id, debuglink), then .dynsym. Searches
 * all modules in link order; with @file_name not NULL only those whose file name (without directory) starts with it.
 * Tables are hashed per module; misses are cached until the list of modules changes. ERR_SYMBOL_NOT_FOUND.
 */
MUST_USE struct error *target_symbol(struct target *t, const char *name, const char *file_name,
				     struct target_symbol *ret);
/*
 * The same, in all modules, for a name that only an OpenMP runtime has. A library that does not import pthread_create()
 * starts no threads and is not a runtime: only its exported symbols are searched. The C library's debug file is not
 * read.
 */
MUST_USE struct error *target_runtime_symbol(struct target *t, const char *name, struct target_symbol *ret);
/*
 * Return whether @module, one of target_modules(), can start threads: it is linked statically, or imports
 * pthread_create().
 */
bool target_can_start_threads(struct target *t, const struct target_module *module);
/* Search symbols in the module at @address before all others from now on, whatever its file's name; 0: in no module. */
void target_prefer_module(struct target *t, uint64_t address);
/*
 * Find the function or object that covers @addr: store its name in @name (cut to @size) and the offset in it. Return
 * false without one.
 */
bool target_symbol_at(struct target *t, uint64_t addr, char *name, size_t size, uint64_t *offset_ret);
/*
 * The same for the variable that covers @addr, by a symbol with a size. Return false for heap, stack, or without
 * symbols.
 */
bool target_object_at(struct target *t, uint64_t addr, char *name, size_t size, uint64_t *offset_ret);

/*
 * Store the address of TLS symbol @sym in @thread, through libthread_db. ERR_SYMBOL_NOT_FOUND if that thread has not
 * allocated the module's TLS block.
 */
MUST_USE struct error *target_tls_address(struct target *t, const struct target_thread *thread,
					  const struct target_symbol *sym, uint64_t *ret);

#endif
