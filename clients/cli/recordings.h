/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profiles of one command: of one process or target or, with --children, of each process of a family. */
#ifndef OMPDD_CLI_RECORDINGS_H
#define OMPDD_CLI_RECORDINGS_H

#include "family.h"
#include "recording.h"

struct recordings_item {
	struct args args; /* the command line, for this process */
	struct conversation s;
	struct recording r;
	int has_ended;			  /* the recording has ended by itself */
	struct json_object *now, *before; /* for the caller: results of profile.get; owned */
	struct json_object *pieces;	  /* array of its timelines so far; NULL: none; owned */
};

struct recordings {
	const struct args *args;
	int timeline;
	int is_quiet; /* a screen is shown: do not report processes that cannot be recorded */
	struct family family;
	struct recordings_item **items; /* in the order of their start; owned */
	size_t n, cap;
};

/*
 * Start the profiles of @roots; without processes, of args->target. With --children, also those of the processes that
 * the roots have started. At least one item exists on success. Call recordings_end() also after a failure. See
 * recording_begin() for signals.
 */
struct error *recordings_begin(struct recordings *rs, const struct args *args, const struct processes *roots,
			       int timeline);

/* With --children: start the profiles of processes that are new. One that cannot be recorded is reported once. */
struct error *recordings_update(struct recordings *rs);

/* Note from @result, of profile.get, whether the recording of @item has ended. */
void recordings_note(struct recordings *rs, struct recordings_item *item, struct json_object *result);

/*
 * Remove the item @i, whose request failed with @f: report it, and return NULL. The last item stays; then @f is
 * returned.
 */
struct error *recordings_remove(struct recordings *rs, size_t i, struct error *f);

/* Return whether a recording still runs or, with --children, may still start. */
int recordings_go_on(const struct recordings *rs);

/*
 * Stop the recordings that run, and get the result of each into item->now, with @stacks and @timeline. With --children,
 * a process whose result is lost is reported and removed, unless it is the last one.
 */
struct error *recordings_finish(struct recordings *rs, int stacks, int timeline);

/* Get a result without stacks into item->now, and append the timeline since the last piece to item->pieces. */
struct error *recordings_add_piece(struct recordings_item *item);

/* As recordings_finish(), but with recordings_add_piece() for the results. */
struct error *recordings_finish_pieces(struct recordings *rs);

/* Detach all targets, and end this process by a signal that has come: see recording_end(). */
struct error *recordings_end(struct recordings *rs, struct error *failure);

#endif
