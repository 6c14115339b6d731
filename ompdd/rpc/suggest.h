/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Suggests the known name that is closest to a mistyped one ("did you mean"), for error messages. */
#ifndef OMPDD_RPC_SUGGEST_H
#define OMPDD_RPC_SUGGEST_H

/* Longer names get no suggestion. */
#define SUGGEST_MAX_NAME 64

/* Return the number of insertions, deletions, changes and swaps of neighbours that turn @a into @b. */
int suggest_distance(const char *a, const char *b);

/*
 * Set *@best (NULL at first) to @candidate if that is closer to @name, and similar enough: at most a third of its
 * letters differ.
 */
void suggest_consider(const char *name, const char *candidate, const char **best);

#endif
