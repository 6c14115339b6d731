/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What diagnose.get has found, on its way to JSON: shared by diagnose*.c. */
#ifndef OMPDD_METHODS_DIAGNOSE_H
#define OMPDD_METHODS_DIAGNOSE_H

#include <json-c/json.h>

#include "openmp/model/waits.h"
#include "openmp/stacks/stack_where.h"
#include "openmp/stacks/stacks.h"
#include "target/group.h"
#include "target/pulse.h"
#include "worker/worker.h"

struct word; /* diagnose.c */

/* Of threads and of claims, as much as a finding lists one by one. */
#define DIAGNOSE_MAX_THREADS 64
#define DIAGNOSE_MAX_CLAIMS  12

/* Whether somebody keeps the whole process from going on. */
enum diagnose_halt {
	DIAGNOSE_RUNS,
	DIAGNOSE_STOPPED, /* by a signal, or a debugger */
	DIAGNOSE_FROZEN,  /* with its control group */
};

/* Of one runtime of the process. */
struct diagnosis {
	struct worker *w;
	struct model *m;
	struct view view;
	bool is_there;	   /* its state could be read */
	struct error *why; /* if not */
	struct diagnose_word *words;
	struct snapshot snapshot;
	struct stacks stacks; /* of it */
	struct holders holders;
	struct waits waits;
	struct waits_thread *threads; /* as the next ones, one for each of the snapshot's */
	struct stack_where *where;
	uint32_t first_thread; /* of the snapshot, as in waits_input */
	uint64_t *cpu_ns;      /* between the first look and the last */
	char **came_from;      /* where an earlier look saw it, for people; NULL: there, or not seen. NULL as a whole */
	enum diagnose_halt halt;
	char group[GROUP_MAX]; /* DIAGNOSE_FROZEN: which */
	unsigned n_looks;
	int64_t interval_us; /* 0: there was one look */
	size_t n_ran;	     /* threads that were given a CPU meanwhile */
	size_t n_ready;	     /* on a CPU, or ready for one, at the second look */
	size_t n_spinning;   /* of those, that wait in OpenMP */
};

/* A sentence that is being written; what is too long is cut off. */
struct sentence {
	char text[480];
	size_t len;
};

__attribute__((format(printf, 2, 3))) void sentence_add(struct sentence *t, const char *format, ...);

/* The verdict in a sentence, and what a finding says. */
void diagnose_title(const struct diagnosis *d, struct sentence *ret);
/* "the whole process is stopped, by …": of one that somebody has halted. */
const char *diagnose_halted(const struct diagnosis *d);
void diagnose_finding_title(const struct diagnosis *d, const struct waits_finding *f, struct sentence *ret);
/* [{"text", "source", "thread"?}]: what the finding rests on, each with where that is from. */
struct json_object *diagnose_claims_json(const struct diagnosis *d, const struct waits_finding *f);
/* Things that matter beside the verdict on @all[@best]: threads on too few CPUs, other runtimes, regions of one thread.
 */
struct json_object *diagnose_notes_json(const struct diagnosis *all, size_t n, size_t best);

/* The result of diagnose.get: that of @all[@best], of @n runtimes; with nodes and edges. NULL when memory is out. */
struct json_object *diagnose_json(struct diagnosis *all, size_t n, size_t best, bool with_graph);

/* "lock red", "critical(sum)", "a barrier": what is waited for. */
void diagnose_thing(const struct diagnosis *d, uint32_t node, struct sentence *ret);
/* "thread 3 (4713)": number @thread of the snapshot; WAITS_NONE: one that is not there. */
void diagnose_thread(const struct diagnosis *d, uint32_t thread, struct sentence *ret);
/* "thread 3 (4713)", "threads 1-3, 5": those of @f. By their numbers if they are of one team, else by their kernel ids.
 */
void diagnose_threads(const struct diagnosis *d, const struct waits_finding *f, struct sentence *ret);
/* In the snapshot, of those of @f; WAITS_NONE: there is none. */
uint32_t diagnose_first_thread(const struct diagnosis *d, const struct waits_finding *f);
/* "read()": what the program called, as diagnose_call_json() names it. */
void diagnose_call(struct sentence *ret, const char *symbol);
/* What the program called, by the name that its authors know: "read" for libc's __read. */
struct json_object *diagnose_call_json(const char *symbol);
/* "work() at a.c:12"; false: not known. Of thread @thread of the snapshot. */
bool diagnose_place(const struct diagnosis *d, uint32_t thread, struct sentence *ret);
/* Whether that thread has left the code of its region and waits at the region's end. */
bool diagnose_is_at_end(const struct diagnosis *d, uint32_t thread);

#endif
