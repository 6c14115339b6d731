/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The control variables of stock libgomp as they took effect: what the environment made of the
 * process-wide ICVs. A member of backend_gomp.
 */
#include "callbacks.h"
#include "gomp.h"
#include "strbuf.h"

struct control_variable {
	const char *name;
	enum icv_kind icv;
};

/* Those whose ICV libgomp keeps, in the order of omp_display_env. */
static const struct control_variable variables[] = {
    {"OMP_DYNAMIC", ICV_DYN},
    {"OMP_NUM_THREADS", ICV_NTHREADS},
    {"OMP_SCHEDULE", ICV_RUN_SCHED},
    {"OMP_PROC_BIND", ICV_BIND},
    {"OMP_STACKSIZE", ICV_STACKSIZE},
    {"OMP_WAIT_POLICY", ICV_WAIT_POLICY},
    {"OMP_THREAD_LIMIT", ICV_THREAD_LIMIT},
    {"OMP_MAX_ACTIVE_LEVELS", ICV_MAX_ACTIVE_LEVELS},
    {"OMP_NUM_TEAMS", ICV_NTEAMS},
    {"OMP_TEAMS_THREAD_LIMIT", ICV_TEAMS_THREAD_LIMIT},
    {"OMP_CANCELLATION", ICV_CANCEL},
    {"OMP_DEFAULT_DEVICE", ICV_DEFAULT_DEVICE},
    {"OMP_MAX_TASK_PRIORITY", ICV_MAX_TASK_PRIORITY},
    {"OMP_DISPLAY_AFFINITY", ICV_DISPLAY_AFFINITY},
    {"OMP_AFFINITY_FORMAT", ICV_AFFINITY_FORMAT},
    {"OMP_TARGET_OFFLOAD", ICV_TARGET_OFFLOAD},
};

ompd_rc_t gomp_display_control_vars(const struct process *process, struct strbuf *text)
{
	/* The initial task without a record has the ICVs as the environment left them. */
	const struct task_ref initial = {0};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		struct strbuf line = {0};
		struct icv_value value = {.text = &line};
		ompd_rc_t rc = gomp_icv(process, variables[i].icv, NULL, NULL, &initial, &value);

		if (rc == ompd_rc_ok && line.rc == ompd_rc_ok && !value.no_text) {
			strbuf_printf(text, "%s=", variables[i].name);
			if (line.data)
				strbuf_append(text, line.data, line.length);
			else
				strbuf_printf(text, "%lld", (long long)value.number);
			strbuf_append(text, "", 1);
		}
		strbuf_deinit(&line);
		if (rc == ompd_rc_nomem)
			return rc;
	}
	return text->rc;
}
