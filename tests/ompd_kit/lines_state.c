/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines for the routines that concern states of threads. */
#include <string.h>

#include "fixture.h"
#include "library.h"
#include "line.h"
#include "reply.h"
#include "tool.h"

#define MAX_STATES 256

static const char *name;
static ompd_word_t more;
static ompd_wait_id_t wait_id;

/* Enumerate the states. Returns their number, and in *@found whether @wanted is one of them. */
static int walk_states(ompd_word_t wanted, bool *found)
{
	ompd_word_t seen[MAX_STATES], state = ompt_state_undefined;
	int n = 0;

	more = 1;
	while (more) {
		reply_unless_ok(OMPD(enumerate_states)(fixture_space(), state, &state, &name, &more));
		if (!tool_owns_text(name))
			reply_wrong("the tool does not own the name of state 0x%llx", (unsigned long long)state);
		for (int i = 0; i < n; i++) {
			if (seen[i] == state)
				reply_wrong("the state 0x%llx is enumerated twice", (unsigned long long)state);
		}
		if (more != 0 && more != 1)
			reply_wrong("more_enums is %lld", (long long)more);
		if (n == MAX_STATES)
			reply_wrong("the enumeration has no end");
		*found |= state == wanted;
		seen[n++] = state;
	}
	return n;
}

static ompd_rc_t each_state(void)
{
	bool found = false;

	walk_states(ompt_state_work_parallel, &found);
	if (!found)
		reply_wrong("ompt_state_work_parallel is not enumerated");
	return ompd_rc_ok;
}

static ompd_rc_t enumerated(void)
{
	for (size_t i = 0; i < fixture_n_threads(); i++) {
		ompd_thread_handle_t *thread = fixture_thread_of(i);
		bool found = false;

		if (!thread)
			continue;
		reply_unless_ok(OMPD(get_state)(thread, &out.word, &wait_id));
		walk_states(out.word, &found);
		if (!found)
			reply_wrong("the state 0x%llx is not enumerated", (unsigned long long)out.word);
	}
	return ompd_rc_ok;
}

#include "line_functions.h"
#include "state.def"

static const struct line rows[] = {
#include "line_rows.h"
#include "state.def"
};

const struct lines lines_state = {rows, sizeof(rows) / sizeof(rows[0])};
