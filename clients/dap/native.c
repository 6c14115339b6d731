/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finding, starting and ending the native adapter. */
#include "native.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <json-c/json.h>

#include "base/path.h"
#include "format.h"
#include "lldb_python.h"
#include "message.h"

#define LOG_KEPT 2048
/* Interval in milliseconds, and number, of the checks for its exit status after its last message. */
#define CHECK_MS   20
#define MAX_CHECKS 100
/* The same limit for the check whether a gdb speaks DAP: half a minute. */
#define GDB_MAX_CHECKS 1500

extern char **environ;

/* The versions of LLVM to look for, newest first: several may be installed. */
#define NEWEST_LLVM 30
#define OLDEST_LLVM 10

/* Return the path of a program, as the shell finds it; NULL: not installed. The caller frees it. */
static char *find_program(const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return access(name, X_OK) ? NULL : text_strdup(name);
	for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
		size_t len = strcspn(at, ":");
		struct buf t = {0};

		text_add_bytes(&t, at, len);
		text_printf(&t, "/%s", name);
		if (!access(t.data, X_OK))
			return text_take(&t);
		buf_deinit(&t);
		at += len + (at[len] == ':');
	}
	return NULL;
}

static bool is_installed(const char *name)
{
	char *path = find_program(name);

	free(path);
	return path != NULL;
}

/* Return whether this gdb speaks DAP, which is part of its Python code since version 14. */
static bool has_gdb_adapter(const char *path)
{
	char *argv[] = {(char *)path, (char *)"-nx", (char *)"-batch", (char *)"-ex", (char *)"python import gdb.dap",
			NULL};
	posix_spawn_file_actions_t actions;
	int status = -1;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	int code = posix_spawnp(&pid, path, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (code)
		return false;
	for (int n_checks = 0; n_checks < GDB_MAX_CHECKS; n_checks++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) && !WEXITSTATUS(status);
		poll(NULL, 0, CHECK_MS);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return false;
}

/* Return the first adapter that is installed; NULL: not found. native_open() checks whether a gdb speaks DAP. The
 * caller frees it. */
static char *find_adapter(void)
{
	static const char *const names[] = {"lldb-dap", "lldb-vscode"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (is_installed(names[i]))
			return text_strdup(names[i]);
		for (int version = NEWEST_LLVM; version >= OLDEST_LLVM; version--) {
			struct buf t = {0};

			text_printf(&t, "%s-%d", names[i], version);
			if (is_installed(t.data))
				return text_take(&t);
			buf_deinit(&t);
		}
	}
	return is_installed("gdb") ? text_strdup("gdb") : NULL;
}

bool native_is_installed(void)
{
	char *name = find_adapter();
	bool is_usable = name && (native_kind_of(name) != NATIVE_GDB || has_gdb_adapter(name));

	free(name);
	return is_usable;
}

enum native_kind native_kind_of(const char *path)
{
	const char *name = path_file_name(path);

	if (!strncmp(name, "lldb-", 5) || !strncmp(name, "codelldb", 8))
		return NATIVE_LLDB;
	return !strncmp(name, "gdb", 3) || strstr(name, "-gdb") ? NATIVE_GDB : NATIVE_OTHER;
}

/* Start the program with this environment. Returns an error number, or 0. */
static int spawn_program(struct native *n, char **argv, char **variables, const int in[2], const int out[2],
			 const int err[2])
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t defaults;

	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE); /* main() ignores it, and the program would inherit that */
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	int code = posix_spawnp(&n->pid, argv[0], &actions, &attributes, argv, variables);
	if (code)
		n->pid = 0;
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return code;
}

static int spawn_adapter(struct native *n, char **argv, const int in[2], const int out[2], const int err[2])
{
	char *path = native_kind_of(argv[0]) == NATIVE_LLDB ? find_program(argv[0]) : NULL, *variable = NULL;
	char **variables = path ? lldb_python_environment(path, &variable) : NULL;
	int code = spawn_program(n, argv, variables ? variables : environ, in, out, err);

	n->has_python_path = variables != NULL;
	free(variable);
	free(variables);
	free(path);
	return code;
}

