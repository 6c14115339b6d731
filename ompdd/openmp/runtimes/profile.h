/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is known of an OpenMP runtime from outside, one table for each: how it is recognised, where its OMPD library is,
 * and what its code and that library do differently from others. Nothing outside of openmp/runtimes/ asks which runtime
 * it is. What is not set is "no" and "none", and right for a runtime with a faultless OMPD library of its own.
 */
#ifndef OMPDD_OPENMP_PROFILE_H
#define OMPDD_OPENMP_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "openmp/runtimes/constructs.h"
#include "openmp/runtimes/event.h"

/* More of profile_proofs.locks are not looked at. */
#define PROFILE_MAX_LOCKS 4

struct ompd_routines;
struct runtime;
struct target;

/* Faults of an OMPD library that are worked around. They are the library's: it may be loaded for any runtime. */
struct profile_quirks {
	const char *const *names; /* for people; ends with NULL */
	/* Whether ompd_get_version_string() gave the text of that library. */
	bool (*is_needed)(const char *version_string);
	/* Replace routines of the table. One library per process. */
	void (*apply)(struct ompd_routines *routines);
};

/* A function where an event can be seen. Of a runtime that has not the functions of OMPD for it. */
struct profile_event {
	enum event_kind kind;
	const char *symbol;
	enum event_point point;
	unsigned argument;	  /* number of the one that is a function, from 0; of those in registers */
	enum event_caller caller; /* linked into the program, calls by any count */
	bool argument_in_runtime; /* others do not count */
	bool of_runtime;	  /* the function; else of any module */
	enum event_result result;
	struct event_word word;
};

/* What of an event is not to be seen where its functions are, or why it has none. */
struct profile_unseen {
	enum event_kind kind;
	const char *why; /* for people: "GOMP_barrier is called for …, too" */
};

/* An entry point that gets a parallel region's function as argument number `argument`, from 0. */
struct profile_region {
	const char *symbol;
	unsigned argument;
	bool begins_only; /* it returns with the region begun */
};

/* What entry points whose names begin so are for. */
struct profile_construct {
	const char *prefix;
	enum construct construct;
};

/* A routine that acquires or releases the lock of a construct. */
struct profile_lock_call {
	const char *symbol;
	enum construct construct; /* CONSTRUCT_CRITICAL, _ATOMIC, _LOCK: simple ones */
	bool acquires;		  /* when it has returned; else it may release */
	int argument;		  /* number of the one that is its address, from 0; -1: it is the runtime's only one */
};

/* What a word in memory is on which a thread sleeps. */
enum profile_word {
	WORD_MUTEX,	/* of a lock, critical or atomic construct, or the runtime's own */
	WORD_SEMAPHORE, /* of one thread; in taskwait it is in its frame */
	WORD_BARRIER,	/* of a barrier, or of a pool where idle threads sleep */
};

/* What a thread does that proves its state, where the OMPD library cannot tell it. The runtime sleeps with futex(2) and
 * no other way. */
struct profile_proofs {
	/* By the value that it expects there. NULL: it sleeps in the C library, on words of that, and may spin for
	 * long: a thread in either may wait for anything. */
	enum profile_word (*word_of)(uint32_t expected);
	/* Symbols that begin so are locks of named critical constructs, in the program. */
	const char *critical_lock;
	/* Routines whose code names the address of the one lock of this construct; at most PROFILE_MAX_LOCKS. */
	const struct profile_construct *locks;
	/* Those of locks that do not say who holds them: lists that end with one without symbol; the last is followed
	 * by a NULL. NULL: all do. */
	const struct profile_lock_call *const *lock_calls;
	/* Routines that wait themselves, without sleep, for an iteration of a doacross loop. */
	const char *const *ordered_waits;
	/* The routine that the program calls at a barrier, if that leads by jumps to where threads of a team wait for
	 * each other, and all of them do that there. */
	const char *barrier;
	/* Linked into the program, functions with names that begin so are the runtime's code. */
	const char *const *code_prefixes;
};

/* Lists end with a NULL; a NULL instead of a list is an empty one. */
struct profile {
	const char *name; /* `runtime.kind` on the wire */

