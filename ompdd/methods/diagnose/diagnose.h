/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The findings of diagnose.get, on their way to JSON. Shared by diagnose*.c. */
#ifndef OMPDD_METHODS_DIAGNOSE_H
#define OMPDD_METHODS_DIAGNOSE_H

#include <json-c/json.h>

#include "openmp/model/wait/waits.h"
#include "openmp/stacks/stack_where.h"
#include "openmp/stacks/stacks.h"
#include "target/proc/cgroup.h"
#include "target/process/progress.h"
#include "worker/worker.h"

struct word; /* diagnose.c */

/* The number of threads, and of claims, that a finding lists one by one. */
#define DIAGNOSE_MAX_THREADS 64
#define DIAGNOSE_MAX_CLAIMS  12

/* Whether an outside party keeps the whole process from running. */
enum diagnose_halt {
	DIAGNOSE_RUNS,
	DIAGNOSE_STOPPED, /* by a signal, or a debugger */
	DIAGNOSE_FROZEN,  /* by its control group */
};

/* The diagnosis of one runtime of the process. */
struct diagnosis {
	struct worker *w;
	struct model *m;
	struct view view;
	bool is_there;	   /* the runtime's state could be read */
	struct error *why; /* the reason if not */
	struct diagnose_word *words;
	struct snapshot snapshot;
	struct stacks stacks; /* of the snapshot */
	struct holders holders;
	struct waits waits;
	struct waits_thread *threads; /* one per thread of the snapshot, like `where` and the arrays after it */
	struct stack_where *where;
	uint32_t first_thread; /* index in the snapshot, as in waits_input */
	uint64_t *cpu_ns;      /* CPU time between the first and the last observation */
	uint64_t *wanted_ns;   /* the same, with the time for which it was ready for a CPU */
	char **came_from;      /* per thread: its place at an earlier observation, as text; NULL: the same place, or not
				  seen. NULL:      no array */
	enum diagnose_halt halt;
	char group[CGROUP_MAX_PATH]; /* DIAGNOSE_FROZEN: the control group */
	unsigned n_observations;
	int64_t interval_us;	   /* 0: only one observation was made */
	bool is_throttled;	   /* the control group's CPU quota was used up during the observations */
	struct cgroup_quota quota; /* is_throttled: n_periods and n_throttled are those of this time */
	struct target_cpus *cpus;  /* of the ready threads; n_cpus of them are known */
	size_t n_cpus;
	size_t n_ran;	   /* threads that got a CPU meanwhile */
	size_t n_ready;	   /* on a CPU, or ready for one, at the second observation */
	size_t n_spinning; /* the ready threads that wait in OpenMP, and would sleep with OMP_WAIT_POLICY=passive */
};

/* A sentence under construction; excess text is cut off. */
struct sentence {
	char text[480];
	size_t len;
};

__attribute__((format(printf, 2, 3))) void sentence_add(struct sentence *t, const char *format, ...);

/* Write the verdict as a sentence, with its main finding. */
void diagnose_title(const struct diagnosis *d, struct sentence *ret);
/* Return "the whole process is stopped, by …", for a process that was halted from outside. */
const char *diagnose_halted(const struct diagnosis *d);
void diagnose_finding_title(const struct diagnosis *d, const struct waits_finding *f, struct sentence *ret);
/* Add what the device of a FINDING_DEVICE has not finished, and who waits: "device 0 has not finished …". */
void diagnose_device(const struct diagnosis *d, const struct waits_finding *f, struct sentence *ret);
/* Return [{"text", "source", "thread"?}]: the evidence of the finding, each item with its source. */
struct json_object *diagnose_claims_json(const struct diagnosis *d, const struct waits_finding *f);
/* Return notes beside the verdict on @all[@best]: threads on too few CPUs, other runtimes, regions of one thread. */
struct json_object *diagnose_notes_json(const struct diagnosis *all, size_t n, size_t best);

/*
 * Return whether OMP_WAIT_POLICY=passive would let waiting threads sleep: the runtime of @m obeys it, and its control
 * variable in @s shows that it is not set.
 */
bool diagnose_can_be_passive(const struct snapshot *s, struct model *m);

/*
 * Return the result of diagnose.get for @all[@best], one of @n runtimes. @with_graph adds nodes and edges. NULL when
 * out of memory.
 */
struct json_object *diagnose_json(struct diagnosis *all, size_t n, size_t best, bool with_graph);

/* Write the resource that is waited for: "lock red", "critical(sum)", "a barrier". */
void diagnose_thing(const struct diagnosis *d, uint32_t node, struct sentence *ret);
/* Write "thread 3 (4713)" for index @thread of the snapshot. WAITS_NONE: a missing thread. */
void diagnose_thread(const struct diagnosis *d, uint32_t thread, struct sentence *ret);
/*
 * Write the threads of @f: "thread 3 (4713)", "threads 1-3, 5". Uses OpenMP numbers for threads of one team, else
 * kernel ids.
 */
void diagnose_threads(const struct diagnosis *d, const struct waits_finding *f, struct sentence *ret);
/* Return the snapshot index of the first thread of @f; WAITS_NONE: @f has no thread. */
uint32_t diagnose_first_thread(const struct diagnosis *d, const struct waits_finding *f);
/* Write "read()": the function that the program called, by the name of diagnose_call_json(). */
void diagnose_call(struct sentence *ret, const char *symbol);
/* Write " for rwlock model, which 2 threads hold for reading", if the thread sleeps for an object without a known
 * holder. */
void diagnose_object(const struct diagnosis *d, uint32_t thread, struct sentence *ret);
/* Return the function that the program called, by its documented name: "read" for libc's __read. */
struct json_object *diagnose_call_json(const char *symbol);
/* Write "work() at a.c:12", the place of index @thread of the snapshot. Returns false if the place is not known. */
bool diagnose_place(const struct diagnosis *d, uint32_t thread, struct sentence *ret);
/* Return whether the thread has left the code of its region and waits at the region's end. */
bool diagnose_is_at_end(const struct diagnosis *d, uint32_t thread);

#endif
