/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sums of a profile as a sentence and tables: time by region, by lock and by task. */
#ifndef OMPDD_VIEW_TIMES_H
#define OMPDD_VIEW_TIMES_H

struct json_object;

/* Add "text" and "tables" to @result, the result of profile.get. Tables without rows are left out. */
void times_add(struct json_object *result);

#endif
