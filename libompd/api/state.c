/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OMPD routines for thread states (5.2, 20.5.9). */
#include "callbacks.h"
#include "handles.h"
#include "ompd-more.h"

struct state_info {
	ompd_word_t value;
	const char *name;
};

static const struct state_info states[] = {
#define STATE(name) {ompt_state_##name, "ompt_state_" #name},
#include "states.def"
#undef STATE
};

#define STATE_COUNT (sizeof(states) / sizeof(states[0]))

ompd_rc_t ompd_enumerate_states(ompd_address_space_handle_t *address_space_handle, ompd_word_t current_state,
				ompd_word_t *next_state, const char **next_state_name, ompd_word_t *more_enums)
{
	size_t next = 0;

	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(address_space_handle, HANDLE_ADDRESS_SPACE);
	if (!next_state || !next_state_name || !more_enums)
		return ompd_rc_bad_input;
	if (current_state != ompt_state_undefined) {
		while (next < STATE_COUNT && states[next].value != current_state)
			next++;
		next++;
		if (next >= STATE_COUNT) /* not a state, or the last one */
			return ompd_rc_bad_input;
	}
	RC_TRY(cb_strdup(states[next].name, next_state_name));
	*next_state = states[next].value;
	*more_enums = next + 1 < STATE_COUNT;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_state(ompd_thread_handle_t *thread_handle, ompd_word_t *state, ompd_wait_id_t *wait_id)
{
	ompd_word_t found;
	ompd_wait_id_t wait = 0;

	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(thread_handle, HANDLE_THREAD);
	if (!state)
		return ompd_rc_bad_input;
	struct process *process = thread_handle->base.process;

	RC_TRY(process->backend->thread_state(process, &thread_handle->ref, &found, &wait));
	*state = found;
	if (wait_id) /* may be NULL */
		*wait_id = wait;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_state_asleep(ompd_thread_handle_t *thread_handle, const ompd_address_t *word, ompd_word_t *state)
{
	ompd_word_t found;

	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(thread_handle, HANDLE_THREAD);
	if (!word || !state)
		return ompd_rc_bad_input;
	struct process *process = thread_handle->base.process;

	if (!process->backend->thread_state_asleep)
		return ompd_rc_unsupported;
	RC_TRY(process->backend->thread_state_asleep(process, &thread_handle->ref, word->address, &found));
	*state = found;
	return ompd_rc_ok;
}
