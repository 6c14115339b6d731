/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Converts profile.get into lines. It does not use the terminal. */
#include "top_view.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "rpc/json_read.h"
#include "table.h"
#include "top_locks.h"

/* Most characters of a strip: the timeline for the screen is never longer. */
#define MAX_STRIP  512
#define STRIP_HEAD 14 /* columns before a strip */
/* More states than a timeline has. */
#define MAX_STATES 64
/* A thread that was not sampled for that long has exited. */
#define RECENT_SLOTS 15

/* The columns of times, as "group" of the states of profile.get. */
static const char *const groups[] = {"work", "barrier", "lock", "task", "target", "idle", "sleep", "rest"};
enum group { WORK, BARRIER, LOCK, TASK, TARGET, IDLE, SLEEP, REST, N_GROUPS };

/* Columns that most programs do not fill. */
#define SPARSE (TABLE_RIGHT | TABLE_DROP_DASHES)

static const struct table_column columns[] = {
	{"REGION", TABLE_CUT_MIDDLE, 12},
	{"LEVEL", TABLE_RIGHT, 0},
	{"THREADS", TABLE_RIGHT, 0},
	{"TIME%", TABLE_RIGHT, 0},
	{"WORK%", TABLE_RIGHT, 0},
	{"BARR%", TABLE_RIGHT, 0},
	{"LOCK%", SPARSE, 0},
	{"TASK%", SPARSE, 0},
	{"TARGET%", SPARSE, 0},
	{"IDLE%", SPARSE, 0},
	{"SLEEP%", SPARSE, 0},
	{"REST%", SPARSE, 0},
	{"SPIN%", SPARSE, 0},
	{"IMBAL", SPARSE, 0},
	{"CALLS", SPARSE, 0},
};

struct row {
	struct json_object *region;
	int64_t us[N_GROUPS], all, awake;
	double imbalance; /* 0: not known */
	int64_t calls;	  /* -1: not known */
};

const char *top_sort_name(enum top_sort sort)
{
	static const char *const names[TOP_SORTS] = {"time", "work", "barrier", "lock", "task", "imbalance"};

	return names[sort];
}

/* Return how to draw the state: an item of "states". NULL: not known. */
static struct json_object *find_state(struct json_object *states, const char *name)
{
	for (size_t i = 0; i < json_read_length(states); i++) {
		struct json_object *state = json_object_array_get_idx(states, i);

		if (name && !strcmp(json_read_text(state, "name"), name))
			return state;
	}
	return NULL;
}

static enum group find_group(struct json_object *states, const char *name)
{
	const char *group = json_read_text(find_state(states, name), "group");
	size_t i = 0;

	while (i < REST && strcmp(groups[i], group))
		i++;
	return (enum group)i;
}

/* Add @sign times the values of @times. */
static void add_times(struct json_object *states, struct json_object *times, int sign, int64_t us[N_GROUPS],
		      int64_t *all)
{
	if (!json_object_is_type(times, json_type_object))
		return;
	json_object_object_foreach(times, state, value)
	{
		int64_t t = json_read_int(value, 0);

		if (t <= 0 || t > INT64_MAX / 1024)
			continue;
		us[find_group(states, state)] += sign * t;
		*all += sign * t;
	}
}

static struct json_object *find_region(struct json_object *result, int64_t index)
{
	struct json_object *regions = json_read_member(result, "regions");

	for (size_t i = 0; i < json_read_length(regions); i++) {
		struct json_object *region = json_object_array_get_idx(regions, i);

		if (json_read_int(json_read_member(region, "index"), -1) == index)
			return region;
	}
	return NULL;
}

static int64_t get_sort_value(const struct row *r, enum top_sort sort)
{
	static const enum group sorted[] = {
		[TOP_BY_WORK] = WORK, [TOP_BY_BARRIER] = BARRIER, [TOP_BY_LOCK] = LOCK, [TOP_BY_TASK] = TASK};

	if (sort == TOP_BY_IMBALANCE)
		return (int64_t)(r->imbalance * 1000);
	return sort == TOP_BY_TIME ? r->all : r->us[sorted[sort]];
}

