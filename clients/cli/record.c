/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Records until the time is over, a signal comes or the target ends; then writes one file. */
#include "record.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <json-c/json.h>

#include "archive.h"
#include "base/clock.h"
#include "format.h"
#include "formats/recorded.h"
#include "interrupt.h"
#include "output.h"
#include "recording.h"

#define DEFAULT_SECONDS 10
/* Time between two checks of the progress. */
#define STEP_MS 1000

static const struct format_row {
	const char *name;
	const char *endings[3];
	recorded_write *write; /* NULL: ompdctl-otf2 writes it from the timelines */
	const char *use;       /* how to use the file */
} format_rows[] = {
	{"svg", {".svg"}, svg_write, "open it in a browser: click to zoom, / to search"},
	{"html", {".html", ".htm"}, html_write, "open it in a browser: click to zoom, / to search"},
	{"folded", {".folded", ".txt"}, folded_write, "flamegraph.pl, inferno and speedscope read it"},
	{"speedscope", {".json", ".speedscope"}, speedscope_write, "open it in speedscope"},
	{"pprof", {".pprof", ".pb.gz"}, pprof_write, "go tool pprof -http : FILE shows it"},
	{"otf2", {".otf2"}, NULL, "Vampir and otf2-print read it"},
};
#define N_FORMATS (sizeof(format_rows) / sizeof(*format_rows))

static int has_ending(const char *s, const char *ending)
{
	size_t len = strlen(s), n = strlen(ending);

	return len >= n && !strcmp(s + len - n, ending);
}

/* Return the format by --format, otherwise by the file's name, without both the first one; NULL: unknown. */
static const struct format_row *find_format(const struct args *args)
{
	if (!args->format && !args->output)
		return &format_rows[0];
	for (size_t i = 0; i < N_FORMATS; i++) {
		if (args->format && !strcmp(args->format, format_rows[i].name))
			return &format_rows[i];
		for (size_t k = 0; k < 3 && !args->format && format_rows[i].endings[k]; k++) {
			if (has_ending(args->output, format_rows[i].endings[k]))
				return &format_rows[i];
		}
	}
	return NULL;
}

struct error *record_check(const struct args *args)
{
	static const char hint[] =
		"--format is svg, html, folded, speedscope, pprof or otf2; without it FILE ends with "
		".svg, .html, .folded, .json, .pprof or .otf2";
	const struct format_row *format = find_format(args);

	if (format && !format->write && !args->output)
		return failure_usage(hint, "record --format %s needs -o FILE", format->name);
	if (format)
		return NULL;
	if (args->format)
		return failure_usage(hint, "unknown format '%s'", args->format);
	return failure_usage(hint, "cannot derive the format from the name %s", args->output);
}

static void show_progress(struct json_object *result, double elapsed_s, double total_s)
{
	struct json_object *profile = json_read_member(result, "profile");

	fprintf(stderr, "\r\033[K%.0f of %.0f s, %lld samples", elapsed_s, total_s,
		(long long)json_read_int(json_read_member(profile, "samples"), 0));
	fflush(stderr);
}

/* Get the timelines since the last of @pieces, an array, and append them to it. */
static struct error *add_piece(struct recording *r, struct json_object *pieces, struct json_object **ret)
{
	size_t n = json_object_array_length(pieces);
	struct json_object *last = n ? json_object_array_get_idx(pieces, n - 1) : NULL;
	struct error *f = recording_get(r, 0, 1, json_read_int(json_read_member(last, "end_us"), 0), ret);

	if (!f)
		json_object_array_add(pieces, json_object_get(json_read_member(*ret, "timeline")));
	return f;
}

/*
 * Wait until the time is over, a signal comes, or the target has ended. @pieces: see add_piece(); NULL: not wanted.
 * A second signal, while the file is written, ends this process.
 */
