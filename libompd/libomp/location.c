/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Source locations of constructs; in backend_libomp. clang passes an ident_t to each call of
 * libomp. libomp stores it in teams, tasks and waiting threads. A lock has only the ident_t of the
 * first construct that used it. The waiting thread may be in another construct, so no location is
 * returned for locks.
 */
#include <string.h>

#include "libomp/libomp.h"
#include "strbuf.h"

/* Limit on the text: a path, and the name of a function. */
#define MAX_TEXT 2048
/* Limit on the digits of a line or column. */
#define MAX_DIGITS 9

/* ident_t's flag of a reduction. */
#define IDENT_REDUCTION 0x10u

/* Return the start of the field that ends at @end, after @begin. NULL: there is no such field. */
static const char *find_field(const char *begin, const char *end)
{
	while (end > begin && end[-1] != ';')
		end--;
	return end > begin ? end : NULL;
}

static bool is_number(const char *begin, const char *end)
{
	if (begin == end || end - begin > MAX_DIGITS)
		return false;
	for (; begin < end; begin++)
		if (*begin < '0' || *begin > '9')
			return false;
	return true;
}

static bool is_plain(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	return true;
}

/*
 * Parse ";FILE;FUNCTION;LINE;COLUMN;;" and append it without the outer semicolons. Without debug
 * information, line and column are 0.
 */
static bool put_location(const char *text, struct strbuf *ret)
{
	size_t length = strlen(text);
	const char *begin = text + 1, *end = text + length - 2;

	if (length < 3 || text[0] != ';' || strcmp(end, ";;") != 0 || !is_plain(text))
		return false;
	const char *column = find_field(begin, end);
	const char *line = column ? find_field(begin, column - 1) : NULL;
	const char *function = line ? find_field(begin, line - 1) : NULL;

	if (!function || function - 1 == begin || !is_number(column, end) || !is_number(line, column - 1) ||
	    *line == '0')
		return false;
	strbuf_append(ret, begin, (size_t)(end - begin));
	return true;
}

static ompd_rc_t read_location(const struct process *process, ompd_addr_t ident, struct strbuf *ret)
{
	uint32_t at = libomp_of(process)->layout.ident_source;
	char text[MAX_TEXT];
	ompd_addr_t source;

	if (!ident || !offset_known(at))
		return ompd_rc_unavailable;
	RC_TRY(PROCESS_READ(process, ident + at, &source));
	if (!source || cb_read_string(process->context, source, sizeof(text), text) != ompd_rc_ok)
		return ompd_rc_unavailable;
	return put_location(text, ret) ? ompd_rc_ok : ompd_rc_unavailable;
}

/*
 * A team of several threads has the location of its construct. A team for serialized regions has
 * the location of any region that its thread encountered, even of one that has ended.
 */
static ompd_rc_t locate_team(const struct process *process, const struct libomp_team *team, struct strbuf *ret)
{
	if (!team->level || team->serialized)
		return ompd_rc_unavailable;
	return read_location(process, team->ident, ret);
}

/*
 * The location that the thread recorded when it arrived at its barrier. Only some kinds of
 * constructs record it.
 */
static ompd_rc_t locate_barrier(const struct process *process, const struct libomp_thread *thread, ompd_word_t state,
				struct strbuf *ret)
{
	uint32_t at = libomp_of(process)->layout.ident_flags, flags;

	if (state == ompt_state_wait_barrier_implementation) {
		if (!thread->ident || !offset_known(at))
			return ompd_rc_unavailable;
		RC_TRY(PROCESS_READ(process, thread->ident + at, &flags));
		if (!(flags & IDENT_REDUCTION))
			return ompd_rc_unavailable;
	}
	return read_location(process, thread->ident, ret);
}

static ompd_rc_t locate_thread(const struct process *process, const struct thread_ref *ref, struct strbuf *ret)
{
	struct libomp_thread thread;
	struct libomp_team team;
	struct libomp_task task;
	ompd_wait_id_t wait_id;
	ompd_word_t state;

	RC_TRY(libomp_thread_member(process, ref->thread, &thread, &team));
	/*
	 * The location in taskwait or at the end of a taskgroup is known, even if it is not known
	 * which of the two it is.
	 */
	ompd_rc_t rc = libomp_taskwait(process, &thread, &task);

	if (rc != ompd_rc_unavailable)
		return rc == ompd_rc_ok ? read_location(process, task.wait_ident, ret) : rc;
	RC_TRY(libomp_thread_state(process, ref, &state, &wait_id));
	switch (state) {
	case ompt_state_wait_barrier_implicit_parallel:
		return locate_team(process, &team, ret);
	case ompt_state_wait_barrier:
	case ompt_state_wait_barrier_explicit:
	case ompt_state_wait_barrier_implicit_workshare:
	case ompt_state_wait_barrier_implementation:
		return locate_barrier(process, &thread, state, ret);
	default:
		return ompd_rc_unavailable;
	}
}

ompd_rc_t libomp_location(const struct process *process, const struct subject *subject, struct strbuf *text)
{
	const struct region_ref *region = subject->task ? &subject->task->region : subject->region;
	struct libomp_team team;
	struct libomp_task task;
	bool is_implicit;

	if (subject->thread)
		return locate_thread(process, subject->thread, text);
	if (subject->task) {
		RC_TRY(libomp_task_is_implicit(process, subject->task, &is_implicit));
		RC_TRY(libomp_task_read(process, subject->task->task, &task));
		if (!is_implicit)
			return read_location(process, task.ident, text);
	}
	RC_TRY(libomp_region_team(process, region, &team));
	return locate_team(process, &team, text);
}
