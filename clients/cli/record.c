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
#include "recordings.h"

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

static long long count_samples(struct json_object *result)
{
	return json_read_int(json_read_member(json_read_member(result, "profile"), "samples"), 0);
}

static void show_progress(const struct recordings *rs, double elapsed_s, double total_s)
{
	long long samples = 0;

	for (size_t i = 0; i < rs->n; i++)
		samples += count_samples(rs->items[i]->now);
	fprintf(stderr, "\r\033[K%.0f of %.0f s, %lld samples", elapsed_s, total_s, samples);
	if (rs->args->children)
		fprintf(stderr, " of %zu process%s", rs->n, rs->n == 1 ? "" : "es");
	fflush(stderr);
}

static struct error *check_item(struct recordings *rs, struct recordings_item *item)
{
	struct json_object *result = NULL;
	struct error *f;

	if (rs->timeline) {
		f = recordings_add_piece(item);
	} else {
		f = recording_get(&item->r, 0, 0, 0, &result);
		if (!f) {
			json_object_put(item->now);
			item->now = result;
		}
	}
	if (!f)
		recordings_note(rs, item, item->now);
	return f;
}

/* Note the progress of each recording, and get its timeline if wanted. */
static struct error *check_progress(struct recordings *rs)
{
	struct error *f = NULL;

	/* From the last one: an item may be removed. */
	for (size_t i = rs->n; i-- && !f;) {
		if (!rs->items[i]->has_ended)
			f = check_item(rs, rs->items[i]);
		if (f)
			f = recordings_remove(rs, i, f);
	}
	return f ? f : recordings_update(rs);
}

/*
 * Wait until the time is over, a signal comes, or the targets have ended. A second signal, while the file is written,
 * ends this process.
 */
static struct error *wait_end(struct recordings *rs)
{
	double seconds = rs->args->seconds > 0 ? rs->args->seconds : DEFAULT_SECONDS;
	int is_terminal = isatty(STDERR_FILENO);
	int64_t begin_ms = clock_now_ms(), end_ms = begin_ms + (int64_t)(seconds * 1000);
	struct error *f = NULL;

	while (!f && recordings_go_on(rs)) {
		int64_t left = end_ms - clock_now_ms();

		if (left <= 0 || interrupt_wait(&rs->items[0]->s.rpc.conn, left < STEP_MS ? left : STEP_MS))
			break;
		f = check_progress(rs);
		if (!f && is_terminal)
			show_progress(rs, (double)(clock_now_ms() - begin_ms) / 1000, seconds);
	}
	if (is_terminal)
		fputs("\r\033[K", stderr);
	interrupt_forget(&rs->items[0]->s.rpc.conn);
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
		    r->program, (long long)r->pid, count_samples(r->result), format->use);
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

/* --children: append a line for each process, with --json its profile. */
static void report_processes(const struct recordings *rs, const struct recorded *parts, int64_t elapsed_us,
			     const char *path, const struct style *style, struct buf *out)
{
	if (!rs->args->json)
		text_printf(out, "%s: %.1f s of %zu process%s; %s\n", path, (double)elapsed_us / 1e6, rs->n,
			    rs->n == 1 ? "" : "es", find_format(rs->args)->use);
	for (size_t i = 0; i < rs->n; i++) {
		struct json_object *line;

		if (!rs->args->json) {
			text_add(out, "  ");
			text_add_safe(out, parts[i].program, style->utf8);
			text_printf(out, " (pid %lld), %lld samples\n", (long long)parts[i].pid,
				    count_samples(parts[i].result));
			continue;
		}
		line = json_object_new_object();
		json_object_object_add(line, "pid", json_object_new_int64(parts[i].pid));
		json_object_object_add(line, "program", json_object_new_string(parts[i].program));
		json_object_object_add(line, "profile", json_object_get(json_read_member(parts[i].result, "profile")));
		format_json(out, line, rs->args->pretty);
		json_object_put(line);
	}
}

/* Write the file from @parts, the results of all recordings. */
static struct error *write_recorded(const struct recordings *rs, const struct recorded *parts,
				    const struct style *style, struct output *o, follow_write *write)
{
	struct buf contents = {0}, said = {0};
	const struct recorded *whole = &parts[0];
	struct recorded merged = {0};
	struct error *f = NULL;
	int gone = 0;

	if (rs->args->children) {
		f = recorded_merge(parts, rs->n, &merged);
		whole = &merged;
	}
	if (!f)
		f = find_format(rs->args)->write(whole, &contents);
	if (!f)
		f = output_write(o, contents.data ? contents.data : "", contents.len);
	/* The file may be our standard output. */
	if (!f && o->stream != STDOUT_FILENO) {
		if (rs->args->children)
			report_processes(rs, parts, whole->elapsed_us, o->path, style, &said);
		else
			report_recording(whole, rs->args, o->path, style, &said);
		f = write(said.data ? said.data : "", said.len, &gone);
	}
	recorded_deinit(&merged);
	buf_deinit(&said);
	buf_deinit(&contents);
	return f;
}

