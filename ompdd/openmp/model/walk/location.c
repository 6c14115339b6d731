/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Asks the library for a text and parses it. */
#include "openmp/model/walk/location.h"

#include <string.h>

#include "base/number.h"
#include "openmp/model/snapshot.h"
#include "openmp/plugin/callbacks.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"

#define MAX_TEXT 4096

static const char routine[] = "ompd_get_construct_location";

/* Cuts off the last semicolon of @text and returns the number after it; -1: no number. */
static int cut_number(char *text)
{
	char *semicolon = strrchr(text, ';');
	int64_t number;

	if (!semicolon || !number_parse(semicolon + 1, 0, INT32_MAX, &number))
		return -1;
	*semicolon = 0;
	return (int)number;
}

/* Parses FILE;FUNCTION;LINE;COLUMN in place. *@ret points into @text. */
static bool parse_location(char *text, struct snapshot_location *ret)
{
	ret->column = cut_number(text);
	ret->line = ret->column < 0 ? -1 : cut_number(text);
	char *function = ret->line < 1 ? NULL : strrchr(text, ';');

	if (!function || function == text)
		return false;
	*function = 0;
	ret->file = text;
	ret->function = function + 1;
	return true;
}

static bool is_same_location(const struct snapshot_location *a, const struct snapshot_location *b)
{
	return a->line == b->line && a->column == b->column && !strcmp(a->file, b->file) &&
	       !strcmp(a->function, b->function);
}

/* Copies @location into the snapshot's arena. */
static const struct snapshot_location *copy_location(struct snapshot *s, const struct snapshot_location *location)
{
	struct snapshot_location *copy = arena_alloc(&s->arena, sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *location;
	copy->file = arena_strndup(&s->arena, location->file, strlen(location->file));
	copy->function = arena_strndup(&s->arena, location->function, strlen(location->function));
	return copy->file && copy->function ? copy : NULL;
}

struct error *location_ask(struct plugin *p, struct snapshot *s, struct location_of object,
			   const struct snapshot_location **ret)
{
	struct snapshot_location location;
	const char *text = NULL;
	char copy[MAX_TEXT];

	*ret = NULL;
	if (!plugin_routines(p)->get_construct_location)
		return NULL;
	int rc = plugin_call(p, get_construct_location, object.thread, object.parallel, object.task, &text);

	if (!ompd_rc_is_valid(rc))
		return ompd_misbehaved(routine, "returned an unknown code");
	if (rc != ompd_rc_ok)
		return NULL;
	guard_in_plugin = 1; /* the text is the library's pointer */
	size_t len = callbacks_strlen(text, sizeof(copy) - 1);

	if (len != SIZE_MAX)
		memcpy(copy, text, len);
	guard_in_plugin = 0;
	callbacks_free(text);
	if (len == SIZE_MAX)
		return ompd_misbehaved(routine, "returned no string, or a string without end");
	copy[len] = 0;
	if (!parse_location(copy, &location))
		return ompd_misbehaved(routine, "returned a text that is not a place in a source");
	if (!s->last_location || !is_same_location(s->last_location, &location)) {
		const struct snapshot_location *kept = copy_location(s, &location);

		if (!kept)
			return &error_nomem;
		s->last_location = kept;
	}
	*ret = s->last_location;
	return NULL;
}
