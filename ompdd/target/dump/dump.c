/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stops the process, plans the file, copies the memory, and writes headers and notes last. */
#include "target/dump/dump.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "target/dump/dump_copy.h"
#include "target/dump/dump_maps.h"
#include "target/dump/dump_notes.h"
#include "target/process/process.h"

/* The memory of a mapping that the core contains. */
struct part {
	size_t map; /* index in the list of mappings */
	uint64_t dumped, at;
};

struct dump {
	struct process *process;
	uint64_t page;
	struct dump_maps attributes;
	struct maps maps;
	struct stopped_threads threads;
	struct buf process_notes;
	struct buf notes; /* all of them, when they are complete */
	struct part *parts;
	uint64_t notes_at, end; /* offsets in the file */
	struct dump_copy copy;
};

static void cleanup_dump(struct dump *d)
{
	dump_maps_deinit(&d->attributes);
	maps_deinit(&d->maps);
	stopped_threads_deinit(&d->threads);
	buf_deinit(&d->process_notes);
	buf_deinit(&d->notes);
	free(d->parts);
	dump_copy_deinit(&d->copy);
}

static struct error *read_maps(struct dump *d)
{
	size_t len;
	struct error *err = proc_read_all(process_dir(d->process), "maps", PROC_MAX_MAPS, &d->maps.text, &len);

	if (err)
		return err;
	if (!maps_parse(&d->maps, len))
		return &error_nomem;
	if (len >= PROC_MAX_MAPS || d->maps.n + 1 >= PN_XNUM)
		return error_detail(error_create(ERR_LIMIT_EXCEEDED,
						 "cannot write a core of process %d: it has more than %d mappings",
						 d->process->base.pid, PN_XNUM - 2),
				    "limit", "maps");
	return NULL;
}

static int compare_parts(const void *pa, const void *pb)
{
	const struct part *a = pa, *b = pb;

	if (a->dumped != b->dumped)
		return a->dumped < b->dumped ? -1 : 1;
	return (a->map > b->map) - (a->map < b->map);
}

static uint64_t round_up(const struct dump *d, uint64_t n)
{
	return (n + d->page - 1) & ~(d->page - 1);
}

/* Assign each part its place in the file, in the order of their copying: small ones have the program's state. */
static struct error *plan_parts(struct dump *d, uint64_t *left_out_ret)
{
	size_t n = d->maps.n;

	d->parts = calloc(n ? n : 1, sizeof(*d->parts));
	if (!d->parts)
		return &error_nomem;
	for (size_t i = 0; i < n; i++) {
		const struct proc_map *map = &d->maps.maps[i];

		d->parts[i] = (struct part){.map = i, .dumped = dump_maps_size(&d->attributes, map, d->page)};
		*left_out_ret += map->end - map->start - d->parts[i].dumped;
	}
	qsort(d->parts, n, sizeof(*d->parts), compare_parts);
	uint64_t at = round_up(d, d->notes_at + d->notes.len);
	for (size_t i = 0; i < n; i++) {
		d->parts[i].at = at;
		at += d->parts[i].dumped;
	}
	d->end = at;
	return NULL;
}

static struct error *copy_parts(struct dump *d)
{
	struct error *err = NULL;

	for (size_t i = 0; i < d->maps.n && !err; i++) {
		const struct part *part = &d->parts[i];
		const struct proc_map *map = &d->maps.maps[part->map];

		/* The kernel's own mappings, such as [vdso], have no file either, but are not zero. */
		err = dump_copy_range(&d->copy, map->start, part->dumped, part->at,
				      !map->inode && !map->shared && map->write);
	}
	return err;
}

/* Build the notes whose size is known before the memory is copied; the last one is added again at the end. */
static struct error *build_notes(struct dump *d, const struct dump_note *note, size_t *n_threads_ret)
{
	buf_consume(&d->notes, d->notes.len);
	struct error *err = buf_append(&d->notes, buf_head(&d->process_notes), d->process_notes.len);
	if (!err)
		err = dump_notes_add_threads(&d->notes, &d->threads, d->process->base.pid, n_threads_ret);
	if (!err)
		err = dump_notes_add_files(&d->notes, &d->maps, d->page);
	return err ? err : dump_notes_add_dump(&d->notes, note);
}

/* Read the threads and mappings of the stopped process, and copy its memory. */
static struct error *dump_stopped(struct dump *d, struct dump_result *ret)
{
	struct target *t = &d->process->base;
	struct error *err = t->ops->check(t);

