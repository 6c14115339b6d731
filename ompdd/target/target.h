/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A process that is looked at: its memory, threads, symbols and thread-local storage. One
 * interface over several ways of access (observe, stop, core). All calls come from one
 * thread of the worker. Everything read is hostile input.
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
	TARGET_CORE,	/* a core file: one view, for good */
};

struct target_thread {
	pid_t tid;
	uint64_t pthread; /* pthread_t; 0 when not known */
	char comm[16];	  /* NUL-terminated, raw bytes of the target's choosing; read when the thread was first seen */
	char state;	  /* letter of /proc/PID/task/TID/stat; in stop mode that before the stop is not known: 't' */
};

/* What a thread executes at the moment, as far as can be seen without guessing. */
struct target_activity {
	bool known;	 /* false: nothing below is valid (running, or not readable) */
	bool in_syscall; /* blocked in, or stopped inside, system call nr(args) */
	long syscall;
	uint64_t args[ARCH_N_ARGUMENTS];
	uint64_t pc;
	uint64_t sp;
	/* What the register for return addresses holds, on a processor with one; 0: none, or not read (observe mode).
	 */
	uint64_t link;
};

/* The general registers by the DWARF numbers of the processor. */
/* How many values[] there are; of the present processor, arch->n_registers are used. */
#define TARGET_N_REGISTERS   ARCH_N_REGISTERS
#define TARGET_ALL_REGISTERS (((uint64_t)1 << arch->n_registers) - 1)
#define TARGET_REGISTER_SP   arch->sp_register
#define TARGET_REGISTER_PC   arch->pc_register

struct target_registers {
	uint64_t value[TARGET_N_REGISTERS];
	uint64_t known; /* bit n: value[n] is valid; the others are 0 */
};

struct target_module {
	char *path;	   /* as the target's link map or maps names it */
	uint64_t base;	   /* load bias: add to the ELF file's virtual addresses */
	uint64_t start;	   /* lowest mapped address */
	uint64_t end;	   /* behind the highest mapped address */
	char build_id[41]; /* lower-case hex; "" when the file has none */
	char *compiler;	   /* first string of .comment ("GCC: (Debian 12.2.0-14) 12.2.0"), NULL when none */
};

struct target_symbol {
	uint64_t address; /* in the target; for TLS symbols the offset in the module's TLS block */
	uint64_t size;
	bool is_tls;
	const struct target_module *module;
};

/* What is said of a target beside its state; for people, with a stable name. */
struct target_warning {
	const char *name; /* a literal of protocol/errors.json */
	char *message;
};

/* What only cores have. */
struct target_core {
	const char *path;
	const char *processor;	  /* of the program, as `uname -m` says */
	int signal;		  /* that ended the process; 0: none, it was dumped alive */
	pid_t signal_tid;	  /* the thread that got it */
	bool has_files;		  /* the core says which files were mapped (NT_FILE) */
	bool has_auxv;		  /* the core says where the program is (NT_AUXV) */
	size_t n_unknown_threads; /* the core lacks their stack or thread-local storage */
};

struct target_core_options {
	const char *core;
	const char *exe;	       /* the program, where it is not at the path that the core has; NULL */
	const char *sysroot;	       /* the folder that has the files of the core's machine; NULL: they are here */
	const char *const *debug_dirs; /* to look for separate debug files in, beside /usr/lib/debug */
	size_t n_debug_dirs;
	uint64_t space; /* bytes that a compressed core may take unpacked, without its holes; 0: a default */
};

/*
 * Open a core file (ELF, or that in gzip or zstd) as a target of mode TARGET_CORE; no process is touched. What is
 * missing but not needed for everything is a warning. ERR_CORE_UNREADABLE, ERR_CORE_NOT_A_CORE, ERR_CORE_TRUNCATED
 * (before its notes end), ERR_CORE_WRONG_ARCHITECTURE, ERR_CORE_DAMAGED, ERR_CORE_TOO_LARGE, ERR_CORE_FILE_MISSING and
 * ERR_CORE_FILE_MISMATCH (of options->exe), ERR_LIMIT_EXCEEDED.
 */
MUST_USE struct error *target_open_core(const struct target_core_options *options, struct target **ret);

/*
 * Attach to process @pid. Opens a pidfd first; checks with the kernel that memory may be read (and in stop
 * mode, by SEIZE and DETACH of the main thread, that it may be traced) so that a refusal comes now. Errors:
 * ERR_NO_SUCH_PROCESS, ERR_PERMISSION_DENIED (hint says why: ptrace_scope, other user, container),
 * ERR_ALREADY_TRACED (stop mode; names the tracer), ERR_SELF_ATTACH, ERR_UNSUPPORTED_ARCHITECTURE, ERR_TARGET_EXITING.
 */
MUST_USE struct error *target_attach(pid_t pid, enum target_mode mode, unsigned max_stop_ms, struct target **ret);

/* Between requests: free what can be had again, if memory is short (base/memory_limit.h). */
void target_relax(struct target *t);

