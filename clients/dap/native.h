/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The native debug adapter: which one, its start, its stream, and its last words. */
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
	struct text log;       /* the end of it */
	enum native_kind kind;
	char *name; /* as it was called; for messages */
	pid_t pid;  /* 0: it was not started, or has ended */
	int looks;  /* how often was looked whether it has ended */
	/* Once, when it has closed its output and, mostly, ended: @words say how, and what it said last; borrowed. */
	void (*ended)(void *arg, const char *words);
	void *arg;
};

/* Whether a program of that name is a native adapter's, and which one. */
enum native_kind native_kind_of(const char *path);

/*
 * Start the adapter that @wish names: a string, or an array of strings (program and arguments); NULL: the first of
 * those that we know and that is installed. False: none was started, *@why_ret says why, for the caller to free.
 * received, over and arg of the stream, ended and arg are the caller's to set.
 */
bool native_open(struct native *n, struct loop *loop, struct json_object *wish, char **why_ret);

/* To be called when its stream is over: finds out how it ended, and calls ended(). */
void native_bury(struct native *n);

/* Its input is closed, so that it ends as it does without its client. */
void native_leave(struct native *n);
/* End one that nobody is to hear of any more, at once. */
void native_replace(struct native *n);
void native_deinit(struct native *n);

#endif