static int compare_rows(const void *a, const void *b, void *arg)
{
	enum top_sort sort = *(const enum top_sort *)arg;
	int64_t x = get_sort_value(a, sort), y = get_sort_value(b, sort);

	return (x < y) - (x > y);
}

/* Return the calls in the shown period; -1: not known. A region that is new in this result may have had earlier
 * calls. */
static int64_t count_calls(const struct top_view *v, struct json_object *region, struct json_object *before)
{
	int64_t calls = json_read_int(json_read_member(region, "calls"), -1),
		early = json_read_int(json_read_member(before, "calls"), v->before ? -1 : 0);

	return calls < early || early < 0 ? -1 : calls - early;
}

static size_t read_rows(const struct top_view *v, struct row **ret)
{
	struct json_object *regions = json_read_member(v->now, "regions"), *states = json_read_member(v->now, "states");
	struct row *rows = text_calloc(json_read_length(regions) + 1, sizeof(*rows));
	enum top_sort sort = v->sort;
	size_t n = 0;

	for (size_t i = 0; i < json_read_length(regions); i++) {
		struct row *r = &rows[n];
		struct json_object *imbalance;

		r->region = json_object_array_get_idx(regions, i);
		struct json_object *before =
			find_region(v->before, json_read_int(json_read_member(r->region, "index"), -1));
		add_times(states, json_read_member(r->region, "times"), 1, r->us, &r->all);
		add_times(states, json_read_member(before, "times"), -1, r->us, &r->all);
		r->awake = json_read_int(json_read_member(r->region, "awake_us"), 0) -
			   json_read_int(json_read_member(before, "awake_us"), 0);
		r->calls = count_calls(v, r->region, before);
		imbalance = json_read_member(r->region, "imbalance");
		if (json_object_is_type(imbalance, json_type_double) || json_object_is_type(imbalance, json_type_int))
			r->imbalance = json_object_get_double(imbalance);
		/* Skip a region without threads in the shown period. */
		if (r->all > 0)
			n++;
		else
			memset(r, 0, sizeof(*r));
	}
	qsort_r(rows, n, sizeof(*rows), compare_rows, &sort);
	*ret = rows;
	return n;
}

static void add_region_name(struct buf *t, struct json_object *region, int utf8)
{
	const char *function = json_read_string(json_read_member(json_read_member(region, "place"), "function"));
	int64_t runtime = json_read_int(json_read_member(region, "runtime"), -1);

	if (json_read_bool(json_read_member(region, "outside")))
		text_add(t, "outside of regions");
	else if (function)
		text_add_safe(t, function, utf8);
	else
		text_add(t, "?");
	/* The process has several runtimes. */
	if (runtime >= 0)
		text_printf(t, " [%d]", (int)runtime);
}

static void add_percent(struct table *table, int64_t part, int64_t all)
{
	struct buf t = {0};

	if (all > 0 && part > 0)
		text_printf(&t, "%.1f", 100.0 * (double)part / (double)all);
	else
		text_add(&t, "-");
	table_add(table, text_take(&t), COLOUR_NONE);
}

static int64_t sum_times(const struct row *rows, size_t n)
{
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += rows[i].all;
	return sum;
}

static void add_rows(const struct top_view *v, const struct row *rows, size_t n, struct buf *out)
{
	const struct style style = {.utf8 = v->utf8, .width = v->width};
	int64_t sum = sum_times(rows, n);
	struct table table;

	table_init(&table, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < n; i++) {
		const struct row *r = &rows[i];
		struct buf name = {0}, imbalance = {0}, calls = {0};

		add_region_name(&name, r->region, v->utf8);
		table_add(&table, text_take(&name), COLOUR_NONE);
		table_add(&table, format_value_string(&style, json_read_member(r->region, "level")), COLOUR_NONE);
		/* Prefer the team's size: samples of running threads count only those on a CPU. */
		struct json_object *size = json_read_member(r->region, "team_size");

		if (!size)
			size = json_read_member(r->region, "threads");
		table_add(&table, format_value_string(&style, size), COLOUR_NONE);
		add_percent(&table, r->all, sum);
		for (int g = 0; g < N_GROUPS; g++)
			add_percent(&table, r->us[g], r->all);
		add_percent(&table, r->awake, r->all);
		if (r->imbalance > 0)
			text_printf(&imbalance, "%.2f", r->imbalance);
		else
			text_add(&imbalance, "-");
		table_add(&table, text_take(&imbalance), COLOUR_NONE);
		if (r->calls >= 0)
			text_printf(&calls, "%lld", (long long)r->calls);
		else
			text_add(&calls, "-");
		table_add(&table, text_take(&calls), COLOUR_NONE);
	}
	table_render(&table, &style, out);
	table_deinit(&table);
}

