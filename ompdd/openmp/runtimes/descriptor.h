/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One table for each OpenMP runtime: its recognition, its OMPD library, and how its code and that library differ from
 * others. No code outside of openmp/runtimes/ depends on the name of the runtime. A field that is not set means "no" or
 * "none". That is right for a runtime with a faultless OMPD library of its own.
 */
#ifndef OMPDD_OPENMP_RUNTIMES_DESCRIPTOR_H
#define OMPDD_OPENMP_RUNTIMES_DESCRIPTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "openmp/runtimes/constructs.h"
#include "openmp/runtimes/event.h"
#include "openmp/runtimes/quirks/quirks.h"

/* Limit for descriptor_proofs.locks; further entries are ignored. */
#define DESCRIPTOR_MAX_LOCKS 4

struct runtime;
struct target;

/* A function that shows an event, for a runtime without the OMPD function for it. */
struct descriptor_event {
	enum event_kind kind;
	const char *symbol;
	enum event_point point;
	unsigned argument;	  /* index of the argument that is a function, from 0; only arguments in registers */
	enum event_caller caller; /* ignored if the runtime is linked into the program: every caller counts */
	bool argument_in_runtime; /* calls with other arguments do not count */
	bool of_runtime;	  /* the function is the runtime's; else it is any module's */
	enum event_result result;
	struct event_word word;
};

/* The limit of an event's functions, or the reason why the event has no functions. */
struct descriptor_unseen {
	enum event_kind kind;
	const char *why; /* for users: "GOMP_barrier is called for …, too" */
};

/* An entry point with a parallel region's function as argument number `argument`, from 0. */
struct descriptor_region {
	const char *symbol;
	unsigned argument;
	bool begins_only; /* it returns after the region has started */
};

/* The construct of all entry points whose names start with `prefix`. */
struct descriptor_construct {
	const char *prefix;
	enum construct construct;
};

/* A routine that acquires or releases the lock of a construct. */
struct descriptor_lock_call {
	const char *symbol;
	enum construct construct; /* CONSTRUCT_CRITICAL, _ATOMIC, _LOCK: simple locks */
	bool acquires;		  /* it has acquired the lock when it returns; else it may release it */
	int argument; /* index of the argument with the lock's address, from 0; -1: the runtime's only lock */
};

/* The kind of the word in memory on which a thread sleeps. */
enum descriptor_word {
	WORD_MUTEX,	/* of a lock, critical or atomic construct, or the runtime's own */
	WORD_SEMAPHORE, /* of one thread; in taskwait it is in its frame */
	WORD_BARRIER,	/* of a barrier, or of a pool where idle threads sleep */
};

/*
 * Actions of a thread that prove its state, where the OMPD library cannot report it. The runtime sleeps only in
 * futex(2).
 */
struct descriptor_proofs {
	/*
	 * Identifies the word by the value that the runtime expects there. NULL: the runtime sleeps in the C library on
	 * that library's words, and may spin for long. A thread in either state may wait for anything.
	 */
	enum descriptor_word (*word_of)(uint32_t expected);
	/* In the program, symbols with this prefix are locks of named critical constructs. */
	const char *critical_lock;
	/* Routines whose code contains the address of the construct's only lock; at most DESCRIPTOR_MAX_LOCKS. */
	const struct descriptor_construct *locks;
	/*
	 * Routines of locks that do not store their holder. Each list ends with an entry without symbol; a NULL follows
	 * the last list. NULL: all locks store their holder.
	 */
	const struct descriptor_lock_call *const *lock_calls;
	/* Routines that spin, and do not sleep, while they wait for an iteration of a doacross loop. */
	const char *const *ordered_waits;
	/* The barrier entry point, set only if every team barrier is reached from it by tail calls. */
	const char *barrier;
	/* In a static program, functions with these prefixes are the runtime's code. */
	const char *const *code_prefixes;
};

/* Where a runtime keeps its devices, for openmp/devices/. */
enum descriptor_devices {
	DEVICES_UNKNOWN,
	DEVICES_NONE,	   /* it has no devices */
	DEVICES_GOMP,	   /* as stock libgomp */
	DEVICES_OMPTARGET, /* in libomptarget, a library of its own */
};

/* Lists end with a NULL. A NULL instead of a list is an empty list. */
struct runtime_descriptor {
	const char *name; /* `runtime.kind` on the wire */

	/* Recognition */

	/* Prefixes of its files' names ("libomp" of "libomp.so.5"). */
	const char *const *file_names;
	/*
	 * The file name of another runtime that this one can take. `proof` is a symbol that only this runtime's module
	 * exports.
	 */
	const char *stands_in_for;
	const char *proof;
	/*
	 * A symbol that identifies the runtime without a file name: linked into the program, or in a file with an
	 * unknown name.
	 */
	const char *symbol;
	/* Its version is the release of the compiler with this name ("clang version"). NULL: of any compiler. */
	const char *compiler;
	/* In its OMPD library's version string, the release follows this text ("GCC "). */
	const char *version_mark;

