/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Internal control variables (OpenMP 5.2, 2), per process and per task. core/icv/env fills them, abi/omp_*.c reads and
 * sets them, core/ reads them.
 */
#ifndef OMPDD_RUNTIME_CORE_STATE_ICV_H
#define OMPDD_RUNTIME_CORE_STATE_ICV_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* omp_sched_t. The high bit is that of omp_sched_monotonic. */
enum schedule {
	SCHEDULE_RUNTIME = 0,
	SCHEDULE_STATIC = 1,
	SCHEDULE_DYNAMIC = 2,
	SCHEDULE_GUIDED = 3,
	SCHEDULE_AUTO = 4
};
#define SCHEDULE_MONOTONIC 0x80000000u
#define SCHEDULE_KIND(s)   ((s) & ~SCHEDULE_MONOTONIC)

#define ICV_ACTIVE_LEVELS     255 /* supported active levels */
#define ICV_DEFAULT_ALLOCATOR 1	  /* omp_default_mem_alloc */
/* Pauses before a waiting thread yields and sleeps: default, active, passive. See core/sync/wait. */
#define ICV_SPIN_DEFAULT 300000
#define ICV_SPIN_ACTIVE	 30000000000
#define ICV_SPIN_PASSIVE 0

/*
 * ICVs with a copy per data environment, shared by reference. A task starts with its parent's. icv_write() makes a
 * copy for the current task. Immutable once a child may see it. Lives as long as the task that made it.
 */
struct icv {
	uint32_t nthreads;	  /* nthreads-var of this level; the list for deeper ones is in icv_process */
	uint32_t thread_limit;	  /* thread-limit-var; UINT32_MAX: none */
	uint32_t run_sched;	  /* enum schedule, | SCHEDULE_MONOTONIC */
	uint32_t run_sched_chunk; /* 0: default */
	int32_t default_device;
	uint8_t dynamic;	   /* dyn-var */
	uint8_t max_active_levels; /* max-active-levels-var, at most 255 */
	uint8_t bind;		   /* bind-var: omp_proc_bind_t of this level */
	uint8_t unused;
	uintptr_t def_allocator; /* def-allocator-var: omp_allocator_handle_t */
	struct icv *older;	 /* made before by the same task; freed with it */
};

/* Values of bind-var and of the clause; omp_proc_bind_t. */
enum bind { BIND_FALSE, BIND_TRUE, BIND_PRIMARY, BIND_CLOSE, BIND_SPREAD };
enum wait_policy { WAIT_DEFAULT, WAIT_ACTIVE, WAIT_PASSIVE };
/* Device numbers: values of default-device-var, and of constructs. */
#define TARGET_HOST	  0  /* the initial device's number; no other device exists */
#define TARGET_DEFAULT	  -1 /* default-device-var */
#define TARGET_IF_FALSE	  -2 /* a false if clause, or omp_initial_device, which gcc 13 and newer translate */
#define TARGET_INVALID	  -4 /* omp_invalid_device */
#define TARGET_DEFAULT_61 -5 /* omp_default_device; gcc 16 also writes it for TARGET_DEFAULT */
/* Only from programs' calls of routines, not from gcc's constructs. */
#define TARGET_INITIAL -1 /* omp_initial_device */

enum target_offload { OFFLOAD_DEFAULT, OFFLOAD_MANDATORY, OFFLOAD_DISABLED };

/* One per process. */
struct icv_process {
	struct icv initial;	 /* of the initial task of every root thread */
	uint32_t *nthreads_list; /* OMP_NUM_THREADS=a,b,c; [0] is initial.nthreads; NULL: no list */
	uint32_t n_nthreads_list;
	uint8_t *bind_list; /* OMP_PROC_BIND=…; NULL: no list */
	uint32_t n_bind_list;
	uint64_t stacksize;	     /* stacksize-var in bytes; 0: the system's default */
	uint64_t spin_count;	     /* GOMP_SPINCOUNT, or by the wait policy */
	uint32_t wait_policy;	     /* wait-policy-var: enum wait_policy */
	uint32_t num_procs;	     /* CPUs at start */
	uint32_t max_task_priority;  /* max-task-priority-var */
	uint32_t nteams;	     /* nteams-var; 0: not set */
	uint32_t teams_thread_limit; /* teams-thread-limit-var; 0: not set */
	uint32_t target_offload;     /* target-offload-var */
	uint32_t num_devices;	     /* num-devices-var: non-host devices; always 0 */
	uint32_t device_num;	     /* device-num-var: TARGET_HOST */
	uint8_t cancellation;	     /* cancel-var */
	uint8_t display_affinity;    /* display-affinity-var */
	uint8_t debug;		     /* debug-var: OMP_DEBUG=enabled */
	uint8_t tool;		     /* tool-var */
	uint8_t throttled_spin;	     /* nonzero: spin_count was set by the user */
	char *allocator;	     /* OMP_ALLOCATOR, if it has traits; owned; NULL: not set, or without traits */
	char *affinity_format;	     /* affinity-format-var; owned */
	uint64_t affinity_format_len;
	uint32_t affinity_format_generation; /* number of changes; after a change, regions are displayed again */
	char *tool_libraries;		     /* tool-libraries-var; owned; NULL: not set */
	char *tool_verbose_init;	     /* tool-verbose-init-var; owned; NULL: not set */
};

extern struct icv_process icv_process;

struct place_list {
	char *sets; /* @n sets of CPUs of @set_size bytes each; owned */
	size_t set_size;
	uint32_t n, room;
};

static inline cpu_set_t *place_list_get(const struct place_list *list, uint32_t i)
{
	return (cpu_set_t *)(void *)(list->sets + i * list->set_size);
}

/* place-partition-var of the initial thread: all places. n 0: threads are not bound. Set once, at the start. */
extern struct place_list places;

#endif
