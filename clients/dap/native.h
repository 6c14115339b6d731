/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The native debug adapter: its choice, start, stream, and last messages. */
#ifndef OMPDD_DAP_NATIVE_H
#define OMPDD_DAP_NATIVE_H

#include <sys/types.h>

#include "stream.h"
#include "text.h"

struct json_object;

enum native_kind { NATIVE_OTHER, NATIVE_LLDB, NATIVE_GDB };

struct native {
	struct loop *loop;
	struct stream stream;
	struct watch messages; /* its stderr */
	struct buf log;	       /* its last part */
	enum native_kind kind;
	char *name;	      /* its command name; for messages */
	pid_t pid;	      /* 0: not started, or has exited */
	bool has_python_path; /* its environment has lldb's Python folder, which the program must not inherit */
	int n_checks;	      /* number of checks whether it has exited */
	/* Called once, when it has closed its output and normally exited. @words say how it exited, and its last
	 * messages; borrowed. */
	void (*ended)(void *arg, const char *words);
	void *arg;
};

/* Return which native adapter has the program name @path, if any. */
enum native_kind native_kind_of(const char *path);

/* Return whether an adapter that native_open() would take is installed. */
bool native_is_installed(void);

/*
 * Start the requested adapter: a string, or an array of strings (program and arguments). NULL: the first
 * known adapter that is installed. Returns false if none was started; the caller frees the reason *@why_ret. The
 * caller sets received, over and arg of the stream, ended and arg.
 */
bool native_open(struct native *n, struct loop *loop, struct json_object *choice, char **why_ret);

/* Find out how it exited, and call ended(). Call this when its stream is over. */
void native_bury(struct native *n);

/* Close its input, so that it exits as without a client. */
void native_leave(struct native *n);
/* End an adapter that is no longer needed, at once. */
void native_replace(struct native *n);
void native_deinit(struct native *n);

#endif
