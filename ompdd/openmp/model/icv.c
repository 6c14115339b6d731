/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Enumerates and reads control variables. */
#include "openmp/model/icv.h"

#include <string.h>

#include "base/log.h"
#include "openmp/model/arena.h"
#include "openmp/plugin/callbacks.h"
#include "openmp/plugin/ompd.h"

/* OpenMP 5.2, table 2.1. A list with more than one element returns ompd_rc_incomplete; then the text is read. */
static const struct {
	const char *name;
	enum icv_kind kind;
} kinds[] = {
	{"active-levels-var", ICV_NUMBER},
	{"bind-var", ICV_WORD},
	{"cancel-var", ICV_NUMBER},
	{"def-allocator-var", ICV_WORD},
	{"default-device-var", ICV_NUMBER},
	{"dyn-var", ICV_NUMBER},
	{"explicit-task-var", ICV_NUMBER},
	{"final-task-var", ICV_NUMBER},
	{"implicit-task-var", ICV_NUMBER},
	{"levels-var", ICV_NUMBER},
	{"max-active-levels-var", ICV_NUMBER},
	{"max-task-priority-var", ICV_NUMBER},
	{"nteams-var", ICV_NUMBER},
	{"nthreads-var", ICV_NUMBER},
	{"num-procs-var", ICV_NUMBER},
	{"place-partition-var", ICV_LIST},
	{"stacksize-var", ICV_NUMBER},
	{"team-size-var", ICV_NUMBER},
	{"teams-thread-limit-var", ICV_NUMBER},
	{"thread-limit-var", ICV_NUMBER},
	{"thread-num-var", ICV_NUMBER},
};

static enum icv_kind find_kind(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(name, kinds[i].name) == 0)
			return kinds[i].kind;
	return ICV_TEXT;
}

const char *icv_scope_name(ompd_scope_t scope)
{
	static const char *const names[ICV_SCOPES] = {
		[ompd_scope_global] = "global",
		[ompd_scope_address_space] = "address_space",
		[ompd_scope_thread] = "thread",
		[ompd_scope_parallel] = "parallel",
		[ompd_scope_implicit_task] = "implicit_task",
		[ompd_scope_task] = "task",
		[ompd_scope_teams] = "teams",
		[ompd_scope_target] = "target",
	};

	return (unsigned)scope < ICV_SCOPES ? names[scope] : NULL;
}

struct icv_def *icv_find(struct icv_table *table, const char *name)
{
	for (size_t i = 0; i < table->n; i++)
		if (strcmp(table->defs[i].name, name) == 0)
			return &table->defs[i];
	return NULL;
}

/* Printable ASCII: names become member names of JSON objects unchanged. */
static bool is_valid_name(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (name[i] <= ' ' || name[i] > '~')
			return false;
	return len > 0;
}

static struct error *add_variable(struct icv_table *table, ompd_icv_id_t id, const char *name, ompd_scope_t scope)
{
	size_t len = callbacks_strlen(name, ICV_MAX_NAME);

	if (len == SIZE_MAX || !is_valid_name(name, len) || !icv_scope_name(scope))
		return ompd_misbehaved("ompd_enumerate_icvs", "returned a variable without name or scope");
	for (size_t i = 0; i < table->n; i++)
		if (table->defs[i].id == id)
			return ompd_misbehaved("ompd_enumerate_icvs", "returned the same variable twice");
	struct icv_def *def = &table->defs[table->n++];

	*def = (struct icv_def){.id = id, .scope = scope};
	memcpy(def->name, name, len);
	def->is_alias = strncmp(name, "ompd-", 5) == 0;
	def->kind = find_kind(def->is_alias ? def->name + 5 : def->name);
	return NULL;
}

struct error *icv_enumerate(struct plugin *p, ompd_address_space_handle_t *handle, struct icv_table *ret)
{
	ompd_icv_id_t current = ompd_icv_undefined;
	int more = 1;

