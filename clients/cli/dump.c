/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Creates the file, lets a worker of its own fill it, and renames it when it is complete. */
#include "dump.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <json-c/json.h>

#include "base/path.h"
#include "format.h"
#include "interrupt.h"
#include "output.h"

/* A stop that suffices for one or two GB. */
#define DEFAULT_MAX_STOP_MS 1000

/* Return the name of the file; the caller frees it. */
static char *create_file_name(const struct args *args)
{
	struct buf t = {0};

	if (args->output)
		return text_strdup(args->output);
	text_printf(&t, "core.%ld", args->pid);
	return text_take(&t);
}

static struct error *open_file(struct output *o, const struct args *args, const char *path)
{
	/* The kernel's cores have such names: only a name that the user has typed replaces a file. */
	if (!args->output && !access(path, F_OK))
		return failure_create(ERR_OUTPUT, "cannot_write",
				      "-o FILE names another file, or this one to replace it",
				      "cannot write %s: it exists", path);
	struct error *f = output_open(o, path);
	return f ? f : output_begin(o);
}

static struct error *open_worker(struct conversation *s, int file)
{
	if (spawn_open_worker(&s->rpc.conn, file))
		return NULL;
	return failure_create(ERR_CONNECT, "cannot_start", "install ompdd completely: ompdctl and ompdd-worker",
			      "cannot start ompdd-worker, which is not beside ompdctl");
}

/* Let the worker write the core. The duration depends on the size of the process: only ^C ends it. */
static struct error *write_core(struct conversation *s, struct json_object **ret)
{
	struct json_object *params = json_object_new_object();
	const char *target = json_read_string(json_read_member(s->info, "target"));

	json_object_object_add(params, "target", json_object_new_string(target ? target : ""));
	int id = rpc_request(&s->rpc, "target.dump", params);
	s->rpc.conn.deadline_ms = INT64_MAX;
	struct error *f = rpc_wait(&s->rpc, id, ret);
	rpc_restart(&s->rpc);
	return f;
}

static void add_bytes(struct buf *out, int64_t n)
{
	static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
	double value = (double)n;
	size_t i = 0;

	for (; value >= 1000 && i < sizeof(units) / sizeof(*units) - 1; i++)
		value /= 1000;
	text_printf(out, "%.*f %s", i && value < 10, value, units[i]);
}

static int64_t number(struct json_object *result, const char *key)
{
	return json_read_int(json_read_member(result, key), 0);
}

/* Append "core.4711: 1.2 MB of a.out (pid 4711), 4 threads; it was stopped for 3.1 ms", and what the reader must know.
 */
static void report_core(struct conversation *s, struct json_object *result, const char *path, const struct style *style,
			struct buf *out)
{
	const char *exe = json_read_string(json_read_member(s->info, "exe"));

	text_add_safe(out, path, style->utf8);
	text_add(out, ": ");
	add_bytes(out, number(result, "copied_bytes"));
	text_add(out, " of ");
	text_add_safe(out, exe ? path_file_name(exe) : "the program", style->utf8);
	int64_t n_threads = number(result, "n_threads");

	text_printf(out, " (pid %lld), %lld thread%s; it was stopped for ", (long long)number(result, "pid"),
		    (long long)n_threads, n_threads == 1 ? "" : "s");
	format_duration(out, style, number(result, "stopped_us"));
	text_add(out, "\n");
	if (number(result, "late_bytes")) {
		text_add(out, "its threads ran while ");
		add_bytes(out, number(result, "late_bytes"));
		text_add(out, " of that were copied: they may be of different moments (--max-stop-ms)\n");
	}
	if (number(result, "unreadable_bytes")) {
		add_bytes(out, number(result, "unreadable_bytes"));
		text_add(out, " could not be read; they are zero in the file\n");
	}
	text_add(out, "ompdctl --core ");
	text_add_safe(out, path, style->utf8);
	text_add(out, " why examines it\n");
}

static struct error *show_core(struct conversation *s, struct json_object *result, const char *path,
			       const struct style *style, follow_write *write)
{
	struct buf out = {0};
	int gone = 0;

	if (s->args->json) {
		json_object_object_add(result, "file", json_object_new_string(path));
		format_json(&out, result, s->args->pretty);
	} else {
		report_core(s, result, path, style, &out);
	}
	struct error *f = write(out.data, out.len, &gone);
	buf_deinit(&out);
	return f;
}

struct error *dump_into(const struct args *args, const struct connection *signals, long pid, int file)
{
	struct args own = *args;
	struct conversation s;

	own.command = COMMAND_DUMP;
	own.pid = pid;
	own.mode = NULL;
	if (!own.max_stop_ms)
		own.max_stop_ms = DEFAULT_MAX_STOP_MS;
	conversation_init(&s, &own);
	struct error *f = open_worker(&s, file);
	s.rpc.conn.interrupted = signals->interrupted;
	s.rpc.conn.waiting_mask = signals->waiting_mask;
	if (!f)
		f = conversation_attach(&s);
	if (!f)
		f = write_core(&s, NULL);
	conversation_deinit(&s);
	return f;
}

struct error *dump(struct conversation *s, const struct style *style, follow_write *write)
{
	const struct args *given = s->args;
	struct args args = *given;
	struct connection *c = &s->rpc.conn;
	struct output o = {.stream = -1, .folder = -1};
	struct json_object *result = NULL;
	char *path = create_file_name(&args);

	if (!args.max_stop_ms)
		args.max_stop_ms = DEFAULT_MAX_STOP_MS;
	s->args = &args;
	/* From now on a signal only ends the waiting: the file must be removed first. */
	interrupt_catch(c);
	struct error *f = open_file(&o, &args, path);
	if (!f)
		f = open_worker(s, o.fd);
	if (!f)
		f = conversation_attach(s);
	if (!f)
		f = write_core(s, &result);
	if (!f)
		f = output_place(&o);
	if (!f)
		f = show_core(s, result, path, style, write);
	json_object_put(result);
	output_close(&o);
	free(path);
	/* The worker sees the end of the connection, and lets the process run at once. */
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	interrupt_release(c);
	s->args = given;
	return f;
}
