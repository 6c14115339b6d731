/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* "Did you mean": the known name that is closest to a mistyped one. Used in error messages. */
#ifndef OMPDD_RPC_SUGGEST_H
#define OMPDD_RPC_SUGGEST_H

/* Longer names get no suggestion. */
#define SUGGEST_MAX_NAME 64

/* How many insertions, deletions, changes and swaps of neighbours turn @a into @b. */
int suggest_distance(const char *a, const char *b);

/*
 * Remember @candidate in *@best when it is closer to @name than *@best is (NULL at first) and
 * close enough to be meant: at most a third of its letters differ.
 */
void suggest_consider(const char *name, const char *candidate, const char **best);

#endif
