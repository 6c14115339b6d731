/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A look at the activity of a process's threads, as the kernel reports it. diagnose.get takes several in succession. */
#ifndef OMPDD_METHODS_DIAGNOSE_LOOK_H
#define OMPDD_METHODS_DIAGNOSE_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "openmp/model/waits.h"
#include "target/pulse.h"

struct target;

/* The word on which a thread sleeps in futex(2): the value that it expects, and the present value. */
struct diagnose_word {
	bool is_futex; /* the thread is in futex(2) */
	bool is_there; /* the word could be read: `now` is valid */
	uint64_t address;
	uint32_t expected, now;
};

/* All zeroes: no look was taken. */
struct diagnose_look {
	pid_t *tids;
	struct target_pulse *pulses;
	struct diagnose_word *words; /* NULL: not read */
	size_t n;
	int64_t at_us;
};

/* The looks of one diagnosis, in order. `last` is taken only of a running target, after everything else was read. */
struct diagnose_looks {
	struct diagnose_look first, second, last;
};

/* Take a look in a view of its own, without words. */
struct error *diagnose_look_take(struct target *t, struct diagnose_look *ret);
/* Read the words of @l, in the view in which @l was taken. */
struct error *diagnose_look_read_words(struct target *t, struct diagnose_look *l);
/* Take a look at the threads of @before, without a new view. */
struct error *diagnose_look_take_again(struct target *t, const struct diagnose_look *before, struct diagnose_look *ret);
void diagnose_look_deinit(struct diagnose_look *l);

void diagnose_looks_deinit(struct diagnose_looks *l);
/*
 * Return the motion of thread @tid between the first look and the reading of @activity, after the second look. Unknown
 * without these looks. *@cpu_ns_ret: its CPU time between the looks in nanoseconds, or 0 if that is not known.
 */
enum waits_motion diagnose_looks_motion(const struct diagnose_looks *l, pid_t tid,
					const struct target_activity *activity, uint64_t *cpu_ns_ret);

/* Return the pulse of thread @tid; NULL: the look has not seen that thread. */
const struct target_pulse *diagnose_look_pulse(const struct diagnose_look *l, pid_t tid);
/* Return whether the thread slept on the same word, expected the same value, and found the same value as in @word. */
bool diagnose_look_says(const struct diagnose_look *l, pid_t tid, const struct diagnose_word *word);

/* Read the word of a thread with @activity. Unreadable memory is not an error. */
struct error *diagnose_word_read(struct target *t, const struct target_activity *activity, struct diagnose_word *ret);

#endif
