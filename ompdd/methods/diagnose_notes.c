/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Notes beside a verdict: threads on too few CPUs, several runtimes, nested regions that got one thread. */
#include <string.h>

#include <omp-tools.h>

#include "methods/diagnose.h"
#include "methods/json.h"
#include "openmp/model/model.h"
#include "openmp/runtimes/runtime.h"
#include "rpc/utf8.h"
#include "target/emulator.h"

static void add_note(struct json_object *array, const char *kind, const struct sentence *t, const char *source)
{
	struct json_object *o = json_object_new_object();

	json_put(o, "kind", json_object_new_string(kind));
	json_put(o, "text", utf8_json(t->text));
	json_put(o, "source", json_object_new_string(source));
	json_object_array_add(array, o);
}

/* Note more ready threads than CPUs. Some of these threads may wait actively instead of sleeping. */
static void note_cpus(const struct diagnosis *d, struct json_object *array)
{
	struct sentence t = {.len = 0};
	unsigned n = target_cpus(d->w->target);

	if (!n || d->n_ready <= n)
		return;
	sentence_add(&t, "%zu threads want a CPU, and the process has %u", d->n_ready, n);
	if (d->n_spinning)
		sentence_add(&t, "; %zu of them only wait: with OMP_WAIT_POLICY=passive they would sleep",
			     d->n_spinning);
	add_note(array, "oversubscribed", &t, "kernel");
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
		const char *slash = strrchr(runtime->path, '/');
		sentence_add(&t, "another OpenMP runtime is in the process, %.60s", slash ? slash + 1 : runtime->path);
		if (all[i].is_there && all[i].waits.verdict != VERDICT_IDLE) {
			sentence_add(&t, ", with threads of its own: ");
			diagnose_title(&all[i], &t);
		} else if (all[i].is_there) {
			sentence_add(&t, ", none of whose threads does anything");
		} else {
			sentence_add(&t, "; nothing uses it, or nothing is known of that");
		}
		add_note(array, "several_runtimes", &t, "memory");
	}
}

/* Return the limit of nested active regions in a task of @region; -1: not known. */
static int64_t active_limit(const struct snapshot *s, size_t region)
{
	const struct snapshot_icv_set *set = &s->task_icvs;

	for (size_t i = 0; i < s->n_tasks; i++) {
		if (s->tasks[i].parallel.index != region || !s->tasks[i].icvs)
			continue;
		for (size_t k = 0; k < set->n; k++) {
			const struct icv_value *value = &s->tasks[i].icvs[k];

			if (!strcmp(set->defs[k]->name, "max-active-levels-var") && value->rc == ompd_rc_ok &&
			    value->has_number)
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
		limit = active_limit(s, i);
		n += limit == p->active_level.value;
	}
	if (!n)
		return;
	sentence_add(&t,
		     "%zu nested region%s one thread each, as no more than %lld may be active within each other: ", n,
		     n == 1 ? " has" : "s have", (long long)limit);
	sentence_add(&t, "OMP_MAX_ACTIVE_LEVELS, omp_set_max_active_levels()");
	add_note(array, "serialized", &t, "plugin");
}

/* Note a halted process. The title of a deadlock does not mention the halt; other titles do not say what to do. */
static void note_halted(const struct diagnosis *d, struct json_object *array)
{
	struct sentence t = {.len = 0};

	if (d->halt == DIAGNOSE_RUNS)
		return;
	sentence_add(&t, "%s; ", diagnose_halted(d));
	if (d->halt == DIAGNOSE_FROZEN)
		sentence_add(&t, "it goes on when %.200s is thawed", d->group);
	else
		sentence_add(&t, "after the former, kill -CONT %d lets it go on", (int)target_pid(d->w->target));
	add_note(array, "halted", &t, "kernel");
}

static void note_emulator(const struct diagnosis *d, struct json_object *array)
{
	const char *emulator = target_emulator(d->w->target);
	struct sentence t = {.len = 0};

	if (!emulator)
		return;
	sentence_add(&t, "%s executes the program: registers, stacks and system calls are its own, ", emulator);
	sentence_add(&t, "and only the runtime's memory says what threads do");
	add_note(array, "emulated", &t, "kernel");
}

struct json_object *diagnose_notes_json(const struct diagnosis *all, size_t n, size_t best)
{
	struct json_object *array = json_object_new_array();

	note_halted(&all[best], array);
	note_emulator(&all[best], array);
	note_cpus(&all[best], array);
	note_runtimes(all, n, best, array);
	note_serialized(&all[best], array);
	return array;
}
