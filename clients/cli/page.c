/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The private ompdd of the page: its token, its targets, its address. */
#include "page.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "base/secure_path.h"
#include "format.h"
#include "interrupt.h"

#define MAX_TOKEN 256

extern char **environ;

/* A folder that only our user can enter. ompdd leaves its token there. */
struct token_folder {
	char folder[PATH_MAX];
	char file[PATH_MAX + 8];
	char token[MAX_TOKEN];
};

/*
 * Return the parent folder for our folder. After sudo or su, the environment may name a folder of another user, who
 * could replace ours.
 */
static const char *find_token_place(void)
{
	static const char *const names[] = {"XDG_RUNTIME_DIR", "TMPDIR"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *place = getenv(names[i]);
		struct buf below = {0};

		if (!place || !*place)
			continue;
		text_printf(&below, "%s/x", place);
		struct error *err = secure_path_check(below.data);
		int is_of_others = error_is(err, ERR_UNAUTHORIZED);
		error_destroy(err);
		buf_deinit(&below);
		if (!is_of_others)
			return place;
	}
	return "/tmp";
}

static struct error *create_folder(struct token_folder *t)
{
	const char *above = find_token_place();
	int n = snprintf(t->folder, sizeof(t->folder), "%s/ompdctl-page-XXXXXX", above);

	if (n < 0 || (size_t)n >= sizeof(t->folder) || !mkdtemp(t->folder)) {
		t->folder[0] = 0;
		return failure_create(ERR_CONNECT, "cannot_start", "$XDG_RUNTIME_DIR or $TMPDIR names another folder",
				      "cannot create a folder in %s: %m", above);
	}
	snprintf(t->file, sizeof(t->file), "%s/token", t->folder);
	return NULL;
}

/* Remove the folder. It is not needed once the token is read. */
static void remove_folder(struct token_folder *t)
{
	if (!t->folder[0])
		return;
	unlink(t->file);
	rmdir(t->folder);
	t->folder[0] = 0;
}

static struct error *read_token(struct token_folder *t)
{
	int fd = open(t->file, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, t->token, sizeof(t->token) - 1) : -1;

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return failure_create(ERR_CONNECT, "no_token", NULL, "cannot read the token in %s: %m", t->file);
	t->token[n] = 0;
	t->token[strcspn(t->token, " \t\r\n")] = 0;
	return NULL;
}

/* Get the address of daemon.info, "127.0.0.1:40123"; the caller frees it. */
static struct error *request_address(struct conversation *s, char **ret)
{
	static const char scheme[] = "http:";
	struct json_object *info;
	struct error *f = conversation_call(s, "daemon.info", json_object_new_object(), &info);

	*ret = NULL;
	if (f)
		return f;
	struct json_object *listeners = json_read_member(info, "listeners");
	size_t n = json_object_is_type(listeners, json_type_array) ? json_object_array_length(listeners) : 0;
	for (size_t i = 0; i < n && !*ret; i++) {
		const char *uri = json_read_string(json_object_array_get_idx(listeners, i));

		if (uri && !strncmp(uri, scheme, sizeof(scheme) - 1))
			*ret = text_strdup(uri + sizeof(scheme) - 1);
	}
	json_object_put(info);
	return *ret ? NULL : failure_create(ERR_CONNECT, "bad_answer", NULL, "ompdd did not report its address");
}

/* Attach as @args request, and append the target's id to @shown, unless that is NULL. */
static struct error *attach_process(struct conversation *s, struct buf *shown)
{
	struct error *f = conversation_attach(s);
	const char *target = f ? NULL : json_read_string(json_read_member(s->info, "target"));

	if (target && shown)
		text_printf(shown, "%s%s", shown->len ? "+" : "", target);
	json_object_put(s->info);
	s->info = NULL;
	return f;
}

/*
 * Attach each process in observe mode: the page's samples must not stop it, even if stops were allowed. A second
 * target may stop it.
 */
static struct error *attach_processes(struct conversation *s, struct args *args, const struct processes *processes,
				      struct buf *shown)
{
	int may_stop = args->mode && !strcmp(args->mode, "stop");
	struct error *f = args->core ? attach_process(s, shown) : NULL;

	for (size_t i = 0; i < processes->n && !f; i++) {
		args->pid = processes->pids[i];
		args->mode = "observe";
		f = attach_process(s, shown);
		args->mode = "stop";
		if (!f && may_stop)
			f = attach_process(s, NULL);
	}
	return f;
}

/* Open the user's browser, if there is a display. A failure is ignored: the address is printed. */
static void open_browser(const char *url)
{
	const char *x11 = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
	char *argv[] = {(char *)"xdg-open", (char *)url, NULL};
	posix_spawn_file_actions_t actions;
	pid_t pid;

	if (!(x11 && *x11) && !(wayland && *wayland))
		return;
	posix_spawn_file_actions_init(&actions);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
	posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
}

/* Wait until ^C, or until ompdd exits. */
static struct error *wait_end(struct conversation *s)
{
	struct error *f = NULL;

	while (!f) {
		struct json_object *event;

		f = rpc_next_event(&s->rpc, &event);
		if (!f)
			json_object_put(event);
	}
	if (!interrupt_came())
		return f;
	error_destroy(f);
	return NULL;
}

static struct error *serve_page(struct conversation *s, struct args *args, const struct processes *processes,
				struct token_folder *t, follow_write *write)
{
	struct buf shown = {0}, line = {0};
	char *address = NULL;
	int gone = 0;
	struct error *f = request_address(s, &address);

	if (!f)
		f = read_token(t);
	remove_folder(t);
	if (!f)
		f = attach_processes(s, args, processes, &shown);
	if (!f) {
		text_printf(&line, "http://%s/#token=%s%s%s", address, t->token, shown.len ? "&show=" : "",
			    shown.len ? shown.data : "");
		open_browser(line.data);
		text_add(&line, "\nOpen this in a browser of this machine; ^C ends it.\n");
		f = write(line.data, line.len, &gone);
	}
	if (!f)
		f = wait_end(s);
	buf_deinit(&shown);
	buf_deinit(&line);
	free(address);
	return f;
}

struct error *page_run(struct args *args, const struct processes *processes, follow_write *write)
{
	struct token_folder t = {0};
	struct conversation s;
	struct error *f = create_folder(&t);

	if (f)
		return f;
	if (args->n_daemon_options + 4 > ARGS_MAX_DAEMON_OPTIONS) {
		remove_folder(&t);
		return failure_usage(NULL, "too many --libompd and --plugin-dir");
	}
	args->daemon_options[args->n_daemon_options++] = "--listen";
	args->daemon_options[args->n_daemon_options++] = "http:127.0.0.1:0";
	args->daemon_options[args->n_daemon_options++] = "--token-file";
	args->daemon_options[args->n_daemon_options++] = t.file;
	conversation_init(&s, args);
	rpc_want_events(&s.rpc);
	/* From here on, ^C cleans up: the token's folder is removed, and ompdd ends first. */
	interrupt_catch(&s.rpc.conn);
	f = conversation_open(&s);
	if (!f)
		f = serve_page(&s, args, processes, &t, write);
	if (f && interrupt_came()) {
		error_destroy(f);
		f = NULL;
	}
	s.rpc.conn.interrupted = NULL;
	remove_folder(&t);
	conversation_deinit(&s);
	return f;
}
