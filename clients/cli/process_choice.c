/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the processes that a command line names, or the only OpenMP process of the user. */
#include "process_choice.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include <json-c/json.h>

#include "conversation.h"
#include "ps.h"
#include "rpc/json_read.h"

/* Times between two searches for a process: without one of the name, and while one has no OpenMP runtime yet. */
#define ABSENT_POLL_MS	5
#define PRESENT_POLL_MS 20

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

struct error *process_choice_list(const struct args *args, const char *user, const char *name,
				  const struct connection *signals, struct json_object **ret)
{
	struct args list = *args;
	struct conversation s;

	list.command = COMMAND_PS;
	list.user = user;
	list.pid = 0;
	list.waits = 0;
	list.filters[0] = name;
	conversation_init(&s, &list);
	if (signals) {
		s.rpc.conn.interrupted = signals->interrupted;
		s.rpc.conn.waiting_mask = signals->waiting_mask;
	}
	struct error *f = conversation_ask(&s);
	*ret = json_object_get(s.result);
	conversation_deinit(&s);
	return f;
}

struct error *process_choice_list_own(const struct args *args, const char *name, const struct connection *signals,
				      struct json_object **ret)
{
	char user[24];

	snprintf(user, sizeof(user), "%u", geteuid());
	return process_choice_list(args, user, name, signals, ret);
}

static void add_listed(struct json_object *list, struct processes *ret)
{
	struct json_object *processes = json_read_member(list, "processes");

	for (size_t i = 0; i < json_read_length(processes) && ret->n < PROCESSES_MAX; i++) {
		struct json_object *pid = json_read_member(json_object_array_get_idx(processes, i), "pid");

		ret->pids[ret->n++] = (long)json_read_int(pid, 0);
	}
}

static struct error *find_only_process(const struct args *args, const struct style *style, struct processes *ret)
{
	struct json_object *list;
	struct error *f = process_choice_list_own(args, NULL, NULL, &list);

	if (!f)
		add_listed(list, ret);
	if (!f && ret->n != 1)
		f = refuse(args, style, list, ret->n);
	json_object_put(list);
	return f;
}

/* Wait until processes of the name have loaded an OpenMP runtime. */
static struct error *await_processes(const struct args *args, const char *name, struct processes *ret)
{
	struct error *f = NULL;

	while (!f && !ret->n) {
		struct json_object *list = NULL;
		struct processes named = {.n = 0};

		/* Most of the time no process has the name, and that is quick to find out. */
		f = processes_find("/proc", name, &named);
		if (error_catch(&f, ERR_ANSWER)) {
			poll(NULL, 0, ABSENT_POLL_MS);
			continue;
		}
		if (!f)
			f = process_choice_list_own(args, name, NULL, &list);
		if (!f)
			add_listed(list, ret);
		json_object_put(list);
		if (!f && !ret->n)
			poll(NULL, 0, PRESENT_POLL_MS);
	}
	return f;
}

struct error *process_choice_find(const struct args *args, const struct style *style, struct processes *ret)
{
	struct error *f = NULL;

	if (args->waits)
		f = await_processes(args, args->processes[0], ret);
	for (size_t i = 0; i < args->n_processes && !args->waits && !f; i++)
		f = processes_find("/proc", args->processes[i], ret);
	if (!f && args_chooses_process(args))
		f = find_only_process(args, style, ret);
	if (!f && ret->n > 1 && !args_command_takes_several(args->command))
		f = failure_usage("give a process id: ps lists them",
				  "%zu processes have the name %s, and %s accepts one", ret->n, args->processes[0],
				  command_row(args->command)->name);
	return f;
}
