/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hints of the daemon, which are for who writes JSON, in the words of the command line. */
#ifndef OMPDD_CLI_HINTS_H
#define OMPDD_CLI_HINTS_H

struct failure;

/* @hint with options in place of parameters, commands in place of methods; with @is_private ompdctl started ompdd. The
 * caller frees it. */
char *hints_translate(const char *hint, int is_private);

/* Give @failure of a breakpoint at @place the hint of an event, where @place is no function, nor a place in a file: an
 * event was meant, or the construct that has some. */
void hints_suggest_event(const char *place, struct failure *failure);

#endif