	/* Its OMPD library */

	/* Our own libompd reads it. It is used if the runtime names no library, or a library that cannot be loaded. */
	bool is_read_by_own;
	/* The runtime names our own libompd. The named path then need not be an allowed one. */
	bool names_own;
	/* The library may also lie beside the file that the runtime's path links to. */
	bool has_library_beside;
	/*
	 * Returns why @r, a runtime with this descriptor, shows nothing to its OMPD library, or NULL. A NULL pointer:
	 * it always shows its data. Used by runtime_check_symbols().
	 */
	struct error *(*check_symbols)(struct target *t, const struct runtime *r);
	const struct library_quirks *quirks;

	/* Events */

	/*
	 * Functions that show the events for which the runtime has no ompd_bp_*() function. Each list ends with an
	 * entry without symbol; a NULL follows the last list.
	 */
	const struct descriptor_event *const *events;
	/* Ends with an entry whose `why` is NULL. */
	const struct descriptor_unseen *unseen;
	/* The entry points for a thread that encounters a parallel construct. */
	const struct descriptor_region *regions;
	/*
	 * The runtime calls the ompd_bp_*() functions only while this variable is not 0. Only the debugger sets its
	 * second byte.
	 */
	const char *breakpoint_switch;
	/*
	 * A word of 8 bytes that a debugger may write. Low half: the number of next regions that get a team of one; it
	 * counts down. High half: the kernel id of the encountering thread; 0: any thread.
	 */
	const char *serialize_word;
	/*
	 * Returns why an event can never be seen, although module @file has the ompd_bp_*() functions, or NULL. A NULL
	 * pointer: the functions are called.
	 */
	struct error *(*check_event)(struct target *t, const char *file, enum event_kind kind);
	/* Returns why no process of this runtime will ever show the event, or NULL. */
	struct error *(*check_to_come)(const struct runtime *r, enum event_kind kind);

	/* Constructs and states */

	const struct descriptor_construct *constructs;
	/*
	 * Prefixes of its functions' names. In a static program only names separate its functions from the program's.
	 */
	const char *const *own_prefixes;
	/* NULL: its OMPD library reports all states that can be known. */
	const struct descriptor_proofs *proofs;

	/*
	 * A team member that sleeps at the end of its region stays in it as long as the region is its team's. Its data
	 * cannot change until it wakes.
	 */
	bool ends_with_region;

	/*
	 * A thread sleeps at a barrier on the word that is its wait id. A change of these bits shows that it was woken.
	 * Other bits change while it sleeps. 0: not known.
	 */
	uint32_t barrier_wakes;

	/* OMP_WAIT_POLICY=passive lets its waiting threads sleep, except in doacross loops. */
	bool sleeps_if_passive;

	/* In taskwait and taskgroup its threads execute only descendants of the tied task that waits. */
	bool waits_for_descendants;

	/*
	 * The setting with which a run stores lock holders that it does not store otherwise, as text for users. NULL:
	 * there is no such setting.
	 */
	const char *stores_holders_with;

	/* Stacks and frames */

	/* Its library reports frames as canonical frame addresses, but they are other addresses. */
	bool has_wrong_frame_kinds;
	/* No data gives the end of a task's code. Calls on the stack show it, and each region has a call there. */
	bool has_no_frames;
	/* It does not store the function that a region executes. */
	bool forgets_region_functions;
	/* Every function that its code calls through a passed pointer is the program's. */
	bool calls_program_only;
	/* Its compiler calls the code of some regions and tasks directly, or inlines it. */
	bool has_direct_calls;
	/*
	 * Entry points of target regions. While the host executes such a region, the thread's record is cleared, and a
	 * copy of it is in the frames of the runtime. Ends with a NULL. NULL: the record stays.
	 */
	const char *const *clears_record_in;
	/* It has teams of its own, whose threads execute target tasks. */
	bool has_helper_teams;
	/* At ompd_bp_parallel_begin() the new region is already the thread's current one. */
	bool begins_inside;

	enum descriptor_devices devices;
};

/* All descriptors in the order of recognition; ends with NULL. */
extern const struct runtime_descriptor *const runtime_descriptors[];

/* One file each. */
extern const struct runtime_descriptor descriptor_libgomp; /* GNU's, dynamic or linked into the executable */
extern const struct runtime_descriptor descriptor_omprt;   /* ours, in libgomp's place */
extern const struct runtime_descriptor descriptor_libomp;  /* LLVM's or Intel's */
extern const struct runtime_descriptor descriptor_other;   /* unknown, but names an OMPD library */

#endif
