/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The states of the threads in the last ten minutes, for clients that start to watch later. It keeps at most one sample
 * a second, of the samples that clients request anyway, within a fixed number of bytes.
 */
#ifndef OMPDD_WORKER_HISTORY_H
#define OMPDD_WORKER_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Samples that are kept, and the period for which one is kept: ten minutes. */
#define HISTORY_SAMPLES	 600
#define HISTORY_EVERY_MS 1000
/* Memory for the threads of all samples: ten minutes of 500 threads, or fewer samples of more threads. */
#define HISTORY_MAX_BYTES (4U << 20)
/* States of the OpenMP specification, and those of foreign libraries. Later ones count as the last. */
#define HISTORY_MAX_STATES 64
#define HISTORY_MAX_TEXT   80
/* Distinct names of threads, and their bytes with the NUL: the kernel has 15, and each may become U+FFFD. */
#define HISTORY_MAX_NAMES 256
#define HISTORY_MAX_NAME  48

struct history_state {
	char key[HISTORY_MAX_TEXT], text[HISTORY_MAX_TEXT], letter;
};

struct history_thread {
	int32_t tid, number; /* number in its team; -1: none */
	uint16_t code;	     /* index in the states */
	uint16_t name;	     /* index in the names */
};

struct history_sample {
	int64_t at_ms; /* CLOCK_MONOTONIC */
	struct history_thread *threads;
	size_t n;
};

struct history {
	struct history_sample samples[HISTORY_SAMPLES]; /* a ring */
	size_t first, n;
	size_t bytes; /* of the threads of all samples */
	struct history_state states[HISTORY_MAX_STATES];
	size_t n_states;
	char names[HISTORY_MAX_NAMES][HISTORY_MAX_NAME]; /* the first one is empty */
	size_t n_names;
};

/* Returns NULL if memory is out. */
struct history *history_create(void);
void history_destroy(struct history *h);

/* Forget everything. @h may be NULL. */
void history_clear(struct history *h);

/* Return whether a sample at @now_ms would be the first one of its second. */
bool history_is_due(const struct history *h, int64_t now_ms);

/* Return the number of a state, which is added if it is new. The text distinguishes states. */
uint16_t history_find_state(struct history *h, const char *key, const char *text, char letter);

/* Return the number of a thread's name, which is added if it is new; 0: the name has no room. */
uint16_t history_find_name(struct history *h, const char *name);

/*
 * Add a sample at @now_ms, which does not decrease. Older samples are removed if the limits demand it. Takes ownership
 * of
 * @threads; a sample that is larger than the limit is left out.
 */
void history_add(struct history *h, int64_t now_ms, struct history_thread *threads, size_t n);

/* Return the sample with number @i; 0 is the oldest. */
const struct history_sample *history_get(const struct history *h, size_t i);

#endif