	if (!err)
		err = read_maps(d);
	if (err)
		return err;
	stopper_for_each(t->stopper, true, stopped_threads_add, &d->threads);
	if (d->threads.failed)
		return &error_nomem;
	stopped_threads_sort(&d->threads);
	d->notes_at = sizeof(Elf64_Ehdr) + (d->maps.n + 1) * sizeof(Elf64_Phdr);
	err = build_notes(d, &(struct dump_note){0}, &ret->n_threads);
	if (!err && (!ret->n_threads || stopper_is_expired(t->stopper)))
		err = error_create(ERR_STOP_TIMEOUT, "the registers could not be read within %u ms", t->max_stop_ms);
	if (!err)
		err = plan_parts(d, &ret->left_out);
	return err ? err : copy_parts(d);
}

static uint32_t flags_of(const struct proc_map *map)
{
	return (map->read ? PF_R : 0u) | (map->write ? PF_W : 0u) | (map->exec ? PF_X : 0u);
}

/* Write the program headers, which must be by address: first that of the notes. */
static struct error *write_headers(struct dump *d, int fd)
{
	_cleanup_free_ Elf64_Phdr *headers = calloc(d->maps.n + 1, sizeof(*headers));

	if (!headers)
		return &error_nomem;
	headers[0] = (Elf64_Phdr){.p_type = PT_NOTE, .p_offset = d->notes_at, .p_filesz = d->notes.len, .p_align = 4};
	for (size_t i = 0; i < d->maps.n; i++) {
		const struct part *part = &d->parts[i];
		const struct proc_map *map = &d->maps.maps[part->map];

		headers[part->map + 1] = (Elf64_Phdr){
			.p_type = PT_LOAD,
			.p_flags = flags_of(map),
			.p_offset = part->at,
			.p_vaddr = map->start,
			.p_filesz = part->dumped,
			.p_memsz = map->end - map->start,
			.p_align = d->page,
		};
	}
	const Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_CORE,
		.e_machine = arch->elf_machine,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(header),
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(*headers),
		.e_phnum = (uint16_t)(d->maps.n + 1),
	};
	struct error *err = dump_copy_write(fd, headers, (d->maps.n + 1) * sizeof(*headers), sizeof(header));
	if (!err)
		err = dump_copy_write(fd, buf_head(&d->notes), d->notes.len, d->notes_at);
	if (!err && ftruncate(fd, (off_t)d->end))
		err = error_create(ERR_DUMP_FAILED, "cannot write the core: %s", strerror(errno));
	return err ? err : dump_copy_write(fd, &header, sizeof(header), 0);
}

static struct error *check_target(const struct target *t)
{
	if (t->ops != &process_ops || t->mode != TARGET_STOP)
		return error_create(ERR_MODE_UNSUPPORTED,
				    "a core needs the registers of all threads, which only a stop shows");
	if (target_is_stopped(t))
		return error_hint(error_create(ERR_TARGET_HELD, "the process is held stopped without a time limit"),
				  "call target.resume first");
	return NULL;
}

struct error *dump_write(struct target *t, const struct dump_request *request, struct dump_result *ret)
{
	struct dump_result result = {0};
	struct error *err = check_target(t);

	if (err)
		return err;
	_cleanup_(cleanup_dump) struct dump d = {
		.process = process_of(t), .page = (uint64_t)sysconf(_SC_PAGESIZE), .copy = {.mapfd = -1}};
	err = dump_copy_init(&d.copy, d.process, request);
	if (!err)
		err = dump_maps_read(&d.attributes, process_dir(d.process));
	if (!err)
		err = dump_notes_add_process(&d.process_notes, process_dir(d.process), t->pid);
	if (err)
		return err;
	/* The registers are then read while this thread copies memory. */
	t->wants_registers = true;
	err = target_stop(t, t->max_stop_ms);
	if (err)
		return error_is(err, ERR_STOP_TIMEOUT) ? error_hint(err, "give a larger max_stop_ms") : err;
	err = dump_stopped(&d, &result);
	dump_copy_end_stop(&d.copy);
	/* The process may have replaced its program, or exited, while it ran. */
	if (!err)
		err = t->ops->check(t);
	result.stopped_us = d.copy.stopped_us;
	result.copied = d.copy.copied;
	result.late = d.copy.late;
	result.unreadable = d.copy.unreadable;
	result.n_mappings = d.maps.n;
	result.size = d.end;
	const struct dump_note note = {
		.late = result.late, .unreadable = result.unreadable, .stopped_us = (uint64_t)result.stopped_us};
	if (!err)
		err = build_notes(&d, &note, &result.n_threads);
	if (!err)
		err = write_headers(&d, request->fd);
	if (!err)
		*ret = result;
	return err;
}
