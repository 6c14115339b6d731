/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How often parallel regions were started (ompd-more.h). */
#include "callbacks.h"
#include "handles.h"
#include "ompd-more.h"

static ompd_rc_t copy_rows(const struct region_calls *calls, ompd_region_calls_t **ret)
{
	void *memory = NULL;

	if (calls->n)
		RC_TRY(cb_alloc(calls->n * sizeof(**ret), &memory));
	ompd_region_calls_t *rows = memory;
	for (size_t i = 0; i < calls->n; i++)
		rows[i] = (ompd_region_calls_t){
			.function = calls->rows[i].function,
			.level = calls->rows[i].level,
			.calls = calls->rows[i].calls,
		};
	*ret = rows;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_region_calls(ompd_address_space_handle_t *handle, ompd_region_calls_t **regions,
				ompd_word_t *num_regions)
{
	struct region_calls calls = {0};

	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(handle, HANDLE_ADDRESS_SPACE);
	if (!regions || !num_regions)
		return ompd_rc_bad_input;
	struct process *process = handle->base.process;

	if (!process->backend->region_calls)
		return ompd_rc_unsupported;
	ompd_rc_t rc = process->backend->region_calls(process, &calls);
	if (rc == ompd_rc_ok)
		rc = copy_rows(&calls, regions);
	if (rc == ompd_rc_ok)
		*num_regions = (ompd_word_t)calls.n;
	cb_free(calls.rows);
	return rc;
}
