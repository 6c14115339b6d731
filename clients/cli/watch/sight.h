/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Facts about a watched process: those of its last examination, and since when they hold. */
#ifndef OMPDD_CLI_WATCH_SIGHT_H
#define OMPDD_CLI_WATCH_SIGHT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "text.h"
#include "watch/rule.h"

struct json_object;

/* An OpenMP thread at the last examination. */
struct sight_thread {
	pid_t tid;
	int is_asleep, is_running;
	int at_barrier;	   /* waits at a barrier */
	int in_team;	   /* is a member of a team of several threads */
	uint64_t n_sleeps; /* if asleep: how often it has gone to sleep so far; constant while it sleeps */
	int64_t since_ms;  /* if asleep: it has slept at least since then (CLOCK_MONOTONIC) */
};

struct sight {
	pid_t pid;
	struct sight_thread *threads; /* ascending by tid; owned */
	size_t n_threads;
	int64_t examined_ms;	/* time of the last examination */
	int64_t still_since_ms; /* no progress was seen since then; 0: the last examination saw some */
	int is_deadlock;
	int arrived, team_size; /* of the barrier at which threads have slept longest; 0: none */
	double metrics[N_METRICS];
	char *title; /* of the diagnosis; NULL: not requested; owned */
};

/*
 * Add an examination at @now_ms: @snapshot is the result of snapshot.get in mode observe, @diagnosis that of
 * diagnose.get; NULL: not requested. @proc is "/proc".
 */
void sight_update(struct sight *s, const char *proc, struct json_object *snapshot, struct json_object *diagnosis,
		  int64_t now_ms);

/* Return whether the process fulfils the condition of @rule, and append the reason to @fact. */
int sight_fulfils(const struct sight *s, const struct watch_rule *rule, int64_t now_ms, struct buf *fact);

/* Read the time at which the process started, in clock ticks since boot. Returns 0 if there is no such process. */
int sight_read_start(const char *proc, pid_t pid, uint64_t *ret);

void sight_deinit(struct sight *s);

#endif
