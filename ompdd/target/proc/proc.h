/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads the text files in /proc/PID. The parsers are pure functions of the text. They are fuzzed, because a process
 * chooses parts of that text (its name, the paths it maps).
 */
#ifndef OMPDD_TARGET_PROC_H
#define OMPDD_TARGET_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "target/arch/thread.h"

/* /proc/PID/maps larger than this is cut (some 500000 mappings). */
#define PROC_MAX_MAPS (64u << 20)

/*
 * PF_FORKNOEXEC of a task's flags, in stat and in cores. Threads have it too; execve() clears it for the main thread.
 */
#define PROC_FORKNOEXEC 0x40

struct proc_stat {
	char comm[16];
	char state; /* R S D T t Z X I */
	pid_t ppid;
	uint64_t major_faults; /* pages that had to be read from a device */
	uint64_t start_time;   /* clock ticks after boot */
	uint64_t flags;	       /* as the kernel keeps them */
	bool is_fork;	       /* of a main thread: its process was forked and has not called execve() since */
	bool dying;	       /* a zombie, or exiting, alone or with its whole process */
};

struct proc_status {
	unsigned uid[4]; /* real, effective, saved, file system */
	unsigned gid[4];
	pid_t tgid;
	pid_t tracer_pid; /* a thread id */
	unsigned threads;
	bool has_mm; /* false: a kernel thread or a zombie */
	uint64_t cap_eff;
	uint64_t cap_prm; /* permitted */
};

struct proc_map {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t inode; /* 0: no file */
	unsigned dev_major;
	unsigned dev_minor;
	bool read;
	bool write;
	bool exec;
	bool shared;	  /* changes go to the file, or to other processes */
	bool deleted;	  /* the file was removed or replaced */
	const char *path; /* points into the text, not terminated; may be "[stack]" or empty */
	size_t path_len;  /* without " (deleted)" */
};

/*
 * Read the file @path below @dirfd into @buf and terminate it; text that does not fit is cut. Return the length, or a
 * negative errno.
 */
ssize_t proc_read(int dirfd, const char *path, char *buf, size_t size);

/*
 * The same for a file of one line. Saves the read that detects the end of the file: a quarter of the system calls per
 * thread.
 */
ssize_t proc_read_line(int dirfd, const char *path, char *buf, size_t size);

/* The same for a whole file up to @max bytes; *@ret is malloc'ed and terminated. */
MUST_USE struct error *proc_read_all(int dirfd, const char *path, size_t max, char **ret, size_t *len_ret);

/* Read a task's "stat", the file @path below @dirfd. Return false if it is gone or access is refused. */
bool proc_read_stat(int dirfd, const char *path, struct proc_stat *ret);

/* Each parser returns false if the text does not have the kernel's format. */
bool proc_parse_stat(const char *text, struct proc_stat *ret);
bool proc_parse_status(const char *text, struct proc_status *ret);
/* Parse how often the thread of the status file @text lost its processor, by itself or not. */
bool proc_parse_switches(const char *text, uint64_t *ret);
bool proc_parse_syscall(const char *text, struct target_activity *ret);

/* Parse the mapping at *@text and advance it to the next line; return false at the end. Unknown lines are skipped. */
bool proc_next_map(const char **text, const char *end, struct proc_map *ret);

/*
 * List the numbers in the directory @dirfd (/proc/PID/task). *@ret is malloc'ed. ERR_TARGET_EXITED, ERR_LIMIT_EXCEEDED
 * (more than TARGET_MAX_THREADS).
 */
MUST_USE struct error *proc_list_tasks(int dirfd, pid_t **ret, size_t *n_ret);

#endif
