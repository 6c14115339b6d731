/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The internals of a target: the state common to all ways of access, and the operations in which they differ. Included
 * by target/ and by tests/support/fake_target.c only.
 */
#ifndef OMPDD_TARGET_TARGET_OPS_H
#define OMPDD_TARGET_TARGET_OPS_H

#include "base/error.h"
#include "target/memory/cache.h"
#include "target/memory/read_ahead.h"
#include "target/target.h"

struct dwarf;
struct modules;
struct stopper;

/* Warnings of one target; more are dropped. */
#define TARGET_MAX_WARNINGS 16

/* Bytes within one page. */
struct target_piece {
	uint64_t addr;
	unsigned char *to;
	size_t len;
	bool ok;       /* the bytes were read */
	bool is_guess; /* not requested: if it cannot be read, later guesses are not tried */
};

struct target_ops {
	/* Resume if stopped, detach, free what embeds @t. */
	void (*destroy)(struct target *t);

	/* See target_check(). */
	struct error *(*check)(struct target *t);

	/* See target_stop(); never called in observe mode. */
	struct error *(*stop)(struct target *t, unsigned budget_ms);
	bool (*is_stopped_by_other)(struct target *t);
	void (*poll)(struct target *t);
	int (*exit_fd)(const struct target *t);

	/* See target_begin_proof() and the functions after it. All NULL: nothing can be proven. */
	bool (*begin_proof)(struct target *t, size_t *n_running_ret);
	bool (*end_proof)(struct target *t);
	bool (*has_slept)(struct target *t, pid_t tid);
	void (*reset_proof)(struct target *t);
	void (*need_registers)(struct target *t, pid_t tid);

	/* Pass the threads to target_set_threads(). */
	struct error *(*list_threads)(struct target *t);
	/*
	 * While stopped, for a copy (target_copy.c): make list_threads(), activity() and registers() refer to the
	 * threads stopped now, until t->has_copy ends. *@changed_ret: they differ from t->threads. NULL: copies are not
	 * supported.
	 */
	struct error *(*keep_threads)(struct target *t, bool with_registers, bool *changed_ret);
	/* Fill the `pthread` of t->threads; called once per view, on first use. */
	void (*fill_pthreads)(struct target *t);
	/* ret is {.known = false} on entry. */
	void (*activity)(struct target *t, pid_t tid, struct target_activity *ret);
	/* See target_expect_activities(); may be NULL. */
	void (*expect_activities)(struct target *t);
	/* ret is all zero on entry. NULL: target_registers() uses the result of activity(). */
	void (*registers)(struct target *t, pid_t tid, struct target_registers *ret);
	/* See target_report_registers(). NULL: registers are known without it. */
	struct error *(*report_registers)(struct target *t, pid_t tid, const struct target_registers *registers,
					  bool *ret_taken);

	/*
	 * Read @n pages together; ok[i] says whether pages[i] (CACHE_PAGE bytes at addrs[i]) is valid. Fails only if
	 * nothing can be read any more (exited, stop timeout).
	 */
	struct error *(*read_pages)(struct target *t, const uint64_t *addrs, unsigned char *const *pages, size_t n,
				    bool *ok);
	/* The same for @n pieces of pages, into pieces[i].ok. NULL: copies are not supported. */
	struct error *(*read_pieces)(struct target *t, struct target_piece *pieces, size_t n);
	/* Read exactly @len bytes, bypassing the cache. */
	struct error *(*read)(struct target *t, uint64_t addr, void *buf, size_t len);
	/* Return NULL, or why nothing may be read now although pages are cached (stop timeout). */
	struct error *(*readable)(struct target *t);

	/* See target_missing(); may be NULL. */
	struct error *(*missing)(struct target *t, uint64_t addr);
	/* See target_lacks(); may be NULL. */
	bool (*lacks)(struct target *t, uint64_t addr);
	/* See target_missing_file(); may be NULL. */
	struct error *(*missing_file)(struct target *t, uint64_t addr);
	/* Return whether an emulator executes the program: the registers are the emulator's. NULL: no. */
	bool (*is_emulated)(struct target *t);
	/* See target_image(). NULL: not known. */
	enum target_image (*image)(struct target *t);
	/* See target_environment(). NULL: not known. */
	struct error *(*environment)(struct target *t, char **ret, size_t *len_ret);
};

/* The stacks that the next copy must contain. */
struct target_stacks {
	pid_t *tids;
	size_t n, cap;
	size_t max_bytes; /* of each */
};