static struct error *wait_end(struct recording *r, struct json_object *pieces)
{
	double seconds = r->s->args->seconds > 0 ? r->s->args->seconds : DEFAULT_SECONDS;
	int is_terminal = isatty(STDERR_FILENO);
	int64_t begin_ms = clock_now_ms(), end_ms = begin_ms + (int64_t)(seconds * 1000);
	struct connection *c = &r->s->rpc.conn;
	struct error *f = NULL;

	for (int goes_on = 1; goes_on && !f;) {
		int64_t left = end_ms - clock_now_ms();
		struct json_object *result = NULL;

		if (left <= 0 || interrupt_wait(c, left < STEP_MS ? left : STEP_MS))
			break;
		f = pieces ? add_piece(r, pieces, &result) : recording_get(r, 0, 0, 0, &result);
		if (f)
			break;
		goes_on = recording_goes_on(result);
		if (is_terminal)
			show_progress(result, (double)(clock_now_ms() - begin_ms) / 1000, seconds);
		json_object_put(result);
	}
	if (is_terminal)
		fputs("\r\033[K", stderr);
	interrupt_forget(c);
	return f;
}

static void report_recording(const struct recorded *r, const struct args *args, const char *path,
			     const struct style *style, struct buf *out)
{
	struct json_object *profile = json_read_member(r->result, "profile");
	const struct format_row *format = find_format(args);

	if (args->json) {
		format_json(out, profile, args->pretty);
		return;
	}
	text_printf(out, "%s: %.1f s of %s (pid %lld), %lld samples; %s\n", path, (double)r->elapsed_us / 1e6,
		    r->program, (long long)r->pid, (long long)json_read_int(json_read_member(profile, "samples"), 0),
		    format->use);
	if (json_read_reason(json_read_member(profile, "running_stacks"))) {
		text_add(out, "no stacks of running threads: ");
		text_add_safe(out,
			      json_read_string(json_read_member(json_read_member(profile, "running_stacks"), "message"))
				      ?: "?",
			      style->utf8);
		text_add(out, "\n");
	}
	if (json_read_int(json_read_member(profile, "stopped_us"), 0) > 0) {
		text_add(out, "the program was stopped for ");
		format_duration(out, style, json_read_int(json_read_member(profile, "stopped_us"), 0));
		text_add(out, " of that\n");
	}
}

static struct error *finish_recording(struct recording *r, const struct style *style, struct output *o,
				      follow_write *write)
{
	const struct args *args = r->s->args;
	struct buf contents = {0}, said = {0};
	struct json_object *result = NULL;
	struct recorded recorded;
	int gone = 0;
	struct error *f = recording_stop(r);

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
		f = output_write(o, contents.data ? contents.data : "", contents.len);
	/* The file may be our standard output. */
	if (!f && o->stream != STDOUT_FILENO) {
		report_recording(&recorded, args, o->path, style, &said);
		f = write(said.data ? said.data : "", said.len, &gone);
	}
	buf_deinit(&said);
	buf_deinit(&contents);
	recorded_deinit(&recorded);
	json_object_put(result);
	return f;
}

/* Run the program @helper, which writes the archive of @input into its folder. @before: its signal mask. */
static struct error *run_helper(char *helper, const struct archive *a, const struct buf *input, const sigset_t *before)
{
	int pipes[2], status = 0;
	char name[NAME_MAX + 8];
	size_t done = 0;

	if (pipe2(pipes, O_CLOEXEC))
		return failure_create(ERR_CONNECT, "cannot_start", NULL, "pipe: %m");
	snprintf(name, sizeof(name), "%s.otf2", a->name);
	pid_t pid = fork();
	if (!pid) {
		char *argv[] = {helper, name, NULL};

		dup2(pipes[0], STDIN_FILENO);
		signal(SIGPIPE, SIG_DFL);
		sigprocmask(SIG_SETMASK, before, NULL);
		if (!fchdir(a->folder))
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
	return failure_create(ERR_OUTPUT, "cannot_write", "the line above shows the reason",
			      "ompdctl-otf2 did not write %s", a->output.path);
}

/* ^C ends the helper. Its folder is removed before ompdctl exits. */
static struct error *write_archive(char *helper, struct archive *a, const struct buf *input)
{
	sigset_t set, before;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &before);
	struct error *f = archive_begin(a);
	if (!f)
		f = run_helper(helper, a, input, &before);
	if (!f)
		f = archive_place(a);
	archive_close(a);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return f;
}

