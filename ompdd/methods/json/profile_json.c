/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables of a tally, as JSON. */
#include "methods/json/profile_json.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "methods/json/json.h"
#include "rpc/json_write.h"
#include "worker/sampler/sampler.h"

static const char *const end_names[] = {
	[SAMPLER_STOPPED] = "stopped",
	[SAMPLER_EXITED] = "exited",
	[SAMPLER_EXEC] = "exec",
	[SAMPLER_DURATION] = "duration",
	[SAMPLER_DISCONNECTED] = "disconnected",
	[SAMPLER_FAILED] = "failed",
};

static struct json_object *count_json(uint64_t n)
{
	return json_object_new_int64((int64_t)n);
}

/* Return @value with three decimals: measurements are not more exact. */
static struct json_object *decimal_json(double value)
{
	return json_object_new_double((double)(int64_t)(value * 1000 + 0.5) / 1000);
}

/* Return why a value is not available. */
static struct json_object *missing_json(const char *why)
{
	struct json_object *o = json_rc(1);

	json_put(o, "message", json_object_new_string(why));
	return o;
}

static struct json_object *dropped_json(const struct tally *t)
{
	const struct {
		const char *name;
		uint64_t n;
	} dropped[] = {
		{"regions", t->refused_regions}, {"locks", t->refused_locks}, {"tasks", t->refused_tasks},
		{"threads", t->refused_threads}, {"stacks", t->tree.refused}, {"texts", t->texts.refused},
	};
	struct json_object *o = NULL;

	for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++) {
		if (!dropped[i].n)
			continue;
		if (!o)
			o = json_object_new_object();
		json_put(o, dropped[i].name, count_json(dropped[i].n));
	}
	return o;
}

static struct json_object *source_json(const char *name, const struct error *why)
{
	return name ? json_object_new_string(name) : json_reason(why);
}

struct json_object *profile_status_json(const struct sampler *s)
{
	bool recording = s->end == SAMPLER_RECORDING;
	int64_t elapsed = (recording ? clock_now_us() : s->ended_us) - s->begun_us;
	struct json_object *o = json_object_new_object(), *dropped = dropped_json(&s->tally);

	json_put(o, "recording", json_object_new_boolean(recording));
	if (!recording)
		json_put(o, "ended", json_object_new_string(end_names[s->end]));
	if (s->end == SAMPLER_FAILED)
		json_put(o, "why", json_reason(s->why));
	json_put(o, "begun_us", json_object_new_int64(s->begun_unix_us));
	json_put(o, "elapsed_us", json_object_new_int64(elapsed));
	json_put(o, "rate_hz", json_object_new_int64(s->options.rate_hz));
	json_put(o, "reached_hz", decimal_json(elapsed > 0 ? (double)s->tally.samplings * 1e6 / (double)elapsed : 0));
	json_put(o, "samplings", count_json(s->tally.samplings));
	json_put(o, "samples", count_json(s->tally.samples));
	json_put(o, "torn", count_json(process_sampler_torn(&s->process) + s->failed));
	json_put(o, "missed", count_json(s->missed));
	json_put(o, "lost", count_json(process_sampler_lost(&s->process)));
	json_put(o, "no_stack", count_json(process_sampler_no_stacks(&s->process)));
	json_put(o, "held_us", count_json(s->held_us));
	json_put(o, "stopped_us", count_json(s->stopped_us));
	json_put(o, "cpu_us", count_json(s->cpu_us));
	json_put(o, "overhead_permille",
		 decimal_json(elapsed > 0 ? (double)s->stopped_us * 1000 / (double)elapsed : 0));
	json_put(o, "running_stacks",
		 source_json(s->stopped_us	       ? "stop"
			     : s->process.perf_refused ? NULL
						       : "perf",
			     s->process.perf_refused));
	json_put(o, "sleeping_stacks", source_json(s->stopped_us ? "stop" : "memory", NULL));
	if (dropped)
		json_put(o, "dropped", dropped);
	return o;
}

static struct json_object *times_json(const uint64_t *us)
{
	struct json_object *o = json_object_new_object();

	for (unsigned i = 0; i < PROFILE_N_STATES; i++) {
		if (us[i])
			json_put(o, profile_state_name(i), count_json(us[i]));
	}
	return o;
}