	ret->n = 0;
	while (more) {
		if (ret->n == ICV_MAX)
			return ompd_misbehaved("ompd_enumerate_icvs", "does not end");
		ompd_scope_t scope = 0;
		const char *name = NULL;
		ompd_icv_id_t next = 0;

		more = 0;
		int rc = plugin_call(p, enumerate_icvs, handle, current, &next, &name, &scope, &more);

		if (rc != ompd_rc_ok) {
			log_warn("plugin: ompd_enumerate_icvs returned %s", error_ompd_rc_name(rc));
			return NULL;
		}
		guard_in_plugin = 1; /* the name is the library's pointer */
		struct error *err = add_variable(ret, next, name, scope);

		guard_in_plugin = 0;
		callbacks_free(name);
		if (err)
			return err;
		current = next;
	}
	/* The pre-5.2 name of the same fact. */
	struct icv_def *implicit = icv_find(ret, "implicit-task-var");

	if (implicit && icv_find(ret, "explicit-task-var"))
		implicit->is_alias = true;
	return NULL;
}

static struct error *read_text(struct plugin *p, void *handle, const struct icv_def *def, struct arena *arena,
			       int *rc_ret, const char **ret)
{
	const char *text = NULL;
	char *copy = NULL;
	int rc = plugin_call(p, get_icv_string_from_scope, handle, def->scope, def->id, &text);

	*rc_ret = rc;
	if (rc != ompd_rc_ok)
		return NULL;
	guard_in_plugin = 1;
	size_t len = callbacks_strlen(text, ICV_MAX_TEXT);

	if (len != SIZE_MAX)
		copy = arena_strndup(arena, text, len);
	guard_in_plugin = 0;
	callbacks_free(text);
	if (len == SIZE_MAX)
		return ompd_misbehaved("ompd_get_icv_string_from_scope", "returned no string, or a string without end");
	if (!copy)
		return &error_nomem;
	*ret = copy;
	return NULL;
}

/* Keeps only the first word: values already read point to it. */
static void keep_word(struct icv_def *def, int64_t number, const char *text)
{
	size_t len = strlen(text);

	if (def->kind != ICV_WORD || def->has_word || len >= sizeof(def->word))
		return;
	memcpy(def->word, text, len + 1);
	def->word_number = number;
	def->has_word = true;
}

struct error *icv_read(struct plugin *p, void *handle, struct icv_def *def, struct arena *arena, struct icv_value *ret)
{
	struct icv_value value = {0};
	ompd_word_t number = 0;
	struct error *err;
	int text_rc;

	value.rc = def->kind == ICV_LIST ? (int)ompd_rc_incompatible
					 : plugin_call(p, get_icv_from_scope, handle, def->scope, def->id, &number);
	switch (value.rc) {
	case ompd_rc_ok:
	case ompd_rc_incomplete: /* the first element of a list; the text has all elements */
		value.has_number = true;
		value.number = number;
		break;
	case ompd_rc_bad_input: /* no number: the libraries disagree about the code */
	case ompd_rc_unsupported:
	case ompd_rc_incompatible:
		break;
	default:
		if (!ompd_rc_is_valid(value.rc))
			return ompd_misbehaved("ompd_get_icv_from_scope", "returned an unknown code");
		*ret = value;
		return NULL;
	}
	if (value.rc == ompd_rc_ok && def->kind == ICV_NUMBER) {
		*ret = value;
		return NULL;
	}
	if (value.rc == ompd_rc_ok && def->has_word && def->word_number == number) {
		value.text = def->word;
		*ret = value;
		return NULL;
	}
	err = read_text(p, handle, def, arena, &text_rc, &value.text);
	if (err)
		return err;
	if (!ompd_rc_is_valid(text_rc))
		return ompd_misbehaved("ompd_get_icv_string_from_scope", "returned an unknown code");
	if (value.rc == ompd_rc_ok && text_rc == ompd_rc_ok)
		keep_word(def, number, value.text);
	value.rc = value.has_number ? ompd_rc_ok : text_rc;
	*ret = value;
	return NULL;
}
