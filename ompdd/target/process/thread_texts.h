/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads each thread's files in /proc in a helper thread while the caller reads memory. At the attach to a process with
 * many threads this saves a fifth of the time to the first answer.
 */
#ifndef OMPDD_TARGET_THREAD_TEXTS_H
#define OMPDD_TARGET_THREAD_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "target/arch/thread.h"

struct helper_thread;

/* All zeroes is a valid empty value. */
struct thread_texts {
	struct helper_thread *const *helper; /* borrowed; *@helper may change between calls; NULL: not started */
	int taskfd;
	struct thread_text *threads; /* sorted by tid; owned by the helper thread until it has finished */
	size_t n;
	size_t found; /* index of the last thread found */
	bool is_waited_for;
	bool has_activities;
	int64_t asked_us; /* time of the request for activities */
};

/*
 * Make *@helper read the names of @n @threads below @taskfd (/proc/PID/task). Once; does nothing when memory is
 * exhausted.
 */
void thread_texts_begin(struct thread_texts *texts, struct helper_thread *const *helper, int taskfd,
			const struct target_thread *threads, size_t n);
/* Also read the activities. Does nothing before thread_texts_begin(), or the second time. */
void thread_texts_begin_activities(struct thread_texts *texts);
/* Call it before the helper is destroyed. */
void thread_texts_deinit(struct thread_texts *texts);

/*
 * Both wait for the started reads. Return false if nothing was started, the thread was not included, or its name could
 * not be read.
 */
bool thread_texts_name(struct thread_texts *texts, struct target_thread *thread);
/* Store what @tid did a moment ago; it may be unknown. Return false too if the read was too long ago. */
bool thread_texts_activity(struct thread_texts *texts, pid_t tid, struct target_activity *ret);

#endif
