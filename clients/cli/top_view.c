/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Converts profile.get into lines. It does not use the terminal. */
#include "top_view.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "table.h"
#include "top_locks.h"

/* Most characters of a strip: the timeline for the screen is never longer. */
#define MAX_STRIP  512
#define STRIP_HEAD 14 /* columns before a strip */
/* A thread that was not sampled for that long has exited. */
#define RECENT_SLOTS 15

enum class { WORK, BARRIER, LOCK, TASK, IDLE, OTHER, N_CLASSES };

static const struct {
	const char *state;
	enum class class;
	char letter;
} states[] = {
	{"work", WORK, 'W'},
	{"serial", WORK, 'S'},
	{"target", WORK, 'X'},
	{"barrier_explicit", BARRIER, 'B'},
	{"barrier_implicit", BARRIER, 'b'},
	{"barrier", BARRIER, 'B'},
	{"critical", LOCK, 'C'},
	{"lock", LOCK, 'L'},
	{"atomic", LOCK, 'A'},
	{"mutex", LOCK, 'L'},
	{"ordered", LOCK, 'O'},
	{"taskwait", TASK, 'T'},
	{"taskgroup", TASK, 'T'},
	{"idle", IDLE, '-'},
	{"overhead", OTHER, 'r'},
	{"unknown", OTHER, '?'},
};
#define N_STATES (sizeof(states) / sizeof(*states))

static const char legend[] = "Work Serial Barrier (b: implicit) Critical Lock Atomic Ordered Taskwait - idle";

static const struct table_column columns[] = {
	{"REGION", TABLE_CUT_MIDDLE, 12}, {"LEVEL", TABLE_RIGHT, 0}, {"THREADS", TABLE_RIGHT, 0},
	{"TIME%", TABLE_RIGHT, 0},	  {"WORK%", TABLE_RIGHT, 0}, {"BARR%", TABLE_RIGHT, 0},
	{"LOCK%", TABLE_RIGHT, 0},	  {"TASK%", TABLE_RIGHT, 0}, {"IDLE%", TABLE_RIGHT, 0},
	{"REST%", TABLE_RIGHT, 0},	  {"IMBAL", TABLE_RIGHT, 0}, {"CALLS", TABLE_RIGHT, 0},
};

struct row {
	struct json_object *region;
	int64_t us[N_CLASSES], all;
	double imbalance; /* 0: not known */
	int64_t calls;	  /* -1: not known */
};

const char *top_sort_name(enum top_sort sort)
{
	static const char *const names[TOP_SORTS] = {"time", "work", "barrier", "lock", "task", "imbalance"};

	return names[sort];
}

static size_t get_length(struct json_object *array)
{
	return json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
}

static size_t find_state(const char *name)
{
	size_t i = 0;

	while (i < N_STATES && (!name || strcmp(states[i].state, name)))
		i++;
	return i < N_STATES ? i : N_STATES - 1;
}

/* Add @sign times the values of @times. */
static void add_times(struct json_object *times, int sign, int64_t us[N_CLASSES], int64_t *all)
{
	if (!json_object_is_type(times, json_type_object))
		return;
	json_object_object_foreach(times, state, value)
	{
		int64_t t = format_int(value, 0);

		if (t <= 0 || t > INT64_MAX / 1024)
			continue;
		us[states[find_state(state)].class] += sign * t;
		*all += sign * t;
	}
}

static struct json_object *find_region(struct json_object *result, int64_t index)
{
	struct json_object *regions = format_member(result, "regions");

	for (size_t i = 0; i < get_length(regions); i++) {
		struct json_object *region = json_object_array_get_idx(regions, i);

		if (format_int(format_member(region, "index"), -1) == index)
			return region;
	}
	return NULL;
}

static int64_t get_sort_value(const struct row *r, enum top_sort sort)
{
	static const enum class classes[] = {
		[TOP_BY_WORK] = WORK, [TOP_BY_BARRIER] = BARRIER, [TOP_BY_LOCK] = LOCK, [TOP_BY_TASK] = TASK};

	if (sort == TOP_BY_IMBALANCE)
		return (int64_t)(r->imbalance * 1000);
	return sort == TOP_BY_TIME ? r->all : r->us[classes[sort]];
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
	int64_t calls = format_int(format_member(region, "calls"), -1),
		early = format_int(format_member(before, "calls"), v->before ? -1 : 0);

	return calls < early || early < 0 ? -1 : calls - early;
}

