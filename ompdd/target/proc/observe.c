/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the state of threads from /proc. */
#include "target/proc/observe.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "target/proc/proc.h"

static bool read_stat(int taskfd, pid_t tid, struct proc_stat *ret)
{
	char path[32];

	snprintf(path, sizeof(path), "%d/stat", tid);
	return proc_read_stat(taskfd, path, ret);
}

void observe_thread(int taskfd, struct target_thread *thread, bool with_comm)
{
	struct proc_stat st;

	if (!read_stat(taskfd, thread->tid, &st)) {
		thread->state = 'X';
		return;
	}
	thread->state = st.state;
	if (with_comm)
		memcpy(thread->comm, st.comm, sizeof(thread->comm));
}

void observe_comm(int taskfd, struct target_thread *thread)
{
	char path[32], text[sizeof(thread->comm) + 1];

	snprintf(path, sizeof(path), "%d/comm", thread->tid);
	ssize_t n = proc_read_line(taskfd, path, text, sizeof(text));
	if (n <= 0)
		return;
	if (text[n - 1] == '\n')
		n--;
	if ((size_t)n >= sizeof(thread->comm))
		n = sizeof(thread->comm) - 1;
	memcpy(thread->comm, text, (size_t)n);
	thread->comm[n] = '\0';
}

void observe_activity(int taskfd, pid_t tid, struct target_activity *ret)
{
	char path[32], text[256];
	struct target_activity activity;

	snprintf(path, sizeof(path), "%d/syscall", tid);
	if (proc_read_line(taskfd, path, text, sizeof(text)) > 0 && proc_parse_syscall(text, &activity))
		*ret = activity;
}

static bool is_stopped_state(char state)
{
	return state == 't' || state == 'T' || state == 'Z' || state == 'X';
}

bool observe_all_stopped(int taskfd, pid_t pid)
{
	struct proc_stat st;
	_cleanup_free_ pid_t *tids = NULL;
	size_t n;

	/* Usually the answer is no, and the main thread's state is enough, unless it has ended. */
	if (!read_stat(taskfd, pid, &st) || !is_stopped_state(st.state))
		return false;
	struct error *err = proc_list_tasks(taskfd, &tids, &n);
	if (err) {
		error_destroy(err);
		return false;
	}
	bool any = false;
	for (size_t i = 0; i < n; i++) {
		if (!read_stat(taskfd, tids[i], &st))
			continue;
		if (!is_stopped_state(st.state))
			return false;
		any |= st.state == 't' || st.state == 'T';
	}
	return any;
}
