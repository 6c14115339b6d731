/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* NT_PRSTATUS, NT_PRPSINFO, NT_SIGINFO, NT_AUXV and NT_FILE, as Linux and gdb write them. */
#include "target/core/core_notes.h"

#include <elf.h>
#include <gelf.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>

#include "base/vector.h"
#include "target/target.h"

/* The limit for the unit of offsets in NT_FILE. The note names that unit, which is always the page size. */
#define MAX_PAGE_SIZE (1u << 30)

/* The parts before and after the registers are the same for all 64-bit processors. */
#define STATUS_REGISTERS offsetof(struct elf_prstatus, pr_reg)
#define STATUS_TAIL	 8

static struct error *add_thread(struct core_notes *notes, const void *desc, size_t len)
{
	struct elf_prstatus status = {0};
	size_t n = arch->note_words * sizeof(uint64_t);

	notes->last = NULL;
	if (len < STATUS_REGISTERS + n + STATUS_TAIL) {
		notes->n_damaged++;
		return NULL;
	}
	memcpy(&status, desc, STATUS_REGISTERS);
	if (status.pr_pid <= 0) {
		notes->n_damaged++;
		return NULL;
	}
	if (notes->n_threads == TARGET_MAX_THREADS)
		return error_detail(
			error_create(ERR_LIMIT_EXCEEDED, "the core has more than %d threads", TARGET_MAX_THREADS),
			"limit", "threads");
	if (!VECTOR_GROW(notes->threads, notes->n_threads, notes->cap_threads))
		return &error_nomem;
	struct core_thread *thread = &notes->threads[notes->n_threads++];
	*thread = (struct core_thread){.tid = status.pr_pid};
	memcpy(thread->regs.word, (const char *)desc + STATUS_REGISTERS, n);
	notes->last = thread;
	if (!notes->first_tid) {
		notes->first_tid = status.pr_pid;
		notes->signal = status.pr_cursig;
	}
	return NULL;
}

static void set_process(struct core_notes *notes, const void *desc, size_t len)
{
	struct elf_prpsinfo info;

	if (len < sizeof(info)) {
		notes->n_damaged++;
		return;
	}
	memcpy(&info, desc, sizeof(info));
	if (info.pr_pid <= 0)
		notes->n_damaged++;
	else if (!notes->pid)
		notes->pid = info.pr_pid;
	notes->flags = info.pr_flag;
	memcpy(notes->comm, info.pr_fname, sizeof(info.pr_fname));
	notes->comm[sizeof(info.pr_fname)] = '\0';
}

static void set_signal(struct core_notes *notes, const void *desc, size_t len)
{
	int signo;

	if (len < sizeof(siginfo_t)) {
		notes->n_damaged++;
		return;
	}
	memcpy(&signo, desc, sizeof(signo));
	if (!notes->signal)
		notes->signal = signo;
}

