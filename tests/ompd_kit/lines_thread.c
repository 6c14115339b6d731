/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines for the routines that concern threads. */
#include <limits.h>
#include <string.h>

#include "fixture.h"
#include "library.h"
#include "line.h"
#include "modules.h"
#include "reply.h"
#include "tool.h"

static const uint64_t no_id = 0x7ffffff0;

static const void *native_id(void)
{
	static uint64_t id;

	id = (uint64_t)fixture_native(0)->tid;
	return &id;
}

static ompd_rc_t find_id(ompd_thread_id_t kind, ompd_size_t size, const void *id)
{
	return OMPD(get_thread_handle)(fixture_space(), kind, size, id, &out.thread);
}

static uint64_t id_in_target(ompd_thread_id_t kind, const struct target_thread *thread)
{
	return kind == OMPD_THREAD_ID_PTHREAD ? thread->pointer - modules_behind() : (uint64_t)thread->tid;
}

static ompd_rc_t find(ompd_thread_id_t kind, ompd_size_t size, const struct target_thread *thread)
{
	uint64_t id = id_in_target(kind, thread);

	return find_id(kind, size, &id);
}

static bool is_same(ompd_thread_handle_t *a, ompd_thread_handle_t *b)
{
	int different;

	reply_unless_ok(OMPD(thread_handle_compare)(a, b, &different));
	return !different;
}

static ompd_rc_t same_thread(void)
{
	for (size_t i = 0; i < fixture_n_threads(); i++) {
		ompd_thread_handle_t *thread = fixture_thread_of(i);

		if (!thread)
			continue;
		reply_unless_ok(find(OMPD_THREAD_ID_PTHREAD, sizeof(uint64_t), fixture_native(i)));
		if (!is_same(thread, out.thread))
			reply_wrong("the ids of thread %d lead to two threads", (int)fixture_native(i)->tid);
	}
	return ompd_rc_ok;
}

static ompd_rc_t each_number(void)
{
	ompd_thread_handle_t *first = NULL;

	for (int i = 0, n = fixture_team_size(fixture_parallel()); i < n; i++) {
		reply_unless_ok(OMPD(get_thread_in_parallel)(fixture_parallel(), i, &out.thread));
		if (first && is_same(first, out.thread))
			reply_wrong("the numbers 0 and %d lead to one thread", i);
		if (!first)
			first = out.thread;
	}
	return ompd_rc_ok;
}

static ompd_rc_t own_number(void)
{
	reply_unless_ok(OMPD(get_thread_in_parallel)(fixture_parallel(), fixture_number(fixture_thread()), &out.thread));
	if (!is_same(fixture_thread(), out.thread))
		reply_wrong("it leads to another thread");
	return ompd_rc_ok;
}

static ompd_rc_t number_serves(void)
{
	ompd_thread_handle_t *thread;

	if (OMPD(get_thread_in_parallel)(fixture_parallel(), 0, &thread) != ompd_rc_ok)
		reply_not_asked("ompd_get_thread_in_parallel fails");
	reply_unless_ok(OMPD(get_curr_parallel_handle)(thread, &out.parallel));
	reply_unless_ok(OMPD(get_curr_task_handle)(thread, &out.task));
	return OMPD(rel_thread_handle)(thread);
}

static ompd_rc_t compare(ompd_thread_handle_t *a, ompd_thread_handle_t *b, bool is_one)
{
	int first, second;

	reply_unless_ok(OMPD(thread_handle_compare)(a, b, &first));
	reply_unless_ok(OMPD(thread_handle_compare)(b, a, &second));
	return fixture_check_order(first, second, is_one);
}

static ompd_rc_t id_of(ompd_thread_id_t kind, ompd_size_t size)
{
	uint64_t id = 0, expected = id_in_target(kind, fixture_native(0));

	reply_unless_ok(OMPD(get_thread_id)(fixture_thread(), kind, size, &id));
	if (id != expected)
		reply_wrong("it is 0x%llx, not 0x%llx", (unsigned long long)id, (unsigned long long)expected);
	return ompd_rc_ok;
}

static ompd_rc_t device_of(void)
{
	reply_unless_ok(OMPD(get_device_from_thread)(fixture_thread(), &out.space));
	if (out.space != fixture_space())
		reply_wrong("it is another handle");
	return ompd_rc_ok;
}

#include "line_functions.h"
#include "thread.def"

static const struct line rows[] = {
#include "line_rows.h"
#include "thread.def"
};

const struct lines lines_thread = {rows, sizeof(rows) / sizeof(rows[0])};
