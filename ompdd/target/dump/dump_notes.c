/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Builds the notes as the kernel does. Fields that need another stop of each thread (times, signal masks) stay zero. */
#include "target/dump/dump_notes.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>
#include <sys/procfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "target/arch/arch.h"
#include "target/proc/proc.h"

#define AUXV_SIZE   4096
#define STATUS_SIZE 8192

/* As in core/core_notes.c: the parts around the registers are the same for all 64-bit processors. */
#define STATUS_REGISTERS offsetof(struct elf_prstatus, pr_reg)
#define STATUS_TAIL	 8

/* The letters of states in the order of the kernel's numbers. */
static const char states[] = "RSDTZW";

static struct error *add_padding(struct buf *to, size_t len)
{
	return buf_append(to, "\0\0\0", -len & 3);
}

static struct error *begin_note(struct buf *to, const char *name, uint32_t type, size_t len)
{
	size_t n = strlen(name) + 1;
	const Elf64_Nhdr header = {.n_namesz = (uint32_t)n, .n_descsz = (uint32_t)len, .n_type = type};
	struct error *err = buf_append(to, &header, sizeof(header));

	if (!err)
		err = buf_append(to, name, n);
	return err ? err : add_padding(to, n);
}

static struct error *add_note(struct buf *to, const char *name, uint32_t type, const void *desc, size_t len)
{
	struct error *err = begin_note(to, name, type, len);

	if (!err)
		err = buf_append(to, desc, len);
	return err ? err : add_padding(to, len);
}

/* Store the start of the command line, with blanks between the arguments. */
static void set_arguments(struct elf_prpsinfo *info, int dirfd)
{
	ssize_t len = proc_read(dirfd, "cmdline", info->pr_psargs, sizeof(info->pr_psargs));

	while (len > 0 && !info->pr_psargs[len - 1])
		len--;
	for (ssize_t i = 0; i < len; i++) {
		if (!info->pr_psargs[i])
			info->pr_psargs[i] = ' ';
	}
}

static void set_process(struct elf_prpsinfo *info, int dirfd, pid_t pid)
{
	struct proc_stat stat;
	struct proc_status status;
	char text[STATUS_SIZE];

	info->pr_pid = pid;
	info->pr_pgrp = getpgid(pid);
	info->pr_sid = getsid(pid);
	if (proc_read_stat(dirfd, "stat", &stat)) {
		const char *state = strchr(states, stat.state);

		info->pr_sname = stat.state;
		info->pr_state = (char)(state && *state ? state - states : 0);
		info->pr_zomb = stat.state == 'Z';
		info->pr_flag = stat.flags;
		info->pr_ppid = stat.ppid;
		memcpy(info->pr_fname, stat.comm, sizeof(info->pr_fname));
	}
	if (proc_read(dirfd, "status", text, sizeof(text)) > 0 && proc_parse_status(text, &status)) {
		info->pr_uid = status.uid[0];
		info->pr_gid = status.gid[0];
	}
	set_arguments(info, dirfd);
}

struct error *dump_notes_add_process(struct buf *to, int dirfd, pid_t pid)
{
	struct elf_prpsinfo info = {0};
	char auxv[AUXV_SIZE];

	set_process(&info, dirfd, pid);
	struct error *err = add_note(to, "CORE", NT_PRPSINFO, &info, sizeof(info));
	ssize_t len = proc_read(dirfd, "auxv", auxv, sizeof(auxv));
	if (!err && len > 0)
		err = add_note(to, "CORE", NT_AUXV, auxv, (size_t)len);
	return err;
}

static struct error *add_thread(struct buf *to, const struct stopped_thread *thread)
{
	const struct elf_prstatus status = {.pr_pid = thread->tid};
	size_t n = arch->note_words * sizeof(uint64_t);
	const char tail[STATUS_TAIL] = {0};
	struct error *err = begin_note(to, "CORE", NT_PRSTATUS, STATUS_REGISTERS + n + STATUS_TAIL);

	if (!err)
		err = buf_append(to, &status, STATUS_REGISTERS);
	if (!err)
		err = buf_append(to, thread->registers.word, n);
	if (!err)
		err = buf_append(to, tail, sizeof(tail));
	if (!err && arch->pointer_note)
		err = add_note(to, "LINUX", arch->pointer_note, &thread->registers.word[arch->pointer_word],
			       sizeof(uint64_t));
	return err;
}

struct error *dump_notes_add_threads(struct buf *to, const struct stopped_threads *threads, pid_t first, size_t *n_ret)
{
	const struct stopped_thread *leader = stopped_threads_find(threads, first);
	struct error *err = NULL;
	size_t n = 0;

	/* Readers take the first thread as the current one. */
	if (leader && leader->has_registers) {
		err = add_thread(to, leader);
		n++;
	}
	for (size_t i = 0; i < threads->n && !err; i++) {
		if (&threads->threads[i] == leader || !threads->threads[i].has_registers)
			continue;
		err = add_thread(to, &threads->threads[i]);
		n++;
	}
	*n_ret = n;
	return err;
}

static const char *ending_of(const struct proc_map *map)
{
	return map->deleted ? " (deleted)" : "";
}

/* The count and the page size, then three numbers for each mapping, then all names. */
struct error *dump_notes_add_files(struct buf *to, const struct maps *maps, uint64_t page)
{
	size_t len = 2 * sizeof(uint64_t);
	uint64_t head[2] = {0, page};

	for (size_t i = 0; i < maps->n; i++) {
		const struct proc_map *map = &maps->maps[i];

		if (!map->inode)
			continue;
		head[0]++;
		len += 3 * sizeof(uint64_t) + map->path_len + strlen(ending_of(map)) + 1;
	}
	struct error *err = begin_note(to, "CORE", NT_FILE, len);
	if (!err)
		err = buf_append(to, head, sizeof(head));
	for (size_t i = 0; i < maps->n && !err; i++) {
		const struct proc_map *map = &maps->maps[i];
		const uint64_t row[3] = {map->start, map->end, map->offset / page};

		if (map->inode)
			err = buf_append(to, row, sizeof(row));
	}
	for (size_t i = 0; i < maps->n && !err; i++) {
		const struct proc_map *map = &maps->maps[i];

		if (!map->inode)
			continue;
		err = buf_append(to, map->path, map->path_len);
		if (!err)
			err = buf_append(to, ending_of(map), strlen(ending_of(map)) + 1);
	}
	return err ? err : add_padding(to, len);
}

struct error *dump_notes_add_dump(struct buf *to, const struct dump_note *note)
{
	return add_note(to, DUMP_NOTE_OWNER, DUMP_NOTE_TYPE, note, sizeof(*note));
}
