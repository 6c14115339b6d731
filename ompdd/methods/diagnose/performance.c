/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* diagnose.performance: why the program is slow, from its profile and the kernel's counters. */
#include "methods/diagnose/performance.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/function_name.h"
#include "base/path.h"
#include "methods/json/json.h"
#include "methods/json/profile_json.h"
#include "methods/state.h"
#include "methods_worker.h"
#include "openmp/model/runtimes.h"
#include "rpc/json_write.h"

/* Limit for names that the target chooses. */
#define MAX_NAME 60

struct performance_finding *performance_add(struct performance *p, const char *kind, uint64_t lost_us)
{
	if (p->n_findings == PERFORMANCE_MAX_FINDINGS || lost_us * 1000 < p->thread_us * PERFORMANCE_LEAST_LOSS)
		return NULL;
	struct performance_finding *f = &p->findings[p->n_findings++];
	*f = (struct performance_finding){.kind = kind, .lost_us = lost_us};
	return f;
}

struct sentence *performance_claim(struct performance_finding *f, const char *source)
{
	if (f->n_claims < PERFORMANCE_MAX_CLAIMS)
		f->n_claims++;
	struct performance_claim *claim = &f->claims[f->n_claims - 1];
	*claim = (struct performance_claim){.source = source};
	return &claim->text;
}

unsigned performance_percent(uint64_t part, uint64_t all)
{
	return all ? (unsigned)((part * 200 + all) / (2 * all)) : 0;
}

bool performance_place(const struct performance *p, const struct tally_place *place, struct sentence *ret)
{
	struct buf name = {0};

	if (!place->function)
		return false;
	function_name_shorten(&name, texts_get(&p->t->texts, place->function));
	sentence_add(ret, "%.*s()", MAX_NAME, name.len ? buf_head(&name) : "");
	buf_deinit(&name);
	if (place->file)
		sentence_add(ret, " at %.*s:%d", MAX_NAME, path_file_name(texts_get(&p->t->texts, place->file)),
			     place->line);
	return true;
}

/* Data */

/* Return the difference. A counter that is smaller now is another thread's, with the same id. */
static uint64_t subtract(uint64_t now, uint64_t then)
{
	return now < then ? now : now - then;
}

/* Subtract the counters at the start from those at the end. A thread that has started since had none. */
static struct error *read_counters(struct performance *p)
{
	const struct kernel_times *before = &p->s->before, *after = &p->s->after;

	p->has_counters = before->n && after->n && !before->is_cut && !after->is_cut;
	p->threads = calloc(after->n ? after->n : 1, sizeof(*p->threads));
	if (!p->threads)
		return &error_nomem;
	for (size_t i = 0; i < after->n && p->has_counters; i++) {
		const struct kernel_thread *now = &after->threads[i], *then = kernel_times_find(before, now->tid);
		struct performance_thread *t = &p->threads[p->n_threads++];

		*t = (struct performance_thread){
			.tid = now->tid,
			.cpu_us = subtract(now->cpu_ns, then ? then->cpu_ns : 0) / 1000,
			.ready_us = subtract(now->ready_ns, then ? then->ready_ns : 0) / 1000,
			.major_faults = subtract(now->major_faults, then ? then->major_faults : 0),
			.cpus = now->has_cpus ? &now->cpus : NULL,
		};
		p->cpu_us += t->cpu_us;
		p->ready_us += t->ready_us;
		p->major_faults += t->major_faults;
		for (size_t k = 0; t->cpus && k < TARGET_MAX_CPUS / 64; k++)
			p->cpus.bits[k] |= t->cpus->bits[k];
	}
	p->n_cpus = target_cpus_count(&p->cpus);
	return NULL;
}

static void read_group(struct performance *p)
{
	const struct kernel_times *before = &p->s->before, *after = &p->s->after;

	if (before->has_quota && after->has_quota && !strcmp(before->quota.group, after->quota.group)) {
		p->has_quota = true;
		p->quota = after->quota;
		p->quota.n_periods = subtract(after->quota.n_periods, before->quota.n_periods);
		p->quota.n_throttled = subtract(after->quota.n_throttled, before->quota.n_throttled);
	}
	p->has_pressure = before->has_pressure && after->has_pressure && after->pressure_us >= before->pressure_us;
	p->pressure_us = p->has_pressure ? after->pressure_us - before->pressure_us : 0;
}