static void read_messages(void *arg)
{
	struct native *n = arg;
	char chunk[4096];
	ssize_t len;

	while ((len = read(n->messages.fd, chunk, sizeof(chunk))) > 0) {
		text_add_bytes(&n->log, chunk, (size_t)len);
		if (n->log.len > 2 * LOG_KEPT) {
			memmove(n->log.data, n->log.data + n->log.len - LOG_KEPT, LOG_KEPT);
			n->log.len = LOG_KEPT;
		}
	}
	if (len < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	close(n->messages.fd);
	n->messages.fd = -1;
}

/* Return program and arguments of the requested adapter, ended by NULL. The caller frees the array and its strings. */
static char **create_argv(struct json_object *choice)
{
	size_t n = dap_message_length(choice), k = 0;
	const char *name = json_read_string(choice);
	char **argv = text_calloc(n + 5, sizeof(*argv));

	for (size_t i = 0; i < n; i++) {
		const char *word = json_read_string(json_object_array_get_idx(choice, i));

		argv[k++] = text_strdup(word ? word : "");
	}
	if (!n) {
		argv[0] = name ? text_strdup(name) : find_adapter();
		k = 1;
	}
	if (argv[0] && k == 1 && native_kind_of(argv[0]) == NATIVE_GDB) {
		argv[k++] = text_strdup("-i");
		argv[k++] = text_strdup("dap");
		/* Without its banner, which the client would show. */
		argv[k++] = text_strdup("-q");
	}
	return argv;
}

static void free_argv(char **argv)
{
	for (char **word = argv; *word; word++)
		free(*word);
	free(argv);
}

static bool create_pipes(int pipes[3][2])
{
	for (int i = 0; i < 3; i++) {
		if (!pipe2(pipes[i], O_CLOEXEC))
			continue;
		while (i-- > 0) {
			close(pipes[i][0]);
			close(pipes[i][1]);
		}
		return false;
	}
	return true;
}

bool native_open(struct native *n, struct loop *loop, struct json_object *choice, char **why_ret)
{
	int pipes[3][2];
	static const char other_way[] =
		"install lldb (lldb-dap, lldb-vscode) or gdb 14, name another one with \"nativeAdapter\", or use "
		"\"mode\": \"observe\" or \"stop\"";
	struct buf why = {0};
	char **argv = create_argv(choice);

	*n = (struct native){.loop = loop};
	if (!argv[0]) {
		text_printf(&why, "no native debug adapter is installed; %s", other_way);
	} else if (argv[1] && !strcmp(argv[1], "-i") && !has_gdb_adapter(argv[0])) {
		text_printf(&why, "%s has no debug adapter: that needs gdb 14 or newer, built with Python; %s", argv[0],
			    other_way);
	} else if (!create_pipes(pipes)) {
		text_printf(&why, "cannot start %s: %s", argv[0], strerror(errno));
	} else {
		int code = spawn_adapter(n, argv, pipes[0], pipes[1], pipes[2]);

		close(pipes[0][0]);
		close(pipes[1][1]);
		close(pipes[2][1]);
		if (code) {
			close(pipes[0][1]);
			close(pipes[1][0]);
			close(pipes[2][0]);
			text_printf(&why,
				    "cannot start the native adapter %s: %s; name another one with \"nativeAdapter\"",
				    argv[0], strerror(code));
		}
	}
	if (!why.len) {
		n->name = text_strdup(argv[0]);
		n->kind = native_kind_of(argv[0]);
		stream_open(&n->stream, loop, n->name, FRAMING_CONTENT_LENGTH, pipes[1][0], pipes[0][1]);
		fcntl(pipes[2][0], F_SETFL, O_NONBLOCK);
		n->messages = (struct watch){.fd = pipes[2][0], .events = POLLIN, .ready = read_messages, .arg = n};
		loop_watch(loop, &n->messages);
	}
	free_argv(argv);
	if (!why.len)
		return true;
	*why_ret = text_take(&why);
	return false;
}

static void report_end(struct native *n, bool has_ended, int status)
{
	struct buf t = {0};

	if (n->messages.fd >= 0)
		read_messages(n);
	text_printf(&t, "the native adapter %s ", n->name);
	if (!has_ended)
		text_add(&t, "closed its output");
	else if (WIFSIGNALED(status))
		text_printf(&t, "was killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		text_printf(&t, "exited with status %d", WEXITSTATUS(status));
	text_add(&n->log, "");
	while (n->log.len && strchr("\n\r ", n->log.data[n->log.len - 1]))
		n->log.data[--n->log.len] = 0;
	if (n->log.len) {
		text_add(&t, "; its last output: ");
		text_add_safe(&t, n->log.data, 1);
	}
	n->ended(n->arg, t.data);
	buf_deinit(&t);
}

static void check_exit(void *arg)
{
	struct native *n = arg;
	int status = 0;
	/* It was replaced meanwhile. */
	if (!n->name)
		return;
	bool has_ended = n->pid && waitpid(n->pid, &status, WNOHANG) == n->pid;

	if (!has_ended && ++n->n_checks < MAX_CHECKS && loop_timer(n->loop, CHECK_MS, check_exit, n))
		return;
	if (has_ended)
		n->pid = 0;
	report_end(n, has_ended, status);
}

void native_bury(struct native *n)
{
	check_exit(n);
}

void native_leave(struct native *n)
{
	stream_close_out(&n->stream);
}

void native_replace(struct native *n)
{
	if (n->pid) {
		kill(n->pid, SIGKILL);
		waitpid(n->pid, NULL, 0);
		n->pid = 0;
	}
	native_deinit(n);
}

void native_deinit(struct native *n)
{
	if (!n->name)
		return;
	stream_deinit(&n->stream);
	if (n->messages.fd >= 0)
		close(n->messages.fd);
	n->messages.fd = -1;
	buf_deinit(&n->log);
	free(n->name);
	n->name = NULL;
}
