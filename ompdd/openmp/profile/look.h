/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The looks of a profile at the OpenMP threads of one runtime of a running target: what each does and where, added to a
 * tally. openmp/profile/looks makes them, of all runtimes at once. Nothing is stopped for it: states are read from
 * memory, stacks of running threads come from the kernel (target/perf), those of sleeping ones from memory. What is
 * known of a thread that has slept on since the last look is not asked again.
 */
#ifndef OMPDD_OPENMP_PROFILE_LOOK_H
#define OMPDD_OPENMP_PROFILE_LOOK_H

#include <stdint.h>

#include "base/error.h"
#include "openmp/model/brief.h"
#include "openmp/profile/path.h"
#include "openmp/profile/tally.h"
#include "openmp/profile/told.h"
#include "openmp/profile/trail.h"
#include "target/perf.h"

struct model;

/* The kernel's samples of one thread that are used of those between two looks. */
#define LOOK_MAX_SAMPLES 4

/* One thread, from look to look. */
struct look_thread {
	pid_t tid;
	struct target_activity activity;
	uint32_t asleep_runs;  /* perf_runs() when it was seen to sleep; 0: not known */
	uint32_t running_runs; /* when it was seen to run */
	struct brief_known known;
	bool is_asleep;				       /* in this look, or all the time since the one that saw it */
	bool is_fresh;				       /* its activity was asked in this look */
	bool slept;				       /* it was seen to sleep before this look, and has slept on */
	size_t asked_ahead;			       /* the look for which it was, before it was wanted */
	uint64_t generation;			       /* of the trails below */
	const struct trail *trail;		       /* the last that was seen; NULL */
	bool is_current;			       /* it is that of the sleep in which it is */
	const struct trail *samples[LOOK_MAX_SAMPLES]; /* since the look before */
	uint32_t n_samples;
	/* What waits for a stack that it can belong to, by state; of PROFILE_UNKNOWN, for one that tells the state. */
	struct look_debt {
		uint64_t us;
		uint64_t since_us;
		uint32_t n; /* samples */
	} debts[PROFILE_N_STATES];
	uint32_t unknown_region;
	int64_t unknown_num;
	int rank; /* of its runtime in this look: the thread is counted where that is highest */
	bool has_region;
	uint32_t last_region; /* of the tally's, in which it was seen last */
};

struct look {
	struct tally *tally;
	struct perf *perf; /* of all runtimes; borrowed */
	unsigned runtime;  /* its number in the process */
	struct trails *trails;
	struct paths paths;
	struct told told;	     /* what memory says of running threads */
	struct look_thread *threads; /* of the process, in order of tid; the same of all runtimes */
	size_t n_threads;
	size_t found;	 /* of them, the last time */
	struct model *m; /* of the last look */
	size_t n_looks;
	bool wants_stacks;
	bool wants_holds;	    /* threads wait for locks: their stacks are to say who has which */
	uint64_t generation;	    /* of trails, at its begin */
	struct snapshot s;	    /* what it has read */
	bool is_there;		    /* that could be read */
	bool stands;		    /* the target did while it was read, for stacks where the kernel samples none */
	struct stack_copies copies; /* then: of all OpenMP threads, in their order */
	/* Of all looks. */
	uint64_t torn;	    /* looks at a thread that went on meanwhile: its stack was not used */
	uint64_t no_stacks; /* samples of threads whose stack could not be had */
};

/* No connection has this number: whose handles the looks make. */
#define LOOK_CLIENT (-2)

/* Of runtime number @runtime; with @perf, which watches the threads that are listed. */
MUST_USE struct error *look_init(struct look *l, struct tally *tally, struct perf *perf, unsigned runtime);
void look_deinit(struct look *l);

/*
 * A look, part by part, with @m selected (model_select()) up to look_read(). Handles of the look before are not valid
 * any more; with @all those of threads neither: none of its own is left.
 */
void look_forget_handles(struct look *l, bool all);
void look_begin(struct look *l, struct model *m);
/* In the view that is begun: what threads do, of those that the last look has asked. */
void look_ask_ahead(struct look *l);
/* The threads that there are now, sorted, with what is known of them from before. False: memory is out. */
MUST_USE bool look_list(struct look *l, const pid_t *tids, size_t n);
/* Fill l->s. Errors are those of walk_snapshot(). */
MUST_USE struct error *look_read(struct look *l, unsigned timeout_ms);
/* While the target stands: copies of the stacks of the threads of l->s. openmp/profile/look_stacks.c */
MUST_USE struct error *look_copy(struct look *l);
/* Add l->s to the tally, within tally_begin() and tally_end(): of the threads that have `openmp` set there. @t_us:
 * since the profile began; @us: what each sample stands for. */
MUST_USE struct error *look_add(struct look *l, uint64_t t_us, uint64_t us);

/* Parts of that. The thread @tid; NULL. */
struct look_thread *look_find(struct look *l, pid_t tid);
/* brief.known of a look, @arg. */
struct brief_known *look_known(void *arg, const struct snapshot_thread *thread, bool *slept_ret);
/* The trails and samples of the threads of @s. openmp/profile/look_stacks.c */
void look_take_stacks(struct look *l, const struct snapshot *s);
/* Where those are that hold what threads of @s wait for. openmp/profile/look_holders.c */
void look_add_holders(struct look *l, const struct snapshot *s, uint64_t us);

/* What waits for a stack; parts of look_add(), too. openmp/profile/look_debts.c */

/* A sample of @t in @state waits: PROFILE_UNKNOWN, for a stack that tells the state. */
void look_owe(struct look_thread *t, enum profile_state state, uint64_t t_us, uint64_t us);
/* A sample belongs to @node of the tree. */
void look_add_to_tree(struct look *l, uint32_t node, enum profile_state state, uint64_t us);
/* Give what has waited to the stacks that came for @t, thread number @i of the snapshot. */
void look_pay(struct look *l, uint32_t i, struct look_thread *t);
/* Count samples whose state, and the lock that they waited for, is known only now, or never. */
void look_add_unknown(struct look *l, struct look_thread *t, enum profile_state state, uint32_t lock, uint64_t t_us);
/* Give up what has waited since before @before_us. */
void look_give_up(struct look *l, struct look_thread *t, uint64_t t_us, uint64_t before_us);

/* Count what still waits for a stack as what has none. */
void look_settle(struct look *l, uint64_t t_us);

#endif
