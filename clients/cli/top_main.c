/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ompdctl-top: the screen of `ompdctl top`, which starts it with its own command line. It is a separate program,
 * because loading ncurses would delay every other command.
 */
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ncurses.h>

#include <json-c/json.h>

#include "args.h"
#include "base/clock.h"
#include "format.h"
#include "interrupt.h"
#include "process_choice.h"
#include "recordings.h"
#include "top_view.h"

/* Time between two screens. */
#define STEP_MS 1000
/* Lines of a process, if several share the screen. */
#define MIN_LINES 8

struct top_screen {
	struct recordings recordings;
	enum top_sort sort;
	int is_interval, shows_help, utf8;
};

/* Append a part of the screen for each process. */
static void draw_processes(const struct top_screen *s, struct buf *out)
{
	size_t n = s->recordings.n, room = (size_t)(LINES - 1) / MIN_LINES ?: 1, shown = n < room ? n : room;

	for (size_t i = 0; i < shown; i++) {
		const struct recordings_item *item = s->recordings.items[i];
		struct top_view v = {
			.program = item->r.program,
			.now = item->now,
			.before = s->is_interval ? item->before : NULL,
			.sort = s->sort,
			.width = COLS,
			/* The last line is for the processes that have no room. */
			.height = (LINES - 1 - (shown < n)) / (int)shown,
			.utf8 = s->utf8,
		};

		top_view_draw(&v, out);
	}
	if (shown < n)
		text_printf(out, "%zu more processes\n", n - shown);
}

static void draw_screen(const struct top_screen *s)
{
	struct buf out = {0};

	if (s->shows_help)
		top_view_help(COLS, LINES - 1, &out);
	else
		draw_processes(s, &out);
	erase();
	int y = 0;
	for (char *rest = out.data, *line; rest && *rest && (line = strsep(&rest, "\n")); y++) {
		if (!y || strstr(line, " samples/s, ") || !strncmp(line, "REGION", 6) || !strncmp(line, "LOCK ", 5))
			attron(A_BOLD);
		mvaddstr(y, 0, line);
		attroff(A_BOLD);
	}
	attron(A_REVERSE);
	mvaddnstr(LINES - 1, 0, " q quit  s sort  t interval or total  ? help ", COLS - 1);
	attroff(A_REVERSE);
	refresh();
	buf_deinit(&out);
}

/* Get a new profile, with only as much of the timeline as the screen shows. */
static struct error *take_sample(struct top_screen *s, struct recordings_item *item)
{
	struct json_object *fresh = NULL;
	int64_t end_us = json_read_int(json_read_member(json_read_member(item->now, "timeline"), "end_us"), 0);
	int64_t since = end_us - (int64_t)COLS * TOP_SLOT_US;
	struct error *f = recording_get(&item->r, 0, 1, since, &fresh);

	if (f)
		return f;
	recordings_note(&s->recordings, item, fresh);
	json_object_put(item->before);
	item->before = item->now;
	item->now = fresh;
	return NULL;
}

static struct error *take_samples(struct top_screen *s)
{
	struct error *f = recordings_update(&s->recordings);

	/* From the last one: an item may be removed. */
	for (size_t i = s->recordings.n; i-- && !f;) {
		if (s->recordings.items[i]->has_ended)
			continue;
		f = take_sample(s, s->recordings.items[i]);
		if (f)
			f = recordings_remove(&s->recordings, i, f);
	}
	return f;
}

/* Handle a key. Returns 0 to exit. */
static int on_key(struct top_screen *s, int key)
{
	if (s->shows_help && key != ERR && key != KEY_RESIZE) {
		s->shows_help = 0;
		return 1;
	}
	switch (key) {
	case 'q':
	case 'Q':
		return 0;
	case 's':
		s->sort = (s->sort + 1) % TOP_SORTS;
		break;
	case 't':
		s->is_interval = !s->is_interval;
		break;
	case '?':
	case 'h':
		s->shows_help = 1;
		break;
	}
	return 1;
}

static struct error *run_screen(struct top_screen *s)
{
	int64_t next_ms = 0;

	while (!interrupt_came()) {
		int64_t now_ms = clock_now_ms();

		if (now_ms >= next_ms) {
			struct error *f = take_samples(s);

			if (f)
				return f;
			next_ms = now_ms + STEP_MS;
		}
		draw_screen(s);
		timeout((int)(next_ms - now_ms));
		if (!on_key(s, getch()))
			break;
	}
	return NULL;
}

static struct error *show_screen(const struct args *args, const struct processes *processes)
{
	struct top_screen s = {
		.is_interval = 1, .utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8"), .recordings.is_quiet = 1};
	struct error *f = recordings_begin(&s.recordings, args, processes, 1);
	SCREEN *terminal = f ? NULL : newterm(NULL, stdout, stdin);

	if (!f && !terminal)
		f = failure_create(ERR_CONNECT, "no_terminal", "set TERM; --once prints one screen",
				   "unknown terminal type");
	if (terminal) {
		interrupt_unblock(&s.recordings.items[0]->s.rpc.conn);
		cbreak();
		noecho();
		curs_set(0);
		keypad(stdscr, TRUE);
		f = run_screen(&s);
		endwin();
		delscreen(terminal);
		interrupt_forget(&s.recordings.items[0]->s.rpc.conn);
	}
	return recordings_end(&s.recordings, f);
}

int main(int argc, char **argv)
{
	struct args args = {0};
	struct processes processes = {0};
	struct style style = {0};

	signal(SIGPIPE, SIG_IGN);
	setlocale(LC_CTYPE, "");
	struct error *f = args_parse(argc, argv, &args);
	if (!f)
		f = process_choice_find(&args, &style, &processes);
	if (!f)
		f = show_screen(&args, &processes);
	int code = f ? failure_exit_code(f) : EXIT_OK;
	if (f)
		failure_print(f, stderr, 0, !strcmp(nl_langinfo(CODESET), "UTF-8"));
	error_destroy(f);
	return code;
}
