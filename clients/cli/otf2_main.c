/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ompdctl-otf2: writes a recording of `ompdctl record` as an OTF2 archive. It is a separate program, because only
 * this format needs libotf2. `ompdctl-otf2 NAME.otf2` reads one JSON object. Its member "processes" has the result of
 * profile.get for each process, with two more members: "name" is the name of the process, "pieces" has the timelines in
 * the order of their requests. Times of the archive start with the earliest profile.
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

struct process {
	struct json_object *root, *regions, *states;
	struct thread *threads;
	size_t n_threads, cap_threads;
	int64_t offset_us; /* start of its profile after the start of the trace */
	int64_t end_us;	   /* of the trace's time */
	uint32_t *numbers; /* regions of the trace: one for each of its states, then one for each of its regions */
};

/* A region of the trace. Processes share equal regions. Strings are borrowed. */
struct region {
	const char *name, *file;
	OTF2_RegionRole role;
	uint32_t line;
};

struct trace {
	struct process *processes;
	size_t n_processes;
	struct region *regions;
	size_t n_regions, cap_regions;
	int64_t begun_us, end_us;
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

static struct thread *find_thread(struct process *p, int64_t tid)
{
	for (size_t i = 0; i < p->n_threads; i++) {
		if (p->threads[i].tid == tid)
			return &p->threads[i];
	}
	TEXT_GROW(p->threads, p->n_threads, p->cap_threads);
	p->threads[p->n_threads] = (struct thread){.tid = tid};
	return &p->threads[p->n_threads++];
}

static void add_cell(struct thread *t, struct cell cell)
{
	/* The first cell of a piece repeats the last cell of the previous one. */
	if (cell.t_us < 0 || (t->n && cell.t_us <= t->cells[t->n - 1].t_us))
		return;
	TEXT_GROW(t->cells, t->n, t->cap);
	t->cells[t->n++] = cell;
}

/* Return a time of the process as a time of the trace; -1: it has none. */
static int64_t shift_time(const struct process *p, int64_t t_us)
{
	int64_t shifted;

	return t_us < 0 || __builtin_add_overflow(t_us, p->offset_us, &shifted) ? -1 : shifted;
}

static void read_piece(struct process *p, struct json_object *piece)
{
	struct json_object *threads = json_read_member(piece, "threads");
	int64_t end_us = shift_time(p, json_read_int(json_read_member(piece, "end_us"), 0));

	p->states = json_read_member(piece, "states");
	p->end_us = end_us > p->end_us ? end_us : p->end_us;
	for (size_t i = 0; i < get_length(threads); i++) {
		struct json_object *thread = json_object_array_get_idx(threads, i);
		struct thread *mine = find_thread(p, json_read_int(json_read_member(thread, "tid"), 0));
		struct json_object *times = json_read_member(thread, "t_us");

		for (size_t k = 0; k < get_length(times); k++)
			add_cell(mine, (struct cell){shift_time(p, get_int(times, k, -1)),
						     get_int(json_read_member(thread, "state"), k, -1),
						     get_int(json_read_member(thread, "region"), k, -1)});
	}
}

static int64_t get_begun_us(const struct process *p)
{
	int64_t us = json_read_int(json_read_member(json_read_member(p->root, "profile"), "begun_us"), 0);

	return us > 0 ? us : 0;
}

static void read_processes(struct trace *t, struct json_object *processes)
{
	t->n_processes = get_length(processes);
	t->processes = text_calloc(t->n_processes, sizeof(*t->processes));
	for (size_t i = 0; i < t->n_processes; i++) {
		struct process *p = &t->processes[i];

		p->root = json_object_array_get_idx(processes, i);
		p->regions = json_read_member(p->root, "regions");
		t->begun_us = !i || get_begun_us(p) < t->begun_us ? get_begun_us(p) : t->begun_us;
	}
	for (size_t i = 0; i < t->n_processes; i++) {
		struct process *p = &t->processes[i];
		struct json_object *pieces = json_read_member(p->root, "pieces");

		p->offset_us = get_begun_us(p) - t->begun_us;
		for (size_t k = 0; k < get_length(pieces); k++)
			read_piece(p, json_object_array_get_idx(pieces, k));
		t->end_us = p->end_us > t->end_us ? p->end_us : t->end_us;
	}
}

/* Return the number in the trace of the process's region @index; -1: none. */
static int64_t get_region_number(const struct process *p, int64_t index)
{
	for (size_t i = 0; i < get_length(p->regions) && index >= 0; i++) {
		struct json_object *region = json_object_array_get_idx(p->regions, i);

		if (json_read_int(json_read_member(region, "index"), -1) == index &&
		    !json_read_bool(json_read_member(region, "outside")))
			return p->numbers[get_length(p->states) + i];
	}
	return -1;
}

/* Return the number in the trace of the process's state @index; -1: none. */
static int64_t get_state_number(const struct process *p, int64_t index)
{
	return index >= 0 && index < (int64_t)get_length(p->states) ? (int64_t)p->numbers[index] : -1;
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

static void write_events(const struct process *p, struct thread *thread, OTF2_EvtWriter *w)
{
	int64_t region = -1, state = -1;

	for (size_t i = 0; i <= thread->n; i++) {
		int is_end = i == thread->n;
		int64_t next_region = is_end ? -1 : get_region_number(p, thread->cells[i].region);
		int64_t next_state = is_end ? -1 : get_state_number(p, thread->cells[i].state);
		int64_t time = is_end ? p->end_us : thread->cells[i].t_us;

		if (is_end && thread->n && time < thread->cells[i - 1].t_us)
			time = thread->cells[i - 1].t_us;
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

/* Return the number of the region, which is added if it is new. */
static uint32_t find_region(struct trace *t, struct region one)
{
	for (size_t i = 0; i < t->n_regions; i++) {
		const struct region *r = &t->regions[i];

		if (r->role == one.role && r->line == one.line && !strcmp(r->name, one.name) &&
		    !strcmp(r->file, one.file))
			return (uint32_t)i;
	}
	TEXT_GROW(t->regions, t->n_regions, t->cap_regions);
	t->regions[t->n_regions] = one;
	return (uint32_t)t->n_regions++;
}

static void number_regions(struct trace *t, struct process *p)
{
	size_t n_states = get_length(p->states), n_regions = get_length(p->regions);

	p->numbers = text_calloc(n_states + n_regions + 1, sizeof(*p->numbers));
	for (size_t i = 0; i < n_states; i++) {
		const char *name = json_read_string(json_object_array_get_idx(p->states, i));

		p->numbers[i] = find_region(t, (struct region){.name = name ?: "", .file = "", .role = get_role(name)});
	}
	for (size_t i = 0; i < n_regions; i++) {
		struct json_object *place = json_read_member(json_object_array_get_idx(p->regions, i), "place");
		struct json_object *location = json_read_member(place, "location");
		int64_t line = json_read_int(json_read_member(location, "line"), 0);

		p->numbers[n_states + i] = find_region(
			t, (struct region){.name = json_read_string(json_read_member(place, "function"))
							   ?: "parallel region",
					   .file = json_read_string(json_read_member(location, "file")) ?: "",
					   .role = OTF2_REGION_ROLE_PARALLEL,
					   .line = line > 0 && line < UINT32_MAX ? (uint32_t)line : 0});
	}
}

static void write_regions(struct trace *t)
{
	for (uint32_t i = 0; i < t->n_regions; i++) {
		const struct region *r = &t->regions[i];
		OTF2_StringRef name = add_string(t, r->name), file = add_string(t, r->file);

		check_code(OTF2_GlobalDefWriter_WriteRegion(t->defs, i, name, name, 0, r->role, OTF2_PARADIGM_OPENMP,
							    OTF2_REGION_FLAG_NONE, file, r->line, r->line),
			   "region");
	}
}

/* Write a process as a location group, and its threads as locations from the number @first on. */
static void write_process(struct trace *t, size_t i, uint64_t first)
{
	const struct process *p = &t->processes[i];
	OTF2_StringRef program = add_string(t, json_read_string(json_read_member(p->root, "name")));
	char name[64];

	check_code(OTF2_GlobalDefWriter_WriteLocationGroup(t->defs, (OTF2_LocationGroupRef)i, program,
							   OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
							   OTF2_UNDEFINED_LOCATION_GROUP),
		   "process");
	for (size_t k = 0; k < p->n_threads; k++) {
		snprintf(name, sizeof(name), "thread %lld", (long long)p->threads[k].tid);
		OTF2_StringRef thread = add_string(t, name);

		check_code(OTF2_GlobalDefWriter_WriteLocation(t->defs, first + k, thread, OTF2_LOCATION_TYPE_CPU_THREAD,
							      p->threads[k].events, (OTF2_LocationGroupRef)i),
			   "thread");
	}
}

static void write_definitions(struct trace *t)
{
	uint64_t first = 0;
	char name[64];

	check_code(OTF2_GlobalDefWriter_WriteClockProperties(t->defs, MICROSECONDS, 0, (uint64_t)t->end_us + 1,
							     (uint64_t)t->begun_us * 1000),
		   "clock");
	add_string(t, "");
	write_regions(t);
	if (gethostname(name, sizeof(name)))
		snprintf(name, sizeof(name), "node");
	name[sizeof(name) - 1] = 0;
	OTF2_StringRef node = add_string(t, name), class = add_string(t, "node");
	check_code(OTF2_GlobalDefWriter_WriteSystemTreeNode(t->defs, 0, node, class, OTF2_UNDEFINED_SYSTEM_TREE_NODE),
		   "node");
	for (size_t i = 0; i < t->n_processes; i++) {
		write_process(t, i, first);
		first += t->processes[i].n_threads;
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

static void write_location(OTF2_Archive *a, uint64_t location, const struct process *p, struct thread *thread)
{
	OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, location);

	if (!w)
		exit_with_message("cannot write events");
	write_events(p, thread, w);
	check_code(OTF2_Archive_CloseEvtWriter(a, w), "close");
}

static void write_archive(struct trace *t, const char *folder, const char *name)
{
	static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = on_pre_flush, .otf2_post_flush = on_post_flush};
	OTF2_Archive *a = OTF2_Archive_Open(folder, name, OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20, OTF2_SUBSTRATE_POSIX,
					    OTF2_COMPRESSION_NONE);
	uint64_t n_locations = 0;

	if (!a)
		exit_with_message("cannot create the archive: does one of that name exist?");
	check_code(OTF2_Archive_SetFlushCallbacks(a, &flush, t), "flush");
	check_code(OTF2_Archive_SetSerialCollectiveCallbacks(a), "serial");
	check_code(OTF2_Archive_SetCreator(a, "ompdctl " OMPDD_VERSION), "creator");
	check_code(OTF2_Archive_OpenEvtFiles(a), "events");
	for (size_t i = 0; i < t->n_processes; i++) {
		struct process *p = &t->processes[i];

		number_regions(t, p);
		for (size_t k = 0; k < p->n_threads; k++)
			write_location(a, n_locations++, p, &p->threads[k]);
	}
	check_code(OTF2_Archive_CloseEvtFiles(a), "events");
	check_code(OTF2_Archive_OpenDefFiles(a), "definitions");
	for (uint64_t i = 0; i < n_locations; i++)
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

static void deinit_process(struct process *p)
{
	for (size_t i = 0; i < p->n_threads; i++)
		free(p->threads[i].cells);
	free(p->threads);
	free(p->numbers);
}

int main(int argc, char **argv)
{
	struct trace t = {0};

	if (argc != 2)
		exit_with_message("usage: ompdctl-otf2 NAME.otf2 < profiles.json; ompdctl record starts it");
	struct json_object *root = read_input();
	read_processes(&t, json_read_member(root, "processes"));
	if (!t.n_processes || !get_length(json_read_member(t.processes[0].root, "pieces")))
		exit_with_message("no timeline on standard input");
	/* The archive is NAME.otf2, NAME.def and the folder NAME. */
	char *slash = strrchr(argv[1], '/'), *name = slash ? slash + 1 : argv[1];
	char *dot = strrchr(name, '.');
	if (dot && dot > name && !strcmp(dot, ".otf2"))
		*dot = 0;
	if (slash)
		*slash = 0;
	write_archive(&t, !slash ? "." : slash == argv[1] ? "/" : argv[1], name);
	for (size_t i = 0; i < t.n_processes; i++)
		deinit_process(&t.processes[i]);
	free(t.processes);
	free(t.regions);
	json_object_put(root);
	return 0;
}
