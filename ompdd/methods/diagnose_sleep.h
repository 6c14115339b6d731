/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the system call in which a thread was seen says of its sleep; of diagnose.get. */
#ifndef OMPDD_METHODS_DIAGNOSE_SLEEP_H
#define OMPDD_METHODS_DIAGNOSE_SLEEP_H

#include <stdbool.h>

struct target_activity;

/* Whether it waits for a futex. */
bool diagnose_sleeps_on_word(const struct target_activity *activity);
/* Of one that is in a system call: whether that ends by itself, after the time that it was given. */
bool diagnose_is_timed(const struct target_activity *activity);
/* Whether nobody sleeps in that: who was seen there was at work. */
bool diagnose_is_brief(const struct target_activity *activity);

#endif