/* Look for separate debug files of a process below @dir, too, as below /usr/lib/debug; before its symbols are asked
 * for. ERR_LIMIT_EXCEEDED. */
MUST_USE struct error *target_add_debug_dir(struct target *t, const char *dir);

/* Resume if stopped, detach, free. Leaves the process as it was before target_attach(). */
void target_destroy(struct target *t);
CLEANUP_DEFINE(target, struct target *, target_destroy)

pid_t target_pid(const struct target *t);
enum target_mode target_mode(const struct target *t);
/* Path of the executable (/proc/PID/exe as it reads); borrowed. */
const char *target_exe(const struct target *t);
unsigned target_max_stop_ms(const struct target *t);
/* NULL for a process. Borrowed. */
const struct target_core *target_core(const struct target *t);
const struct target_warning *target_warnings(const struct target *t, size_t *n_ret);

/*
 * Whether the process still runs the program that was attached to: ERR_TARGET_EXITED, ERR_TARGET_EXEC
 * (start time, exe and mm identity compared), or NULL. Called at the start of each capture.
 */
MUST_USE struct error *target_check(struct target *t);

/*
 * Stop every thread (SEIZE + INTERRUPT, repeated until no new thread appears) with @budget_ms as the
 * hard limit: a timer resumes the target when it is over, whatever this process does then, and the next call of
 * target_read() or target_resume() gives ERR_STOP_TIMEOUT. @budget_ms 0: held until target_resume(). Stop mode only
 * (ERR_MODE_UNSUPPORTED).
 */
MUST_USE struct error *target_stop(struct target *t, unsigned budget_ms);

/* DETACH every thread, re-injecting the signals that were seen; *@stopped_us_ret: how long the stop lasted
 * (from the first INTERRUPT to the last DETACH). */
MUST_USE struct error *target_resume(struct target *t, int64_t *stopped_us_ret);
/* From now on @fn is called with @context at the end of each stop, with the microseconds that it lasted. */
void target_on_stop_ended(struct target *t, void (*fn)(void *context, int64_t us), void *context);

/*
 * Views that are read when the target runs again: target_copy() stops it, for max_stop_ms at most, copies the pages and
 * registers that the views before asked for, and lets it go on; until target_copy_end() that copy alone is read. False
 * then: it lacked something that was asked for, so what was made of it is void. Errors as of target_stop() and
 * target_resume(): there is no copy. target_can_copy(): stop mode, and a process.
 */
bool target_can_copy(const struct target *t);
MUST_USE struct error *target_copy(struct target *t, int64_t *stopped_us_ret);
MUST_USE bool target_copy_end(struct target *t);
/*
 * Between target_learn(t, true) and target_learn(t, false) views are read from the running target, for nothing but to
 * know what the next copy needs. target_has_learned(): that has been done.
 */
void target_learn(struct target *t, bool begin);
bool target_has_learned(const struct target *t);

/*
 * Between target_warm_up(t, true) and target_warm_up(t, false) the target is read for nothing but to know what later
 * views need: what its threads do is not asked of the kernel.
 */
void target_warm_up(struct target *t, bool begin);
bool target_is_warming_up(const struct target *t);

bool target_is_stopped(const struct target *t);
/* How long the stop has lasted, since the first INTERRUPT or the trap of a hit; 0 when it is not stopped. */
int64_t target_stopped_us(const struct target *t);
/*
 * Take note of what happened to a target that is held stopped (SIGKILL); to be called on SIGCHLD and when
 * target_exit_fd() is readable. Whoever asks for its state then gets ERR_TARGET_EXITED.
 */
void target_poll(struct target *t);
/* Readable for poll() once the process has exited; -1 when this kernel cannot tell. Borrowed. */
int target_exit_fd(const struct target *t);
/* Observe mode: whether all threads are stopped by someone else (states t or T). */
bool target_is_stopped_by_other(struct target *t);

/*
 * Start a new view: drop cached pages and thread list; pages of the previous view are read again in
 * one go on first use. To be called after target_stop(), or at the start of an observe capture.
 */
void target_view_begin(struct target *t);
/* The same for memory alone: the threads are those that were known. */
void target_view_begin_memory(struct target *t);

/*
 * The same, but the threads of the view before stay the list, whoever came or went meanwhile; and of its pages only
 * what it used of them is read, at once: for views that come often and ask for the same.
 */
void target_view_again(struct target *t);

/* How many threads the target has now, or the core, without listing them. False: it is gone, or the kernel does not
 * say. */
bool target_count_threads(struct target *t, size_t *ret);

/* The threads of this view, in order of tid (the main thread first); borrowed until the next target_view_begin(). */
MUST_USE struct error *target_threads(struct target *t, const struct target_thread **ret, size_t *n_ret);
/* By kernel id or by pthread_t; NULL when there is none in this view. */
const struct target_thread *target_thread_by_tid(struct target *t, pid_t tid);
const struct target_thread *target_thread_by_pthread(struct target *t, uint64_t pthread);

