/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program that ompdd starts for the client: its arguments and its output. */
#ifndef OMPDD_DAP_LAUNCHED_PROGRAM_H
#define OMPDD_DAP_LAUNCHED_PROGRAM_H

#include "client.h"

struct launched_program {
	struct dap_client *client;
	struct watch output;
	int output_write; /* the end that the program opens; -1 */
};

void launched_program_init(struct launched_program *p, struct dap_client *client);
/* Return the parameters of target.launch for the client's `launch`; NULL: @request is refused. The caller owns them. */
struct json_object *launched_program_params(struct launched_program *p, struct json_object *request);
/* Note that the program has started, and so opened its output. */
void launched_program_started(struct launched_program *p);
void launched_program_close(struct launched_program *p);

#endif