static struct json_object *text_json(const struct tally *t, uint32_t number)
{
	return number ? json_text(texts_get(&t->texts, number)) : json_rc(1);
}

struct json_object *profile_json_place(const struct tally *t, const struct tally_place *place)
{
	struct json_object *o = json_object_new_object(), *location = NULL;

	json_put(o, "function", text_json(t, place->function));
	if (place->file) {
		location = json_object_new_object();
		json_put(location, "file", text_json(t, place->file));
		json_put(location, "line", json_object_new_int(place->line));
	}
	json_put(o, "location", location ? location : json_rc(1));
	return o;
}

static struct json_object *number_or_rc(int64_t value, int64_t least)
{
	return value >= least ? json_object_new_int64(value) : json_rc(1);
}

/* A row of a table, sorted by its largest value. */
struct row {
	uint64_t key;
	uint32_t index;
};

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? 1 : -1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static struct row *rows_of(const struct tally *t, uint32_t n, uint64_t (*key)(const struct tally *, uint32_t))
{
	struct row *rows = malloc((n ? n : 1) * sizeof(*rows));

	for (uint32_t i = 0; rows && i < n; i++)
		rows[i] = (struct row){key(t, i), i};
	if (rows)
		qsort(rows, n, sizeof(*rows), compare_rows);
	return rows;
}

static uint64_t region_key(const struct tally *t, uint32_t i)
{
	uint64_t sum = 0;

	for (unsigned k = 0; k < PROFILE_N_STATES; k++)
		sum += t->regions[i].state_us[k];
	return sum;
}

static uint64_t lock_key(const struct tally *t, uint32_t i)
{
	return t->locks[i].wait_us;
}

static uint64_t task_key(const struct tally *t, uint32_t i)
{
	return t->tasks[i].run_us + t->tasks[i].wait_us;
}

static struct json_object *region_json(const struct tally *t, uint32_t i)
{
	const struct tally_region *r = &t->regions[i];
	struct json_object *o = json_object_new_object();
	double imbalance;

	json_put(o, "index", json_object_new_int64(i));
	if (t->has_several)
		json_put(o, "runtime", json_object_new_int64(r->runtime));
	json_put(o, "outside", json_object_new_boolean(r->is_outside));
	json_put(o, "place", profile_json_place(t, &r->place));
	if (r->is_inferred)
		json_put(o, "source", json_object_new_string("inferred"));
	json_put(o, "level", number_or_rc(r->level, 0));
	json_put(o, "times", times_json(r->state_us));
	json_put(o, "awake_us", count_json(r->awake_us));
	json_put(o, "samples", count_json(r->samples));
	json_put(o, "threads", count_json(r->max_threads));
	json_put(o, "team_size", number_or_rc(r->max_team_size, 1));
	json_put(o, "members", count_json(r->n_members));
	json_put(o, "imbalance",
		 tally_imbalance(r, &imbalance)
			 ? decimal_json(imbalance)
			 : missing_json("fewer than two members were sampled, or no member at work"));
	json_put(o, "calls",
		 r->has_calls ? count_json(r->calls)
			      : missing_json("the runtime does not count executions of regions, or it has ended"));
	return o;
}

static struct json_object *holders_json(const struct tally *t, const struct tally_lock *l)
{
	if (!l->n_holders && !l->holders_other_us)
		return missing_json("the runtime does not store the holder, or the lock was free in all samples");
	struct json_object *holders = json_object_new_array();

	for (uint32_t k = 0; k < l->n_holders; k++) {
		struct json_object *o = json_object_new_object();

		json_put(o, "place", profile_json_place(t, &l->holders[k].place));
		json_put(o, "us", count_json(l->holders[k].us));
		if (l->holders[k].is_inferred)
			json_put(o, "source", json_object_new_string("inferred"));
		json_object_array_add(holders, o);
	}
	return holders;
}

static struct json_object *lock_json(const struct tally *t, uint32_t i)
{
	const struct tally_lock *l = &t->locks[i];
	struct json_object *o = json_object_new_object(), *places = json_object_new_array();
	uint64_t known_us = 0;

