/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ompdctl-otf2: writes a recording of `ompdctl record` as an OTF2 archive. It is a separate program, because only
 * this format needs libotf2. `ompdctl-otf2 NAME.otf2` reads one JSON object: the result of profile.get with two more
 * members. "program" is the name of the program, "pieces" has the timelines in the order of their requests.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>
#include <otf2/otf2.h>

#include "format.h"
#include "text.h"

#define MICROSECONDS 1000000

struct cell {
	int64_t t_us, state, region;
};

struct thread {
	int64_t tid;
	struct cell *cells;
	size_t n, cap;
	uint64_t events;
};

struct trace {
	struct json_object *root, *regions, *states;
	struct thread *threads;
	size_t n_threads, cap_threads;
	int64_t end_us;
	OTF2_StringRef n_strings;
	OTF2_GlobalDefWriter *defs;
};

static void exit_with_message(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

static void check_code(OTF2_ErrorCode code, const char *what)
{
	if (code != OTF2_SUCCESS) {
		fprintf(stderr, "%s: %s\n", what, OTF2_Error_GetDescription(code));
		exit(1);
	}
}

static size_t get_length(struct json_object *array)
{
	return json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
}

static int64_t get_int(struct json_object *array, size_t i, int64_t otherwise)
{
	return i < get_length(array) ? json_read_int(json_object_array_get_idx(array, i), otherwise) : otherwise;
}

static struct thread *find_thread(struct trace *t, int64_t tid)
{
	for (size_t i = 0; i < t->n_threads; i++) {
		if (t->threads[i].tid == tid)
			return &t->threads[i];
	}
	TEXT_GROW(t->threads, t->n_threads, t->cap_threads);
	t->threads[t->n_threads] = (struct thread){.tid = tid};
	return &t->threads[t->n_threads++];
}

static void add_cell(struct thread *t, struct cell cell)
{
	/* The first cell of a piece repeats the last cell of the previous one. */
	if (cell.t_us < 0 || (t->n && cell.t_us <= t->cells[t->n - 1].t_us))
		return;
	TEXT_GROW(t->cells, t->n, t->cap);
	t->cells[t->n++] = cell;
}

static void read_piece(struct trace *t, struct json_object *piece)
{
	struct json_object *threads = json_read_member(piece, "threads");
	int64_t end_us = json_read_int(json_read_member(piece, "end_us"), 0);

	t->states = json_read_member(piece, "states");
	t->end_us = end_us > t->end_us ? end_us : t->end_us;
	for (size_t i = 0; i < get_length(threads); i++) {
		struct json_object *thread = json_object_array_get_idx(threads, i);
		struct thread *mine = find_thread(t, json_read_int(json_read_member(thread, "tid"), 0));
		struct json_object *times = json_read_member(thread, "t_us");

		for (size_t k = 0; k < get_length(times); k++)
			add_cell(mine,
				 (struct cell){get_int(times, k, -1), get_int(json_read_member(thread, "state"), k, -1),
					       get_int(json_read_member(thread, "region"), k, -1)});
	}
}

/* Return a region's number in the trace: regions follow the states; -1: none. */
static int64_t get_region_number(const struct trace *t, int64_t index)
{
	for (size_t i = 0; i < get_length(t->regions) && index >= 0; i++) {
		struct json_object *region = json_object_array_get_idx(t->regions, i);

		if (json_read_int(json_read_member(region, "index"), -1) == index &&
		    !json_read_bool(json_read_member(region, "outside")))
			return (int64_t)(get_length(t->states) + i);
	}
	return -1;
}

/* Write a change from @old to @new; a negative index means no state or region. */
static void change_region(OTF2_EvtWriter *w, struct thread *t, uint64_t time, int64_t old, int64_t new)
{
	if (old >= 0)
		check_code(OTF2_EvtWriter_Leave(w, NULL, time, (OTF2_RegionRef)old), "leave");
	if (new >= 0)
		check_code(OTF2_EvtWriter_Enter(w, NULL, time, (OTF2_RegionRef) new), "enter");
	t->events += (old >= 0) + (new >= 0);
}

static void write_events(struct trace *t, struct thread *thread, OTF2_EvtWriter *w)
{
	int64_t region = -1, state = -1;

	for (size_t i = 0; i <= thread->n; i++) {
		int is_end = i == thread->n;
		int64_t next_region = is_end ? -1 : get_region_number(t, thread->cells[i].region);
		int64_t next_state = is_end ? -1 : thread->cells[i].state;
		int64_t time = is_end ? t->end_us : thread->cells[i].t_us;

		if (is_end && thread->n && time < thread->cells[i - 1].t_us)
			time = thread->cells[i - 1].t_us;
		if (next_state >= (int64_t)get_length(t->states))
			next_state = -1;
		/* A state lies within its region: end the state first. */
		if (next_region != region) {
			change_region(w, thread, (uint64_t)time, state, -1);
			change_region(w, thread, (uint64_t)time, region, next_region);
			state = -1;
		}
		if (next_state != state)
			change_region(w, thread, (uint64_t)time, state, next_state);
		region = next_region;
		state = next_state;
	}
}

static OTF2_StringRef add_string(struct trace *t, const char *s)
{
	check_code(OTF2_GlobalDefWriter_WriteString(t->defs, t->n_strings, s ? s : ""), "string");
	return t->n_strings++;
}

static OTF2_RegionRole get_role(const char *state)
{
	static const struct {
		const char *state;
		OTF2_RegionRole role;
	} roles[] = {
		{"barrier_explicit", OTF2_REGION_ROLE_BARRIER},
		{"barrier_implicit", OTF2_REGION_ROLE_IMPLICIT_BARRIER},
		{"barrier", OTF2_REGION_ROLE_BARRIER},
		{"taskwait", OTF2_REGION_ROLE_TASK_WAIT},
		{"taskgroup", OTF2_REGION_ROLE_TASK_WAIT},
		{"critical", OTF2_REGION_ROLE_CRITICAL},
		{"atomic", OTF2_REGION_ROLE_ATOMIC},
		{"ordered", OTF2_REGION_ROLE_ORDERED},
	};

	for (size_t i = 0; state && i < sizeof(roles) / sizeof(*roles); i++) {
		if (!strcmp(state, roles[i].state))
			return roles[i].role;
	}
	return OTF2_REGION_ROLE_ARTIFICIAL;
}

static void add_region(struct trace *t, uint32_t number, const char *name, OTF2_RegionRole role, const char *file,
		       int64_t line)
{
	OTF2_StringRef name_ref = add_string(t, name), file_ref = add_string(t, file);
	uint32_t at_line = line > 0 && line < UINT32_MAX ? (uint32_t)line : 0;

	check_code(OTF2_GlobalDefWriter_WriteRegion(t->defs, number, name_ref, name_ref, 0, role, OTF2_PARADIGM_OPENMP,
						    OTF2_REGION_FLAG_NONE, file_ref, at_line, at_line),
		   "region");
}

static void write_regions(struct trace *t)
{
	uint32_t number = 0;

	for (size_t i = 0; i < get_length(t->states); i++) {
		const char *name = json_read_string(json_object_array_get_idx(t->states, i));

		add_region(t, number++, name, get_role(name), NULL, 0);
	}
	for (size_t i = 0; i < get_length(t->regions); i++) {
		struct json_object *place = json_read_member(json_object_array_get_idx(t->regions, i), "place");
		struct json_object *location = json_read_member(place, "location");
		const char *function = json_read_string(json_read_member(place, "function"));

		add_region(t, number++, function ? function : "parallel region", OTF2_REGION_ROLE_PARALLEL,
			   json_read_string(json_read_member(location, "file")),
			   json_read_int(json_read_member(location, "line"), 0));
	}
}

static void write_definitions(struct trace *t)
{
	struct json_object *profile = json_read_member(t->root, "profile");
	char name[64];

	check_code(OTF2_GlobalDefWriter_WriteClockProperties(
			   t->defs, MICROSECONDS, 0, (uint64_t)t->end_us + 1,
			   (uint64_t)json_read_int(json_read_member(profile, "begun_us"), 0) * 1000),
		   "clock");
	add_string(t, "");
	write_regions(t);
	if (gethostname(name, sizeof(name)))
		snprintf(name, sizeof(name), "node");
	name[sizeof(name) - 1] = 0;
	OTF2_StringRef node = add_string(t, name), class = add_string(t, "node");
	check_code(OTF2_GlobalDefWriter_WriteSystemTreeNode(t->defs, 0, node, class, OTF2_UNDEFINED_SYSTEM_TREE_NODE),
		   "node");
	OTF2_StringRef program = add_string(t, json_read_string(json_read_member(t->root, "program")));
	check_code(OTF2_GlobalDefWriter_WriteLocationGroup(t->defs, 0, program, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
							   OTF2_UNDEFINED_LOCATION_GROUP),
		   "process");
	for (size_t i = 0; i < t->n_threads; i++) {
		snprintf(name, sizeof(name), "thread %lld", (long long)t->threads[i].tid);
		OTF2_StringRef thread = add_string(t, name);

		check_code(OTF2_GlobalDefWriter_WriteLocation(t->defs, i, thread, OTF2_LOCATION_TYPE_CPU_THREAD,
							      t->threads[i].events, 0),
			   "thread");
	}
}

static OTF2_FlushType on_pre_flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
	(void)data, (void)type, (void)location, (void)caller, (void) final;
	return OTF2_FLUSH;
}

