/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A look at what the threads of a process do, as the kernel says it; of diagnose.get, which takes some in succession.
 */
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

/* The word on which a thread sleeps with futex(2): what it expects there, and what is there. */
struct diagnose_word {
	bool is_futex; /* it does */
	bool is_there; /* the word could be read: `now` */
	uint64_t address;
	uint32_t expected, now;
};

/* All zeroes: none was taken. */
struct diagnose_look {
	pid_t *tids;
	struct target_pulse *pulses;
	struct diagnose_word *words; /* NULL: not looked at */
	size_t n;
	int64_t at_us;
};

/* Those of one diagnosis, in their order. The last one is taken behind all that is read of a target that runs, only. */
struct diagnose_looks {
	struct diagnose_look first, second, last;
};

/* In a view of its own, without words. */
struct error *diagnose_look_take(struct target *t, struct diagnose_look *ret);
/* The words as well: of the view in which it was taken. */
struct error *diagnose_look_read_words(struct target *t, struct diagnose_look *l);
/* Of the threads of @before, without a new view. */
struct error *diagnose_look_take_again(struct target *t, const struct diagnose_look *before, struct diagnose_look *ret);
void diagnose_look_deinit(struct diagnose_look *l);

void diagnose_looks_deinit(struct diagnose_looks *l);
/*
 * What thread @tid did from the first look until @activity was read of it, behind the second; unknown without those.
 * *@cpu_ns_ret: for how long it was on a CPU between them, 0 if that is not known.
 */
enum waits_motion diagnose_looks_motion(const struct diagnose_looks *l, pid_t tid,
					const struct target_activity *activity, uint64_t *cpu_ns_ret);

/* NULL: it has not seen that thread. */
const struct target_pulse *diagnose_look_pulse(const struct diagnose_look *l, pid_t tid);
/* Whether the thread slept on the same word, for the same, and that said what it says in @word. */
bool diagnose_look_says(const struct diagnose_look *l, pid_t tid, const struct diagnose_word *word);

/* Of a thread that does @activity. Memory that cannot be read is no error. */
struct error *diagnose_word_read(struct target *t, const struct target_activity *activity, struct diagnose_word *ret);

#endif
