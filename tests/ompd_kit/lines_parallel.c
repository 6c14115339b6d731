/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines for the routines that concern parallel regions. */
#include "fixture.h"
#include "library.h"
#include "line.h"
#include "reply.h"
#include "tool.h"

static ompd_parallel_handle_t *parallel_of(ompd_thread_handle_t *thread)
{
	ompd_parallel_handle_t *parallel;

	if (OMPD(get_curr_parallel_handle)(thread, &parallel) != ompd_rc_ok)
		reply_not_asked("ompd_get_curr_parallel_handle fails");
	return parallel;
}

static bool is_same(ompd_parallel_handle_t *a, ompd_parallel_handle_t *b)
{
	int different;

	reply_unless_ok(OMPD(parallel_handle_compare)(a, b, &different));
	return !different;
}

static ompd_rc_t one_region(void)
{
	ompd_thread_handle_t *thread;

	for (int i = 0, n = fixture_team_size(fixture_parallel()); i < n; i++) {
		if (OMPD(get_thread_in_parallel)(fixture_parallel(), i, &thread) != ompd_rc_ok)
			reply_not_asked("ompd_get_thread_in_parallel fails");
		reply_unless_ok(OMPD(get_curr_parallel_handle)(thread, &out.parallel));
		if (!is_same(fixture_parallel(), out.parallel))
			reply_wrong("thread number %d has another region", i);
	}
	return ompd_rc_ok;
}

static ompd_rc_t levels(void)
{
	ompd_parallel_handle_t *parallel = fixture_parallel(), *outer;
	ompd_word_t level = fixture_icv_value(parallel, "levels-var");

	while (OMPD(get_enclosing_parallel_handle)(parallel, &outer) == ompd_rc_ok) {
		ompd_word_t outer_level = fixture_icv_value(outer, "levels-var");

		if (outer_level != level - 1)
			reply_wrong("a region on level %lld is in one on level %lld", (long long)level,
				    (long long)outer_level);
		parallel = outer;
		level = outer_level;
	}
	if (level != 0)
		reply_wrong("the outermost region is on level %lld", (long long)level);
	return ompd_rc_ok;
}

/* The region of the task that @thread executes is the region of @thread. */
static ompd_rc_t same_region(ompd_thread_handle_t *thread)
{
	ompd_task_handle_t *task;

	if (OMPD(get_curr_task_handle)(thread, &task) != ompd_rc_ok)
		reply_not_asked("ompd_get_curr_task_handle fails");
	reply_unless_ok(OMPD(get_task_parallel_handle)(task, &out.parallel));
	if (!is_same(parallel_of(thread), out.parallel))
		reply_wrong("it is not the region of the executing thread");
	return ompd_rc_ok;
}

static ompd_rc_t compare(ompd_parallel_handle_t *a, ompd_parallel_handle_t *b, bool is_one)
{
	int first, second;

	reply_unless_ok(OMPD(parallel_handle_compare)(a, b, &first));
	reply_unless_ok(OMPD(parallel_handle_compare)(b, a, &second));
	return fixture_check_order(first, second, is_one);
}

static ompd_rc_t released_second(void)
{
	ompd_parallel_handle_t *other = fixture_other_parallel();

	return OMPD(parallel_handle_compare)(other, fixture_released_parallel(), &out.number);
}

#include "line_functions.h"
#include "parallel.def"

static const struct line rows[] = {
#include "line_rows.h"
#include "parallel.def"
};

const struct lines lines_parallel = {rows, sizeof(rows) / sizeof(rows[0])};
