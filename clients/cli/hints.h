/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hints of the daemon, which are for who writes JSON, in the words of the command line. */
#ifndef OMPDD_CLI_HINTS_H
#define OMPDD_CLI_HINTS_H

#include <stdbool.h>

struct failure;

/*
 * Returns @hint with options in place of parameters and commands in place of methods; the caller frees it. @is_private:
 * ompdctl started ompdd. @is_attached: the command named a target with -t, so it takes no options of attaching.
 */
char *hints_translate(const char *hint, bool is_private, bool is_attached);

/* Give @failure of a breakpoint at @place the hint of an event, where @place is no function, nor a place in a file: an
 * event was meant, or the construct that has some. */
void hints_suggest_event(const char *place, struct failure *failure);

#endif
