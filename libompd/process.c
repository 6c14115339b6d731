/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One target process, shared by its handles. */
#include "process.h"

#include "callbacks.h"

static const struct backend *const backends[] = {&backend_omprt, &backend_gomp, &backend_libomp};

ompd_rc_t process_create(ompd_address_space_context_t *context, struct process **ret)
{
	ompd_rc_t rc = ompd_rc_unsupported;
	void *memory;

	RC_TRY(cb_check_device(context));
	RC_TRY(cb_alloc(sizeof(struct process), &memory));
	struct process *process = memory;

	process->refs = 1;
	process->context = context;
	for (size_t i = 0; i < sizeof(backends) / sizeof(backends[0]); i++) {
		rc = backends[i]->open(context, &process->data);
		if (rc == ompd_rc_unsupported)
			continue;
		process->backend = backends[i];
		break;
	}
	if (rc != ompd_rc_ok) {
		if (rc == ompd_rc_unsupported)
			cb_print("libompd: cannot read the process: it has no known OpenMP runtime "
				 "(no libgomp, no libomp)\n");
		cb_free(process);
		return rc == ompd_rc_unsupported ? ompd_rc_unavailable : rc;
	}
	*ret = process;
	return ompd_rc_ok;
}

struct process *process_ref(struct process *process)
{
	process->refs++;
	return process;
}

void process_unref(struct process *process)
{
	if (--process->refs)
		return;
	cb_free(process->data);
	cb_free(process);
}