static int64_t get_int(struct json_object *array, size_t i, int64_t otherwise)
{
	return i < json_read_length(array) ? json_read_int(json_object_array_get_idx(array, i), otherwise) : otherwise;
}

/* Store the letters of the states of the timeline. */
static void read_letters(struct json_object *states, struct json_object *names, char *letters, size_t max)
{
	for (size_t i = 0; i < json_read_length(names) && i < max; i++) {
		const char *name = json_read_string(json_object_array_get_idx(names, i));
		char letter = *json_read_text(find_state(states, name), "letter");

		letters[i] = letter > ' ' && letter <= '~' ? letter : 0;
	}
}

/* Write the letter of the thread's state in the middle of each slot until @end_us; blanks where it is not known. */
static void fill_strip(const char *letters, struct json_object *thread, int64_t end_us, char *strip, size_t n)
{
	struct json_object *times = json_read_member(thread, "t_us"), *codes = json_read_member(thread, "state");
	size_t cell = 0, n_cells = json_read_length(times);

	memset(strip, ' ', n);
	strip[n] = 0;
	for (size_t slot = 0; slot < n; slot++) {
		int64_t t = end_us - (int64_t)(n - slot) * TOP_SLOT_US + TOP_SLOT_US / 2;

		while (cell + 1 < n_cells && get_int(times, cell + 1, INT64_MAX) <= t)
			cell++;
		if (t < 0 || cell >= n_cells || get_int(times, cell, INT64_MAX) > t)
			continue;
		int64_t code = get_int(codes, cell, -1);
		if (code >= 0 && code < MAX_STATES && letters[code])
			strip[slot] = letters[code];
	}
}

/* Return the region below which @thread is shown: its most recent one, if any; otherwise "outside", or -1 if not
 * known. */
static int64_t find_current_region(struct json_object *result, struct json_object *thread)
{
	struct json_object *in = json_read_member(thread, "region");
	int64_t found = -1;

	for (size_t i = json_read_length(in); i > 0; i--) {
		int64_t index = get_int(in, i - 1, -1);

		if (index < 0)
			continue;
		if (!json_read_bool(json_read_member(find_region(result, index), "outside")))
			return index;
		found = index;
	}
	return found;
}

/* Add the strips of the threads below each region. */
static void add_strips(const struct top_view *v, const struct row *rows, size_t n, struct buf *out)
{
	struct json_object *timeline = json_read_member(v->now, "timeline"),
			   *threads = json_read_member(timeline, "threads");
	int64_t end_us = json_read_int(json_read_member(timeline, "end_us"), 0);
	size_t room = v->width > STRIP_HEAD ? (size_t)(v->width - STRIP_HEAD) : 60;
	char strip[MAX_STRIP + 1], letters[MAX_STATES] = "";

	read_letters(json_read_member(v->now, "states"), json_read_member(timeline, "states"), letters, MAX_STATES);
	room = room < MAX_STRIP ? room : MAX_STRIP;
	size_t recent = room < RECENT_SLOTS ? room : RECENT_SLOTS;
	for (size_t i = 0; i < n; i++) {
		int64_t index = json_read_int(json_read_member(rows[i].region, "index"), -2);
		int is_first = 1;

		for (size_t k = 0; k < json_read_length(threads); k++) {
			struct json_object *thread = json_object_array_get_idx(threads, k);

			if (find_current_region(v->now, thread) != index)
				continue;
			fill_strip(letters, thread, end_us, strip, room);
			/* The thread has exited, as some runtimes' threads do when teams shrink. */
			if (strspn(strip + room - recent, " ") == recent)
				continue;
			if (is_first) {
				text_add(out, "\n");
				add_region_name(out, rows[i].region, v->utf8);
				text_add(out, "\n");
			}
			is_first = 0;
			text_printf(out, "%12lld  %s\n", (long long)json_read_int(json_read_member(thread, "tid"), 0),
				    strip);
		}
	}
}

