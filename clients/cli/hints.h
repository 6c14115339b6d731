/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Translation of the daemon's hints, which use JSON terms, into the terms of the command line. */
#ifndef OMPDD_CLI_HINTS_H
#define OMPDD_CLI_HINTS_H

#include <stdbool.h>

struct error;

/*
 * Return @hint with options in place of parameters and commands in place of methods; the caller frees it.
 * @is_private: ompdctl started ompdd. @is_attached: the command named a target with -t, so it takes no options of
 * attaching.
 */
char *hints_translate(const char *hint, bool is_private, bool is_attached);

/* Add an event hint to @failure of a breakpoint at @place, if @place is neither a function nor a place in a file.
 * The hint names the event, or the events of the construct @place. */
void hints_suggest_event(const char *place, struct error *failure);

#endif
