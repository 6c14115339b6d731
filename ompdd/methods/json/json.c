/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shared pieces of results. */
#include "methods/json/json.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include <omp-tools.h>

#include "openmp/model/walk/location.h"
#include "openmp/runtimes/constructs.h"
#include "rpc/json_write.h"
#include "worker/worker.h"

/* The limit of integers that every JSON reader keeps exactly. */
#define MAX_EXACT ((int64_t)1 << 53)

struct json_object *json_hex(uint64_t value)
{
	static const char digits[] = "0123456789abcdef";
	char text[19], *p = text + sizeof(text);
	size_t len = 0;

	do {
		*--p = digits[value & 15];
		value >>= 4;
		len++;
	} while (value);
	*--p = 'x';
	*--p = '0';
	return json_object_new_string_len(p, (int)len + 2);
}

struct json_object *json_function(const char *symbol)
{
	return json_text(demangle_or_same(symbol));
}

struct json_object *json_variable(const char *symbol)
{
	const char *middle = strstr(symbol, "_MOD_");
	char name[JSON_MAX_SYMBOL];

	if (strncmp(symbol, "__", 2) || !middle || middle < symbol + 3 || !middle[5])
		return json_function(symbol);
	snprintf(name, sizeof(name), "%.*s::%s", (int)(middle - symbol - 2), symbol + 2, middle + 5);
	return json_text(name);
}

struct json_object *json_variable_name(const char *symbol, uint64_t offset)
{
	size_t len = 0;
	const char *critical = construct_critical_name(symbol, &len);
	char name[DEMANGLE_SIZE + 24];

	if (critical && !len)
		return NULL;
	if (critical) {
		snprintf(name, sizeof(name), "%.*s", (int)len, critical);
		return json_text(name);
	}
	struct json_object *variable = json_variable(symbol);
	if (!offset)
		return variable;
	snprintf(name, sizeof(name), "%s+0x%llx", json_object_get_string(variable), (unsigned long long)offset);
	json_object_put(variable);
	return json_text(name);
}

struct json_object *json_word(int64_t value)
{
	if (value > -MAX_EXACT && value < MAX_EXACT)
		return json_object_new_int64(value);
	return json_hex((uint64_t)value);
}

struct json_object *json_number_or_hex(uint64_t value)
{
	return value < (uint64_t)MAX_EXACT ? json_object_new_int64((int64_t)value) : json_hex(value);
}

struct json_object *json_address(const ompd_address_t *address)
{
	struct json_object *o = json_object_new_object();

	json_put(o, "segment", json_hex(address->segment));
	json_put(o, "address", json_hex(address->address));
	return o;
}

struct json_object *json_frame(const ompd_frame_info_t *frame)
{
	struct json_object *o = json_object_new_object();

	json_put(o, "frame_address", json_address(&frame->frame_address));
	json_put(o, "frame_flag", json_object_new_int64(frame->frame_flag));
	return o;
}

struct json_object *json_rc(int rc)
{
	struct json_object *o = json_object_new_object();

	json_put(o, "rc", json_object_new_string(error_ompd_rc_name(rc)));
	return o;
}

struct json_object *json_reason(const struct error *err)
{
	/* 1: ompd_rc_unavailable */
	struct json_object *o = json_rc(err && err->code == ERR_OMPD ? err->ompd_rc : 1);

	if (!err)
		return o;
	if (err->code != ERR_OMPD)
		json_put(o, "name", json_object_new_string(error_name(err)));
	json_put(o, "message", json_text(err->message));
	if (*error_hint_text(err))
		json_put(o, "hint", json_text(error_hint_text(err)));
	return o;
}

struct json_object *json_location(const struct snapshot_location *location)
{
	struct json_object *o = json_object_new_object();

	json_put(o, "file", json_text(location->file));
	json_put(o, "line", json_object_new_int(location->line));
	if (location->column > 0)
		json_put(o, "column", json_object_new_int(location->column));
	json_put(o, "function", json_function(location->function));
	return o;
}

struct json_object *json_line(const char *file, int line)
{
	if (!file)
		return json_rc(ompd_rc_unavailable);
	struct json_object *o = json_object_new_object();

	json_put(o, "file", json_text(file));
	json_put(o, "line", json_object_new_int(line > 0 ? line : 0));
	return o;
}

struct json_object *json_result(struct worker *w)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	json_put(o, "target", json_object_new_string(w->target_id));
	json_put(o, "pid", json_object_new_int(target_pid(w->target)));
	return o;
}

struct json_object *json_exit(const struct worker *w)
{
	int status = (int)w->exit_status;
	char text[32];

	if (w->exit_status < 0)
		return NULL;
	struct json_object *o = json_object_new_object();
	if (WIFEXITED(status)) {
		json_put(o, "status", json_object_new_int(WEXITSTATUS(status)));
		return o;
	}
	const char *name = sigabbrev_np(WTERMSIG(status));
	json_put(o, "signal", json_object_new_int(WTERMSIG(status)));
	if (name) {
		snprintf(text, sizeof(text), "SIG%s", name);
		json_put(o, "signal_name", json_object_new_string(text));
	}
	json_put(o, "core_dumped", json_object_new_boolean(WCOREDUMP(status) != 0));
	return o;
}

static const char *consistency_name(enum view_consistency consistency)
{
	switch (consistency) {
	case VIEW_STOPPED:
		return "stopped";
	case VIEW_PROVEN:
		return "proven";
	case VIEW_RACY:
		return "racy";
	case VIEW_CORE:
		break;
	}
	return "core";
}

void json_put_view(struct json_object *o, const struct view *view)
{
	json_put(o, "epoch", json_object_new_int64((int64_t)view->epoch));
	json_put(o, "consistency", json_object_new_string(consistency_name(view->consistency)));
	json_put(o, "stopped_us", json_object_new_int64(view->stopped_us));
}
