/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OpenMP events as a DAP client requests them: by filters of exception breakpoints, and by function breakpoints. */
#ifndef OMPDD_DAP_EVENTS_H
#define OMPDD_DAP_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;

#define EVENTS_N 38
/* Function breakpoints with our prefix. */
#define EVENTS_MAX_FUNCTIONS 64

enum { EVENTS_NONE = -1 };

/* How a client requests an event. */
enum events_request { EVENTS_BY_FUNCTION, EVENTS_BY_FILTER };

/* The events that the client requests. */
struct events {
	bool by_filter[EVENTS_N];
	int functions[EVENTS_MAX_FUNCTIONS]; /* events of the function breakpoints "omp:…", in the client's order */
	size_t n_functions;
};

/* Return the number of an event by its name in the protocol ("parallel_begin"), or EVENTS_NONE. */
int events_number(const char *name);
const char *events_name(int event);
/* Return the readable name "Parallel region begins". */
const char *events_label(int event);

/* Return the event of a filter's id "omp_parallel_begin", or of a function's name "omp:parallel_begin"; EVENTS_NONE:
 * not ours. *@is_ours_ret: the function's name has our prefix, whatever follows. */
int events_of_filter(const char *filter);
int events_of_function(const char *name, bool *is_ours_ret);

/* Append our filters in the form of `initialize`. */
void events_add_filters(struct json_object *filters);

/* Note our filters in the new @arguments of setExceptionBreakpoints. Returns a copy without them, which the caller
 * owns. */
struct json_object *events_take_filters(struct events *e, struct json_object *arguments);
/* Note our functions in the new @arguments of setFunctionBreakpoints. Returns a copy without them, which the caller
 * owns. */
struct json_object *events_take_functions(struct events *e, struct json_object *arguments);

bool events_is_function(const struct events *e, int event);
bool events_is_wanted(const struct events *e, int event);
bool events_any_wanted(const struct events *e);
/* Return whether a filter requests an event. */
bool events_any_filter(const struct events *e);

/*
 * Find in the result of breakpoint.addresses the addresses that a thread reaches exactly when @event happens; at
 * most @max. Returns their number; 0: *@why_ret is the reason, which the caller frees.
 */
size_t events_addresses(struct json_object *result, int event, uint64_t *ret, size_t max, char **why_ret);

/* Return the places of @event in a result of breakpoint.addresses, an array or the reason of their absence; NULL:
 * none. Borrowed. */
struct json_object *events_places(struct json_object *result, int event);
/* Return whether the process of a result of breakpoint.addresses has no OpenMP runtime yet. */
bool events_lack_runtime(struct json_object *result);

#endif
