/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Notes beside a verdict: threads on too few CPUs, several runtimes, nested regions that got one thread. */
#include <string.h>

#include <omp-tools.h>

#include "base/path.h"
#include "methods/diagnose/diagnose.h"
#include "methods/json/json.h"
#include "openmp/model/model.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/runtime.h"
#include "rpc/json_write.h"
#include "target/modules/emulator.h"

static void add_note(struct json_object *array, const char *kind, const struct sentence *t, const char *source)
{
	struct json_object *o = json_object_new_object();

	json_put(o, "kind", json_object_new_string(kind));
	json_put(o, "text", json_text(t->text));
	json_put(o, "source", json_object_new_string(source));
	json_object_array_add(array, o);
}

/* Return the value of the process's ICV @name; NULL: it is not known. */
static const char *process_icv(const struct snapshot *s, const char *name)
{
	const struct snapshot_icv_set *set = &s->process_icvs;

	for (size_t i = 0; i < set->n && s->icvs; i++) {
		if (!strcmp(set->defs[i]->name, name) && s->icvs[i].rc == ompd_rc_ok)
			return s->icvs[i].text;
	}
	return NULL;
}

bool diagnose_can_be_passive(const struct snapshot *s, struct model *m)
{
	const char *policy = process_icv(s, "wait-policy-var");
	const struct error *why;
	const struct runtime *runtime = model_runtime(m, &why);

	return policy && strcmp(policy, "passive") != 0 && runtime && runtime->descriptor->sleeps_if_passive;
}

/*
 * Find the CPUs that most ready threads share. Return the number of ready threads that may use no other CPUs, if there
 * are more of them than CPUs; else 0.
 */
static size_t find_crowd(const struct diagnosis *d, unsigned *n_cpus_ret)
{
	size_t worst = 0;

	for (size_t i = 0; i < d->n_cpus; i++) {
		unsigned n_cpus = target_cpus_count(&d->cpus[i]);
		size_t n = 0;

		for (size_t k = 0; k < d->n_cpus; k++)
			n += target_cpus_are_in(&d->cpus[k], &d->cpus[i]);
		if (!n_cpus || n <= n_cpus || (worst && n * *n_cpus_ret <= worst * n_cpus))
			continue;
		worst = n;
		*n_cpus_ret = n_cpus;
	}
	return worst;
}

/* Note more ready threads than the CPUs that they may use. Some of these threads may wait actively. */
static void note_cpus(const struct diagnosis *d, struct json_object *array)
{
	struct sentence t = {.len = 0};
	unsigned n_cpus = 0;
	size_t n = find_crowd(d, &n_cpus);

	if (!n)
		return;
	sentence_add(&t,
		     n == d->n_ready ? "%zu threads are ready to run, but the process may use only %u CPU%s"
				     : "%zu threads are ready to run, but their affinity allows them only %u CPU%s",
		     n, n_cpus, n_cpus == 1 ? "" : "s");
	if (d->n_spinning && diagnose_can_be_passive(&d->snapshot, d->m))
		sentence_add(&t, "; %zu of them wait actively: OMP_WAIT_POLICY=passive lets them sleep", d->n_spinning);
	add_note(array, "oversubscribed", &t, "kernel");
}

/* Note a control group that has used up its CPU quota. */
static void note_quota(const struct diagnosis *d, struct json_object *array)
{
	struct sentence t = {.len = 0};

	if (!d->is_throttled)
		return;
	sentence_add(
		&t,
		"the control group %.200s may use %.1f CPUs: the kernel stopped its threads in %llu of %llu periods",
		*d->quota.group ? d->quota.group : "/", (double)d->quota.quota_us / (double)d->quota.period_us,
		(unsigned long long)d->quota.n_throttled, (unsigned long long)d->quota.n_periods);
	add_note(array, "throttled", &t, "kernel");
}

