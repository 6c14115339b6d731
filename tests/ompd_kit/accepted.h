/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The list of lines that may have another verdict than ok, with the reasons. Each line of the file
 * is "VERDICT | ROUTINE | SITUATION | REASON"; # starts a comment.
 */
#ifndef OMPD_KIT_ACCEPTED_H
#define OMPD_KIT_ACCEPTED_H

#include "verdict.h"

/* Read the list @path. Ends the kit with a message if it cannot be read or has a wrong line. */
void accepted_read(const char *path);

/* Return whether the list has this answer. */
bool accepted_has(const struct answer *answer);

/* Print the entries that no answer has used. Returns their number. */
size_t accepted_report_unused(void);

#endif
