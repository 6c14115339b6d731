/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Starting the broker, its loop, and the worker's side of its requests. */
#include "target/sandbox/broker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory_limit.h"
#include "target/sandbox/broker_protocol.h"
#include "target/sandbox/sandbox.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#define FD_SOCKET 3

/* Space for the descriptors of one message. */
union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(BROKER_MAX_FDS * sizeof(int))];
};

static int to_broker = -1; /* -1: no broker */

/* Messages */

static bool send_with(int sock, const void *data, size_t len, const int *fds, size_t n_fds)
{
	union control control = {.header = {0}};
	struct iovec part = {(void *)data, len};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};

	if (n_fds) {
		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		struct cmsghdr *c = CMSG_FIRSTHDR(&m);
		*c = (struct cmsghdr){CMSG_LEN(n_fds * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
		memcpy(CMSG_DATA(c), fds, n_fds * sizeof(int));
	}
	ssize_t n;
	do
		n = sendmsg(sock, &m, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)len;
}

/* Return the length of a message, 0 at the end. @fds: its descriptors, -1 for missing ones. */
static size_t receive_with(int sock, void *data, size_t len, int fds[BROKER_MAX_FDS])
{
	union control control;
	struct iovec part = {data, len};
	struct msghdr m = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	ssize_t n;

	do
		n = recvmsg(sock, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	memset(fds, 0xff, BROKER_MAX_FDS * sizeof(int));
	if (n <= 0)
		return 0;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
			memcpy(fds, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
	}
	return (size_t)n;
}

static void close_all(int fds[BROKER_MAX_FDS])
{
	for (int i = 0; i < BROKER_MAX_FDS; i++)
		cleanup_close(&fds[i]);
}

/* The process */

/* Serve one request. Return false if the worker has exited. */
static bool answer_request(struct broker *b)
{
	struct broker_request r;
	struct broker_reply reply;
	int given[BROKER_MAX_FDS], fds[BROKER_MAX_FDS];
	size_t n = receive_with(FD_SOCKET, &r, sizeof(r), given), n_fds = 0;

	if (!n)
		return false;
	/* A request that is too short is invalid. */
	if (n < BROKER_REQUEST_LEN(0)) {
		r.op = 0;
		n = BROKER_REQUEST_LEN(0);
	}
	broker_serve(b, &r, n - BROKER_REQUEST_LEN(0), given[0], &reply, fds);
	while (n_fds < BROKER_MAX_FDS && fds[n_fds] >= 0)
		n_fds++;
	bool sent = send_with(FD_SOCKET, &reply, sizeof(reply), fds, n_fds);
	close_all(given);
	close_all(fds);
	return sent;
}

static void __attribute__((noreturn)) run_broker(struct broker *b, int signals)
{
	struct pollfd fds[] = {{.fd = FD_SOCKET, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
	struct signalfd_siginfo info;

	for (;;) {
		poll(fds, 2, -1);
		if (fds[1].revents && read(signals, &info, sizeof(info)) > 0) {
			while (waitpid(-1, NULL, WNOHANG) > 0)
				b->n_tracers--;
		}
		if (fds[0].revents && !answer_request(b))
			_exit(0);
	}
}

/* Only the socket and standard error stay open: the peers of other descriptors wait for their end. */
static void __attribute__((noreturn)) become_broker(const struct broker_rights *rights, int sock)
{
	struct broker b = {.rights = *rights, .is_apart = true, .pidfd = -1};

	prctl(PR_SET_NAME, "ompdd-broker");
	memory_limit_lift();
	if (dup2(sock, FD_SOCKET) < 0)
		_exit(1);
#ifdef SYS_close_range
	if (syscall(SYS_close_range, FD_SOCKET + 1, ~0u, 0))
#endif
	{
		for (int fd = FD_SOCKET + 1; fd < 1024; fd++)
			close(fd);
	}
	fcntl(FD_SOCKET, F_SETFD, FD_CLOEXEC);
	/* Signals to the process group concern the worker; we exit after it. */
	sigset_t set;
	sigfillset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	int signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (rights->pid > 0)
		b.pidfd = (int)syscall(SYS_pidfd_open, rights->pid, 0);
	sandbox_confine_broker();
	run_broker(&b, signals);
}

struct error *broker_start(const struct broker_rights *rights)
{
	int pair[2];

	if (to_broker >= 0)
		return NULL;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return error_create_errno(errno, "socketpair");
	pid_t pid = fork();
	if (pid == 0)
		become_broker(rights, pair[1]);
	int errnum = errno;
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return error_create_errno(errnum, "fork");
	}
	to_broker = pair[0];
	return NULL;
}

void broker_end(void)
{
	cleanup_close(&to_broker);
	to_broker = -1;
}

/* Requests */

/* Send a request and set errno from the reply; @fds are the reply's. */
static bool send_request(const struct broker_request *r, size_t n_bytes, int fd, struct broker_reply *reply,
			 int fds[BROKER_MAX_FDS])
{
	static struct broker here = {.pidfd = -1};

	if (to_broker < 0) {
		broker_serve(&here, r, n_bytes, fd, reply, fds);
	} else if (!send_with(to_broker, r, BROKER_REQUEST_LEN(n_bytes), &fd, fd >= 0) ||
		   receive_with(to_broker, reply, sizeof(*reply), fds) != sizeof(*reply)) {
		*reply = (struct broker_reply){.error = EPIPE, .text = "the worker's broker has ended"};
		memset(fds, 0xff, BROKER_MAX_FDS * sizeof(int));
	}
	reply->text[sizeof(reply->text) - 1] = '\0';
	if (reply->error)
		close_all(fds);
	errno = reply->error;
	return !reply->error;
}

/* For requests that return one descriptor. */
static int request_fd(const struct broker_request *r, size_t n_bytes, int fd)
{
	struct broker_reply reply;
	int fds[BROKER_MAX_FDS];

	return send_request(r, n_bytes, fd, &reply, fds) ? fds[0] : -1;
}

int broker_open_in_root(int dirfd, const char *path)
{
	struct broker_request r = {.op = BROKER_OPEN};
	size_t len = strlen(path) + 1;

	if (len > sizeof(r.bytes)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(r.bytes, path, len);
	return request_fd(&r, len, dirfd);
}

int broker_create_file(char *dir, size_t size)
{
	struct broker_request r = {.op = BROKER_FILE};
	struct broker_reply reply;
	int fds[BROKER_MAX_FDS];
	bool done = send_request(&r, 0, -1, &reply, fds);

	snprintf(dir, size, "%s", reply.text);
	return done ? fds[0] : -1;
}

int broker_create_memory(size_t size)
{
	struct broker_request r = {.op = BROKER_MEMORY, .value = size};

	return request_fd(&r, 0, -1);
}

int broker_open_perf(pid_t tid, unsigned period_us)
{
	struct broker_request r = {.op = BROKER_PERF, .id = tid, .value = period_us};

	return request_fd(&r, 0, -1);
}

struct error *broker_start_tracer(pid_t pid, struct tracer_ends *ret)
{
	struct broker_request r = {.op = BROKER_TRACER, .id = pid};
	struct broker_reply reply;
	int fds[BROKER_MAX_FDS];

	if (!send_request(&r, 0, -1, &reply, fds))
		return error_create(ERR_TRACER_FAILED, "%s", reply.text[0] ? reply.text : strerror(reply.error));
	*ret = (struct tracer_ends){reply.pid, fds[0], fds[1]};
	return NULL;
}

bool broker_restore(pid_t pid, uint64_t address, const void *bytes, size_t len)
{
	struct broker_request r = {.op = BROKER_RESTORE, .id = pid, .value = address};
	struct broker_reply reply;
	int fds[BROKER_MAX_FDS];

	memcpy(r.bytes, bytes, len);
	return send_request(&r, len, -1, &reply, fds);
}

void broker_user_name(uid_t uid, char *name, size_t size)
{
	struct broker_request r = {.op = BROKER_USER, .id = (int32_t)uid};
	struct broker_reply reply;
	int fds[BROKER_MAX_FDS];

	snprintf(name, size, "%s", send_request(&r, 0, -1, &reply, fds) ? reply.text : "");
}
