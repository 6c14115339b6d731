/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Classes of the system call in which a thread was seen, for diagnose.get. */
#ifndef OMPDD_METHODS_DIAGNOSE_SLEEP_H
#define OMPDD_METHODS_DIAGNOSE_SLEEP_H

#include <stdbool.h>

struct target_activity;

/* Return whether the call waits for a futex. */
bool diagnose_sleeps_on_word(const struct target_activity *activity);
/* Return whether the call has a timeout, after which it returns by itself. */
bool diagnose_is_timed(const struct target_activity *activity);
/* Return whether the call never sleeps for long: a thread in it is at work. */
bool diagnose_is_brief(const struct target_activity *activity);

#endif
