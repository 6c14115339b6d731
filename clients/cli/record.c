/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Record for a while, or until somebody or the target ends it, then write one file. */
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <json-c/json.h>

#include "format.h"
#include "formats/recorded.h"
#include "recording.h"

#define DEFAULT_SECONDS 10
/* Between two looks at how far it is. */
#define STEP_MS 1000

static const struct format_row {
	const char *name;
	const char *endings[3];
	recorded_write *write; /* NULL: ompdctl-otf2 does it, of the timelines */
	const char *use;       /* what to do with it */
} format_rows[] = {
	{"folded", {".folded", ".txt"}, folded_write, "flamegraph.pl, inferno and speedscope read it"},
	{"speedscope", {".json", ".speedscope"}, speedscope_write, "open it in speedscope"},
	{"pprof", {".pprof", ".pb.gz"}, pprof_write, "go tool pprof -http : FILE shows it"},
	{"otf2", {".otf2"}, NULL, "Vampir and otf2-print read it"},
};
#define N_FORMATS (sizeof(format_rows) / sizeof(*format_rows))

static int ends_with(const char *s, const char *ending)
{
	size_t len = strlen(s), n = strlen(ending);

	return len >= n && !strcmp(s + len - n, ending);
}

/* By --format, else by the file's name; NULL: there is none. */
static const struct format_row *find_format(const struct args *args)
{
	for (size_t i = 0; i < N_FORMATS; i++) {
		if (args->format && !strcmp(args->format, format_rows[i].name))
			return &format_rows[i];
		for (size_t k = 0; k < 3 && !args->format && format_rows[i].endings[k]; k++) {
			if (ends_with(args->output, format_rows[i].endings[k]))
				return &format_rows[i];
		}
	}
	return NULL;
}

struct failure *record_check(const struct args *args)
{
	static const char hint[] = "--format is folded, speedscope, pprof or otf2; without it FILE ends with .folded, "
				   ".json, .pprof or .otf2";

	if (!args->output)
		return failure_usage(hint, "record wants -o FILE");
	if (find_format(args))
		return NULL;
	if (args->format)
		return failure_usage(hint, "there is no format '%s'", args->format);
	return failure_usage(hint, "the name %s does not say which format is wanted", args->output);
}

static void show_progress(struct json_object *result, double elapsed_s, double total_s)
{
	struct json_object *profile = format_member(result, "profile");

	fprintf(stderr, "\r\033[K%.0f of %.0f s, %lld samples", elapsed_s, total_s,
		(long long)format_int(format_member(profile, "samples"), 0));
	fflush(stderr);
}

/* The timelines since the last of @pieces, which is an array; what is behind goes with it. */
static struct failure *add_piece(struct recording *r, struct json_object *pieces, struct json_object **ret)
{
	size_t n = json_object_array_length(pieces);
	struct json_object *last = n ? json_object_array_get_idx(pieces, n - 1) : NULL;
	struct failure *f = recording_get(r, 0, 1, format_int(format_member(last, "end_us"), 0), ret);

	if (!f)
		json_object_array_add(pieces, json_object_get(format_member(*ret, "timeline")));
	return f;
}

/* Until the time is over, a signal comes, or the target has ended. @pieces: see above; NULL: nobody wants them. */
static struct failure *wait_end(struct recording *r, double seconds, struct json_object *pieces)
{
	int is_terminal = isatty(STDERR_FILENO);
	int64_t begin_ms = conn_now_ms(), end_ms = begin_ms + (int64_t)(seconds * 1000);
	struct failure *f = NULL;
	sigset_t ending, before;

	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	sigaddset(&ending, SIGHUP);
	sigprocmask(SIG_BLOCK, &ending, &before);
	for (int goes_on = 1; goes_on && !f;) {
		int64_t left = end_ms - conn_now_ms();
		struct json_object *result = NULL;

		if (left <= 0)
			break;
		left = left < STEP_MS ? left : STEP_MS;
		struct timespec wait = {left / 1000, left % 1000 * 1000000};
		if (sigtimedwait(&ending, NULL, &wait) > 0)
			break;
		f = pieces ? add_piece(r, pieces, &result) : recording_get(r, 0, 0, 0, &result);
		if (f)
			break;
		goes_on = recording_goes_on(result);
		if (is_terminal)
			show_progress(result, (double)(conn_now_ms() - begin_ms) / 1000, seconds);
		json_object_put(result);
	}
	if (is_terminal)
		fputs("\r\033[K", stderr);
	/* A second ^C, while it is written, ends us. */
	sigprocmask(SIG_SETMASK, &before, NULL);
	return f;
}

static struct failure *write_file(int fd, const char *path, const struct text *contents)
{
	size_t done = 0;
	struct stat st;

	/* An old one was kept until there was something to put in its place. */
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && ftruncate(fd, 0))
		return failure_create(EXIT_CONNECT, "cannot_write", NULL, "cannot write %s: %m", path);
	while (done < contents->len) {
		ssize_t n = write(fd, contents->data + done, contents->len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return failure_create(EXIT_CONNECT, "cannot_write", NULL, "cannot write %s: %m", path);
		done += (size_t)n;
	}
	return NULL;
}

