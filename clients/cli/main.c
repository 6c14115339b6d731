/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ompdctl: ask ompdd, on a terminal. Connects or starts a private daemon, asks, prints. */
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "args.h"
#include "follow.h"
#include "format.h"
#include "info.h"
#include "session.h"
#include "snapshot.h"
#include "stacks.h"

static struct style find_style(const struct args *args)
{
	struct style style = {.verbose = args->verbose, .all = args->all};
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
	int terminal = isatty(STDOUT_FILENO);
	struct winsize size;

	style.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	style.colour = args->colour == COLOUR_ALWAYS ||
		       (args->colour == COLOUR_AUTO && terminal && !(no_colour && *no_colour) &&
			!(term && !strcmp(term, "dumb")));
	if (terminal)
		style.width =
			ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col ? 80 : size.ws_col;
	return style;
}

static void show_view(const struct session *s, const struct style *style, struct text *out)
{
	struct snapshot snapshot;

	snapshot_init(&snapshot, s->result, s->info);
	snapshot_head(&snapshot, style, out);
	switch ((int)s->args->command) {
	case COMMAND_THREADS:
		threads_show(&snapshot, style, out);
		break;
	case COMMAND_TASKS:
		tasks_show(&snapshot, style, out);
		break;
	case COMMAND_ICVS:
		icvs_show(&snapshot, style, out);
		break;
	case COMMAND_SNAPSHOT:
		tree_show(&snapshot, style, out);
		icvs_show(&snapshot, style, out);
		break;
	default:
		tree_show(&snapshot, style, out);
		break;
	}
	snapshot_foot(&snapshot, style, out);
	snapshot_deinit(&snapshot);
}

static void show(const struct session *s, const struct style *style, struct text *out)
{
	if (s->args->json || s->args->command == COMMAND_CALL) {
		format_json(out, s->result, s->args->pretty);
		return;
	}
	switch ((int)s->args->command) {
	case COMMAND_BT:
		stacks_show(s->result, s->info, style, out);
		break;
	case COMMAND_INFO:
		info_show(s->result, style, out);
		break;
	case COMMAND_TARGETS:
		targets_show(s->result, style, out);
		break;
	case COMMAND_ATTACH:
		attached_show(s->result, style, out);
		break;
	case COMMAND_DETACH:
		detached_show(s->result, style, out);
		break;
	case COMMAND_LAUNCH:
		launched_show(s->result, style, out);
		break;
	case COMMAND_KILL:
		killed_show(s->result, style, out);
		break;
	default:
		show_view(s, style, out);
		break;
	}
}

/* Write it all. A reader that has seen enough (head, less) is no error: *@gone_ret is 1 then. */
static struct failure *write_out(const char *data, size_t len, int *gone_ret)
{
	while (len) {
		ssize_t n = write(STDOUT_FILENO, data, len);

		if (n >= 0) {
			data += n;
			len -= (size_t)n;
		} else if (errno == EPIPE) {
			*gone_ret = 1;
			return NULL;
		} else if (errno == EAGAIN) {
			/* Somebody who shares it with us has made it non-blocking. */
			poll(&(struct pollfd){.fd = STDOUT_FILENO, .events = POLLOUT}, 1, -1);
		} else if (errno != EINTR) {
			return failure_create(EXIT_CONNECT, "cannot_write", NULL,
					      "cannot write the output: %m");
		}
	}
	return NULL;
}

static struct failure *run(const struct args *args, const struct style *style)
{
	struct text out = {0};
	struct session s;
	struct failure *f;
	int gone = 0;

	if (args->command == COMMAND_HELP)
		return write_out(args_help, strlen(args_help), &gone);
	if (args->command == COMMAND_VERSION)
		return write_out("ompdctl " OMPDD_VERSION "\n",
				 strlen("ompdctl " OMPDD_VERSION "\n"), &gone);
	session_init(&s, args);
	if (args->command == COMMAND_EVENTS || args->command == COMMAND_BREAK) {
		f = follow(&s, style, write_out);
		session_deinit(&s);
		return f;
	}
	f = session_ask(&s);
	if (!f) {
		show(&s, style, &out);
		f = write_out(out.data ? out.data : "", out.len, &gone);
	}
	text_deinit(&out);
	session_deinit(&s);
	return f;
}

/* A closed stdin, stdout or stderr must not become a socket's number. */
static void open_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	struct args args = {0};
	struct style style = {0};
	struct failure *f;
	int code = EXIT_OK;

	open_standard_files();
	signal(SIGPIPE, SIG_IGN);
	setlocale(LC_CTYPE, "");
	f = args_parse(argc, argv, &args);
	if (!f) {
		style = find_style(&args);
		f = run(&args, &style);
	}
	if (f) {
		code = f->code;
		failure_print(f, stderr, args.json, !strcmp(nl_langinfo(CODESET), "UTF-8"));
	}
	failure_destroy(f);
	return code;
}
