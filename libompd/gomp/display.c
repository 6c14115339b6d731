/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The control variables of stock libgomp as the environment set the process-wide ICVs; a member of
 * backend_gomp.
 */
#include "gomp/gomp.h"
#include "icv_value.h"

ompd_rc_t gomp_display_control_vars(const struct process *process, struct strbuf *text)
{
	/* An initial task without a record has the ICVs of the environment. */
	const struct task_ref initial = {0};

	return icv_control_vars(process, &backend_gomp, &initial, text);
}
