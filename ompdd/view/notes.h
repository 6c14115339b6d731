/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The notes below a view: the meaning of ~, and why a value is not known, each reason once. */
#ifndef OMPDD_VIEW_NOTES_H
#define OMPDD_VIEW_NOTES_H

#include <stddef.h>

struct facts;
struct json_object;

/* Most distinct reasons of one view. */
#define NOTES_MAX_REASONS 4

/* All zeroes: no notes. */
struct notes {
	int too_deep;	   /* the tree is deeper than NODE_MAX_DEPTH */
	int without_tasks; /* a table of tasks is empty */
	int inferred;	   /* a ~ was shown */
	size_t n;
	const char *what[NOTES_MAX_REASONS], *why[NOTES_MAX_REASONS];
};

/* Note the reason, if @value of the JSON is one, why @what (borrowed: "state") is not known. @value must outlive the
 * notes. */
void notes_add(struct notes *n, const char *what, struct json_object *value);

/* Note the states of OpenMP threads: whether some are inferred, why some are not known. */
void notes_add_states(struct notes *n, const struct facts *s);

/* Return the notes as an array of texts. */
struct json_object *notes_json(const struct notes *n);

#endif