static void tell(const struct recorded *r, const struct args *args, const struct style *style, struct text *out)
{
	struct json_object *profile = format_member(r->result, "profile");
	const struct format_row *format = find_format(args);

	if (args->json) {
		format_json(out, profile, args->pretty);
		return;
	}
	text_printf(out, "%s: %.1f s of %s (pid %lld), %lld samples; %s\n", args->output, (double)r->elapsed_us / 1e6,
		    r->program, (long long)r->pid, (long long)format_int(format_member(profile, "samples"), 0),
		    format->use);
	if (format_reason(format_member(profile, "running_stacks"))) {
		text_add(out, "no stacks of running threads: ");
		text_add_safe(out,
			      format_string(format_member(format_member(profile, "running_stacks"), "message")) ?: "?",
			      style->utf8);
		text_add(out, "\n");
	}
	if (format_int(format_member(profile, "stopped_us"), 0) > 0) {
		text_add(out, "the program was stopped for ");
		format_duration(out, style, format_int(format_member(profile, "stopped_us"), 0));
		text_add(out, " of that\n");
	}
}

static struct failure *finish(struct recording *r, const struct style *style, int fd, follow_write *write)
{
	const struct args *args = r->s->args;
	struct text contents = {0}, said = {0};
	struct json_object *result = NULL;
	struct recorded recorded;
	int gone = 0;
	struct failure *f = recording_stop(r);

	if (!f)
		f = recording_get(r, 1, 0, 0, &result);
	if (!f)
		f = recorded_read(result, r->program, &recorded);
	if (f) {
		json_object_put(result);
		return f;
	}
	f = find_format(args)->write(&recorded, &contents);
	if (!f)
		f = write_file(fd, args->output, &contents);
	/* The file may be our standard output. */
	if (!f && strcmp(args->output, "-")) {
		tell(&recorded, args, style, &said);
		f = write(said.data ? said.data : "", said.len, &gone);
	}
	text_deinit(&said);
	text_deinit(&contents);
	recorded_deinit(&recorded);
	json_object_put(result);
	return f;
}

/* Let the program at @helper make the archive of what it is told. */
static struct failure *run_helper(char *helper, const char *file, const struct text *input)
{
	int pipes[2], status = 0;
	size_t done = 0;

	if (pipe2(pipes, O_CLOEXEC))
		return failure_create(EXIT_CONNECT, "cannot_start", NULL, "pipe: %m");
	pid_t pid = fork();
	if (!pid) {
		char *argv[] = {helper, (char *)file, NULL};

		dup2(pipes[0], STDIN_FILENO);
		signal(SIGPIPE, SIG_DFL);
		execv(helper, argv);
		_exit(127);
	}
	close(pipes[0]);
	while (pid > 0 && done < input->len) {
		ssize_t n = write(pipes[1], input->data + done, input->len - done);

		if (n < 0 && errno != EINTR)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	close(pipes[1]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status))
		return NULL;
	return failure_create(EXIT_CONNECT, "cannot_write", "it says above why; an archive is not overwritten",
			      "ompdctl-otf2 did not write %s", file);
}

static struct failure *record_otf2(struct session *s, const struct style *style, follow_write *write)
{
	const struct args *args = s->args;
	char *helper = spawn_beside_us("ompdctl-otf2");
	struct json_object *pieces = json_object_new_array(), *result = NULL;
	struct text input = {0}, said = {0};
	struct recording r = {0};
	int gone = 0;
	struct failure *f = NULL;

	if (!helper)
		f = failure_create(EXIT_CONNECT, "cannot_start",
				   "the other formats need nothing else; or build ompdd with libotf2",
				   "this ompdctl has no ompdctl-otf2 beside it, which writes OTF2");
	else
		f = recording_begin(&r, s, 1);
	if (!f)
		f = wait_end(&r, args->seconds > 0 ? args->seconds : DEFAULT_SECONDS, pieces);
	if (!f)
		f = recording_stop(&r);
	if (!f)
		f = add_piece(&r, pieces, &result);
	if (!f) {
		struct json_object *profile = format_member(result, "profile");

		json_object_object_del(result, "timeline");
		json_object_object_add(result, "program", json_object_new_string(r.program));
		json_object_object_add(result, "pieces", json_object_get(pieces));
		format_json(&input, result, 0);
		f = run_helper(helper, args->output, &input);
		tell(&(struct recorded){.result = result,
					.program = r.program,
					.pid = format_int(format_member(result, "pid"), 0),
					.elapsed_us = format_int(format_member(profile, "elapsed_us"), 0)},
		     args, style, &said);
	}
	if (!f)
		f = write(said.data, said.len, &gone);
	text_deinit(&said);
	text_deinit(&input);
	json_object_put(result);
	json_object_put(pieces);
	free(helper);
	return recording_end(&r, f);
}

struct failure *record(struct session *s, const struct style *style, follow_write *write)
{
	const struct args *args = s->args;
	int is_stdout = !strcmp(args->output, "-");
	struct recording r;

	if (!find_format(args)->write)
		return record_otf2(s, style, write);
	/* Better now than after the recording. */
	int fd = is_stdout ? STDOUT_FILENO : open(args->output, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

	if (fd < 0)
		return failure_create(EXIT_CONNECT, "cannot_write", NULL, "cannot write %s: %m", args->output);
	struct failure *f = recording_begin(&r, s, 0);
	if (!f)
		f = wait_end(&r, args->seconds > 0 ? args->seconds : DEFAULT_SECONDS, NULL);
	if (!f)
		f = finish(&r, style, fd, write);
	f = recording_end(&r, f);
	if (!is_stdout)
		close(fd);
	return f;
}