/* Name the letters of the states that were seen. */
static void add_legend(const struct top_view *v, struct buf *out)
{
	struct json_object *states = json_read_member(v->now, "states");
	struct json_object *times = json_read_member(json_read_member(v->now, "total"), "times");
	const char *lead = "\n";

	for (size_t i = 0; i < json_read_length(states); i++) {
		struct json_object *state = json_object_array_get_idx(states, i);

		if (!json_read_member(times, json_read_text(state, "name")))
			continue;
		text_add(out, lead);
		text_add_safe(out, json_read_text(state, "letter"), v->utf8);
		text_add(out, " ");
		text_add_safe(out, json_read_text(state, "text"), v->utf8);
		lead = "  ";
	}
	text_add(out, "\n");
}

static void add_head(const struct top_view *v, struct buf *out)
{
	struct json_object *profile = json_read_member(v->now, "profile"), *total = json_read_member(v->now, "total");
	const char *ended = json_read_string(json_read_member(profile, "ended"));
	struct json_object *reached = json_read_member(profile, "reached_hz");

	text_add_safe(out, v->program, v->utf8);
	text_printf(out, " (pid %lld)  %.1f s, %.0f samples/s, %lld threads, by %s",
		    (long long)json_read_int(json_read_member(v->now, "pid"), 0),
		    (double)json_read_int(json_read_member(profile, "elapsed_us"), 0) / 1e6,
		    reached ? json_object_get_double(reached) : 0.0,
		    (long long)json_read_int(json_read_member(total, "threads"), 0), top_sort_name(v->sort));
	if (v->before)
		text_add(out, ", last interval");
	if (ended && strcmp(ended, "stopped")) {
		text_add(out, ", ended: ");
		text_add_safe(out, ended, v->utf8);
	}
	text_add(out, "\n\n");
}

/* Append the part of @all that fits. */
static void add_screen(const char *all, int width, int height, struct buf *out)
{
	for (int line = 0; *all && (!height || line < height); line++) {
		size_t len = strcspn(all, "\n");
		char *copy = text_calloc(len + 1, 1);

		memcpy(copy, all, len);
		text_add_bytes(out, copy, width ? text_fit(copy, (size_t)width) : len);
		while (out->len && out->data[out->len - 1] == ' ')
			out->data[--out->len] = 0;
		text_add(out, "\n");
		free(copy);
		all += len + (all[len] == '\n');
	}
}

void top_view_draw(const struct top_view *v, struct buf *out)
{
	struct buf all = {0};
	struct row *rows;
	size_t n = read_rows(v, &rows);

	add_head(v, &all);
	if (n)
		add_rows(v, rows, n, &all);
	else
		text_add(&all, "no OpenMP thread was seen\n");
	top_locks_draw(v, sum_times(rows, n), &all);
	add_strips(v, rows, n, &all);
	if (n)
		add_legend(v, &all);
	add_screen(all.data, v->width, v->height, out);
	buf_deinit(&all);
	free(rows);
}

void top_view_help(int width, int height, struct buf *out)
{
	static const char text[] = "Keys\n"
				   "  q  quit\n"
				   "  s  sort by the next column: time, work, barrier, lock, task, imbalance\n"
				   "  t  total since the start, or the last interval\n"
				   "  ?  this help; any key closes it\n"
				   "\n"
				   "TIME% is a region's share of the time of all threads. The other columns are\n"
				   "shares of TIME%. TARGET% is time in waits for a device. SLEEP% is time in the\n"
				   "program's system calls, such as read().\n"
				   "SPIN% is the part of waits and idle time that used a CPU. IMBAL is the work of the "
				   "busiest member divided by the mean,\n"
				   "since the start. Locks, since the start: WAIT% is a lock's share of the time of\n"
				   "all threads. WAITERS is the mean over the samples with a waiter, MOST the\n"
				   "maximum. HELD AT is the holder's most frequent place; ~: last known place of a\n"
				   "holder that ran; -: the runtime does not record the holder.\n"
				   "Below: the last seconds of each thread, a tenth of a second per character. The\n"
				   "last line names the letters.\n";

	add_screen(text, width, height, out);
}
