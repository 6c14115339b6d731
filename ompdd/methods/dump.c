/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* target.dump: write a core of the target to the file that this worker got at its start. */
#include "target/dump/dump.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>

#include "base/cpu_budget.h"
#include "methods/json/json.h"
#include "methods_worker.h"
#include "worker/worker.h"

/*
 * Return false when the client has closed the connection: nothing reads the answer. A pipe or file with requests may
 * end earlier.
 */
static bool is_heard(void *context)
{
	const struct worker *w = context;
	struct pollfd fd = {.fd = w->in, .events = POLLRDHUP};

	return poll(&fd, 1, 0) <= 0 || !(fd.revents & POLLRDHUP);
}

static struct error *check_file(const struct worker *w)
{
	struct stat st;

	if (!w->dump_fd)
		return error_hint(
			error_create(ERR_DUMP_FAILED, "this ompdd has no file for a core"),
			"run `ompdctl dump PID` on the machine of the process: it starts a worker with a file");
	if (fstat(w->dump_fd, &st) || !S_ISREG(st.st_mode) || (fcntl(w->dump_fd, F_GETFL) & O_ACCMODE) == O_RDONLY)
		return error_create(ERR_DUMP_FAILED, "--dump-fd %d is not a regular file that is open for writing",
				    w->dump_fd);
	return NULL;
}

static struct json_object *bytes_json(uint64_t n)
{
	return json_object_new_int64((int64_t)n);
}

/* Write the core. A file size limit is an error instead of a fatal signal. */
static struct error *write_core(struct worker *w, struct dump_result *ret)
{
	const struct dump_request request = {.fd = w->dump_fd, .goes_on = is_heard, .context = w};
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction before;

	/* The limits of requests are for the target's files; here the target's memory determines the time. */
	cpu_budget_begin(0);
	sigaction(SIGXFSZ, &ignore, &before);
	struct error *err = dump_write(w->target, &request, ret);
	sigaction(SIGXFSZ, &before, NULL);
	return err;
}

struct error *handle_target_dump(struct worker *w, const struct target_dump_params *p, struct json_object **ret)
{
	struct dump_result dump;
	struct error *err = worker_need_target(w);

	(void)p;
	if (!err)
		err = worker_check_holder(w);
	if (!err)
		err = check_file(w);
	if (!err)
		err = write_core(w, &dump);
	if (err)
		return err;
	struct json_object *o = json_result(w);
	if (!o)
		return &error_nomem;
	json_put(o, "consistency", json_object_new_string(dump.late ? "racy" : "stopped"));
	json_put(o, "stopped_us", json_object_new_int64(dump.stopped_us));
	json_put(o, "n_threads", json_object_new_int64((int64_t)dump.n_threads));
	json_put(o, "n_mappings", json_object_new_int64((int64_t)dump.n_mappings));
	json_put(o, "file_bytes", bytes_json(dump.size));
	json_put(o, "copied_bytes", bytes_json(dump.copied));
	json_put(o, "late_bytes", bytes_json(dump.late));
	json_put(o, "unreadable_bytes", bytes_json(dump.unreadable));
	json_put(o, "left_out_bytes", bytes_json(dump.left_out));
	*ret = o;
	return NULL;
}
