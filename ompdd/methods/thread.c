/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* thread.*: the threads of the target. */
#include <string.h>

#include "methods/json/json.h"
#include "methods/state.h"
#include "methods_worker.h"
#include "rpc/literal.h"
#include "target/target.h"
#include "worker/worker.h"

struct error *handle_thread_list(struct worker *w, const struct thread_list_params *p, struct json_object **ret)
{
	return state_answer(w, SNAPSHOT_STATES, STACKS_NONE, (unsigned)p->sample_ms, ret);
}

struct error *handle_thread_registers(struct worker *w, const struct thread_registers_params *p,
				      struct json_object **ret)
{
	struct target_registers registers = {.known = TARGET_ALL_REGISTERS};
	bool taken = false;
	struct error *err = worker_need_target(w);

	if (err)
		return err;
	if (p->n_registers != arch->n_registers)
		return error_create(
			ERR_INVALID_PARAMS,
			"registers: this processor has %d registers, by DWARF number and with the program counter",
			arch->n_registers);
	for (size_t i = 0; i < p->n_registers; i++) {
		if (!literal_parse_hex(p->registers[i], &registers.value[i]))
			return error_create(ERR_INVALID_PARAMS, "registers[%zu] is not a hexadecimal number of 64 bits",
					    i);
	}
	err = target_report_registers(w->target, (pid_t)p->thread, &registers, &taken);
	if (err)
		return err;
	struct json_object *o = json_result(w);
	if (!o)
		return &error_nomem;
	json_put(o, "taken", json_object_new_boolean(taken));
	*ret = o;
	return NULL;
}
