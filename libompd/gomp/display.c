/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The control variables of stock libgomp as they took effect: what the environment made of the
 * process-wide ICVs. A member of backend_gomp.
 */
#include "gomp/gomp.h"
#include "icv_value.h"

ompd_rc_t gomp_display_control_vars(const struct process *process, struct strbuf *text)
{
	/* The initial task without a record has the ICVs as the environment left them. */
	const struct task_ref initial = {0};

	return icv_control_vars(process, &backend_gomp, &initial, text);
}
