/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads schedstat, stat and syscall in /proc/PID/task/TID. */
#include "target/process/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "target/proc/cgroup.h"
#include "target/proc/observe.h"
#include "target/proc/proc.h"
#include "target/process/process.h"

static bool read_times(int taskfd, pid_t tid, struct target_progress *ret)
{
	char path[32], text[128];

	snprintf(path, sizeof(path), "%d/schedstat", tid);
	/* Kernels without these statistics write "0 0 0". */
	return proc_read_line(taskfd, path, text, sizeof(text)) > 0 &&
	       sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &ret->cpu_ns, &ret->ready_ns, &ret->n_runs) == 3 &&
	       ret->n_runs > 0;
}

void target_progress(struct target *t, pid_t tid, struct target_progress *ret)
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

bool target_thread_faults(struct target *t, pid_t tid, uint64_t *ret)
{
	char path[32];
	struct proc_stat stat;

	snprintf(path, sizeof(path), "%d/stat", tid);
	if (t->ops != &process_ops || !proc_read_stat(process_of(t)->taskfd, path, &stat))
		return false;
	*ret = stat.major_faults;
	return true;
}

bool target_progress_slept(const struct target_progress *before, const struct target_progress *after)
{
	return before->known && after->known && before->is_asleep && after->is_asleep &&
	       before->n_runs == after->n_runs && before->activity.pc == after->activity.pc &&
	       before->activity.sp == after->activity.sp;
}

bool target_is_frozen(struct target *t, char *group)
{
	_cleanup_free_ pid_t *tids = NULL;
	char other[CGROUP_MAX_PATH];
	size_t n;

	if (t->ops != &process_ops || !cgroup_is_frozen(t->pid, group))
		return false;
	struct error *err = proc_list_tasks(process_of(t)->taskfd, &tids, &n);
	if (err) {
		error_destroy(err);
		return false;
	}
	/* Threads may be in different groups. */
	for (size_t i = 0; i < n; i++) {
		if (!cgroup_is_frozen(tids[i], other))
			return false;
	}
	return true;
}

bool target_cpus_parse(const char *mask, struct target_cpus *ret)
{
	static const char digits[] = "0123456789abcdef";
	size_t len = strspn(mask, "0123456789abcdef,");
	unsigned at = 0;

	*ret = (struct target_cpus){{0}};
	while (len-- > 0) {
		const char *found = mask[len] == ',' ? NULL : strchr(digits, mask[len]);

		if (!found)
			continue;
		if (at == TARGET_MAX_CPUS)
			return false;
		ret->bits[at / 64] |= (uint64_t)(found - digits) << at % 64;
		at += 4;
	}
	return at > 0;
}

bool target_thread_cpus(struct target *t, pid_t tid, struct target_cpus *ret)
{
	static const char name[] = "\nCpus_allowed:";
	char path[32], text[8192];

	snprintf(path, sizeof(path), "%d/status", tid);
	if (t->ops != &process_ops || proc_read(process_of(t)->taskfd, path, text, sizeof(text)) <= 0)
		return false;
	const char *mask = strstr(text, name);
	if (!mask)
		return false;
	mask += strlen(name);
	return target_cpus_parse(mask + strspn(mask, " \t"), ret);
}

unsigned target_cpus_count(const struct target_cpus *cpus)
{
	unsigned n = 0;

	for (size_t i = 0; i < TARGET_MAX_CPUS / 64; i++)
		n += (unsigned)__builtin_popcountll(cpus->bits[i]);
	return n;
}

bool target_cpus_are_in(const struct target_cpus *cpus, const struct target_cpus *of)
{
	for (size_t i = 0; i < TARGET_MAX_CPUS / 64; i++) {
		if (cpus->bits[i] & ~of->bits[i])
			return false;
	}
	return true;
}

bool target_cpu_quota(struct target *t, struct cgroup_quota *ret)
{
	return t->ops == &process_ops && cgroup_quota_read(t->pid, ret);
}

bool target_memory_pressure(struct target *t, uint64_t *us_ret)
{
	return t->ops == &process_ops && cgroup_memory_pressure(t->pid, us_ret);
}