	json_put(o, "state", json_object_new_string(profile_state_name(l->state)));
	json_put(o, "address", json_hex(l->address));
	json_put(o, "symbol",
		 l->name ? text_json(t, l->name)
			 : missing_json("no symbol covers the address: it is on the heap or a stack, or the file is "
					"stripped"));
	if (l->name) {
		struct json_object *name = json_variable_name(texts_get(&t->texts, l->name), l->offset);

		json_put(o, "offset", json_object_new_int64((int64_t)l->offset));
		if (name)
			json_put(o, "name", name);
	}
	json_put(o, "wait_us", count_json(l->wait_us));
	json_put(o, "samples", count_json(l->samples));
	json_put(o, "max_waiters", count_json(l->max_waiters));
	json_put(o, "mean_waiters", decimal_json(l->samplings ? (double)l->samples / (double)l->samplings : 1));
	for (uint32_t k = 0; k < l->n_places; k++) {
		struct json_object *place = json_object_new_object();

		json_put(place, "place", profile_json_place(t, &l->places[k].place));
		json_put(place, "wait_us", count_json(l->places[k].wait_us));
		json_object_array_add(places, place);
		known_us += l->places[k].wait_us;
	}
	json_put(o, "places", places);
	json_put(o, "other_us", count_json(l->wait_us - known_us));
	json_put(o, "holders", holders_json(t, l));
	if (l->n_holders || l->holders_other_us)
		json_put(o, "holders_other_us", count_json(l->holders_other_us));
	return o;
}

static struct json_object *task_json(const struct tally *t, uint32_t i)
{
	const struct tally_task *task = &t->tasks[i];
	struct json_object *o = json_object_new_object();

	json_put(o, "place", profile_json_place(t, &task->place));
	json_put(o, "run_us", count_json(task->run_us));
	json_put(o, "wait_us", count_json(task->wait_us));
	json_put(o, "samples", count_json(task->samples));
	json_put(o, "max_running", count_json(task->max_running));
	return o;
}

static struct json_object *table_json(const struct tally *t, uint32_t n,
				      uint64_t (*key)(const struct tally *, uint32_t),
				      struct json_object *(*make)(const struct tally *, uint32_t))
{
	_cleanup_free_ struct row *rows = rows_of(t, n, key);
	struct json_object *array = json_object_new_array();

	/* Rows without a sample are last, and are left out. */
	for (uint32_t i = 0; rows && i < n && rows[i].key; i++)
		json_object_array_add(array, make(t, rows[i].index));
	return array;
}

void profile_json_put_tables(struct json_object *o, const struct tally *t)
{
	struct json_object *total = json_object_new_object(), *threads = json_object_new_array();

	json_put(total, "times", times_json(t->state_us));
	json_put(total, "awake_us", count_json(t->awake_us));
	json_put(total, "threads", count_json(t->n_threads));
	json_put(o, "total", total);
	json_put(o, "regions", table_json(t, t->n_regions, region_key, region_json));
	json_put(o, "locks", table_json(t, t->n_locks, lock_key, lock_json));
	json_put(o, "tasks", table_json(t, t->n_tasks, task_key, task_json));
	for (uint32_t i = 0; i < t->n_threads; i++) {
		struct json_object *thread = json_object_new_object();

		json_put(thread, "tid", json_object_new_int(t->threads[i].tid));
		json_put(thread, "thread_num", number_or_rc(t->threads[i].thread_num, 0));
		json_put(thread, "times", times_json(t->threads[i].state_us));
		json_object_array_add(threads, thread);
	}
	json_put(o, "threads", threads);
}

/* Stacks */

static void add_int(struct json_object *array, int64_t value)
{
	json_object_array_add(array, json_object_new_int64(value));
}

static struct json_object *frames_json(const struct tally *t, uint32_t state_text)
{
	static const char *const kinds[] = {
		[TREE_USER] = "user",		[TREE_RUNTIME] = "runtime",   [TREE_START] = "start",
		[TREE_CONSTRUCT] = "construct", [TREE_PARALLEL] = "parallel", [TREE_TASK] = "task",
		[TREE_STATE] = "state",
	};
	struct json_object *o = json_object_new_object();
	struct json_object *kind = json_object_new_array(), *function = json_object_new_array(),
			   *file = json_object_new_array(), *line = json_object_new_array(),
			   *module = json_object_new_array();

