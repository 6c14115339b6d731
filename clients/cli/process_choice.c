/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the processes that a command line names, or the only OpenMP process of the user. */
#include "process_choice.h"

#include <stdio.h>
#include <unistd.h>

#include <json-c/json.h>

#include "conversation.h"
#include "ps.h"
#include "rpc/json_read.h"

/* Fail because the user has @n processes, which is not one. */
static struct error *refuse(const struct args *args, const struct style *style, struct json_object *list, size_t n)
{
	const char *command = command_row(args->command)->name;
	struct buf text = {0};
	struct error *f;

	if (n && !args->json) {
		ps_show(list, style, &text);
		fputs(text.data, stderr);
		buf_deinit(&text);
	}
	text_printf(&text, "ompdctl %s PID", command);
	if (!n)
		text_add(&text, " examines a process, --core FILE a core; ompdctl ps lists processes of all users");
	if (n)
		f = failure_usage(text.data, "no process given, and %zu OpenMP processes are yours", n);
	else
		f = failure_usage(text.data, "no process given, and no OpenMP process is yours");
	buf_deinit(&text);
	return f;
}

static struct error *find_only_process(const struct args *args, const struct style *style, struct processes *ret)
{
	struct args list = *args;
	struct conversation s;
	char user[24];

	snprintf(user, sizeof(user), "%u", geteuid());
	list.command = COMMAND_PS;
	list.user = user;
	conversation_init(&s, &list);
	struct error *f = conversation_ask(&s);
	struct json_object *processes = json_read_member(s.result, "processes");
	size_t n = json_object_is_type(processes, json_type_array) ? json_object_array_length(processes) : 0;

	if (!f && n != 1)
		f = refuse(args, style, s.result, n);
	if (!f) {
		struct json_object *pid = json_read_member(json_object_array_get_idx(processes, 0), "pid");

		*ret = (struct processes){.pids = {json_read_int(pid, 0)}, .n = 1};
	}
	conversation_deinit(&s);
	return f;
}

struct error *process_choice_find(const struct args *args, const struct style *style, struct processes *ret)
{
	struct error *f = NULL;

	for (size_t i = 0; i < args->n_processes && !f; i++)
		f = processes_find("/proc", args->processes[i], ret);
	if (!f && args_chooses_process(args))
		f = find_only_process(args, style, ret);
	if (!f && ret->n > 1 && !args_command_takes_several(args->command))
		f = failure_usage("give a process id: ps lists them",
				  "%zu processes have the name %s, and %s accepts one", ret->n, args->processes[0],
				  command_row(args->command)->name);
	return f;
}
