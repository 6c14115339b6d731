/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines for the routines that concern the library as a whole. */
#include "fixture.h"
#include "library.h"
#include "line.h"
#include "reply.h"
#include "tool.h"

static ompd_rc_t api_version(void)
{
	ompd_word_t version;

	reply_unless_ok(RAW(get_api_version)(&version));
	if (version != OMPD_API_VERSION_5_0 && version != OMPD_API_VERSION_5_1 && version != OMPD_API_VERSION_5_2 &&
	    version != OMPD_API_VERSION_6_0)
		reply_wrong("%lld is not a value of _OPENMP since 5.0", (long long)version);
	return ompd_rc_ok;
}

static ompd_rc_t version_string(void)
{
	const char *first, *second;

	reply_unless_ok(RAW(get_version_string)(&first));
	reply_unless_ok(RAW(get_version_string)(&second));
	if (!first || !first[0] || first != second)
		reply_wrong("not a lasting string");
	if (tool_owns(first))
		reply_wrong("the string must not be on the heap");
	return ompd_rc_ok;
}

static ompd_rc_t initialize_without(const ompd_callbacks_t *callbacks)
{
	ompd_word_t version;

	if (RAW(get_api_version)(&version) != ompd_rc_ok)
		reply_not_asked("ompd_get_api_version fails");
	return RAW(initialize)(version, callbacks);
}

/* Initialise the library without one callback. */
#define WITHOUT(member)                                                                                                \
	({                                                                                                             \
		ompd_callbacks_t table = *tool_callbacks();                                                            \
		table.member = NULL;                                                                                   \
		initialize_without(&table);                                                                            \
	})

static ompd_rc_t silent_failure(void)
{
	if (WITHOUT(print_string) != ompd_rc_ok)
		reply_not_asked("ompd_initialize needs print_string");
	tool_fail(TOOL_FAILS_SYMBOL);
	return RAW(process_initialize)(tool_context(), &out.space);
}

static ompd_rc_t twice(void)
{
	if (OMPD(finalize)() != ompd_rc_ok)
		reply_not_asked("ompd_finalize fails");
	return RAW(finalize)();
}

#include "line_functions.h"
#include "library.def"

static const struct line rows[] = {
#include "line_rows.h"
#include "library.def"
};

const struct lines lines_library = {rows, sizeof(rows) / sizeof(rows[0])};
