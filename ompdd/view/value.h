/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Values of the protocol as texts: functions, places, waits, durations, counts. @verbose: a missing value shows its
 * reason, and a name its address.
 */
#ifndef OMPDD_VIEW_VALUE_H
#define OMPDD_VIEW_VALUE_H

#include <stddef.h>
#include <stdint.h>

struct json_object;
struct buf;
struct facts;
struct facts_thread;
struct number_set;

/*
 * Append a value: strings and numbers unchanged, true and false as yes and no, {"address","symbol"} as the symbol. A
 * missing value is "-", with its reason if @verbose.
 */
void value_add(struct buf *p, struct json_object *value, int verbose);

/* Append a duration: "212 µs", "15.0 ms", "2.1 s". */
void value_add_duration(struct buf *p, int64_t microseconds);

/* Append "1 thread", "5 threads". */
void value_add_count(struct buf *p, size_t n, const char *noun);

/* Append @location, an object with file and line, as "solve.c:40". Returns 0 if it has no file. */
int value_add_location(struct buf *p, struct json_object *location);

/*
 * Append the function of a task or region: its symbol, or else the place of its construct, its address, or "-". @json
 * is the task's or region's object. Returns 0 for "-".
 */
int value_add_function(struct buf *p, struct json_object *json, int verbose);

/*
 * Append what a thread waits for: a name ("lock_a", "pool+0x18", "barrier of solve", "device 0"), or its address, with
 * @with_what "0x55d0f8 (lock)". With @verbose both. "-": it does not wait, or that is not known. Returns 0 for "-".
 */
int value_add_wait(struct buf *p, const struct facts *s, const struct facts_thread *thread, int with_what, int verbose);

/* Append "solve solve.c:40": where the thread is. "-": not known; nothing: not requested. */
void value_add_place(struct buf *p, struct json_object *thread);

/* Return a cell: {"text"}, and "reason" if the value is missing for one. Takes the phrase; @value may be NULL. */
struct json_object *value_take_cell(struct buf *text, struct json_object *value);
struct json_object *value_cell(struct json_object *value, int verbose);
struct json_object *value_text_cell(const char *text);
/* Return a cell with the function of @json, the object of a task or region, which may be NULL. */
struct json_object *value_function_cell(struct json_object *json, int verbose);
/* Return a cell with the set, or "-". */
struct json_object *value_set_cell(struct number_set *set);

#endif
