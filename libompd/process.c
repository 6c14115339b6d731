/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One target process, shared by its handles. */
#include "process.h"

#include "callbacks.h"

static const struct backend *const backends[] = {&backend_omprt, &backend_gomp, &backend_libomp};

/* Let @backend look for its runtime. */
static ompd_rc_t open_backend(struct process *process, const struct backend *backend)
{
	RC_TRY(cb_alloc(backend->data_size, &process->data));
	ompd_rc_t rc = backend->open(process->context, process->data);

	process->backend = backend;
	if (rc != ompd_rc_ok)
		cb_free(process->data);
	return rc;
}

ompd_rc_t process_create(ompd_address_space_context_t *context, struct process **ret)
{
	ompd_rc_t rc = ompd_rc_unsupported;
	void *memory;

	RC_TRY(cb_check_device(context));
	RC_TRY(cb_alloc(sizeof(struct process), &memory));
	struct process *process = memory;

	process->refs = 1;
	process->context = context;
	for (size_t i = 0; i < sizeof(backends) / sizeof(backends[0]) && rc == ompd_rc_unsupported; i++)
		rc = open_backend(process, backends[i]);
	if (rc == ompd_rc_ok) {
		*ret = process;
		return ompd_rc_ok;
	}
	cb_free(process);
	if (rc != ompd_rc_unsupported)
		return rc;
	cb_print("libompd: cannot read the process: it has no known OpenMP runtime (no libgomp, no libomp)\n");
	return ompd_rc_unavailable;
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