static size_t read_rows(const struct top_view *v, struct row **ret)
{
	struct json_object *regions = format_member(v->now, "regions");
	struct row *rows = text_calloc(get_length(regions) + 1, sizeof(*rows));
	enum top_sort sort = v->sort;
	size_t n = 0;

	for (size_t i = 0; i < get_length(regions); i++) {
		struct row *r = &rows[n];
		struct json_object *imbalance;

		r->region = json_object_array_get_idx(regions, i);
		struct json_object *before = find_region(v->before, format_int(format_member(r->region, "index"), -1));
		add_times(format_member(r->region, "times"), 1, r->us, &r->all);
		add_times(format_member(before, "times"), -1, r->us, &r->all);
		r->calls = count_calls(v, r->region, before);
		imbalance = format_member(r->region, "imbalance");
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

static void add_region_name(struct text *t, struct json_object *region, int utf8)
{
	const char *function = format_string(format_member(format_member(region, "place"), "function"));
	int64_t runtime = format_int(format_member(region, "runtime"), -1);

	if (format_is_true(format_member(region, "outside")))
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
	struct text t = {0};

	text_printf(&t, "%.1f", all > 0 && part > 0 ? 100.0 * (double)part / (double)all : 0.0);
	table_add(table, text_take(&t), COLOUR_NONE);
}

static int64_t sum_times(const struct row *rows, size_t n)
{
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += rows[i].all;
	return sum;
}

static void add_rows(const struct top_view *v, const struct row *rows, size_t n, struct text *out)
{
	const struct style style = {.utf8 = v->utf8, .width = v->width};
	int64_t sum = sum_times(rows, n);
	struct table table;

	table_init(&table, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < n; i++) {
		const struct row *r = &rows[i];
		struct text name = {0}, imbalance = {0}, calls = {0};

		add_region_name(&name, r->region, v->utf8);
		table_add(&table, text_take(&name), COLOUR_NONE);
		table_add(&table, format_value_string(&style, format_member(r->region, "level")), COLOUR_NONE);
		/* Prefer the team's size: samples of running threads count only those on a CPU. */
		struct json_object *size = format_member(r->region, "team_size");

		if (!size)
			size = format_member(r->region, "threads");
		table_add(&table, format_value_string(&style, size), COLOUR_NONE);
		add_percent(&table, r->all, sum);
		for (int c = 0; c < N_CLASSES; c++)
			add_percent(&table, r->us[c], r->all);
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
	return i < get_length(array) ? format_int(json_object_array_get_idx(array, i), otherwise) : otherwise;
}

/* Write the letter of the thread's state in the middle of each slot until @end_us; blanks where it is not known. */
static void fill_strip(struct json_object *names, struct json_object *thread, int64_t end_us, char *strip, size_t n)
{
	struct json_object *times = format_member(thread, "t_us"), *codes = format_member(thread, "state");
	size_t cell = 0, n_cells = get_length(times);

	memset(strip, ' ', n);
	strip[n] = 0;
	for (size_t slot = 0; slot < n; slot++) {
		int64_t t = end_us - (int64_t)(n - slot) * TOP_SLOT_US + TOP_SLOT_US / 2;

		while (cell + 1 < n_cells && get_int(times, cell + 1, INT64_MAX) <= t)
			cell++;
		if (t < 0 || cell >= n_cells || get_int(times, cell, INT64_MAX) > t)
			continue;
		int64_t code = get_int(codes, cell, -1);
		const char *name = code >= 0 && (size_t)code < get_length(names)
					   ? format_string(json_object_array_get_idx(names, (size_t)code))
					   : NULL;
		if (name)
			strip[slot] = states[find_state(name)].letter;
	}
}

/* Return the region below which @thread is shown: its most recent one, if any; otherwise "outside", or -1 if not
 * known. */
static int64_t find_current_region(struct json_object *result, struct json_object *thread)
{
	struct json_object *in = format_member(thread, "region");
	int64_t found = -1;

	for (size_t i = get_length(in); i > 0; i--) {
		int64_t index = get_int(in, i - 1, -1);

		if (index < 0)
			continue;
		if (!format_is_true(format_member(find_region(result, index), "outside")))
			return index;
		found = index;
	}
	return found;
}

/* Add the strips of the threads below each region. */
static void add_strips(const struct top_view *v, const struct row *rows, size_t n, struct text *out)
{
	struct json_object *timeline = format_member(v->now, "timeline"), *threads = format_member(timeline, "threads");
	int64_t end_us = format_int(format_member(timeline, "end_us"), 0);
	size_t room = v->width > STRIP_HEAD ? (size_t)(v->width - STRIP_HEAD) : 60;
	char strip[MAX_STRIP + 1];

	room = room < MAX_STRIP ? room : MAX_STRIP;
	size_t recent = room < RECENT_SLOTS ? room : RECENT_SLOTS;
	for (size_t i = 0; i < n; i++) {
		int64_t index = format_int(format_member(rows[i].region, "index"), -2);
		int is_first = 1;

		for (size_t k = 0; k < get_length(threads); k++) {
			struct json_object *thread = json_object_array_get_idx(threads, k);

			if (find_current_region(v->now, thread) != index)
				continue;
			fill_strip(format_member(timeline, "states"), thread, end_us, strip, room);
			/* The thread has exited, as libgomp's threads do when teams shrink. */
			if (strspn(strip + room - recent, " ") == recent)
				continue;
			if (is_first) {
				text_add(out, "\n");
				add_region_name(out, rows[i].region, v->utf8);
				text_add(out, "\n");
			}
			is_first = 0;
			text_printf(out, "%12lld  %s\n", (long long)format_int(format_member(thread, "tid"), 0), strip);
		}
	}
}

static void add_head(const struct top_view *v, struct text *out)
{
	struct json_object *profile = format_member(v->now, "profile"), *total = format_member(v->now, "total");
	const char *ended = format_string(format_member(profile, "ended"));
	struct json_object *reached = format_member(profile, "reached_hz");

	text_add_safe(out, v->program, v->utf8);
	text_printf(out, " (pid %lld)  %.1f s, %.0f looks/s, %lld threads, by %s",
		    (long long)format_int(format_member(v->now, "pid"), 0),
		    (double)format_int(format_member(profile, "elapsed_us"), 0) / 1e6,
		    reached ? json_object_get_double(reached) : 0.0,
		    (long long)format_int(format_member(total, "threads"), 0), top_sort_name(v->sort));
	if (v->before)
		text_add(out, ", last interval");
	if (ended && strcmp(ended, "stopped")) {
		text_add(out, ", ended: ");
		text_add_safe(out, ended, v->utf8);
	}
	text_add(out, "\n\n");
}

/* Append the part of @all that fits. */
static void add_screen(const char *all, int width, int height, struct text *out)
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

void top_view_draw(const struct top_view *v, struct text *out)
{
	struct text all = {0};
	struct row *rows;
	size_t n = read_rows(v, &rows);

	add_head(v, &all);
	if (n)
		add_rows(v, rows, n, &all);
	else
		text_add(&all, "no OpenMP thread was seen\n");
	top_locks_draw(v, sum_times(rows, n), &all);
	add_strips(v, rows, n, &all);
	if (n) {
		text_add(&all, "\n");
		text_add(&all, legend);
		text_add(&all, "\n");
	}
	add_screen(all.data, v->width, v->height, out);
	text_deinit(&all);
	free(rows);
}

void top_view_help(int width, int height, struct text *out)
{
	static const char text[] = "Keys\n"
				   "  q  leave\n"
				   "  s  sort by the next column: time, work, barrier, lock, task, imbalance\n"
				   "  t  since the begin, or of the last interval only\n"
				   "  ?  this; any key leaves it\n"
				   "\n"
				   "TIME% is a region's share of the time of all threads; the others are shares of\n"
				   "that. IMBAL is the work of the busiest member over the mean, since the begin.\n"
				   "Of each lock, WAIT% is the share of the time of all threads; WAITERS are those of\n"
				   "a look that saw any, MOST the most. HELD AT: where it was held meanwhile, in most\n"
				   "cases; ~: by a thread that ran, where it was seen last; -: the runtime does not\n"
				   "keep who holds it. These are since the begin.\n"
				   "Below, each thread's last seconds, a tenth of a second in each character; also\n"
				   "X target region, r the runtime's own work, ? nothing proves what it did:\n";
	struct text all = {0};

	text_add(&all, text);
	text_add(&all, legend);
	text_add(&all, "\n");
	add_screen(all.data, width, height, out);
	text_deinit(&all);
}
