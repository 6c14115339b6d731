/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines for the routines that concern tasks. */
#include <limits.h>

#include "fixture.h"
#include "library.h"
#include "line.h"
#include "reply.h"
#include "tool.h"

/* A value that is neither a flag nor an address. */
#define UNSET 0x5a5a

static ompd_frame_info_t exit_frame, enter_frame;

static ompd_task_handle_t *task_of(ompd_thread_handle_t *thread)
{
	ompd_task_handle_t *task;

	if (OMPD(get_curr_task_handle)(thread, &task) != ompd_rc_ok)
		reply_not_asked("ompd_get_curr_task_handle fails");
	return task;
}

static bool is_same(ompd_task_handle_t *a, ompd_task_handle_t *b)
{
	int different;

	reply_unless_ok(OMPD(task_handle_compare)(a, b, &different));
	return !different;
}

/* Return the implicit task of @thread in its innermost region. */
static ompd_task_handle_t *implicit_task_of(ompd_thread_handle_t *thread)
{
	ompd_parallel_handle_t *parallel;
	ompd_task_handle_t *task;

	if (OMPD(get_curr_parallel_handle)(thread, &parallel) != ompd_rc_ok ||
	    OMPD(get_task_in_parallel)(parallel, fixture_number(thread), &task) != ompd_rc_ok)
		reply_not_asked("no handle of the implicit task");
	return task;
}

static ompd_rc_t generating_explicit(void)
{
	ompd_thread_handle_t *thread = fixture_task_thread();

	reply_unless_ok(OMPD(get_generating_task_handle)(task_of(thread), &out.task));
	if (!is_same(out.task, implicit_task_of(thread)))
		reply_wrong("it is another task");
	return ompd_rc_ok;
}

static ompd_rc_t each_number(void)
{
	ompd_task_handle_t *first = NULL;

	for (int i = 0, n = fixture_team_size(fixture_parallel()); i < n; i++) {
		reply_unless_ok(OMPD(get_task_in_parallel)(fixture_parallel(), i, &out.task));
		if (first && is_same(first, out.task))
			reply_wrong("the numbers 0 and %d lead to one task", i);
		if (!first)
			first = out.task;
	}
	return ompd_rc_ok;
}

static ompd_rc_t own_number(void)
{
	reply_unless_ok(OMPD(get_task_in_parallel)(fixture_parallel(), fixture_number(fixture_thread()), &out.task));
	if (!is_same(fixture_task(), out.task))
		reply_wrong("it leads to another task");
	return ompd_rc_ok;
}

static ompd_rc_t compare(ompd_task_handle_t *a, ompd_task_handle_t *b, bool is_one)
{
	int first, second;

	reply_unless_ok(OMPD(task_handle_compare)(a, b, &first));
	reply_unless_ok(OMPD(task_handle_compare)(b, a, &second));
	return fixture_check_order(first, second, is_one);
}

static ompd_rc_t function_of(ompd_task_handle_t *task)
{
	ompd_address_t entry = {UNSET, UNSET};

	reply_unless_ok(OMPD(get_task_function)(task, &entry));
	if (!entry.address || entry.address == UNSET || entry.segment != ompd_segment_none)
		reply_wrong("the address is 0x%llx in segment %llu", (unsigned long long)entry.address,
			    (unsigned long long)entry.segment);
	return ompd_rc_ok;
}

static bool is_flag(ompd_word_t flag)
{
	return (flag & ~(ompd_word_t)ompt_frame_stackaddress & ~(ompd_word_t)ompt_frame_application) == 0;
}

static ompd_rc_t frames_of(ompd_task_handle_t *task)
{
	exit_frame = enter_frame = (ompd_frame_info_t){{UNSET, UNSET}, UNSET};
	reply_unless_ok(OMPD(get_task_frame)(task, &exit_frame, &enter_frame));
	if (!is_flag(exit_frame.frame_flag) || !is_flag(enter_frame.frame_flag))
		reply_wrong("the flags are 0x%llx and 0x%llx", (unsigned long long)exit_frame.frame_flag,
			    (unsigned long long)enter_frame.frame_flag);
	if (!exit_frame.frame_address.address || exit_frame.frame_address.address == UNSET)
		reply_wrong("a task that is executed has no exit frame");
	return ompd_rc_ok;
}

static ompd_rc_t released_second(void)
{
	ompd_task_handle_t *other = fixture_other_task();

	return OMPD(task_handle_compare)(other, fixture_released_task(), &out.number);
}

#include "line_functions.h"
#include "task.def"

static const struct line rows[] = {
#include "line_rows.h"
#include "task.def"
};

const struct lines lines_task = {rows, sizeof(rows) / sizeof(rows[0])};
