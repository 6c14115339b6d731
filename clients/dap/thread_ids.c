/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The thread ids of the native adapter. */
#include "thread_ids.h"

#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "message.h"

#define COMMAND                                                                                                        \
	"python import json; print('OMPDD ' + json.dumps([[t.global_num, t.ptid[1]] for t in "                         \
	"gdb.selected_inferior().threads()]))"

static int64_t get_member(struct json_object *pair, size_t i)
{
	return json_object_is_type(pair, json_type_array) ? json_read_int(json_object_array_get_idx(pair, i), -1) : -1;
}

/* Return the other number of the pair whose number @from is @value. */
static int64_t find_id(const struct thread_ids *t, size_t from, int64_t value)
{
	if (t->adapter->process.kind != NATIVE_GDB)
		return adapter_is_lldb(t->adapter) ? value : -1;
	for (size_t i = 0; i < dap_message_length(t->pairs); i++) {
		struct json_object *pair = json_object_array_get_idx(t->pairs, i);

		if (get_member(pair, from) == value)
			return get_member(pair, 1 - from);
	}
	return -1;
}

int64_t thread_ids_tid(const struct thread_ids *t, int64_t id)
{
	return find_id(t, 0, id);
}

int64_t thread_ids_native(const struct thread_ids *t, int64_t tid)
{
	return find_id(t, 1, tid);
}

bool thread_ids_are_pending(const struct thread_ids *t)
{
	return t->n_requested > 0;
}

static void on_ids(void *arg, struct json_object *request, struct json_object *response)
{
	struct thread_ids *t = arg;
	const char *text = adapter_printed(response), *at = text ? strstr(text, "OMPDD [") : NULL;

	(void)request;
	t->n_requested--;
	if (at) {
		json_object_put(t->pairs);
		t->pairs = json_tokener_parse(at + strlen("OMPDD "));
	}
	if (!t->n_requested)
		t->known(t->arg);
}

void thread_ids_request(struct thread_ids *t)
{
	thread_ids_deinit(t);
	if (t->adapter->process.kind != NATIVE_GDB)
		return;
	t->n_requested++;
	adapter_evaluate(t->adapter, COMMAND, on_ids, t);
}

void thread_ids_deinit(struct thread_ids *t)
{
	json_object_put(t->pairs);
	t->pairs = NULL;
}
