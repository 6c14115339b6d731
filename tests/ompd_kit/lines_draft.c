/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines for the routines of the draft of 2016. Names whose signature has changed have the symbol version OMPD_2016. */
#include "fixture.h"
#include "library.h"
#include "line.h"
#include "reply.h"
#include "tool.h"

/* The draft's kind of thread ids of the kernel. */
#define KIND_LWP 1

#define DRAFT(name, ...)                                                                                               \
	(library_initialize(), (ompd_rc_t(*)(__VA_ARGS__))library_routine("ompd_" #name))
#define VERSION_2016(name, ...)                                                                                        \
	(library_initialize(), (ompd_rc_t(*)(__VA_ARGS__))library_routine_2016("ompd_" #name))

static int count;
static ompd_word_t word;
static ompd_address_t address;

static ompd_rc_t version(void)
{
	int number = 0;
	ompd_rc_t (*routine)(int *) = (ompd_rc_t(*)(int *))library_routine("ompd_get_version");

	reply_unless_ok(routine(&number));
	if (number < 1)
		reply_wrong("the version is %d", number);
	return ompd_rc_ok;
}

/* Read a vector of handles of the region. */
static ompd_rc_t vector_of(const char *name, bool is_2016)
{
	void *routine = is_2016 ? library_routine_2016(name) : library_routine(name);
	int size = fixture_team_size(fixture_parallel());
	void **list = NULL;

	reply_unless_ok(((ompd_rc_t(*)(void *, void ***, int *))routine)(fixture_parallel(), &list, &count));
	if (count != size)
		reply_wrong("%d handles for a team of %d threads", count, size);
	if (!tool_owns(list))
		reply_wrong("the tool does not own the vector");
	return ompd_rc_ok;
}

static ompd_rc_t thread_handle(const struct target_thread *thread)
{
	uint64_t id = (uint64_t)thread->tid;

	return VERSION_2016(get_thread_handle, void *, int, ompd_size_t, const void *, void *)(
		fixture_space(), KIND_LWP, sizeof(id), &id, &out);
}

static ompd_rc_t release_control_vars(void)
{
	if (OMPD(get_display_control_vars)(fixture_space(), &out.vector) != ompd_rc_ok)
		reply_not_asked("ompd_get_display_control_vars fails");
	return DRAFT(release_display_control_vars, const void *)(out.vector);
}

/* A valid handle of another kind. */
#define other_space    fixture_thread()
#define other_thread   fixture_space()
#define other_parallel fixture_thread()
#define other_task     fixture_thread()

#define VALUE(routine, section, kind, type)                                                                            \
	DEFINE_LINE(4, DRAFT(routine, void *, type)(fixture_##kind(), (type)&out))                                     \
	DEFINE_LINE(5, DRAFT(routine, void *, type)(fixture_##kind(), NULL))                                           \
	HANDLE(kind, other_##kind, routine, section, 0, DRAFT(routine, void *, type)(handle, (type)&out))
#define RELEASE(routine, section, kind)                                                                                \
	DEFINE_LINE(4, DRAFT(routine, void *)(fixture_##kind()))                                                       \
	HANDLE(kind, other_##kind, routine, section, 0, DRAFT(routine, void *)(handle))
#include "line_functions.h"
#include "draft.def"
#undef VALUE
#undef RELEASE

#define VALUE(routine, section, kind, type)                                                                            \
	ROW(4, routine, section, OK, "a " #kind " handle")                                                             \
	ROW(5, routine, section, BAD, "NULL for the result")                                                           \
	HANDLE(kind, other_##kind, routine, section, 0, 0)
#define RELEASE(routine, section, kind)                                                                                \
	ROW(4, routine, section, OK, "a " #kind " handle")                                                             \
	HANDLE(kind, other_##kind, routine, section, 0, 0)

static const struct line rows[] = {
#include "line_rows.h"
#include "draft.def"
};

const struct lines lines_draft = {rows, sizeof(rows) / sizeof(rows[0])};
