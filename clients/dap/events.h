/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OpenMP events as a client of DAP asks for them: by filters of exception breakpoints, and by function breakpoints. */
#ifndef OMPDD_DAP_EVENTS_H
#define OMPDD_DAP_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;

#define EVENTS_N 35
/* Breakpoints that stand for events. */
#define EVENTS_MAX_PLANTED 512
/* Function breakpoints with our prefix. */
#define EVENTS_MAX_FUNCTIONS 64

enum { EVENTS_NONE = -1 };

/* How a client asks for one. */
enum events_wish { EVENTS_BY_FUNCTION, EVENTS_BY_FILTER };

/* A breakpoint of the native adapter's, or of ompdd's own. */
struct events_planted {
	int event;
	uint64_t address;
	int64_t id; /* its number there; 0: not known yet */
};

struct events {
	bool by_filter[EVENTS_N];
	int functions[EVENTS_MAX_FUNCTIONS]; /* events of the function breakpoints "omp:…", as they came */
	size_t n_functions;
	struct events_planted planted[EVENTS_MAX_PLANTED];
	size_t n_planted;
	/* Of the companion: the client's own lists, and the breakpoint that waits for the runtime. */
	struct json_object *client_functions, *client_instructions; /* arguments; owned */
	bool is_armed, was_in_main;
	int64_t arm_id;
	bool is_planting;	/* it was asked where events are */
	bool wants_planting;	/* and that must be asked once more */
	bool was_tried_again;	/* the process was made a target once more */
	size_t n_waits;		/* answers of the native adapter's that say whether they are planted */
	bool is_told[EVENTS_N]; /* that it is planted */
	char *why[EVENTS_N];	/* the client was told: it is not, because of that; NULL */
	bool resumes;		/* the stop is ours: go on when all is planted */
	int64_t resume_thread;
};

/* The number of an event by its name in the protocol ("parallel_begin"); EVENTS_NONE. */
int events_find(const char *name);
const char *events_name(int event);
/* "Parallel region begins": for people. */
const char *events_label(int event);

/* Of a filter's id "omp_parallel_begin", and of a function's name "omp:parallel_begin"; EVENTS_NONE: it is none of
 * ours. @is_ours_ret, of a function: it has our prefix, whatever follows. */
int events_of_filter(const char *filter);
int events_of_function(const char *name, bool *is_ours_ret);

/* Append our filters, as `initialize` tells of them. */
void events_add_filters(struct json_object *filters);

/* Note, and take out of new @arguments of setExceptionBreakpoints, what is ours; the caller owns what is returned. */
struct json_object *events_take_filters(struct events *e, struct json_object *arguments);
/* The same of setFunctionBreakpoints. */
struct json_object *events_take_functions(struct events *e, struct json_object *arguments);

bool events_is_function(const struct events *e, int event);
bool events_is_wanted(const struct events *e, int event);
bool events_any_wanted(const struct events *e);

/*
 * The addresses at which @event is seen by being there, of the result of breakpoint.addresses; at most @max of them.
 * 0: *@why_ret says why, for the caller to free.
 */
size_t events_addresses(struct json_object *result, int event, uint64_t *ret, size_t max, char **why_ret);

/* Whether the process of a result of breakpoint.addresses has no OpenMP runtime yet. */
bool events_lack_runtime(struct json_object *result);

/* The planted one with that number there, or at that address; NULL. */
struct events_planted *events_by_id(struct events *e, int64_t id);
struct events_planted *events_at(struct events *e, int event, uint64_t address);

void events_deinit(struct events *e);

#endif