/* What @tid does: registers when stopped by us, else /proc/PID/task/TID/syscall. Never fails: known = false. */
void target_activity(struct target *t, pid_t tid, struct target_activity *ret);

/*
 * A call with a time limit that was interrupted, by a stop or SIGCONT, goes on as restart_syscall, with its arguments:
 * which one @a is then, as the code before it says, if it does.
 */
MUST_USE struct error *target_find_restarted(struct target *t, struct target_activity *a);

/* It will soon be asked of all threads: what takes its time may be begun. */
void target_expect_activities(struct target *t);

/*
 * The registers of @tid: all of them when it is stopped by us or in a core; program counter and stack pointer when it
 * sleeps, or is stopped by somebody else, in observe mode. False when none is known: it runs, or is gone, or an
 * emulator executes the program.
 */
bool target_registers(struct target *t, pid_t tid, struct target_registers *ret);

/*
 * In observe mode: all registers of @tid as the debugger that holds it tells them, for target_registers() while the
 * thread has not run since. *@ret_taken is false when it does not stand there. ERR_MODE_UNSUPPORTED.
 */
MUST_USE struct error *target_tell_registers(struct target *t, pid_t tid, const struct target_registers *registers,
					     bool *ret_taken);

/* Read exactly @len bytes through the page cache of this view. ERR_MEMORY_UNREADABLE (detail "address"),
 * ERR_TARGET_EXITED, ERR_STOP_TIMEOUT. */
MUST_USE struct error *target_read(struct target *t, uint64_t addr, void *buf, size_t len);
/* Read a NUL-terminated string of at most @size - 1 bytes; longer ones are ERR_MEMORY_UNREADABLE. */
MUST_USE struct error *target_read_string(struct target *t, uint64_t addr, char *buf, size_t size);

/* The modules (executable and shared objects), refreshed when the link map changed; borrowed until the next view. */
MUST_USE struct error *target_modules(struct target *t, const struct target_module **ret, size_t *n_ret);
/* The module that maps @addr, or NULL. */
const struct target_module *target_module_at(struct target *t, uint64_t addr);

/*
 * What a core lacks that explains why OpenMP's state cannot be read, beginning with the file that was mapped at @addr
 * (0: none in particular): ERR_CORE_FILE_MISSING, ERR_CORE_FILE_MISMATCH, ERR_CORE_TRUNCATED, and
 * ERR_CORE_MEMORY_LEFT_OUT (data "missing"), ERR_CORE_NOTES_MISSING. NULL: nothing that is known, or no core.
 */
struct error *target_missing(struct target *t, uint64_t addr);

/*
 * Whether the process had memory at @addr that its core lacks. Nothing may be concluded from such memory. False for a
 * process.
 */
bool target_lacks(struct target *t, uint64_t addr);

/*
 * Why the symbols of a core's file that was mapped at @addr (0: none in particular) are not known: the file is missing
 * here, or the note that names it. ERR_CORE_FILE_MISSING, ERR_CORE_FILE_MISMATCH, ERR_CORE_NOTES_MISSING; NULL: they
 * are known, or no core.
 */
struct error *target_missing_file(struct target *t, uint64_t addr);

/*
 * Look a symbol up by exact name: .symtab, then the separate debug file (build-id, debuglink), then .dynsym, in each
 * module in link order, or only in modules whose file name (without directory) begins with @file_name when that is not
 * NULL. ERR_SYMBOL_NOT_FOUND. Hashed per module; negative answers are cached until a module comes or goes.
 */
MUST_USE struct error *target_symbol(struct target *t, const char *name, const char *file_name,
				     struct target_symbol *ret);
/*
 * The same, in all modules, for a name that only an OpenMP runtime has: a library that starts no threads, as it does
 * not import pthread_create(), is none, and is asked for what it exports only. The C library's debug file is not read.
 */
MUST_USE struct error *target_runtime_symbol(struct target *t, const char *name, struct target_symbol *ret);
/* Whether @module, one of target_modules(), can start threads: it is linked statically, or imports pthread_create(). */
bool target_can_start_threads(struct target *t, const struct target_module *module);
/* From now on look symbols up in the module at @address before all others, whatever its file is called; 0: in none. */
void target_prefer_module(struct target *t, uint64_t address);
/* The function or object that covers @addr: name into @name (cut to @size), offset into it; false when none. */
bool target_symbol_at(struct target *t, uint64_t addr, char *name, size_t size, uint64_t *offset_ret);
/* The variable that covers @addr, by its symbol with a size, in the same way; false when none does: heap, stack, no
 * symbols. */
bool target_object_at(struct target *t, uint64_t addr, char *name, size_t size, uint64_t *offset_ret);

/*
 * The address of TLS symbol @sym in @thread, through libthread_db. ERR_SYMBOL_NOT_FOUND when that thread has not
 * allocated the module's TLS block.
 */
MUST_USE struct error *target_tls_address(struct target *t, const struct target_thread *thread,
					  const struct target_symbol *sym, uint64_t *ret);

#endif