	/* Recognition */

	/* The beginnings of its files' names ("libomp" of "libomp.so.5"). */
	const char *const *file_names;
	/* Another's file name that it takes, and what its module exports then as that other's never does. */
	const char *stands_in_for;
	const char *proof;
	/* What shows it where no file name does: linked into the program, or unknown. */
	const char *symbol;
	/* Its version is the release of its compiler if that one's name is this ("clang version"). NULL: any
	 * compiler's. */
	const char *compiler;
	/* Its OMPD library's version string has the release behind this ("GCC "). */
	const char *version_mark;

	/* Its OMPD library */

	/* Our own libompd reads it: taken where the runtime names no library, or none that can be had. */
	bool is_read_by_own;
	/* Our own libompd is the library that the runtime names: what is named need not be an allowed path. */
	bool names_own;
	/* The library may also lie beside the file that the runtime's path is a link to. */
	bool has_library_beside;
	/*
	 * Why @r, which this profile is of, shows nothing to its OMPD library, or NULL. NULL: it always does. For
	 * runtime_check_symbols().
	 */
	struct error *(*check_symbols)(struct target *t, const struct runtime *r);
	const struct profile_quirks *quirks;

	/* Events */

	/* Where those can be seen for which the runtime has no ompd_bp_*(): lists that end with one without symbol; the
	 * last is followed by a NULL. */
	const struct profile_event *const *events;
	/* Ends with a NULL for `why`. */
	const struct profile_unseen *unseen;
	/* Where a thread that encounters a parallel construct enters. */
	const struct profile_region *regions;
	/* The ompd_bp_*() are called only while this variable is not 0; its second byte is the debugger's to set. */
	const char *breakpoint_switch;
	/* A word of 8 bytes that a debugger may write: so many of the next regions (low half) of that thread (its
	 * kernel id, high half; 0: of any) get a team of one; it counts down. */
	const char *serialize_word;
	/* Why an event will never be seen, though the ompd_bp_*() are there in module @file; or NULL. NULL: they are
	 * called. */
	struct error *(*check_event)(struct target *t, const char *file, enum event_kind kind);
	/* The same for an event that is never to come in any process of this runtime. */
	struct error *(*check_to_come)(const struct runtime *r, enum event_kind kind);

	/* Constructs and states */

	const struct profile_construct *constructs;
	/* With which names of its functions begin: in a static program nothing else tells them from the program's. */
	const char *const *own_prefixes;
	/* NULL: its OMPD library says all states that can be known. */
	const struct profile_proofs *proofs;

	/* A member of a team that sleeps at the end of its region is there as long as that region is its team's: it
	 * says nothing else of it until it wakes. */
	bool ends_with_region;

	/* A thread sleeps at a barrier on the word that is its wait id, and was woken when these bits of it have
	 * changed; others change while it sleeps on. 0: not known. */
	uint32_t barrier_wakes;

	/* With what a run stores who holds its locks that otherwise does not; for people. NULL: with nothing. */
	const char *stores_holders_with;

	/* Stacks and frames */

	/* Frames are called canonical frame addresses, and are something else. */
	bool has_wrong_frame_kinds;
	/* Nothing says where the code of a task ends: it is found by calls on the stack, and each region has one there.
	 */
	bool has_no_frames;
	/* It does not keep which function a region executes. */
	bool forgets_region_functions;
	/* All that its code calls through a pointer that it was given are functions of the program. */
	bool calls_program_only;
	/* Its compiler calls the code of some regions and tasks directly, or inlines it. */
	bool has_direct_calls;
	/* At ompd_bp_parallel_begin() the region is the thread's current one already. */
	bool begins_inside;
};

/* All of them, in the order in which they are looked for; ends with NULL. */
extern const struct profile *const profiles[];

/* One file each. */
extern const struct profile profile_libgomp; /* GNU's, dynamic or linked into the executable */
extern const struct profile profile_omprt;   /* ours, in libgomp's place */
extern const struct profile profile_libomp;  /* LLVM's or Intel's */
extern const struct profile profile_other;   /* unknown, but it names an OMPD library */

#endif
