/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shared JSON objects for members that are alike in hundreds of threads and tasks. */
#include "methods/json/state_builder.h"

#include <stdio.h>
#include <string.h>

#include "methods/json/json.h"
#include "rpc/json_write.h"
#include "target/modules/modules.h"
#include "target/source/source.h"

void state_builder_deinit(struct state_builder *b)
{
	for (int i = 0; i < STATE_N_RC; i++)
		json_object_put(b->rcs[i]);
	json_object_put(b->last_icvs);
	json_object_put(b->last_state);
	json_object_put(b->last_location_json);
	json_object_put(b->last_wait);
	for (int i = 0; i < STATE_N_UNKNOWN; i++)
		json_object_put(b->reasons[i]);
}

struct json_object *state_builder_rc(struct state_builder *b, int rc)
{
	if (rc <= 0 || rc >= STATE_N_RC)
		rc = ompd_rc_error;
	if (!b->rcs[rc])
		b->rcs[rc] = json_rc(rc);
	return json_object_get(b->rcs[rc]);
}

struct json_object *state_builder_int(struct state_builder *b, const struct snapshot_word *word)
{
	return word->rc == ompd_rc_ok ? json_object_new_int64(word->value) : state_builder_rc(b, word->rc);
}

struct json_object *state_builder_handle(struct state_builder *b, enum handle_kind kind, uint32_t number)
{
	char text[HANDLE_NAME_SIZE + 10], digits[10];
	size_t len = b->prefix_len[kind], n = 0;

	if (len == 0) {
		/* Build the prefix from a name with number 0, which no handle has, without its digit. */
		len = handle_name_write(b->w->target_id, b->s->epoch, b->s->runtime, kind, 0, b->prefix[kind]) - 1;
		b->prefix_len[kind] = len;
	}
	memcpy(text, b->prefix[kind], len);
	do {
		digits[n++] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	while (n > 0)
		text[len++] = digits[--n];
	return json_object_new_string_len(text, (int)len);
}

struct json_object *state_builder_ref(struct state_builder *b, enum handle_kind kind, const struct snapshot_ref *ref)
{
	return ref->rc == ompd_rc_ok ? state_builder_handle(b, kind, ref->number) : state_builder_rc(b, ref->rc);
}

void state_builder_put_location(struct state_builder *b, struct json_object *o,
				const struct snapshot_location *location)
{
	if (!location)
		return;
	if (location != b->last_location) {
		json_object_put(b->last_location_json);
		b->last_location_json = json_location(location);
		b->last_location = location;
	}
	json_put(o, "location", json_object_get(b->last_location_json));
}

static struct json_object *icv_json(const struct icv_def *def, const struct icv_value *value, bool with_scope)
{
	struct json_object *o = json_object_new_object();
	char text[24];

	if (with_scope)
		json_put(o, "scope", json_object_new_string(icv_scope_name(def->scope)));
	if (value->rc != ompd_rc_ok) {
		json_put(o, "rc", json_object_new_string(error_ompd_rc_name(value->rc)));
		return o;
	}
	if (value->text) {
		json_put(o, "value", json_text(value->text));
	} else {
		snprintf(text, sizeof(text), "%lld", (long long)value->number);
		json_put(o, "value", json_object_new_string(text));
	}
	if (value->has_number)
		json_put(o, "int", json_word(value->number));
	return o;
}

static bool icvs_equal(const struct snapshot_icv_set *set, const struct icv_value *a, const struct icv_value *b)
{
	for (size_t i = 0; i < set->n; i++) {
		if (a[i].rc != b[i].rc || a[i].has_number != b[i].has_number || a[i].number != b[i].number ||
		    !a[i].text != !b[i].text)
			return false;
		if (a[i].text && strcmp(a[i].text, b[i].text) != 0)
			return false;
	}
	return true;
}

struct json_object *state_builder_icvs(struct state_builder *b, const struct snapshot_icv_set *set,
				       const struct icv_value *values, bool with_scope)
{
	if (b->last_icvs && b->last_set == set && values && icvs_equal(set, values, b->last_values))
		return json_object_get(b->last_icvs);

	struct json_object *o = json_object_new_object();

	for (size_t i = 0; values && i < set->n; i++) {
		if (values[i].rc == SNAPSHOT_ICV_NOT_HERE)
			continue;
		/* The names belong to the model, which outlives the answer. */
		json_object_object_add_ex(o, set->defs[i]->name, icv_json(set->defs[i], &values[i], with_scope),
					  JSON_C_OBJECT_ADD_CONSTANT_KEY);
	}
	if (values) {
		json_write_freeze(o);
		json_object_put(b->last_icvs);
		b->last_icvs = json_object_get(o);
		b->last_set = set;
		b->last_values = values;
	}
	return o;
}

/* Add the line of the function at @address, if debug information has it. */
static void put_line(const struct state_builder *b, uint64_t address, struct json_object *o)
{
	struct source source;

	source_find(b->w->target, address, true, &source);
	if (source.places[0].file && source.places[0].line > 0)
		json_put(o, "location", json_line(source.places[0].file, source.places[0].line));
	source_deinit(&source);
}

struct json_object *state_builder_function(struct state_builder *b, const struct snapshot_word *function,
					   bool is_inferred)
{
	char symbol[JSON_MAX_SYMBOL];
	uint64_t offset;

	if (function->rc != ompd_rc_ok)
		return state_builder_rc(b, function->rc);
	struct json_object *o = json_object_new_object();

	json_put(o, "address", json_hex((uint64_t)function->value));
	if (target_symbol_at(b->w->target, (uint64_t)function->value, symbol, sizeof(symbol), &offset) && offset == 0)
		json_put(o, "symbol", json_function(symbol));
	else
		json_put(o, "symbol", state_builder_rc(b, ompd_rc_unavailable));
	if (is_inferred)
		json_put(o, "source", json_object_new_string("inferred"));
	if (b->tells_lines)
		put_line(b, (uint64_t)function->value, o);
	return o;
}

void state_builder_put_runtime(const struct state_builder *b, struct json_object *o)
{
	if (b->tells_runtime)
		json_put(o, "runtime", json_object_new_int((int)b->s->runtime));
}