static OTF2_TimeStamp on_post_flush(void *data, OTF2_FileType type, OTF2_LocationRef location)
{
	const struct trace *t = data;

	(void)type, (void)location;
	return (OTF2_TimeStamp)t->end_us;
}

static void write_archive(struct trace *t, const char *folder, const char *name)
{
	static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = on_pre_flush, .otf2_post_flush = on_post_flush};
	OTF2_Archive *a = OTF2_Archive_Open(folder, name, OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20, OTF2_SUBSTRATE_POSIX,
					    OTF2_COMPRESSION_NONE);

	if (!a)
		exit_with_message("cannot create the archive: does one of that name exist?");
	check_code(OTF2_Archive_SetFlushCallbacks(a, &flush, t), "flush");
	check_code(OTF2_Archive_SetSerialCollectiveCallbacks(a), "serial");
	check_code(OTF2_Archive_SetCreator(a, "ompdctl " OMPDD_VERSION), "creator");
	check_code(OTF2_Archive_OpenEvtFiles(a), "events");
	for (size_t i = 0; i < t->n_threads; i++) {
		OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, i);

		if (!w)
			exit_with_message("cannot write events");
		write_events(t, &t->threads[i], w);
		check_code(OTF2_Archive_CloseEvtWriter(a, w), "close");
	}
	check_code(OTF2_Archive_CloseEvtFiles(a), "events");
	check_code(OTF2_Archive_OpenDefFiles(a), "definitions");
	for (size_t i = 0; i < t->n_threads; i++)
		check_code(OTF2_Archive_CloseDefWriter(a, OTF2_Archive_GetDefWriter(a, i)), "definitions");
	check_code(OTF2_Archive_CloseDefFiles(a), "definitions");
	t->defs = OTF2_Archive_GetGlobalDefWriter(a);
	write_definitions(t);
	check_code(OTF2_Archive_CloseGlobalDefWriter(a, t->defs), "definitions");
	check_code(OTF2_Archive_Close(a), "close");
}

