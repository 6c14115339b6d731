/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Small pieces of JSON that the results of several methods share. Shapes: protocol/schema/common. */
#ifndef OMPDD_METHODS_JSON_H
#define OMPDD_METHODS_JSON_H

#include <json-c/json.h>
#include <stdint.h>

#include "base/error.h"
#include "target/demangle.h"

/* Of a symbol that is to be shown: one that is cut off is not demangled. */
#define JSON_MAX_SYMBOL (DEMANGLE_MAX_MANGLED + 2)

struct snapshot_location;
struct view;
struct worker;

/* Add member @key (a literal, not yet in @o); takes ownership of @value. */
static inline void json_put(struct json_object *o, const char *key, struct json_object *value)
{
	json_object_object_add_ex(o, key, value, JSON_C_OBJECT_ADD_KEY_IS_NEW | JSON_C_OBJECT_ADD_CONSTANT_KEY);
}

/* "0x7f…" */
struct json_object *json_hex(uint64_t value);
/* The function that @symbol names: a C++ one as its source does. */
struct json_object *json_function(const char *symbol);
/* The variable that @symbol names, as its source has it: C++, and gfortran's variables of modules. */
struct json_object *json_variable(const char *symbol);
/* If @symbol is the lock of a critical construct: the name of the construct, of *@len_ret bytes; 0: it has none. Else
 * NULL. */
const char *json_critical(const char *symbol, size_t *len_ret);
/* What people call the place at @offset in the variable @symbol: "pool+0x18", or the name of a critical construct.
 * NULL: it has none. */
struct json_object *json_variable_name(const char *symbol, uint64_t offset);
/* An integer, or hex text when JavaScript could not hold it. */
struct json_object *json_word(int64_t value);
struct json_object *json_number_or_hex(uint64_t value);
/* {"rc": "ompd_rc_…"}: why a field is not there. */
struct json_object *json_rc(int rc);
/* The same for a reason that is not the library's: with name, message and hint. @err may be NULL. */
struct json_object *json_reason(const struct error *err);

/* {"file", "line", "column", "function"}: where a construct is, as the program itself says. */
struct json_object *json_location(const struct snapshot_location *location);

/* {"target", "pid"} of the worker's target. NULL when memory is out. */
struct json_object *json_result(struct worker *w);
/* How the process ended, as `exit` of the schema; NULL when that is not known. */
struct json_object *json_exit(const struct worker *w);
/* Add "epoch", "consistency", "stopped_us". */
void json_put_view(struct json_object *o, const struct view *view);

#endif