/* Name the other runtimes and their activity. */
static void note_runtimes(const struct diagnosis *all, size_t n, size_t best, struct json_object *array)
{
	for (size_t i = 0; i < n; i++) {
		struct sentence t = {.len = 0};
		const struct error *why;
		const struct runtime *runtime = model_runtime(all[i].m, &why);

		if (i == best || !runtime)
			continue;
		sentence_add(&t, "the process has another OpenMP runtime, %.60s", path_file_name(runtime->path));
		if (all[i].is_there && all[i].waits.verdict != VERDICT_IDLE) {
			sentence_add(&t, ", with its own threads: ");
			diagnose_title(&all[i], &t);
		} else if (all[i].is_there) {
			sentence_add(&t, "; its threads are idle");
		} else {
			sentence_add(&t, "; it is unused, or its use is not known");
		}
		add_note(array, "several_runtimes", &t, "memory");
	}
}

/* Return the number in variable @name of a task of @region; -1: not known. */
static int64_t task_number(const struct snapshot *s, size_t region, const char *name)
{
	const struct snapshot_icv_set *set = &s->task_icvs;

	for (size_t i = 0; i < s->n_tasks; i++) {
		if (s->tasks[i].parallel.index != region || !s->tasks[i].icvs)
			continue;
		for (size_t k = 0; k < set->n; k++) {
			const struct icv_value *value = &s->tasks[i].icvs[k];

			if (!strcmp(set->defs[k]->name, name) && value->rc == ompd_rc_ok && value->has_number)
				return value->number;
		}
	}
	return -1;
}

/* Note nested regions that have one thread because of the limit. */
static void note_serialized(const struct diagnosis *d, struct json_object *array)
{
	const struct snapshot *s = &d->snapshot;
	struct sentence t = {.len = 0};
	size_t n = 0;
	int64_t limit = -1;

	for (size_t i = 0; i < s->n_parallels; i++) {
		const struct snapshot_parallel *p = &s->parallels[i];

		if (p->level.rc != ompd_rc_ok || p->active_level.rc != ompd_rc_ok || p->team_size.rc != ompd_rc_ok ||
		    p->level.value < 2 || p->active_level.value < 1 || p->team_size.value != 1)
			continue;
		limit = task_number(s, i, "max-active-levels-var");
		n += limit == p->active_level.value;
	}
	if (!n)
		return;
	sentence_add(&t, "%zu nested region%s one thread each: the limit of active nested regions is %lld. See ", n,
		     n == 1 ? " has" : "s have", (long long)limit);
	sentence_add(&t, "OMP_MAX_ACTIVE_LEVELS and omp_set_max_active_levels()");
	add_note(array, "serialized", &t, "plugin");
}

/* Note teams that the limit of threads keeps from being larger: the program may have requested more threads. */
static void note_limit(const struct diagnosis *d, struct json_object *array)
{
	const struct snapshot *s = &d->snapshot;
	struct sentence t = {.len = 0};

	for (size_t i = 0; i < s->n_parallels && !t.len; i++) {
		const struct snapshot_parallel *p = &s->parallels[i];

		if (p->level.rc != ompd_rc_ok || p->team_size.rc != ompd_rc_ok || p->level.value != 1 ||
		    p->team_size.value != task_number(s, i, "thread-limit-var"))
			continue;
		sentence_add(&t,
			     "a team has %lld thread%s, as many as thread-limit-var allows (OMP_THREAD_LIMIT): the ",
			     (long long)p->team_size.value, p->team_size.value == 1 ? "" : "s");
		sentence_add(&t, "program may have requested more");
	}
	if (t.len)
		add_note(array, "thread_limit", &t, "plugin");
}

/* Return whether task @task is ready and has not started, in region @region. */
static bool is_ready(const struct snapshot *s, uint32_t task, uint32_t region)
{
	const struct snapshot_task *one = &s->tasks[task];

	return one->is_queued && one->parallel.index == region && one->predecessors.rc == ompd_rc_ok &&
	       !one->predecessors.value;
}

