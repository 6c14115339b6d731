/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Small pieces of JSON that the results of several methods share. Shapes: protocol/schema/common. */
#ifndef OMPDD_METHODS_JSON_H
#define OMPDD_METHODS_JSON_H

#include <json-c/json.h>
#include <stdint.h>

#include <omp-tools.h>

#include "base/error.h"
#include "target/source/demangle.h"

/* The size for a symbol that is shown: a truncated symbol cannot be demangled. */
#define JSON_MAX_SYMBOL (DEMANGLE_MAX_MANGLED + 2)

struct snapshot_location;
struct view;
struct worker;

/* Add member @key (a literal, not yet in @o); takes ownership of @value. */
static inline void json_put(struct json_object *o, const char *key, struct json_object *value)
{
	json_object_object_add_ex(o, key, value, JSON_C_OBJECT_ADD_KEY_IS_NEW | JSON_C_OBJECT_ADD_CONSTANT_KEY);
}

/* Return "0x7f…". */
struct json_object *json_hex(uint64_t value);
/* Return the function that @symbol names; a C++ function as its source names it. */
struct json_object *json_function(const char *symbol);
/* Return the variable that @symbol names, as its source names it: C++ variables, and gfortran's module variables. */
struct json_object *json_variable(const char *symbol);
/*
 * Return the name of the place at @offset in the variable @symbol: "pool+0x18", or the name of a critical construct.
 * NULL: the construct has no name.
 */
struct json_object *json_variable_name(const char *symbol, uint64_t offset);
/* Return an integer, or hex text when JavaScript could not hold it. */
struct json_object *json_word(int64_t value);
struct json_object *json_number_or_hex(uint64_t value);
/* Return {"segment", "address"}. */
struct json_object *json_address(const ompd_address_t *address);
/* Return {"frame_address", "frame_flag"}. */
struct json_object *json_frame(const ompd_frame_info_t *frame);
/* Return {"rc": "ompd_rc_…"}: why a field is missing. */
struct json_object *json_rc(int rc);
/* Return the same form for another reason than the library's, with name, message and hint. @err may be NULL. */
struct json_object *json_reason(const struct error *err);

/* Return {"file", "line", "column", "function"}: a construct's place, as the program itself reports it. */
struct json_object *json_location(const struct snapshot_location *location);
/* {"file", "line"} of code, from debug information; {"rc"} without a file (NULL). A line of 0 is not known. */
struct json_object *json_line(const char *file, int line);

/* Return {"target", "pid"} of the worker's target. NULL when out of memory. */
struct json_object *json_result(struct worker *w);
/* Return how the process exited, as `exit` of the schema; NULL: not known. */
struct json_object *json_exit(const struct worker *w);
/* Add "epoch", "consistency", "stopped_us". */
void json_put_view(struct json_object *o, const struct view *view);

#endif