static struct error *finish_recordings(struct recordings *rs, const struct style *style, struct output *o,
				       follow_write *write)
{
	struct error *f = recordings_finish(rs, 1, 0);
	struct recorded *parts = text_calloc(rs->n, sizeof(*parts));

	for (size_t i = 0; i < rs->n && !f; i++)
		f = recorded_read(rs->items[i]->now, rs->items[i]->r.program, &parts[i]);
	if (!f)
		f = write_recorded(rs, parts, style, o, write);
	for (size_t i = 0; i < rs->n; i++)
		recorded_deinit(&parts[i]);
	free(parts);
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

/* Return the name of the location group of a process. */
static struct json_object *create_group_name(const struct recordings *rs, const struct recorded *part)
{
	struct buf t = {0};

	text_add(&t, part->program);
	if (rs->args->children)
		text_printf(&t, " (pid %lld)", (long long)part->pid);
	struct json_object *name = json_object_new_string(t.data);
	buf_deinit(&t);
	return name;
}

/* Append the input of the helper: for each process the result of profile.get, with its name and its timelines. */
static void add_helper_input(const struct recordings *rs, const struct recorded *parts, struct buf *out)
{
	struct json_object *root = json_object_new_object(), *processes = json_object_new_array();

	for (size_t i = 0; i < rs->n; i++) {
		struct json_object *one = json_object_get(rs->items[i]->now);

		json_object_object_add(one, "name", create_group_name(rs, &parts[i]));
		json_object_object_add(one, "pieces", json_object_get(rs->items[i]->pieces));
		json_object_array_add(processes, one);
	}
	json_object_object_add(root, "processes", processes);
	format_json(out, root, 0);
	json_object_put(root);
}

static struct error *finish_archive(struct recordings *rs, char *helper, struct archive *a, const struct style *style,
				    follow_write *write)
{
	struct error *f = recordings_finish_pieces(rs);
	struct recorded *parts = text_calloc(rs->n, sizeof(*parts));
	struct buf input = {0}, said = {0};
	int64_t begun_us = 0, elapsed_us = 0;
	int gone = 0;

	for (size_t i = 0; i < rs->n; i++)
		parts[i] = recorded_head(rs->items[i]->now, rs->items[i]->r.program);
	if (!f)
		f = recorded_span(parts, rs->n, &begun_us, &elapsed_us);
	if (!f) {
		add_helper_input(rs, parts, &input);
		f = write_archive(helper, a, &input);
	}
	if (!f) {
		if (rs->args->children)
			report_processes(rs, parts, elapsed_us, rs->args->output, style, &said);
		else
			report_recording(&parts[0], rs->args, rs->args->output, style, &said);
		f = write(said.data, said.len, &gone);
	}
	free(parts);
	buf_deinit(&said);
	buf_deinit(&input);
	return f;
}

static struct error *record_otf2(const struct args *args, const struct processes *processes, const struct style *style,
				 follow_write *write)
{
	char *helper = spawn_beside_us("ompdctl-otf2");
	struct recordings rs = {.args = args};
	struct archive archive;
	struct error *f = archive_open(&archive, args->output);

	if (!f && !helper)
		f = failure_create(ERR_CONNECT, "cannot_start",
				   "the other formats need nothing else; or build ompdd with libotf2",
				   "cannot write OTF2: ompdctl-otf2 is not beside ompdctl");
	if (!f)
		f = recordings_begin(&rs, args, processes, 1);
	if (!f)
		f = wait_end(&rs);
	if (!f)
		f = finish_archive(&rs, helper, &archive, style, write);
	free(helper);
	archive_close(&archive);
	return recordings_end(&rs, f);
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

struct error *record(const struct args *args, const struct processes *processes, const struct style *style,
		     follow_write *write)
{
	struct recordings rs = {.args = args};
	struct output o = {.stream = -1, .folder = -1};
	char *own_name = NULL;
	struct error *f = NULL;

	if (!find_format(args)->write)
		return record_otf2(args, processes, style, write);
	/* Report a mistake now, before the recording. */
	if (args->output)
		f = output_open(&o, args->output);
	if (!f)
		f = recordings_begin(&rs, args, processes, 0);
	if (!f && !args->output) {
		own_name = create_file_name(&rs.items[0]->r);
		f = output_open(&o, own_name);
	}
	if (!f)
		f = wait_end(&rs);
	if (!f)
		f = finish_recordings(&rs, style, &o, write);
	f = recordings_end(&rs, f);
	output_close(&o);
	free(own_name);
	return f;
}
