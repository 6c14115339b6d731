/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OMPD routines for threads and their states (5.2, 20.5.5, 20.5.8; ompd-more.h). */
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

ompd_rc_t ompd_get_thread_in_parallel(ompd_parallel_handle_t *parallel_handle, int thread_num,
				      ompd_thread_handle_t **thread_handle)
{
	struct thread_ref thread;

	RC_TRY(handle_require(parallel_handle, HANDLE_PARALLEL));
	if (thread_num < 0 || !thread_handle)
		return ompd_rc_bad_input;
	struct process *process = parallel_handle->base.process;

	RC_TRY(process->backend->region_thread(process, &parallel_handle->ref, (uint32_t)thread_num, &thread));
	return handle_create_thread(process, &thread, thread_handle);
}

ompd_rc_t ompd_get_thread_handle(ompd_address_space_handle_t *handle, ompd_thread_id_t kind,
				 ompd_size_t sizeof_thread_id, const void *thread_id,
				 ompd_thread_handle_t **thread_handle)
{
	struct thread_ref thread;

	RC_TRY(handle_require(handle, HANDLE_ADDRESS_SPACE));
	if (!thread_id || !thread_handle)
		return ompd_rc_bad_input;
	struct process *process = handle->base.process;

	RC_TRY(process->backend->thread_find(process, kind, sizeof_thread_id, thread_id, &thread));
	return handle_create_thread(process, &thread, thread_handle);
}

ompd_rc_t ompd_use_target_frame(ompd_address_space_handle_t *handle, ompd_thread_id_t kind,
				ompd_size_t sizeof_thread_id, const void *thread_id, ompd_addr_t frame,
				const uint64_t *words, ompd_word_t num_words, ompd_word_t is_target)
{
	RC_TRY(handle_require(handle, HANDLE_ADDRESS_SPACE));
	if (!thread_id || !frame || !words || num_words < 0)
		return ompd_rc_bad_input;
	struct process *process = handle->base.process;

	if (!process->backend->target_frame)
		return ompd_rc_unsupported;
	return process->backend->target_frame(process, kind, sizeof_thread_id, thread_id,
					      &(struct target_frame){frame, words, (size_t)num_words, is_target != 0});
}

ompd_rc_t ompd_use_thread(ompd_address_space_handle_t *handle, ompd_thread_id_t kind, ompd_size_t sizeof_thread_id,
			  const void *thread_id)
{
	RC_TRY(handle_require(handle, HANDLE_ADDRESS_SPACE));
	if (!thread_id)
		return ompd_rc_bad_input;
	struct process *process = handle->base.process;

	if (!process->backend->thread_use)
		return ompd_rc_unsupported;
	return process->backend->thread_use(process, kind, sizeof_thread_id, thread_id);
}

ompd_rc_t ompd_rel_thread_handle(ompd_thread_handle_t *thread_handle)
{
	return handle_release(thread_handle, HANDLE_THREAD);
}

ompd_rc_t ompd_thread_handle_compare(ompd_thread_handle_t *thread_handle_1, ompd_thread_handle_t *thread_handle_2,
				     int *cmp_value)
{
	RC_TRY(handle_require(thread_handle_1, HANDLE_THREAD));
	RC_TRY(handle_require(thread_handle_2, HANDLE_THREAD));
	if (!cmp_value || thread_handle_1->base.process->context != thread_handle_2->base.process->context)
		return ompd_rc_bad_input;
	*cmp_value = handle_compare_addresses(thread_handle_1->ref.thread, thread_handle_2->ref.thread);
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_thread_id(ompd_thread_handle_t *thread_handle, ompd_thread_id_t kind, ompd_size_t sizeof_thread_id,
			     void *thread_id)
{
	RC_TRY(handle_require(thread_handle, HANDLE_THREAD));
	if (!thread_id)
		return ompd_rc_bad_input;
	struct process *process = thread_handle->base.process;

	return process->backend->thread_id(process, &thread_handle->ref, kind, sizeof_thread_id, thread_id);
}

ompd_rc_t ompd_get_device_from_thread(ompd_thread_handle_t *thread_handle, ompd_address_space_handle_t **device)
{
	RC_TRY(handle_require(thread_handle, HANDLE_THREAD));
	if (!device)
		return ompd_rc_bad_input;
	return handle_create_address_space(thread_handle->base.process, device);
}

ompd_rc_t ompd_enumerate_states(ompd_address_space_handle_t *address_space_handle, ompd_word_t current_state,
				ompd_word_t *next_state, const char **next_state_name, ompd_word_t *more_enums)
{
	size_t next = 0;

	RC_TRY(handle_require(address_space_handle, HANDLE_ADDRESS_SPACE));
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

	RC_TRY(handle_require(thread_handle, HANDLE_THREAD));
	if (!state)
		return ompd_rc_bad_input;
	struct process *process = thread_handle->base.process;

	RC_TRY(process->backend->thread_state(process, &thread_handle->ref, &found, &wait));
	*state = found;
	if (wait_id) /* may be NULL */
		*wait_id = wait;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_thread_progress(ompd_thread_handle_t *thread_handle, uint64_t *progress)
{
	uint64_t found;

	RC_TRY(handle_require(thread_handle, HANDLE_THREAD));
	if (!progress)
		return ompd_rc_bad_input;
	struct process *process = thread_handle->base.process;

	if (!process->backend->thread_progress)
		return ompd_rc_unsupported;
	RC_TRY(process->backend->thread_progress(process, &thread_handle->ref, &found));
	*progress = found;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_state_asleep(ompd_thread_handle_t *thread_handle, const ompd_address_t *word, ompd_word_t *state)
{
	ompd_word_t found;

	RC_TRY(handle_require(thread_handle, HANDLE_THREAD));
	if (!word || !state)
		return ompd_rc_bad_input;
	struct process *process = thread_handle->base.process;

	if (!process->backend->thread_state_asleep)
		return ompd_rc_unsupported;
	RC_TRY(process->backend->thread_state_asleep(process, &thread_handle->ref, word->address, &found));
	*state = found;
	return ompd_rc_ok;
}