struct target {
	const struct target_ops *ops;
	pid_t pid;
	enum target_mode mode;
	unsigned max_stop_ms;
	char *exe;				 /* owned */
	char *debug_dirs[TARGET_MAX_DEBUG_DIRS]; /* owned */
	size_t n_debug_dirs;
	int task_dir;			/* of /proc/PID; -1 until threads are counted */
	const struct target_core *core; /* NULL for a process */
	struct target_warning warnings[TARGET_MAX_WARNINGS];
	size_t n_warnings;
	struct cache cache;
	struct read_ahead ahead;
	uint64_t view; /* counts target_view_begin() */
	/* See target_emulator(). */
	const char *emulator;
	uint64_t emulator_view; /* 1 + the view of the last search */
	/* See target_copy.c. */
	bool is_proving;      /* between target_begin_proof() and target_end_proof() */
	bool has_proof;	      /* target_end_proof() has ended one */
	unsigned n_void;      /* void proofs since target_reset_proof() */
	bool needs_registers; /* see target_need_registers() */
	struct target_stacks stacks;
	bool has_copy;	      /* only the copy is read: memory outside of the cache is not available */
	bool copy_missed;     /* data outside of the copy was requested */
	bool wants_registers; /* later copies include registers */
	bool learning;
	bool learned;
	bool warming_up;   /* see target_warm_up() */
	bool reads_pieces; /* read-ahead reads parts of pages: see target_view_again() */

	/* The threads of this view: the main thread, then by tid. Kept across views: comm and pthread stay. */
	struct target_thread *threads;
	size_t n_threads;
	uint64_t threads_generation;		 /* counts changes of the set of tids */
	bool threads_valid;			 /* listed in this view */
	bool pthreads_valid;			 /* fill_pthreads() called in this view */
	const struct target_thread **by_pthread; /* sorted by pthread; only threads that have one */
	size_t n_by_pthread, cap_by_pthread;
	bool by_pthread_valid;
	uint64_t preferred;			       /* address in the module whose symbols come first; 0: none */
	struct modules *modules;		       /* target/modules/modules_ops.h */
	struct stopper *stopper;		       /* NULL: cannot be stopped */
	struct dwarf *dwarf;			       /* target/unwind/dwarf.h; NULL until a stack is requested */
	void (*stop_ended)(void *context, int64_t us); /* see target_on_stop_ended() */
	void *stop_ended_context;
};

/* Set the fields that all targets have; @exe is copied. */
MUST_USE struct error *target_init(struct target *t, const struct target_ops *ops, pid_t pid, enum target_mode mode,
				   unsigned max_stop_ms, const char *exe);
void target_deinit(struct target *t);

/* @name is a literal of protocol/errors.json; the message is a sentence. */
void target_add_warning(struct target *t, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Set @tids (any order, no duplicates) as the threads of @t. Known threads keep their comm and pthread; new ones have
 * comm "" and pthread 0. *@changed_ret: threads were added or removed.
 */
MUST_USE struct error *target_set_threads(struct target *t, const pid_t *tids, size_t n, bool *changed_ret);

/* Return the entry of @tid in t->threads, also while the list of this view is being created. */
struct target_thread *target_find_thread(struct target *t, pid_t tid);

/*
 * Resume, and call the function set by target_on_stop_ended(). *@stopped_us_ret is set if the duration is known,
 * also on errors.
 */
MUST_USE struct error *target_end_stop(struct target *t, int64_t *stopped_us_ret);

/* Store what a thread of @t with the registers @regs was doing. */
void target_activity_of(struct target *t, const struct arch_registers *regs, struct target_activity *ret);

/* Read the pages of the last views again, together. */
MUST_USE struct error *target_prime(struct target *t, bool for_copy);
/*
 * Return the error for a request that the copy lacks while t->has_copy: the copy is void. The error is temporary and
 * proves nothing about the target.
 */
MUST_USE struct error *target_not_copied(struct target *t);

/*
 * Return how many bytes of the stack of @tid to copy, from *@start_ret on, @max_bytes at most; 0: its registers are not
 * known.
 */
size_t target_stack_part(struct target *t, pid_t tid, size_t max_bytes, struct target_registers *registers_ret,
			 uint64_t *start_ret);
/* Note that a view reads these stacks, with the same @max_bytes of each. */
void target_note_stacks(struct target *t, const pid_t *tids, size_t n, size_t max_bytes);
/* Fetch the noted stacks into the cache; during a stop. */
MUST_USE struct error *target_fetch_stacks(struct target *t);
/* Fetch whole pages into the cache. Pages that cannot be read are not errors. */
MUST_USE struct error *target_fetch(struct target *t, uint64_t addr, size_t len);
/* Copy the cached page at @addr. *@ok_ret: it could be read. Return false if the cache does not have all of it. */
bool target_cached_page(struct target *t, uint64_t addr, unsigned char *buf, bool *ok_ret);

/*
 * For callers to which unreadable memory is a result, not an error. _raw bypasses the cache: it is not part of any
 * view.
 */
bool target_try_read(struct target *t, uint64_t addr, void *buf, size_t len);
bool target_try_read_raw(struct target *t, uint64_t addr, void *buf, size_t len);

#endif
