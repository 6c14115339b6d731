/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines for the routines that concern ICVs and the data of a first-party tool. */
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "library.h"
#include "line.h"
#include "reply.h"
#include "tool.h"

#define MAX_ICVS    256
#define UNKNOWN_ICV 1000000

static const char *name;
static ompd_scope_t scope;
static int more;
static ompd_icv_id_t icv;
static ompd_address_t pointer;

static ompd_rc_t each_icv(void)
{
	ompd_icv_id_t seen[MAX_ICVS], id = ompd_icv_undefined;
	int n = 0;

	more = 1;
	while (more) {
		reply_unless_ok(OMPD(enumerate_icvs)(fixture_space(), id, &id, &name, &scope, &more));
		if (!tool_owns_text(name))
			reply_wrong("the tool does not own the name of ICV %llu", (unsigned long long)id);
		if (scope < ompd_scope_global || scope > ompd_scope_target)
			reply_wrong("the scope of %.40s is %d", name, (int)scope);
		for (int i = 0; i < n; i++) {
			if (seen[i] == id)
				reply_wrong("the ICV %llu is enumerated twice", (unsigned long long)id);
		}
		if (more != 0 && more != 1)
			reply_wrong("more is %d", more);
		if (n == MAX_ICVS)
			reply_wrong("the enumeration has no end");
		seen[n++] = id;
	}
	return ompd_rc_ok;
}

/* The library must enumerate each ICV of the specification. */
static ompd_rc_t is_enumerated(const char *wanted)
{
	ompd_icv_id_t id = ompd_icv_undefined;

	more = 1;
	for (int i = 0; more && i < MAX_ICVS; i++) {
		reply_unless_ok(OMPD(enumerate_icvs)(fixture_space(), id, &id, &name, &scope, &more));
		if (tool_owns_text(name) && strcmp(name, wanted) == 0)
			return ompd_rc_ok;
	}
	reply_wrong("it is not enumerated");
}

/* Read an ICV in its scope as an integer. */
static ompd_rc_t integer_of(const char *wanted)
{
	icv = fixture_icv(wanted, &scope);
	return OMPD(get_icv_from_scope)(fixture_handle(scope), scope, icv, &out.word);
}

/* Read an ICV in its scope as a string. If it has an integer only, the string is this integer. */
static ompd_rc_t text_of(const char *wanted)
{
	icv = fixture_icv(wanted, &scope);
	reply_unless_ok(OMPD(get_icv_string_from_scope)(fixture_handle(scope), scope, icv, &name));
	if (!tool_owns(name) || (name[0] && !tool_owns_text(name)))
		reply_wrong("not a string in memory that the tool owns");
	return ompd_rc_ok;
}

static void first_icv(void *handle, const char *wanted)
{
	icv = fixture_icv(wanted, &scope);
	if (OMPD(get_icv_from_scope)(handle, scope, icv, &out.word) != ompd_rc_ok)
		reply_not_asked("%s is not available", wanted);
}

static ompd_rc_t integer(void *handle, const char *wanted)
{
	icv = fixture_icv(wanted, &scope);
	reply_unless_ok(OMPD(get_icv_from_scope)(handle, scope, icv, &out.word));
	if (out.word < 1)
		reply_wrong("it is %lld", (long long)out.word);
	return ompd_rc_ok;
}

static ompd_rc_t explicit_tasks(void)
{
	icv = fixture_icv("explicit-task-var", &scope);
	reply_unless_ok(OMPD(get_icv_from_scope)(fixture_task(), scope, icv, &out.word));
	if (out.word != 0)
		reply_wrong("it is %lld for an implicit task", (long long)out.word);
	reply_unless_ok(OMPD(get_icv_from_scope)(fixture_explicit_task(), scope, icv, &out.word));
	if (out.word != 1)
		reply_wrong("it is %lld for an explicit task", (long long)out.word);
	return ompd_rc_ok;
}

static ompd_rc_t numbers(void)
{
	icv = fixture_icv("thread-num-var", &scope);
	for (int i = 0, n = fixture_team_size(fixture_parallel()); i < n; i++) {
		if (OMPD(get_thread_in_parallel)(fixture_parallel(), i, &out.thread) != ompd_rc_ok)
			reply_not_asked("ompd_get_thread_in_parallel fails");
		ompd_thread_handle_t *thread = out.thread;

		reply_unless_ok(OMPD(get_icv_from_scope)(thread, scope, icv, &out.word));
		if (out.word != i)
			reply_wrong("it is %lld for thread number %d", (long long)out.word, i);
	}
	return ompd_rc_ok;
}

static ompd_rc_t tool_data(ompd_scope_t wanted)
{
	return OMPD(get_tool_data)(fixture_handle(wanted), wanted, &out.word, &pointer);
}

#define ICV(icv_name)                                                                                                  \
	DEFINE_LINE(0, is_enumerated(icv_name))                                                                        \
	DEFINE_LINE(1, integer_of(icv_name))                                                                           \
	DEFINE_LINE(2, text_of(icv_name))
#include "line_functions.h"
#include "icv.def"
#undef ICV

/* nthreads-var may have several values (incomplete), affinity-format-var is no integer (incompatible). */
#define ICV(icv_name)                                                                                                  \
	ROW(0, enumerate_icvs, "20.5.10.1", OK, icv_name)                                                              \
	ROW(1, get_icv_from_scope, "20.5.10.2", OK | RC(incomplete) | RC(incompatible), icv_name)                      \
	ROW(2, get_icv_string_from_scope, "20.5.10.3", OK, icv_name)

static const struct line rows[] = {
#include "line_rows.h"
#include "icv.def"
};

const struct lines lines_icv = {rows, sizeof(rows) / sizeof(rows[0])};
