/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Short names and classes of OpenMP's thread states. */
#ifndef OMPDD_VIEW_STATE_NAME_H
#define OMPDD_VIEW_STATE_NAME_H

struct json_object;

/* The rank of an unknown state; states of the table have lower ranks. */
#define STATE_NAME_UNKNOWN 100

struct state_name {
	const char *key;  /* the class of the state, for colours */
	const char *text; /* the short name: "barrier", "not known" */
	char letter;	  /* one letter per short name; '?' if not known */
	int rank;	  /* the place in an ordered list */
};

/* Return the name of a thread's "state" member. Its text is valid as long as @state. */
struct state_name state_name_find(struct json_object *state);

/*
 * Return {"key", "text", "letter", "name", "inferred"} of a thread's "state" member: the text has a ~ if inferred. An
 * unavailable state has the text "-" (with the reason if @verbose), and the reason instead of the name.
 */
struct json_object *state_name_json(struct json_object *state, int verbose);

/* Return {"key", "text", "letter", "name", "group"} for each profile_state of the protocol. */
struct json_object *state_name_profile_json(void);

/* Return {"key", "text"} for something that is not an OpenMP state: "no OpenMP". */
struct json_object *state_name_other_json(const char *key, const char *text);

#endif
