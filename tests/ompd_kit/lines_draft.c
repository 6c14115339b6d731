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

/* The sizes of the target's types, and the table of callbacks, as in 2016. */
struct sizes_2016 {
	int sizeof_char, sizeof_short, sizeof_int, sizeof_long, sizeof_long_long, sizeof_pointer;
};

struct callbacks_2016 {
	ompd_rc_t (*alloc)(ompd_word_t bytes, void **ptr);
	ompd_rc_t (*free)(void *ptr);
	ompd_rc_t (*print)(const char *string);
	ompd_rc_t (*sizes)(ompd_address_space_context_t *context, struct sizes_2016 *sizes);
	ompd_rc_t (*symbol)(ompd_address_space_context_t *context, ompd_thread_context_t *thread, const char *name,
			    ompd_address_t *address);
	ompd_rc_t (*read)(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			  const ompd_address_t *address, ompd_word_t nbytes, void *buffer);
	ompd_rc_t (*write)(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			   const ompd_address_t *address, ompd_word_t nbytes, const void *buffer);
	ompd_rc_t (*to_host)(ompd_address_space_context_t *context, const void *input, int unit, int n, void *output);
	ompd_rc_t (*to_target)(ompd_address_space_context_t *context, const void *input, int unit, int n, void *output);
	ompd_rc_t (*thread)(ompd_address_space_context_t *context, int kind, ompd_size_t size, const void *id,
			    ompd_thread_context_t **thread);
	ompd_rc_t (*space)(ompd_thread_context_t *thread, ompd_address_space_context_t **context);
};

static ompd_rc_t alloc_2016(ompd_word_t bytes, void **ptr)
{
	return tool_callbacks()->alloc_memory((ompd_size_t)bytes, ptr);
}

static ompd_rc_t free_2016(void *ptr)
{
	return tool_callbacks()->free_memory(ptr);
}

static ompd_rc_t print_2016(const char *string)
{
	return tool_callbacks()->print_string(string, 0);
}

static ompd_rc_t sizes_2016(ompd_address_space_context_t *context, struct sizes_2016 *sizes)
{
	(void)context;
	*sizes = (struct sizes_2016){1, 2, 4, 8, 8, 8};
	return ompd_rc_ok;
}

static ompd_rc_t symbol_2016(ompd_address_space_context_t *context, ompd_thread_context_t *thread, const char *name,
			     ompd_address_t *found)
{
	return tool_callbacks()->symbol_addr_lookup(context, thread, name, found, NULL);
}

static ompd_rc_t read_2016(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			   const ompd_address_t *from, ompd_word_t nbytes, void *buffer)
{
	return tool_callbacks()->read_memory(context, thread, from, (ompd_size_t)nbytes, buffer);
}

static ompd_rc_t convert_2016(ompd_address_space_context_t *context, const void *input, int unit, int n, void *output)
{
	return tool_callbacks()->device_to_host(context, input, (ompd_size_t)unit, (ompd_size_t)n, output);
}

static ompd_rc_t thread_2016(ompd_address_space_context_t *context, int kind, ompd_size_t size, const void *id,
			     ompd_thread_context_t **thread)
{
	return tool_callbacks()->get_thread_context_for_thread_id(context, (ompd_thread_id_t)kind, size, id, thread);
}

/* Without the callbacks for writing and for the address space of a thread, which no query needs. */
static const struct callbacks_2016 callbacks_2016 = {
	.alloc = alloc_2016,	.free = free_2016, .print = print_2016,	    .sizes = sizes_2016,       .symbol = symbol_2016,
	.read = read_2016, .to_host = convert_2016, .to_target = convert_2016, .thread = thread_2016,
};

/* Initialise the library as a tool of 2016 does, then query a process. */
static ompd_rc_t initialize(const struct callbacks_2016 *callbacks)
{
	ompd_rc_t (*routine)(const struct callbacks_2016 *) =
		(ompd_rc_t(*)(const struct callbacks_2016 *))library_routine_2016("ompd_initialize");
	ompd_address_space_handle_t *space;
	uint64_t id = (uint64_t)fixture_native(0)->tid;

	reply_unless_ok(routine(callbacks));
	reply_unless_ok(RAW(process_initialize)(tool_context(), &space));
	reply_unless_ok(RAW(get_thread_handle)(space, KIND_LWP, sizeof(id), &id, &out.thread));
	return RAW(get_curr_parallel_handle)(out.thread, &out.parallel);
}

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
