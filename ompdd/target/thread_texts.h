/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What /proc says of each thread, a file each, read by another thread while the caller reads memory: at an attach,
 * where nothing is known yet, of many threads that is a fifth of the time to the first answer.
 */
#ifndef OMPDD_TARGET_THREAD_TEXTS_H
#define OMPDD_TARGET_THREAD_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "target/target.h"

struct aside;

/* All zeroes is a valid empty value, which knows nothing. */
struct thread_texts {
	struct aside *const *aside; /* borrowed; *aside may change between calls; NULL: not begun */
	int taskfd;
	struct thread_text *threads; /* in order of tid; those of the other thread until it is awaited */
	size_t n;
	size_t found; /* the last time */
	bool is_waited_for;
	bool has_activities;
	int64_t asked_us; /* for the activities */
};

/* Make *@aside read the names of @n @threads below @taskfd, /proc/PID/task. Once; does nothing without memory. */
void thread_texts_begin(struct thread_texts *texts, struct aside *const *aside, int taskfd,
			const struct target_thread *threads, size_t n);
/* And what they do. Without a beginning, or the second time, this does nothing. */
void thread_texts_begin_activities(struct thread_texts *texts);
/* Before the aside is destroyed. */
void thread_texts_deinit(struct thread_texts *texts);

/* Both wait for what was begun. False: it was not, or without this thread; or it had no name to read. */
bool thread_texts_name(struct thread_texts *texts, struct target_thread *thread);
/* What @tid did a moment ago, which may not be known. False also: that moment is too long ago. */
bool thread_texts_activity(struct thread_texts *texts, pid_t tid, struct target_activity *ret);

#endif
