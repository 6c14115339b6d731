/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program ompdctl: connects to a daemon or starts a private one, sends the request, prints the result. */
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
#include "cluster.h"
#include "draw.h"
#include "dump.h"
#include "family.h"
#include "follow.h"
#include "follow_children.h"
#include "format.h"
#include "help.h"
#include "hints.h"
#include "info.h"
#include "page.h"
#include "process_choice.h"
#include "ps.h"
#include "record.h"
#include "slow.h"
#include "conversation.h"
#include "timeout.h"
#include "top.h"
#include "watch/watch.h"

/* Return the style for output to @fd. */
static struct style find_style(const struct args *args, int fd)
{
	struct style style = {
		.verbose = args->verbose, .all = args->all, .columns = args->columns, .no_headers = args->no_headers};
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
	int terminal = isatty(fd);
	struct winsize size;

	style.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	style.colour =
		args->colour == COLOUR_ALWAYS || (args->colour == COLOUR_AUTO && terminal &&
						  !(no_colour && *no_colour) && !(term && !strcmp(term, "dumb")));
	if (terminal)
		style.width = ioctl(fd, TIOCGWINSZ, &size) || !size.ws_col ? 80 : size.ws_col;
	return style;
}

static void show_result(const struct conversation *s, const struct style *style, struct buf *out)
{
	if (s->args->json || s->args->command == COMMAND_CALL) {
		format_json(out, s->result, s->args->pretty);
		return;
	}
	switch ((int)s->args->command) {
	case COMMAND_INFO:
		info_show(s->result, style, out);
		break;
	case COMMAND_TARGETS:
		targets_show(s->result, style, out);
		break;
	case COMMAND_PS:
		ps_show(s->result, style, out);
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
		draw_view(s->result, style, out);
		if (s->n_execs && s->args->command == COMMAND_WHY)
			text_add(out, "the process replaced its program (exec) meanwhile; this is the last one that "
				      "was seen\n");
		break;
	}
}

/* Write all @len bytes. A reader that has exited (head, less) is not an error: then *@gone_ret is 1. */
static struct error *write_out(const char *data, size_t len, int *gone_ret)
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
			/* Another process has made the shared output non-blocking: wait until it takes more. */
			poll(&(struct pollfd){.fd = STDOUT_FILENO, .events = POLLOUT}, 1, -1);
		} else if (errno != EINTR) {
			return failure_create(ERR_OUTPUT, "cannot_write", NULL, "cannot write the output: %m");
		}
	}
	return NULL;
}

/* Send one request about one process, core or target, or about none, and print the result. */
static struct error *run_command(const struct args *args, const struct style *style, int *gone_ret)
{
	struct buf out = {0};
	struct conversation s;
	struct error *f;

	conversation_init(&s, args);
	if (args->command == COMMAND_EVENTS || args_command_controls(args->command)) {
		f = follow(&s, style, write_out);
		conversation_deinit(&s);
		return f;
	}
	if (args->command == COMMAND_DUMP) {
		f = dump(&s, style, write_out);
		conversation_deinit(&s);
		return f;
	}
	if (args->command == COMMAND_WHY && args->slow) {
		f = slow_show(&s, style, write_out);
		conversation_deinit(&s);
		return f;
	}
	f = conversation_ask(&s);
	/* The columns of a view are known to the service only. */
	if (f && f->name && args->columns && !strcmp(f->name, "invalid_params"))
		f->code = ERR_USAGE;
	if (!f) {
		show_result(&s, style, &out);
		f = write_out(out.data ? out.data : "", out.len, gone_ret);
	}
	buf_deinit(&out);
	conversation_deinit(&s);
	return f;
}

/* Print a failure. Its hint uses the terms of the command line, except for `call`, whose users write JSON. */
static void print_failure(struct error *f, const struct args *args)
{
	if (f->answer && f->hint && args->command != COMMAND_CALL) {
		char *hint = hints_translate(f->hint, args_is_private(args), args->target != NULL);

		error_hint(f, "%s", hint);
		free(hint);
	}
	failure_print(f, stderr, args->json, !strcmp(nl_langinfo(CODESET), "UTF-8"));
}