/*
 * Return whether a waiting thread of the region may execute a task that is ready. *@n_waiting_ret: the threads that
 * wait in taskwait or taskgroup.
 */
static bool may_start_tasks(const struct diagnosis *d, uint32_t region, uint32_t *n_waiting_ret)
{
	const struct snapshot *s = &d->snapshot;

	*n_waiting_ret = 0;
	for (uint32_t i = 0; i < s->parallels[region].n_members; i++) {
		const struct snapshot_thread *thread = &s->threads[s->parallels[region].members[i]];
		const struct holder_wait *wait = holders_of(&d->holders, s->parallels[region].members[i]);

		if (!wait)
			continue;
		if (wait->kind != HOLDER_TASKWAIT && wait->kind != HOLDER_TASKGROUP) {
			if (wait->kind == HOLDER_BARRIER)
				return true;
			continue;
		}
		++*n_waiting_ret;
		for (uint32_t k = 0; k < s->n_tasks; k++) {
			if (is_ready(s, k, region) &&
			    (thread->task.index == SNAPSHOT_NONE || holder_task_descends(s, k, thread->task.index)))
				return true;
		}
	}
	return false;
}

/* Note tasks that are ready, and that no waiting thread of their team executes. */
static void note_queued(const struct diagnosis *d, struct json_object *array)
{
	const struct snapshot *s = &d->snapshot;
	const struct error *why;
	const struct runtime *runtime = model_runtime(d->m, &why);
	uint32_t n_waiting;

	if (!runtime || !runtime->descriptor->waits_for_descendants || s->truncated || s->has_unlisted)
		return;
	for (uint32_t i = 0; i < s->n_parallels; i++) {
		struct sentence t = {.len = 0};
		size_t n = 0;

		for (uint32_t k = 0; k < s->n_tasks; k++)
			n += is_ready(s, k, i);
		if (!n || may_start_tasks(d, i, &n_waiting) || !n_waiting)
			continue;
		sentence_add(&t, "%zu task%s ready and %s not started: ", n, n == 1 ? " is" : "s are",
			     n == 1 ? "has" : "have");
		sentence_add(&t, "a thread that waits in taskwait or taskgroup executes only descendants of its task ");
		sentence_add(&t, "(task scheduling constraint)");
		add_note(array, "queued", &t, "plugin");
	}
}

/* Note a halted process. The title of a deadlock does not mention the halt; other titles do not say what to do. */
static void note_halted(const struct diagnosis *d, struct json_object *array)
{
	struct sentence t = {.len = 0};

	if (d->halt == DIAGNOSE_RUNS)
		return;
	sentence_add(&t, "%s; ", diagnose_halted(d));
	if (d->halt == DIAGNOSE_FROZEN)
		sentence_add(&t, "it continues when %.200s is thawed", d->group);
	else
		sentence_add(&t, "after a signal, kill -CONT %d continues it", (int)target_pid(d->w->target));
	add_note(array, "halted", &t, "kernel");
}

static void note_emulator(const struct diagnosis *d, struct json_object *array)
{
	const char *emulator = target_emulator(d->w->target);
	struct sentence t = {.len = 0};

	if (!emulator)
		return;
	sentence_add(&t, "%s executes the program: registers, stacks and system calls are those of the emulator. ",
		     emulator);
	sentence_add(&t, "Only the runtime's memory shows the states of threads");
	add_note(array, "emulated", &t, "kernel");
}

struct json_object *diagnose_notes_json(const struct diagnosis *all, size_t n, size_t best)
{
	struct json_object *array = json_object_new_array();

	note_halted(&all[best], array);
	note_emulator(&all[best], array);
	note_cpus(&all[best], array);
	note_quota(&all[best], array);
	note_runtimes(all, n, best, array);
	note_serialized(&all[best], array);
	note_limit(&all[best], array);
	note_queued(&all[best], array);
	return array;
}