static void read_numa(struct performance *p)
{
	if (!numa_read_nodes(NUMA_FOLDER, &p->numa) || p->numa.n_nodes < 2 || !numa_count_pages(p->w->target, &p->numa))
		p->numa.n_pages = 0;
}

/* JSON */

static struct json_object *count_json(uint64_t n)
{
	return json_object_new_int64((int64_t)n);
}

static struct json_object *finding_json(const struct performance *p, const struct performance_finding *f)
{
	struct json_object *o = json_object_new_object(), *claims = json_object_new_array();

	json_put(o, "kind", json_object_new_string(f->kind));
	json_put(o, "certainty", json_object_new_string(f->is_candidate ? "candidate" : "proven"));
	json_put(o, "title", json_text(f->title.text));
	json_put(o, "advice", json_text(f->advice.text));
	json_put(o, "lost_us", count_json(f->lost_us));
	json_put(o, "lost_permille", count_json(f->lost_us * 1000 / p->thread_us));
	if (f->place.function)
		json_put(o, "place", profile_json_place(p->t, &f->place));
	for (size_t i = 0; i < f->n_claims; i++) {
		struct json_object *claim = json_object_new_object();

		json_put(claim, "text", json_text(f->claims[i].text.text));
		json_put(claim, "source", json_object_new_string(f->claims[i].source));
		json_object_array_add(claims, claim);
	}
	json_put(o, "claims", claims);
	return o;
}

static void add_not_considered(struct json_object *array, const char *kind, const char *text)
{
	struct json_object *o = json_object_new_object();

	json_put(o, "kind", json_object_new_string(kind));
	json_put(o, "text", json_object_new_string(text));
	json_object_array_add(array, o);
}

static struct json_object *not_considered_json(const struct performance *p)
{
	struct json_object *array = json_object_new_array();

	if (!p->has_counters)
		add_not_considered(array, "cpu",
				   "CPU time and waits for a CPU: the kernel's counters are not known at both ends");
	if (p->s->process.perf_refused && !p->s->stopped_us)
		add_not_considered(array, "running_stacks",
				   "stacks of running threads: the kernel refuses them; mode stop reads them");
	if (p->is_sparse)
		add_not_considered(array, "missed_samples",
				   "most of the time: ompdd lacked a CPU for its samples, so waits are candidates");
	if (p->has_counters && !p->has_pressure)
		add_not_considered(array, "memory_pressure",
				   "waits for memory: the kernel does not report them for the control group");
	if (p->numa.n_nodes > 1 && !p->numa.n_pages)
		add_not_considered(array, "numa", "the NUMA nodes of the memory: the kernel does not report them");
	return array;
}

static uint64_t waits_us(const struct tally *t)
{
	uint64_t sum = t->state_us[PROFILE_IDLE];

	for (unsigned i = 0; i < PROFILE_N_STATES; i++)
		sum += profile_state_waits((enum profile_state)i) ? t->state_us[i] : 0;
	return sum;
}

static struct json_object *measured_json(const struct performance *p)
{
	struct json_object *o = json_object_new_object();

	json_put(o, "all_us", count_json(p->thread_us));
	json_put(o, "work_us", count_json(p->t->state_us[PROFILE_WORK]));
	json_put(o, "serial_us", count_json(p->t->state_us[PROFILE_SERIAL]));
	json_put(o, "wait_us", count_json(waits_us(p->t)));
	json_put(o, "awake_us", count_json(p->t->awake_us));
	if (p->has_counters) {
		json_put(o, "cpu_us", count_json(p->cpu_us));
		json_put(o, "ready_us", count_json(p->ready_us));
	}
	if (p->n_cpus)
		json_put(o, "cpus", json_object_new_int64(p->n_cpus));
	return o;
}

