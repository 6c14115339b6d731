/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Follows the sleeps of threads over several examinations. A thread that sleeps keeps its number of voluntary context
 * switches, so an equal number proves that it has not run meanwhile.
 */
#include "watch/sight.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "base/by_tid.h"
#include "processes.h"
#include "rpc/json_read.h"

static const char barrier_state[] = "ompt_state_wait_barrier";

static const char *read_stat(const char *proc, pid_t pid, char *text, size_t size)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%d/stat", proc, pid);
	return processes_read_stat(AT_FDCWD, path, text, size);
}

int sight_read_start(const char *proc, pid_t pid, uint64_t *ret)
{
	char text[1024], state;
	const char *fields = read_stat(proc, pid, text, sizeof(text));

	/* Fields 3 to 22 of proc(5). */
	return fields &&
	       sscanf(fields, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %" SCNu64,
		      &state, ret) == 2 &&
	       state != 'Z' && state != 'X';
}

static double read_cpu_seconds(const char *proc, pid_t pid)
{
	char text[1024];
	const char *fields = read_stat(proc, pid, text, sizeof(text));
	uint64_t user, system;

	if (!fields ||
	    sscanf(fields, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64, &user, &system) != 2)
		return 0;
	return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

/* Read how often the thread has gone to sleep. */
static int read_sleeps(const char *proc, pid_t pid, pid_t tid, uint64_t *ret)
{
	static const char name[] = "\nvoluntary_ctxt_switches:";
	char path[256], text[8192];

	snprintf(path, sizeof(path), "%s/%d/task/%d/status", proc, pid, tid);
	const char *at = processes_read(AT_FDCWD, path, text, sizeof(text)) ? strstr(text, name) : NULL;
	return at && sscanf(at + strlen(name), "%" SCNu64, ret) == 1;
}

static int is_at_barrier(struct json_object *thread)
{
	return !strncmp(json_read_text(json_read_member(thread, "state"), "name"), barrier_state,
			strlen(barrier_state));
}

/* Return whether the diagnosis examined the thread while it ran, and saw no progress of it. */
static int is_known_still(struct json_object *diagnosis, pid_t tid)
{
	struct json_object *findings = json_read_member(diagnosis, "findings");

	for (size_t i = 0; i < json_read_length(findings); i++) {
		struct json_object *threads = json_read_member(json_object_array_get_idx(findings, i), "threads");

		for (size_t k = 0; k < json_read_length(threads); k++) {
			struct json_object *thread = json_object_array_get_idx(threads, k);
			const char *progress = json_read_text(thread, "progress");

			if (json_read_int(json_read_member(thread, "tid"), 0) == tid)
				return !strcmp(progress, "polls") || !strcmp(progress, "spins") ||
				       !strcmp(progress, "unseen");
		}
	}
	return 0;
}

static int is_halted(struct json_object *diagnosis)
{
	struct json_object *notes = json_read_member(diagnosis, "notes");

	for (size_t i = 0; i < json_read_length(notes); i++) {
		if (!strcmp(json_read_text(json_object_array_get_idx(notes, i), "kind"), "halted"))
			return 1;
	}
	return 0;
}

static int compare_threads(const void *a, const void *b)
{
	pid_t x = ((const struct sight_thread *)a)->tid, y = ((const struct sight_thread *)b)->tid;

	return (x > y) - (x < y);
}

static struct sight_thread *find_thread(const struct sight *s, pid_t tid)
{
	size_t i = s->n_threads ? BY_TID_PLACE(s->threads, s->n_threads, tid) : 0;

	return i < s->n_threads && s->threads[i].tid == tid ? &s->threads[i] : NULL;
}

static struct sight_thread read_thread(const struct sight *s, const char *proc, struct json_object *thread,
				       int64_t now_ms)
{
	const char *state = json_read_text(json_read_member(thread, "kernel"), "state");
	struct sight_thread t = {.tid = (pid_t)json_read_int(json_read_member(thread, "tid"), 0),
				 .is_running = !strcmp(state, "running"),
				 .at_barrier = is_at_barrier(thread),
				 .since_ms = now_ms};
	const struct sight_thread *last = find_thread(s, t.tid);

	t.is_asleep = !strcmp(state, "asleep") && read_sleeps(proc, s->pid, t.tid, &t.n_sleeps);
	if (t.is_asleep && last && last->is_asleep && last->n_sleeps == t.n_sleeps)
		t.since_ms = last->since_ms;
	return t;
}

/*
 * Replace the threads. Returns whether a thread made progress since the last examination, or may have: it runs, or
 * has been awake meanwhile, unless the diagnosis knows it to stay at one place.
 */
static int update_threads(struct sight *s, const char *proc, struct json_object *threads, struct json_object *diagnosis,
			  int64_t now_ms)
{
	struct sight_thread *fresh = NULL;
	size_t n = 0, cap = 0;
	int has_moved = 0;

	for (size_t i = 0; i < json_read_length(threads); i++) {
		struct json_object *thread = json_object_array_get_idx(threads, i);

		if (!json_read_bool(json_read_member(thread, "openmp")))
			continue;
		TEXT_GROW(fresh, n, cap);
		fresh[n] = read_thread(s, proc, thread, now_ms);
		int slept_on = fresh[n].is_asleep && fresh[n].since_ms < now_ms;
		has_moved |= !slept_on && !is_known_still(diagnosis, fresh[n].tid);
		n++;
	}
	if (n)
		qsort(fresh, n, sizeof(*fresh), compare_threads);
	free(s->threads);
	s->threads = fresh;
	s->n_threads = n;
	return has_moved || !n;
}

/* Evaluate a team. Only a barrier at which threads have arrived, and others are missing, counts. */
static void examine_team(struct sight *s, struct json_object *team, int64_t *since_ms)
{
	struct json_object *members = json_read_member(team, "threads");
	int64_t size = json_read_int(json_read_member(team, "team_size"), 0);
	int64_t arrived = json_read_int(json_read_member(json_read_member(team, "arrived"), "threads"), 0);
	int is_incomplete = arrived > 0 && arrived < size;

	if (size < 2)
		return;
	if (is_incomplete)
		s->metrics[METRIC_BARRIER_THREADS] += (double)arrived;
	for (size_t i = 0; i < json_read_length(members); i++) {
		struct sight_thread *one =
			find_thread(s, (pid_t)json_read_int(json_object_array_get_idx(members, i), 0));

		if (!one)
			continue;
		one->in_team = 1;
		if (!is_incomplete || !one->is_asleep || !one->at_barrier || one->since_ms >= *since_ms)
			continue;
		*since_ms = one->since_ms;
		s->arrived = (int)arrived;
		s->team_size = (int)size;
	}
}

static void update_metrics(struct sight *s, const char *proc, struct json_object *teams, int64_t now_ms)
{
	int64_t since_ms = now_ms + 1;

	s->arrived = s->team_size = 0;
	memset(s->metrics, 0, sizeof(s->metrics));
	for (size_t i = 0; i < json_read_length(teams); i++)
		examine_team(s, json_object_array_get_idx(teams, i), &since_ms);
	if (s->team_size)
		s->metrics[METRIC_BARRIER_SECONDS] = (double)(now_ms - since_ms) / 1000;
	for (size_t i = 0; i < s->n_threads; i++) {
		s->metrics[METRIC_TEAM_THREADS] += s->threads[i].in_team;
		s->metrics[METRIC_BUSY_THREADS] += s->threads[i].in_team && s->threads[i].is_running;
	}
	s->metrics[METRIC_CPU_SECONDS] = read_cpu_seconds(proc, s->pid);
}

void sight_update(struct sight *s, const char *proc, struct json_object *snapshot, struct json_object *diagnosis,
		  int64_t now_ms)
{
	const char *verdict = json_read_text(diagnosis, "verdict");
	int64_t last_ms = s->examined_ms;

	s->examined_ms = now_ms;
	s->is_deadlock = !strcmp(verdict, "deadlock");
	free(s->title);
	s->title = diagnosis ? text_strdup(json_read_text(diagnosis, "title")) : NULL;
	if (!snapshot)
		return;
	int has_moved = update_threads(s, proc, json_read_member(snapshot, "threads"), diagnosis, now_ms);
	int is_still = diagnosis && last_ms && !has_moved && strcmp(verdict, "busy") != 0 && !is_halted(diagnosis);
	s->still_since_ms = !is_still ? 0 : s->still_since_ms ? s->still_since_ms : last_ms;
	update_metrics(s, proc, json_read_member(snapshot, "parallels"), now_ms);
}

int sight_fulfils(const struct sight *s, const struct watch_rule *rule, int64_t now_ms, struct buf *fact)
{
	double still_s = (double)(now_ms - s->still_since_ms) / 1000;
	double value = s->metrics[rule->metric];

	switch (rule->condition) {
	case WHEN_DEADLOCK:
		if (s->is_deadlock)
			text_add(fact, s->title);
		return s->is_deadlock;
	case WHEN_BARRIER:
		if (!s->team_size || !(s->metrics[METRIC_BARRIER_SECONDS] > rule->seconds))
			return 0;
		text_printf(fact, "%d of %d threads have arrived at a barrier; one has slept there for %.0f s",
			    s->arrived, s->team_size, s->metrics[METRIC_BARRIER_SECONDS]);
		return 1;
	case WHEN_NO_PROGRESS:
		if (!s->still_since_ms || !(still_s > rule->seconds))
			return 0;
		text_printf(fact, "no progress for %.0f s: %s", still_s, s->title);
		return 1;
	case WHEN_METRIC:
		if (rule->is_below ? !(value < rule->value) : !(value > rule->value))
			return 0;
		text_printf(fact, "%s is %.10g", watch_metric_names[rule->metric], value);
		return 1;
	}
	return 0;
}

void sight_deinit(struct sight *s)
{
	free(s->threads);
	free(s->title);
	*s = (struct sight){0};
}