static struct json_object *read_input(void)
{
	struct buf t = {0};
	char chunk[65536];
	ssize_t n;

	while ((n = read(STDIN_FILENO, chunk, sizeof(chunk))) > 0)
		text_add_bytes(&t, chunk, (size_t)n);
	while (t.len && t.data[t.len - 1] == '\n')
		t.len--;
	struct json_object *root = n < 0 || !t.len ? NULL : answer_parse(t.data, t.len);
	buf_deinit(&t);
	return root;
}

int main(int argc, char **argv)
{
	struct trace t = {0};

	if (argc != 2)
		exit_with_message("usage: ompdctl-otf2 NAME.otf2 < profile.json; ompdctl record starts it");
	t.root = read_input();
	struct json_object *pieces = json_read_member(t.root, "pieces");
	if (!get_length(pieces))
		exit_with_message("no timeline on standard input");
	t.regions = json_read_member(t.root, "regions");
	for (size_t i = 0; i < get_length(pieces); i++)
		read_piece(&t, json_object_array_get_idx(pieces, i));
	/* The archive is NAME.otf2, NAME.def and the folder NAME. */
	char *slash = strrchr(argv[1], '/'), *name = slash ? slash + 1 : argv[1];
	char *dot = strrchr(name, '.');
	if (dot && dot > name && !strcmp(dot, ".otf2"))
		*dot = 0;
	if (slash)
		*slash = 0;
	write_archive(&t, !slash ? "." : slash == argv[1] ? "/" : argv[1], name);
	for (size_t i = 0; i < t.n_threads; i++)
		free(t.threads[i].cells);
	free(t.threads);
	json_object_put(t.root);
	return 0;
}
