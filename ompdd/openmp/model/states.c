/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names thread states. OMPT's states are built in: some libraries do not enumerate all that they use. */
#include "openmp/model/states.h"

#include <ctype.h>
#include <string.h>

#include <omp-tools.h>

#include "base/log.h"
#include "openmp/plugin/callbacks.h"
#include "openmp/plugin/ompd.h"

static const struct {
	int value;
	const char *name;
} known[] = {
#define S(name)                                                                                                        \
	{                                                                                                              \
		name, #name                                                                                            \
	}
	S(ompt_state_work_serial),
	S(ompt_state_work_parallel),
	S(ompt_state_work_reduction),
	S(ompt_state_work_free_agent),
	S(ompt_state_work_induction),
	S(ompt_state_wait_barrier),
	S(ompt_state_wait_barrier_implicit_parallel),
	S(ompt_state_wait_barrier_implicit_workshare),
	S(ompt_state_wait_barrier_implicit),
	S(ompt_state_wait_barrier_explicit),
	S(ompt_state_wait_barrier_implementation),
	S(ompt_state_wait_barrier_teams),
	S(ompt_state_wait_taskwait),
	S(ompt_state_wait_taskgroup),
	S(ompt_state_wait_mutex),
	S(ompt_state_wait_lock),
	S(ompt_state_wait_critical),
	S(ompt_state_wait_atomic),
	S(ompt_state_wait_ordered),
	S(ompt_state_wait_target),
	S(ompt_state_wait_target_map),
	S(ompt_state_wait_target_update),
	S(ompt_state_idle),
	S(ompt_state_overhead),
	S(ompt_state_undefined),
#undef S
};

const char *states_name(const struct state_table *table, int64_t value)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].value == value)
			return known[i].name;
	for (size_t i = 0; table && i < table->n; i++)
		if (table->states[i].value == value)
			return table->states[i].name;
	return NULL;
}

/* Whether @name is an identifier, as the protocol requires. */
static bool is_identifier(const char *name, size_t len)
{
	if (len == 0 || isdigit((unsigned char)name[0]))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isascii(name[i]) || (!isalnum((unsigned char)name[i]) && name[i] != '_'))
			return false;
	return true;
}

struct error *states_enumerate(struct plugin *p, struct _ompd_aspace_handle *handle, struct state_table *ret)
{
	ompd_word_t current = ompt_state_undefined, more = 1;

	ret->n = 0;
	for (size_t i = 0; more; i++) {
		if (i == STATES_MAX)
			return ompd_misbehaved("ompd_enumerate_states", "does not end");
		ompd_word_t next = 0;
		const char *name = NULL;

		more = 0;
		int rc = plugin_call(p, enumerate_states, handle, current, &next, &name, &more);

		if (rc != ompd_rc_ok) {
			log_info("plugin: ompd_enumerate_states returned %s", error_ompd_rc_name(rc));
			return NULL;
		}
		guard_in_plugin = 1;
		size_t len = callbacks_strlen(name, STATES_MAX_NAME);

		if (len != SIZE_MAX && is_identifier(name, len) && !states_name(NULL, next)) {
			memcpy(ret->states[ret->n].name, name, len);
			ret->states[ret->n].name[len] = '\0';
			ret->states[ret->n++].value = next;
		}
		guard_in_plugin = 0;
		callbacks_free(name);
		if (len == SIZE_MAX)
			return ompd_misbehaved("ompd_enumerate_states", "returned a state without a name");
		current = next;
	}
	return NULL;
}
