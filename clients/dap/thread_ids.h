/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Conversion between the native adapter's thread ids and the kernel's. lldb uses the kernel's ids. gdb numbers threads
 * itself, so its numbers are requested at each stop.
 */
#ifndef OMPDD_DAP_THREAD_IDS_H
#define OMPDD_DAP_THREAD_IDS_H

#include "adapter.h"

struct thread_ids {
	struct adapter *adapter;
	struct json_object *pairs; /* [native id, kernel id] of each thread, if they differ; owned */
	size_t n_requested;	   /* requests that the adapter has not answered */
	/* Called when no request is outstanding any more. */
	void (*known)(void *arg);
	void *arg;
};

/* Return the kernel's id of the adapter's thread @id, and the reverse; -1: not known. */
int64_t thread_ids_tid(const struct thread_ids *t, int64_t id);
int64_t thread_ids_native(const struct thread_ids *t, int64_t tid);
/* Return whether ids are on their way. */
bool thread_ids_are_pending(const struct thread_ids *t);

/* The process has stopped: forget the ids of an earlier stop, and request those of this stop. */
void thread_ids_request(struct thread_ids *t);
void thread_ids_deinit(struct thread_ids *t);

#endif
