/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Starts a program through a tracer, explains failures, and kills the program. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/log.h"
#include "target/control.h"
#include "target/process/process.h"
#include "target/stop/stopper.h"
#include "target/trace/tracer_protocol.h"

static struct error *add_strings(struct buf *out, const char *const *strings, uint32_t *n_ret)
{
	struct error *err = NULL;

	for (*n_ret = 0; !err && strings[*n_ret]; ++*n_ret)
		err = buf_append(out, strings[*n_ret], strlen(strings[*n_ret]) + 1);
	return err;
}

static struct error *add_all(const struct target_launch *what, struct tracer_launch *head, struct buf *text)
{
	const char *const rest[] = {
		what->cwd ? what->cwd : "",
		what->files[0] ? what->files[0] : "",
		what->files[1] ? what->files[1] : "",
		what->files[2] ? what->files[2] : "",
		NULL,
	};
	uint32_t n;
	struct error *err = add_strings(text, what->argv, &head->argc);

	if (!err)
		err = add_strings(text, what->env ? what->env : (const char *const *)environ, &head->envc);
	if (!err)
		err = add_strings(text, rest, &n);
	if (!err && text->len > TRACER_MAX_LAUNCH)
		err = error_create(ERR_LIMIT_EXCEEDED,
				   "the program's arguments and environment have %zu bytes, "
				   "more than %u",
				   text->len, TRACER_MAX_LAUNCH);
	return err;
}

/* Create a memory file that describes the launch: struct tracer_launch and the strings. */
static struct error *make_block(const struct target_launch *what, int *fd_ret)
{
	struct tracer_launch head = {
		.version = TRACER_PROTOCOL_VERSION,
		.core_soft = what->core.rlim_cur,
		.core_hard = what->core.rlim_max,
	};
	struct buf text = {0};
	struct error *err = add_all(what, &head, &text);

	if (err) {
		buf_deinit(&text);
		return err;
	}
	head.strings_len = (uint32_t)text.len;
	_cleanup_close_ int fd = memfd_create("ompdd-launch", MFD_CLOEXEC);
	bool written = fd >= 0 && write(fd, &head, sizeof(head)) == (ssize_t)sizeof(head) &&
		       write(fd, buf_head(&text), text.len) == (ssize_t)text.len;
	int errnum = errno;
	buf_deinit(&text);
	if (!written)
		return error_create_errno(errnum, "write the launch block");
	*fd_ret = fd;
	fd = -1;
	return NULL;
}

/* Explain why a file cannot be executed; NULL: errno is enough. */
static const char *explain_program(const struct target_launch *what, int errnum)
{
	const char *program = what->argv[0];
	char path[2 * PATH_MAX];
	struct stat st;

	if (errnum == E2BIG)
		return "its arguments and environment exceed the kernel's limit";
	if (!strchr(program, '/'))
		return errnum == ENOENT ? "it is in no folder of PATH" : NULL;
	snprintf(path, sizeof(path), "%s%s%s", *program == '/' || !what->cwd ? "" : what->cwd,
		 *program == '/' || !what->cwd ? "" : "/", program);
	if (stat(path, &st))
		return NULL;
	if (errnum == ENOENT)
		return "the file exists, but its interpreter (of #!, or the dynamic loader) does not";
	if (errnum == ENOEXEC)
		return "it is not a program for this machine";
	if (errnum != EACCES)
		return NULL;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? "it is a folder" : "it is not a regular file";
	return st.st_mode & 0111 ? NULL : "it is not executable";
}

static struct error *error_launch(const struct target_launch *what, const struct stopper_launch *m)
{
	static const char folder[] = "give the absolute path of an existing folder";
	static const char file[] = "give the absolute path of a file that can be opened, or omit it";
	const struct {
		const char *step, *verb, *path, *hint; /* NULL: the error's own hint */
	} stages[] = {
		[TRACER_STAGE_READ] = {"internal", "read the launch block", NULL},
		[TRACER_STAGE_FORK] = {"fork", "fork", NULL},
		[TRACER_STAGE_TRACE] = {"trace", "trace the new process", NULL},
		[TRACER_STAGE_DIRECTORY] = {"cwd", "change to the folder", what->cwd, folder},
		[TRACER_STAGE_STDIN] = {"stdin", "open the file for standard input", what->files[0], file},
		[TRACER_STAGE_STDOUT] = {"stdout", "open the file for standard output", what->files[1], file},
		[TRACER_STAGE_STDERR] = {"stderr", "open the file for standard error", what->files[2], file},
		[TRACER_STAGE_EXEC] = {"exec", "execute", what->argv[0]},
	};
	size_t i = m->stage < sizeof(stages) / sizeof(stages[0]) ? m->stage : TRACER_STAGE_READ;
	const char *path = stages[i].path ? stages[i].path : "";
	const char *why = i == TRACER_STAGE_EXEC ? explain_program(what, m->error) : NULL;

	if (i >= TRACER_STAGE_STDOUT && i <= TRACER_STAGE_STDERR && m->error == ENXIO)
		why = "no process reads from it";
	struct error *err = error_create(ERR_LAUNCH_FAILED, "cannot %s%s%s: %s%s%s", stages[i].verb, *path ? " " : "",
					 path, strerror(m->error), why ? ": " : "", why ? why : "");
	error_detail(err, "step", "%s", stages[i].step);
	if (stages[i].hint)
		error_hint(err, "%s", stages[i].hint);
	return *path ? error_detail(err, "path", "%s", path) : err;
}

struct error *target_launch(const struct target_launch *what, unsigned max_stop_ms, struct target **ret)
{
	struct stopper *stopper = NULL;
	struct stopper_launch launched;
	_cleanup_close_ int fd = -1;

	struct error *err = make_block(what, &fd);
	if (!err)
		err = stopper_create(max_stop_ms, &stopper);
	if (!err)
		err = stopper_launch(stopper, fd, &launched);
	if (!err && launched.error)
		err = error_launch(what, &launched);
	if (!err)
		return process_adopt(launched.pid, stopper, max_stop_ms, ret);
	stopper_destroy(stopper);
	return err;
}

bool target_is_launched(const struct target *t)
{
	return t->ops == &process_ops && t->stopper && stopper_has_launched(t->stopper);
}

void target_keep(struct target *t, bool keep)
{
	struct error *err = target_is_launched(t) ? stopper_keep(t->stopper, keep) : NULL;

	if (err)
		log_err(LOG_WARN, err, "launch");
	error_destroy(err);
}

struct error *target_kill(struct target *t)
{
	if (!target_is_launched(t))
		return error_create(ERR_NOT_LAUNCHED, "process %d was not started by ompdd", t->pid);
	return stopper_kill(t->stopper);
}
