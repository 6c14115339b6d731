/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The target constructs in progress: those that wait for a device or that the host executes, by the threads' stacks,
 * and target tasks that no thread executes, by the library's data.
 */
#ifndef OMPDD_OPENMP_STACK_TARGET_H
#define OMPDD_OPENMP_STACK_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "openmp/runtimes/constructs.h"

struct holders;
struct stacks;
struct stacks_place;

enum stack_target_activity {
	STACK_TARGET_WAITS,  /* it waits for a device; nothing shows what the device does */
	STACK_TARGET_START,  /* a plugin initialises the device, or loads the program's image */
	STACK_TARGET_DATA,   /* memory is copied or filled */
	STACK_TARGET_DEVICE, /* a device executes the region */
	STACK_TARGET_HOST,   /* the host executes the region */
	STACK_TARGET_QUEUED, /* a target task that has not started */
};

struct stack_target {
	pid_t tid;	 /* 0: no thread executes the target task */
	uint32_t thread; /* in snapshot.threads; SNAPSHOT_NONE: no thread, or the library does not know it */
	uint32_t task;	 /* in snapshot.tasks: the encountering task or the target task; SNAPSHOT_NONE: not known */
	enum stack_target_activity activity;
	const char *callee; /* entry point of the construct; NULL: not known, or none */
	bool has_kind;
	enum construct_target kind; /* with has_kind */
	struct stacks_place *place; /* of the construct; NULL: not known */
	uint8_t inlined;	    /* index of the construct's function in the source of `place` */
	const char *function;	    /* the function of the region; NULL: see below */
	uint64_t address;	    /* of the region's function; 0: not known */
	bool has_device;
	int32_t device; /* with has_device: number of the device */
	enum construct_nowait nowait;
};

/* All zeroes is a valid empty list. Its strings and places belong to the stacks. */
struct stack_targets {
	struct stack_target *list;
	size_t n, cap;
};

/*
 * Finds the target constructs of the snapshot of @st, which stack_fill_snapshot() and stack_state_fill_devices() have
 * processed. @st has the stacks of all threads. @holders are those of the snapshot. What is not proven is left out or
 * not known. Fails only if memory is out. Call stack_targets_deinit() also after an error.
 */
MUST_USE struct error *stack_targets_find(struct stacks *st, const struct holders *holders, struct stack_targets *ret);
void stack_targets_deinit(struct stack_targets *targets);

#endif
