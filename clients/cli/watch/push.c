/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Starts ompdctl-push with the profile in memory as its standard input. */
#include "watch/push.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/spawn.h"
#include "text.h"
#include "watch/run.h"

/* Longer than the time limits of ompdctl-push. */
#define LIMIT_S	   90
#define MAX_ANSWER 4096

struct pusher {
	char *argv[6];
	int in, out;
};

static void become_pusher(const void *arg)
{
	const struct pusher *p = arg;

	setpgid(0, 0);
	if (dup2(p->in, STDIN_FILENO) >= 0 && dup2(p->out, STDOUT_FILENO) >= 0)
		execv(p->argv[0], p->argv);
}

struct error *push_check(const char *url)
{
	const char *host = !strncmp(url, "http://", 7) ? url + 7 : !strncmp(url, "https://", 8) ? url + 8 : NULL;
	const char *why = NULL;

	if (!host || !*host || *host == '/')
		why = "it needs an address such as http://localhost:4040";
	else if (memchr(host, '@', strcspn(host, "/?#")))
		why = "a password belongs into ~/.netrc";
	else if (strpbrk(host, "?#"))
		why = "it has parameters";
	return why ? failure_usage(NULL, "push=%s: %s", url, why) : NULL;
}

/* Write the data into a file in memory. Returns its descriptor, or -1 and errno. */
static int create_file(const char *data, size_t len)
{
	int fd = memfd_create("ompdctl-push", MFD_CLOEXEC);

	while (fd >= 0 && len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno != EINTR) {
			close(fd);
			return -1;
		}
		data += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

/* Return Pyroscope's name of the application: "solve{hostname=n1,pid=4711}". The caller frees it. */
static char *create_application_name(const struct push *p)
{
	char host[256] = "";
	struct buf t = {0};

	gethostname(host, sizeof(host) - 1);
	text_add(&t, p->program);
	for (size_t i = 0; i < t.len; i++) {
		if (!isalnum((unsigned char)t.data[i]) && !strchr("._-", t.data[i]))
			t.data[i] = '_';
	}
	text_printf(&t, "{hostname=%s,pid=%d}", host, p->pid);
	return text_take(&t);
}

static char *create_seconds(int64_t microseconds)
{
	struct buf t = {0};

	text_printf(&t, "%" PRId64, microseconds / 1000000);
	return text_take(&t);
}

/* Run the program, and return its failure. */
static struct error *run_pusher(const struct pusher *pusher, const struct connection *signals)
{
	const struct spawn s = {.path = pusher->argv[0], .code = ERR_CONNECT, .become = become_pusher, .arg = pusher};
	char text[MAX_ANSWER];
	pid_t pid;
	int status;

	struct error *f = spawn_program(&s, &pid);
	if (f)
		return f;
	if (!run_wait_end(pid, LIMIT_S, signals, &status))
		return failure_create(ERR_CONNECT, "timeout", NULL, "ompdctl-push was ended before its answer");
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return NULL;
	ssize_t n = pread(pusher->out, text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = 0;
	text[strcspn(text, "\n")] = 0;
	return failure_create(ERR_CONNECT, "not_accepted", NULL, "%s", *text ? text : "ompdctl-push failed");
}

struct error *push_send(const struct push *p, const struct connection *signals)
{
	struct pusher pusher = {.in = create_file(p->data, p->len), .out = create_file("", 0)};
	char *program = spawn_beside_us("ompdctl-push");
	struct error *f = NULL;

	if (!program)
		f = failure_create(ERR_CONNECT, "cannot_start", "build ompdd with libcurl",
				   "cannot find ompdctl-push beside ompdctl");
	else if (pusher.in < 0 || pusher.out < 0)
		f = failure_create(ERR_CONNECT, "cannot_start", NULL, "cannot create a file in memory: %m");
	if (!f) {
		pusher.argv[0] = program;
		pusher.argv[1] = (char *)p->url;
		pusher.argv[2] = create_application_name(p);
		pusher.argv[3] = create_seconds(p->begun_us);
		pusher.argv[4] = create_seconds(p->begun_us + p->elapsed_us);
		f = run_pusher(&pusher, signals);
	}
	for (int i = 2; i < 5; i++)
		free(pusher.argv[i]);
	if (pusher.in >= 0)
		close(pusher.in);
	if (pusher.out >= 0)
		close(pusher.out);
	free(program);
	return f;
}
