/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Declarations shared by the files of fake_target. */
#ifndef OMPDD_SUPPORT_FAKE_TARGET_INTERNAL_H
#define OMPDD_SUPPORT_FAKE_TARGET_INTERNAL_H

#include "fake_target.h"
#include "target/modules/modules_ops.h"
#include "target/stop/stopper.h"
#include "target/target_ops.h"

#define MAX_PLANTED 256
#define MAX_EVENTS  64

struct fake_block {
	uint64_t addr;
	size_t len;
	unsigned char *bytes;
};

struct fake_thread {
	pid_t tid;
	uint64_t pthread;
	char comm[16];
	struct target_registers registers;
	bool parked;
};

struct fake_planted {
	uint64_t address;
	size_t users;
	bool refused;
	struct target_filter filters[FILTERS_MAX]; /* of the users that have a filter */
	size_t n_filters;
};

struct fake_symbol {
	size_t module;
	char *name;
	uint64_t address;
	uint64_t size;
	bool is_tls;
};

struct fake_tls {
	size_t module;
	uint64_t pthread;
	uint64_t block;
};

struct fake {
	struct target base;
	struct stopper stopper;
	struct modules module_ops;
	struct fake_block *blocks;
	size_t n_blocks;
	struct fake_thread *threads;
	size_t n_threads;
	struct target_module *modules;
	size_t n_modules;
	struct fake_symbol *symbols;
	size_t n_symbols;
	struct fake_tls *tls;
	size_t n_tls;
	bool stopped;
	bool stopped_by_other;
	bool failing;
	enum error_code failure;
	int64_t stopped_us;
	size_t n_reads;
	size_t n_calls;
	size_t n_stops;
	size_t n_resumes;
	struct fake_planted planted[MAX_PLANTED];
	size_t n_planted;
	pid_t answered; /* 0: no thread */
	bool answer;
	struct target_event events[MAX_EVENTS];
	size_t n_events, first_event;
	size_t n_steps;
};

static inline struct fake *fake_of(struct target *t)
{
	return (struct fake *)t;
}

static inline struct fake *fake_of_stopper(struct stopper *s)
{
	return (struct fake *)((char *)s - offsetof(struct fake, stopper));
}

/* Return the array with room for one more item, which is zeroes. Aborts when out of memory. */
void *fake_grow(void *array, size_t n, size_t size);
/* Return the error requested by fake_target_fail(), or NULL. */
struct error *fake_failure(struct fake *f);
/* Return thread @tid, or NULL. */
struct fake_thread *fake_find_thread(struct fake *f, pid_t tid);

/* Ends of stops, breakpoints, steps and events (fake_control.c). */
extern const struct stopper_ops fake_stopper_ops;

/* Modules (fake_modules.c). */
extern const struct modules_ops fake_modules_ops;

#endif