	for (uint32_t i = 0; t->keeps_stacks && i < t->tree.n_frames; i++) {
		const struct tree_frame *f = &t->tree.frames[i];

		json_object_array_add(kind, json_object_new_string(kinds[f->kind]));
		add_int(function, f->kind == TREE_STATE ? state_text + (uint32_t)f->state : f->function);
		add_int(file, f->file);
		add_int(line, f->line);
		add_int(module, f->module);
	}
	json_put(o, "kind", kind);
	json_put(o, "function", function);
	json_put(o, "file", file);
	json_put(o, "line", line);
	json_put(o, "module", module);
	return o;
}

static struct json_object *nodes_json(const struct tally *t)
{
	struct json_object *o = json_object_new_object();
	struct json_object *parent = json_object_new_array(), *frame = json_object_new_array(),
			   *self = json_object_new_array(), *samples = json_object_new_array();

	for (uint32_t i = 0; t->keeps_stacks && i < t->tree.n_nodes; i++) {
		const struct tree_node *n = &t->tree.nodes[i];

		add_int(parent, n->parent == STACK_TREE_ROOT ? -1 : (int64_t)n->parent);
		add_int(frame, n->frame);
		add_int(self, (int64_t)n->self_us);
		add_int(samples, (int64_t)n->samples);
	}
	json_put(o, "parent", parent);
	json_put(o, "frame", frame);
	json_put(o, "self_us", self);
	json_put(o, "samples", samples);
	return o;
}

void profile_json_put_stacks(struct json_object *o, const struct tally *t)
{
	struct json_object *stacks = json_object_new_object(), *strings = json_object_new_array();
	uint32_t n = t->texts.n ? t->texts.n : 1;

	/* The names of the states come after all other strings. */
	for (uint32_t i = 0; i < n; i++)
		json_object_array_add(strings, json_text(texts_get(&t->texts, i)));
	for (unsigned i = 0; i < PROFILE_N_STATES; i++)
		json_object_array_add(strings, json_object_new_string(profile_state_name(i)));
	json_put(stacks, "strings", strings);
	json_put(stacks, "frames", frames_json(t, n));
	json_put(stacks, "nodes", nodes_json(t));
	json_put(o, "stacks", stacks);
}

/* Timelines */

static struct json_object *thread_timeline_json(const struct tally_thread *thread, uint64_t since_us)
{
	const struct timeline *l = &thread->timeline;
	struct json_object *o = json_object_new_object(), *at = json_object_new_array(),
			   *state = json_object_new_array(), *region = json_object_new_array();
	uint64_t first = timeline_first(l), i = l->n;

	/* Start with the cell that covers since_us. */
	while (i > first && (i == l->n || timeline_at(l, i)->t_us > since_us))
		i--;
	bool overwritten = i == first && first > 0 && timeline_at(l, first)->t_us > since_us;
	for (; i < l->n; i++) {
		const struct timeline_cell *c = timeline_at(l, i);

		add_int(at, (int64_t)c->t_us);
		add_int(state, c->state == TIMELINE_GONE ? -1 : c->state);
		add_int(region, c->region == UINT16_MAX ? -1 : c->region);
	}
	json_put(o, "tid", json_object_new_int(thread->tid));
	json_put(o, "t_us", at);
	json_put(o, "state", state);
	json_put(o, "region", region);
	json_put(o, "overwritten", json_object_new_boolean(overwritten));
	return o;
}

void profile_json_put_timeline(struct json_object *o, const struct tally *t, uint64_t since_us, uint64_t end_us)
{
	struct json_object *timeline = json_object_new_object(), *states = json_object_new_array(),
			   *threads = json_object_new_array();

	for (unsigned i = 0; i < PROFILE_N_STATES; i++)
		json_object_array_add(states, json_object_new_string(profile_state_name(i)));
	json_put(timeline, "states", states);
	json_put(timeline, "end_us", count_json(end_us));
	for (uint32_t i = 0; i < t->n_threads; i++) {
		if (t->threads[i].timeline.n)
			json_object_array_add(threads, thread_timeline_json(&t->threads[i], since_us));
	}
	json_put(timeline, "threads", threads);
	json_put(o, "timeline", timeline);
}
