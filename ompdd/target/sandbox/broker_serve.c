/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The broker's requests: each is checked, then done. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "target/arch/arch.h"
#include "target/sandbox/broker_protocol.h"
#include "target/sandbox/perf_event.h"

/* The limit includes unpacked cores that turn out to be damaged. */
#define MAX_FILES 4
/* One in use, and others that are exiting. */
#define MAX_TRACERS 4
/* For OMPD libraries that are loaded from a copy. */
#define MAX_MEMORY ((size_t)256 << 20)
/* For samples of one thread; profile.start requests 1000 a second at most. */
#define MIN_PERIOD_US 250

static int open_in_root(const struct broker_request *r, size_t n_bytes, int fd, int *fd_ret)
{
	const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};

	if (fd < 0 || !memchr(r->bytes, '\0', n_bytes))
		return EINVAL;
	*fd_ret = (int)syscall(SYS_openat2, fd, r->bytes, &how, sizeof(how));
	return *fd_ret < 0 ? errno : 0;
}

static int create_file(struct broker *b, struct broker_reply *reply, int *fd_ret)
{
	const char *dir = getenv("TMPDIR");
	char name[PATH_MAX];

	if (b->is_apart && (!b->rights.creates_files || b->n_files == MAX_FILES))
		return EPERM;
	if (!dir || dir[0] != '/')
		dir = "/var/tmp";
	snprintf(reply->text, sizeof(reply->text), "%s", dir);
	*fd_ret = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	/* Some file systems do not support files without a name. */
	if (*fd_ret < 0 && snprintf(name, sizeof(name), "%s/ompdd-core-XXXXXX", dir) < (int)sizeof(name)) {
		*fd_ret = mkostemp(name, O_CLOEXEC);
		if (*fd_ret >= 0)
			unlink(name);
	}
	if (*fd_ret < 0)
		return errno;
	b->n_files++;
	return 0;
}

static int create_memory(struct broker *b, uint64_t size, int *fd_ret)
{
	if (b->is_apart && size > MAX_MEMORY - b->memory)
		return ENOMEM;
	_cleanup_close_ int fd = memfd_create("ompdd-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0 || ftruncate(fd, (off_t)size) || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return errno;
	b->memory += (size_t)size;
	*fd_ret = fd;
	fd = -1;
	return 0;
}

/* A process that has taken over the target's pid is not the target. */
static bool is_target(const struct broker *b, pid_t pid)
{
	struct pollfd fd = {.fd = b->pidfd, .events = POLLIN};

	return !b->is_apart || (b->rights.pid > 0 && pid == b->rights.pid && (b->pidfd < 0 || poll(&fd, 1, 0) == 0));
}

static int open_perf(const struct broker *b, const struct broker_request *r, int *fd_ret)
{
	if (b->is_apart && (r->value < MIN_PERIOD_US || r->value > UINT32_MAX || !is_target(b, b->rights.pid)))
		return EPERM;
	if (b->is_apart && syscall(SYS_tgkill, b->rights.pid, r->id, 0) && errno != EPERM)
		return errno;
	*fd_ret = perf_event_create(r->id, (unsigned)r->value);
	return *fd_ret < 0 ? errno : 0;
}

static int start_tracer(struct broker *b, pid_t pid, struct broker_reply *reply, int fds[BROKER_MAX_FDS])
{
	struct tracer_ends tracer;

	if (b->is_apart && !b->rights.traces)
		return EPERM;
	if (!is_target(b, pid))
		return ESRCH;
	if (b->is_apart && b->n_tracers == MAX_TRACERS)
		return EAGAIN;
	struct error *err = tracer_spawn(-1, pid, &tracer);
	if (err) {
		snprintf(reply->text, sizeof(reply->text), "%s", err->message);
		error_destroy(err);
		return ENOEXEC;
	}
	b->n_tracers++;
	reply->pid = tracer.pid;
	fds[0] = tracer.socket;
	fds[1] = tracer.board;
	return 0;
}

static int restore_code(const struct broker *b, const struct broker_request *r, size_t n_bytes)
{
	char path[64];

	if (b->is_apart && !b->rights.traces)
		return EPERM;
	if (!is_target(b, r->id))
		return ESRCH;
	if (n_bytes > ARCH_BREAKPOINT_BYTES)
		return EINVAL;
	snprintf(path, sizeof(path), "/proc/%d/mem", r->id);
	_cleanup_close_ int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return errno;
	return pwrite(fd, r->bytes, n_bytes, (off_t)r->value) == (ssize_t)n_bytes ? 0 : EIO;
}

static int name_user(uid_t uid, struct broker_reply *reply)
{
	const struct passwd *pw = getpwuid(uid);

	snprintf(reply->text, sizeof(reply->text), "%s", pw ? pw->pw_name : "");
	return 0;
}

static int serve_request(struct broker *b, const struct broker_request *r, size_t n_bytes, int fd,
			 struct broker_reply *reply, int fds[BROKER_MAX_FDS])
{
	switch ((enum broker_op)r->op) {
	case BROKER_OPEN:
		return open_in_root(r, n_bytes, fd, &fds[0]);
	case BROKER_FILE:
		return create_file(b, reply, &fds[0]);
	case BROKER_MEMORY:
		return create_memory(b, r->value, &fds[0]);
	case BROKER_PERF:
		return open_perf(b, r, &fds[0]);
	case BROKER_TRACER:
		return start_tracer(b, r->id, reply, fds);
	case BROKER_RESTORE:
		return restore_code(b, r, n_bytes);
	case BROKER_USER:
		return name_user((uid_t)r->id, reply);
	}
	return ENOSYS;
}

void broker_serve(struct broker *b, const struct broker_request *r, size_t n_bytes, int fd, struct broker_reply *reply,
		  int fds[BROKER_MAX_FDS])
{
	memset(reply, 0, sizeof(*reply));
	for (int i = 0; i < BROKER_MAX_FDS; i++)
		fds[i] = -1;
	reply->error = serve_request(b, r, n_bytes, fd, reply, fds);
}
