/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An observation of the activity of a process's threads, as the kernel reports it. diagnose.get takes several in
 * succession. */
#ifndef OMPDD_METHODS_OBSERVATION_H
#define OMPDD_METHODS_OBSERVATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "openmp/model/wait/waits.h"
#include "target/process/progress.h"

struct target;

/* The word on which a thread sleeps in futex(2): the value that it expects, and the present value. */
struct diagnose_word {
	bool is_futex; /* the thread is in futex(2) */
	bool is_there; /* the word could be read: `now` is valid */
	uint64_t address;
	uint32_t expected, now;
};

/* All zeroes: no observation was made. */
struct observation {
	pid_t *tids;
	struct target_progress *pulses;
	struct diagnose_word *words; /* NULL: not read */
	size_t n;
	int64_t at_us;
};

/*
 * The observations of one diagnosis, in order. `origin` is the first one. A stop wakes sleeping threads: `first` is
 * made after the latest stop, and motions count from it. `last` is taken only of a running target, after everything
 * else was read.
 */
struct observations {
	struct observation origin, first, second, last;
	/* The use of the control group's CPU quota at the first observation and at the latest; has_quota: both known.
	 */
	struct cgroup_quota quota_first, quota_now;
	bool has_quota;
};

/* Make an observation in a view of its own, without words. */
struct error *observation_take(struct target *t, struct observation *ret);
/* Read the words of @l, in the view in which @l was taken. */
struct error *observation_read_words(struct target *t, struct observation *l);
/* Observe the threads of @before, without a new view. */
struct error *observation_take_again(struct target *t, const struct observation *before, struct observation *ret);
void observation_deinit(struct observation *l);

void observations_deinit(struct observations *l);
/*
 * Return the motion of thread @tid between the first observation and the reading of @activity, after the second
 * observation. Unknown without these observations.
 */
enum waits_motion observations_motion(const struct observations *l, pid_t tid, const struct target_activity *activity);

/*
 * Store for how many nanoseconds thread @tid had a CPU between `origin` and `second`, and for how many it had one or
 * was ready for one; 0: not known.
 */
void observations_cpu(const struct observations *l, pid_t tid, uint64_t *cpu_ns_ret, uint64_t *wanted_ns_ret);

/* Return the pulse of thread @tid; NULL: the observation has not seen that thread. */
const struct target_progress *observation_pulse(const struct observation *l, pid_t tid);
/* Return whether the thread slept on the same word, expected the same value, and found the same value as in @word. */
bool observation_has_word(const struct observation *l, pid_t tid, const struct diagnose_word *word);

/* Read the word of a thread with @activity. Unreadable memory is not an error. */
struct error *diagnose_word_read(struct target *t, const struct target_activity *activity, struct diagnose_word *ret);

#endif
