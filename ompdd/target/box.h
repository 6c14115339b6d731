/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The box: what the thread that looks may still ask of the kernel, from when it knows what it is to look at. In it runs
 * all that reads what others wrote: files, a target's memory, an OMPD library.
 *
 * A seccomp filter says which system calls there are: none that writes a file, reaches a network, starts a program,
 * makes a process, signals or traces another. What is not there fails with EPERM, and is counted. Where landlock is,
 * and the target is a core, a landlock domain says the same of files, and shuts other processes' memory, too; a look at
 * a running process is impossible from inside a domain, by landlock's own rule.
 *
 * Both are of one thread and what it starts. Outside of it are the thread that traces (target/live) and one for the few
 * things that must be asked for from inside (aside_outside()); they run nothing but our own code.
 */
#ifndef OMPDD_TARGET_BOX_H
#define OMPDD_TARGET_BOX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Whose box: landlock is for cores only. */
enum box_kind { BOX_PROCESS, BOX_CORE };

/*
 * Put the calling thread into the box; once, later calls do nothing. What the kernel does not have is left out, and
 * logged at level info. Sets no_new_privs in any case. Fails only when there is no thread to stay outside.
 */
MUST_USE struct error *box_enter(enum box_kind kind);

/* System calls that were refused since the last call of this; *@name_ret is the last one's name, or its number. */
uint64_t box_take_refused(const char **name_ret);

#endif