static int compare_maps(const void *pa, const void *pb)
{
	const struct core_map *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

static bool is_sane(const struct core_map *map)
{
	uint64_t end;

	return map->start < map->end && !(map->start & 4095) && map->path[0] &&
	       !__builtin_add_overflow(map->offset, map->end - map->start, &end) && end <= INT64_MAX;
}

/* The count and the page size, then three numbers for each mapping, then all names. */
static struct error *set_files(struct core_notes *notes, const void *desc, size_t len)
{
	uint64_t head[2];

	if (notes->file_note || len < sizeof(head)) {
		notes->n_damaged++;
		return NULL;
	}
	memcpy(head, desc, sizeof(head));
	uint64_t n = head[0], page = head[1];
	if (n > (len - sizeof(head)) / (3 * sizeof(uint64_t)) || !page || page > MAX_PAGE_SIZE) {
		notes->n_damaged++;
		return NULL;
	}
	if (n > CORE_MAX_MAPS) {
		n = CORE_MAX_MAPS;
		notes->n_damaged++;
	}
	notes->file_note = malloc(len + 1);
	notes->maps = calloc(n ? n : 1, sizeof(*notes->maps));
	if (!notes->file_note || !notes->maps)
		return &error_nomem;
	memcpy(notes->file_note, desc, len);
	notes->file_note[len] = '\0';
	const char *rows = notes->file_note + sizeof(head);
	const char *name = rows + head[0] * 3 * sizeof(uint64_t);
	const char *end = notes->file_note + len;
	for (uint64_t i = 0; i < n; i++) {
		struct core_map *map = &notes->maps[notes->n_maps];
		uint64_t row[3];

		memcpy(row, rows + i * sizeof(row), sizeof(row));
		if (name >= end) {
			notes->n_damaged++;
			break;
		}
		*map = (struct core_map){.start = row[0], .end = row[1], .path = name};
		name += strlen(name) + 1;
		if (!__builtin_mul_overflow(row[2], page, &map->offset) && is_sane(map))
			notes->n_maps++;
		else
			notes->n_damaged++;
	}
	return NULL;
}

static struct error *add_note(struct core_notes *notes, uint32_t type, const void *desc, size_t len)
{
	switch (type) {
	case NT_PRSTATUS:
		return add_thread(notes, desc, len);
	case NT_PRPSINFO:
		set_process(notes, desc, len);
		return NULL;
	case NT_SIGINFO:
		set_signal(notes, desc, len);
		return NULL;
	case NT_AUXV:
		auxv_parse(desc, len, &notes->auxv);
		notes->has_auxv = true;
		return NULL;
	case NT_FILE:
		return set_files(notes, desc, len);
	default:
		return NULL;
	}
}

/* Add another register note of the previous thread. */
static void add_registers(struct core_notes *notes, uint32_t type, const void *desc, size_t len)
{
	uint64_t pointer;

	if (!arch->pointer_note || type != arch->pointer_note || !notes->last)
		return;
	if (len < sizeof(pointer)) {
		notes->n_damaged++;
		return;
	}
	memcpy(&pointer, desc, sizeof(pointer));
	notes->last->regs.word[arch->pointer_word] = pointer;
}

static void set_dump(struct core_notes *notes, const void *desc, size_t len)
{
	if (len < sizeof(notes->dump)) {
		notes->n_damaged++;
		return;
	}
	memcpy(&notes->dump, desc, sizeof(notes->dump));
	notes->has_dump = true;
}

static bool is_name(const char *name, size_t len, const char *wanted)
{
	size_t n = strlen(wanted);

	return len >= n && !memcmp(name, wanted, n) && (len == n || !name[n]);
}

struct error *core_notes_add(struct core_notes *notes, Elf_Data *data)
{
	size_t at = 0, name_at, desc_at;
	GElf_Nhdr note;

	while (at < data->d_size) {
		size_t next = gelf_getnote(data, at, &note, &name_at, &desc_at);

		/* The note's size exceeds the segment: later notes cannot be found. */
		if (!next) {
			notes->n_damaged++;
			return NULL;
		}
		at = next;
		const char *bytes = data->d_buf;
		if (is_name(bytes + name_at, note.n_namesz, "LINUX"))
			add_registers(notes, note.n_type, bytes + desc_at, note.n_descsz);
		if (is_name(bytes + name_at, note.n_namesz, DUMP_NOTE_OWNER) && note.n_type == DUMP_NOTE_TYPE)
			set_dump(notes, bytes + desc_at, note.n_descsz);
		if (!is_name(bytes + name_at, note.n_namesz, "CORE"))
			continue;
		struct error *err = add_note(notes, note.n_type, bytes + desc_at, note.n_descsz);
		if (err)
			return err;
	}
	return NULL;
}

static int compare_threads(const void *pa, const void *pb)
{
	const struct core_thread *a = pa, *b = pb;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

void core_notes_finish(struct core_notes *notes)
{
	size_t k = 0;

	notes->last = NULL;

	if (notes->n_threads)
		qsort(notes->threads, notes->n_threads, sizeof(*notes->threads), compare_threads);
	for (size_t i = 0; i < notes->n_threads; i++) {
		if (k && notes->threads[k - 1].tid == notes->threads[i].tid)
			notes->n_damaged++;
		else
			notes->threads[k++] = notes->threads[i];
	}
	notes->n_threads = k;
	k = 0;
	if (notes->n_maps)
		qsort(notes->maps, notes->n_maps, sizeof(*notes->maps), compare_maps);
	for (size_t i = 0; i < notes->n_maps; i++) {
		if (k && notes->maps[i].start < notes->maps[k - 1].end)
			notes->n_damaged++;
		else
			notes->maps[k++] = notes->maps[i];
	}
	notes->n_maps = k;
}

void core_notes_deinit(struct core_notes *notes)
{
	free(notes->threads);
	free(notes->maps);
	free(notes->file_note);
	memset(notes, 0, sizeof(*notes));
}

const struct core_thread *core_notes_thread(const struct core_notes *notes, pid_t tid)
{
	const struct core_thread key = {.tid = tid};

	return notes->n_threads ? bsearch(&key, notes->threads, notes->n_threads, sizeof(key), compare_threads) : NULL;
}

const struct core_map *core_notes_map(const struct core_notes *notes, uint64_t addr)
{
	size_t low = 0, high = notes->n_maps;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (addr < notes->maps[mid].start)
			high = mid;
		else if (addr >= notes->maps[mid].end)
			low = mid + 1;
		else
			return &notes->maps[mid];
	}
	return NULL;
}