/* Write what was measured, without an accusation. */
static void write_title(const struct performance *p, struct sentence *ret)
{
	const uint64_t *us = p->t->state_us;

	if (!p->thread_us) {
		sentence_add(ret, "nothing was measured: no sample of an OpenMP thread");
		return;
	}
	sentence_add(ret, "no finding: threads worked %u %% of the time",
		     performance_percent(us[PROFILE_WORK] + us[PROFILE_SERIAL], p->thread_us));
	if (performance_percent(waits_us(p->t), p->thread_us))
		sentence_add(ret, ", waited %u %%", performance_percent(waits_us(p->t), p->thread_us));
	if (performance_percent(us[PROFILE_ASLEEP], p->thread_us))
		sentence_add(ret, ", slept in system calls %u %%",
			     performance_percent(us[PROFILE_ASLEEP], p->thread_us));
	if (performance_percent(us[PROFILE_UNKNOWN], p->thread_us))
		sentence_add(ret, "; %u %% is not known", performance_percent(us[PROFILE_UNKNOWN], p->thread_us));
}

static int compare_findings(const void *a, const void *b)
{
	const struct performance_finding *x = a, *y = b;

	if (x->is_candidate != y->is_candidate)
		return x->is_candidate ? 1 : -1;
	return (x->lost_us < y->lost_us) - (x->lost_us > y->lost_us);
}

static struct json_object *performance_json(const struct performance *p)
{
	struct json_object *o = json_result(p->w), *threads = json_object_new_object(), *findings;
	struct sentence title = {.len = 0};
	struct view view = {
		.epoch = p->w->epoch,
		.consistency = p->s->stopped_us ? VIEW_STOPPED : VIEW_RACY,
		.stopped_us = (int64_t)p->s->stopped_us,
	};

	if (!o) {
		json_object_put(threads);
		return NULL;
	}
	json_put_view(o, &view);
	json_put(o, "runtime", state_runtime_json(worker_model(p->w)));
	json_put(o, "profile", profile_status_json(p->s));
	if (p->n_findings)
		title = p->findings[0].title;
	else
		write_title(p, &title);
	json_put(o, "title", json_text(title.text));
	json_put(threads, "all", count_json(p->n_threads ? p->n_threads : p->t->n_threads));
	json_put(threads, "openmp", count_json(p->t->n_threads));
	json_put(o, "threads", threads);
	json_put(o, "measured", measured_json(p));
	findings = json_object_new_array();
	for (size_t i = 0; i < p->n_findings; i++)
		json_object_array_add(findings, finding_json(p, &p->findings[i]));
	json_put(o, "findings", findings);
	json_put(o, "not_considered", not_considered_json(p));
	return o;
}

struct error *handle_diagnose_performance(struct worker *w, const struct diagnose_performance_params *params,
					  struct json_object **ret)
{
	(void)params;
	if (!w->target)
		return error_hint(error_create(ERR_NO_SUCH_TARGET, "no process is attached yet"),
				  "call target.attach first");
	if (!w->sampler)
		return error_hint(
			error_create(ERR_NO_PROFILE, "target %s has no profile: none was started", w->target_id),
			"call profile.start, and this method some seconds later");
	sampler_count_calls(w);
	sampler_read_times(w);
	struct performance *p = calloc(1, sizeof(*p));
	if (!p)
		return &error_nomem;
	p->w = w;
	p->s = w->sampler;
	p->t = &w->sampler->tally;
	p->elapsed_us = (uint64_t)((p->s->end == SAMPLER_RECORDING ? clock_now_us() : p->s->ended_us) - p->s->begun_us);
	for (unsigned i = 0; i < PROFILE_N_STATES; i++)
		p->thread_us += p->t->state_us[i];
	p->is_sparse = p->t->samplings * 1000000 * PERFORMANCE_SPARSE_PART < p->elapsed_us * p->s->options.rate_hz;
	struct error *err = read_counters(p);
	if (!err && p->thread_us) {
		read_group(p);
		read_numa(p);
		performance_find_cpu(p);
		performance_find_numa(p);
		performance_find_waits(p);
		qsort(p->findings, p->n_findings, sizeof(*p->findings), compare_findings);
	}
	if (!err) {
		*ret = performance_json(p);
		err = *ret ? NULL : &error_nomem;
	}
	free(p->threads);
	free(p);
	return err;
}