/* Serve the processes one after the other. A failure does not stop the loop; returns the first one. */
static struct error *run_for_processes(struct args *args, const struct processes *processes, const struct style *style)
{
	struct error *first = NULL;
	int gone = 0;

	for (size_t i = 0; i < processes->n && !gone; i++) {
		struct error *f = NULL;

		args->pid = processes->pids[i];
		if (i && !args->json)
			f = write_out("\n", 1, &gone);
		if (!f)
			f = run_command(args, style, &gone);
		if (f && first) {
			print_failure(f, args);
			error_destroy(f);
		} else if (f) {
			first = f;
		}
	}
	return first;
}

static struct error *show_help(const struct args *args)
{
	struct buf out = {0};
	struct error *f = NULL;
	int gone = 0;

	if (args->command == COMMAND_VERSION)
		text_add(&out, "ompdctl " OMPDD_VERSION "\n");
	else if (args->command == COMMAND_COMPLETION && !completion_show(args->topic, &out))
		f = failure_usage(NULL, "completion needs bash, zsh or fish, not '%s'", args->topic);
	else if (args->command == COMMAND_HELP && args->topic)
		help_show_topic(args->topic, &out);
	else if (args->command == COMMAND_HELP)
		help_show(&out);
	if (!f)
		f = write_out(out.data, out.len, &gone);
	buf_deinit(&out);
	return f;
}

static struct error *dispatch_command(struct args *args, const struct style *style)
{
	struct processes processes = {0};
	struct error *f = NULL;
	int gone = 0;

	if (args->command >= COMMAND_COMPLETION)
		return show_help(args);
	if (args->command == COMMAND_PAGE && !OMPDD_WEB)
		return failure_create(ERR_USAGE, "no_page", "in a terminal, use ompdctl top and ompdctl why",
				      "this ompdctl was built without the page (-DOMPDD_WEB=OFF)");
	if (args->command == COMMAND_RECORD)
		f = record_check(args);
	if (args->columns && args->command == COMMAND_PS)
		f = ps_check_columns(args->columns);
	if (!f)
		f = process_choice_find(args, style, &processes);
	if (f)
		return f;
	if (args->command == COMMAND_RECORD)
		return record(args, &processes, style, write_out);
	if (args->command == COMMAND_TOP)
		return top_once(args, &processes, style, write_out);
	if (args->children && args->command == COMMAND_BREAK)
		return follow_children(args, &processes, style, write_out);
	if (args->children)
		f = family_choose(args, &processes);
	if (f)
		return f;
	if (args->command == COMMAND_PAGE)
		return page_run(args, &processes, write_out);
	if (args->command == COMMAND_WATCH)
		return watch_run(args, &processes, style, write_out);
	return processes.n ? run_for_processes(args, &processes, style) : run_command(args, style, &gone);
}

/* Open missing standard files: a closed stdin, stdout or stderr must not become a socket's number. */
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
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction pipe_before;
	struct error *f;
	int code = EXIT_OK;
	/* An option's mistake is found before the command is known, and getopt has reordered argv by then. */
	int is_limit = argc > 1 && !strcmp(argv[1], "timeout");

	open_standard_files();
	sigaction(SIGPIPE, &ignore, &pipe_before);
	setlocale(LC_CTYPE, "");
	f = cluster_is_requested(argc, argv) ? cluster_run(argv) : args_parse(argc, argv, &args);
	if (!f) {
		is_limit = args.command == COMMAND_TIMEOUT;

		style = find_style(&args, is_limit ? STDERR_FILENO : STDOUT_FILENO);
		if (args.command == COMMAND_TOP && !args.once)
			f = top_live(argv);
		else
			f = is_limit ? timeout_run(&args, &style, &pipe_before, &code)
				     : dispatch_command(&args, &style);
	}
	if (f) {
		code = is_limit || args.command == COMMAND_TIMEOUT ? TIMEOUT_EXIT_FAILED : failure_exit_code(f);
		print_failure(f, &args);
	}
	error_destroy(f);
	return code;
}
