/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Starts a worker for each visit: between visits, nothing holds the process. */
#include "watch/visit.h"

#include <json-c/json.h>

#include "base/path.h"
#include "rpc/json_read.h"
#include "text.h"

struct error *visit_begin(struct visit *v, const struct args *args, const struct connection *signals, pid_t pid,
			  const char *mode)
{
	v->args = *args;
	v->args.command = COMMAND_TREE;
	v->args.pid = pid;
	v->args.mode = mode;
	/* An observed process is never stopped, so it has no maximum length of a stop. */
	if (mode && *mode == 'o')
		v->args.max_stop_ms = 0;
	conversation_init(&v->s, &v->args);
	struct error *f = conversation_open_alone(&v->s);
	v->s.rpc.conn.interrupted = signals->interrupted;
	v->s.rpc.conn.waiting_mask = signals->waiting_mask;
	return f ? f : conversation_attach(&v->s);
}

struct error *visit_call(struct visit *v, const char *method, struct json_object *params, struct json_object **ret)
{
	struct json_object *all = params ? params : json_object_new_object();

	json_object_object_add(all, "target", json_object_get(json_read_member(v->s.info, "target")));
	return conversation_call(&v->s, method, all, ret);
}

char *visit_create_program_name(const struct visit *v)
{
	const char *exe = json_read_string(json_read_member(v->s.info, "exe"));
	struct buf t = {0};

	text_add_safe(&t, exe ? path_file_name(exe) : "program", 1);
	return text_take(&t);
}

void visit_end(struct visit *v)
{
	conversation_deinit(&v->s);
}
