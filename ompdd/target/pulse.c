/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads schedstat, stat and syscall in /proc/PID/task/TID. */
#include "target/pulse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "target/group.h"
#include "target/observe.h"
#include "target/proc.h"
#include "target/process.h"

static bool read_times(int taskfd, pid_t tid, struct target_pulse *ret)
{
	char path[32], text[128];
	uint64_t waited;

	snprintf(path, sizeof(path), "%d/schedstat", tid);
	/* Kernels without these statistics write "0 0 0". */
	return proc_read_line(taskfd, path, text, sizeof(text)) > 0 &&
	       sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &ret->cpu_ns, &waited, &ret->n_runs) == 3 &&
	       ret->n_runs > 0;
}

void target_pulse(struct target *t, pid_t tid, struct target_pulse *ret)
{
	struct target_thread thread = {.tid = tid};

	memset(ret, 0, sizeof(*ret));
	if (t->ops != &process_ops)
		return;
	int taskfd = process_of(t)->taskfd;
	ret->known = read_times(taskfd, tid, ret);
	observe_thread(taskfd, &thread, false);
	ret->is_asleep = thread.state == 'S' || thread.state == 'D';
	if (ret->is_asleep)
		observe_activity(taskfd, tid, &ret->activity);
}

bool target_pulse_slept(const struct target_pulse *before, const struct target_pulse *after)
{
	return before->known && after->known && before->is_asleep && after->is_asleep &&
	       before->n_runs == after->n_runs && before->activity.pc == after->activity.pc &&
	       before->activity.sp == after->activity.sp;
}

bool target_is_frozen(struct target *t, char *group)
{
	_cleanup_free_ pid_t *tids = NULL;
	char other[GROUP_MAX];
	size_t n;

	if (t->ops != &process_ops || !group_is_frozen(t->pid, group))
		return false;
	struct error *err = proc_list_tasks(process_of(t)->taskfd, &tids, &n);
	if (err) {
		error_destroy(err);
		return false;
	}
	/* Threads may be in different groups. */
	for (size_t i = 0; i < n; i++) {
		if (!group_is_frozen(tids[i], other))
			return false;
	}
	return true;
}

unsigned target_cpus(struct target *t)
{
	char text[8192];
	unsigned n = 0;

	if (t->ops != &process_ops || proc_read(process_dir(process_of(t)), "status", text, sizeof(text)) <= 0)
		return 0;
	/* "Cpus_allowed:\tff,ffffffff": a mask in hexadecimal. */
	const char *mask = strstr(text, "\nCpus_allowed:");
	if (!mask)
		return 0;
	mask += strlen("\nCpus_allowed:");
	mask += strspn(mask, " \t");
	for (; *mask && *mask != '\n'; mask++) {
		const char *digits = "0123456789abcdef", *found = strchr(digits, *mask);

		if (found)
			n += (unsigned)__builtin_popcount((unsigned)(found - digits));
	}
	return n;
}