static struct error *record_otf2(struct conversation *s, const struct style *style, follow_write *write)
{
	const struct args *args = s->args;
	char *helper = spawn_beside_us("ompdctl-otf2");
	struct json_object *pieces = json_object_new_array(), *result = NULL;
	struct buf input = {0}, said = {0};
	struct recording r = {.s = s};
	struct archive archive;
	int gone = 0;
	struct error *f = archive_open(&archive, args->output);

	if (!f && !helper)
		f = failure_create(ERR_CONNECT, "cannot_start",
				   "the other formats need nothing else; or build ompdd with libotf2",
				   "cannot write OTF2: ompdctl-otf2 is not beside ompdctl");
	if (!f)
		f = recording_begin(&r, s, 1);
	if (!f)
		f = wait_end(&r, pieces);
	if (!f)
		f = recording_stop(&r);
	if (!f)
		f = add_piece(&r, pieces, &result);
	if (!f) {
		struct json_object *profile = json_read_member(result, "profile");

		json_object_object_del(result, "timeline");
		json_object_object_add(result, "program", json_object_new_string(r.program));
		json_object_object_add(result, "pieces", json_object_get(pieces));
		format_json(&input, result, 0);
		f = write_archive(helper, &archive, &input);
		report_recording(
			&(struct recorded){.result = result,
					   .program = r.program,
					   .pid = json_read_int(json_read_member(result, "pid"), 0),
					   .elapsed_us = json_read_int(json_read_member(profile, "elapsed_us"), 0)},
			args, args->output, style, &said);
	}
	if (!f)
		f = write(said.data, said.len, &gone);
	buf_deinit(&said);
	buf_deinit(&input);
	json_object_put(result);
	json_object_put(pieces);
	free(helper);
	archive_close(&archive);
	return recording_end(&r, f);
}

/* Return the name of a file in the working folder, "solve-4711-20261128-171500.svg"; the caller frees it. */
static char *create_file_name(const struct recording *r)
{
	const char *ending = find_format(r->s->args)->endings[0];
	long long pid = json_read_int(json_read_member(r->s->info, "pid"), 0);
	time_t now = time(NULL);
	struct tm local;
	char at[32];
	struct buf t = {0};

	text_add(&t, r->program);
	for (size_t i = 0; i < t.len; i++) {
		if (!isalnum((unsigned char)t.data[i]) && (i == 0 || !strchr("._-+", t.data[i])))
			t.data[i] = '_';
	}
	strftime(at, sizeof(at), "%Y%m%d-%H%M%S", localtime_r(&now, &local));
	text_printf(&t, "-%lld-%s%s", pid, at, ending);
	return text_take(&t);
}

struct error *record(struct conversation *s, const struct style *style, follow_write *write)
{
	struct recording r = {.s = s};
	struct output o = {.stream = -1, .folder = -1};
	char *own_name = NULL;
	struct error *f = NULL;

	if (!find_format(s->args)->write)
		return record_otf2(s, style, write);
	/* Report a mistake now, before the recording. */
	if (s->args->output)
		f = output_open(&o, s->args->output);
	if (!f)
		f = recording_begin(&r, s, 0);
	if (!f && !s->args->output) {
		own_name = create_file_name(&r);
		f = output_open(&o, own_name);
	}
	if (!f)
		f = wait_end(&r, NULL);
	if (!f)
		f = finish_recording(&r, style, &o, write);
	f = recording_end(&r, f);
	output_close(&o);
	free(own_name);
	return f;
}
