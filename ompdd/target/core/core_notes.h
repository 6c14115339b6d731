/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads a core's notes: threads with their registers, the process, the signal, the auxiliary vector and the mapped
 * files. The notes are untrusted: every byte was chosen by the core's author.
 */
#ifndef OMPDD_TARGET_CORE_NOTES_H
#define OMPDD_TARGET_CORE_NOTES_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "target/arch/arch.h"
#include "target/core/dump_note.h"
#include "target/proc/auxv.h"

/* Mapped files; more are ignored. */
#define CORE_MAX_MAPS (1u << 20)

struct core_thread {
	pid_t tid;
	struct arch_registers regs;
};

/* A mapped part of a file. */
struct core_map {
	uint64_t start;
	uint64_t end;
	uint64_t offset;  /* in the file, in bytes */
	const char *path; /* points into core_notes.file_note */
};

/* All zeroes is empty. */
struct core_notes {
	pid_t pid;	 /* 0: no NT_PRPSINFO */
	char comm[17];	 /* of the main thread; raw bytes */
	uint64_t flags;	 /* of the main thread, as the kernel keeps them; 0: not known */
	int signal;	 /* the signal that ended the process; 0: none */
	pid_t first_tid; /* the kernel writes the thread that got the signal first */
	struct process_auxv auxv;
	bool has_auxv;
	struct core_thread *threads; /* by tid, each once, after core_notes_finish() */
	size_t n_threads;
	size_t cap_threads;
	struct core_thread *last; /* the thread of the following notes; NULL outside of core_notes_add() */
	bool has_dump;		  /* ompdd itself has written the core */
	struct dump_note dump;
	char *file_note;
	struct core_map *maps; /* by address, not overlapping */
	size_t n_maps;
	unsigned n_damaged; /* invalid notes, which were skipped */
};

/* Add the notes of one PT_NOTE segment. ERR_LIMIT_EXCEEDED: more than TARGET_MAX_THREADS threads. */
MUST_USE struct error *core_notes_add(struct core_notes *notes, Elf_Data *data);
/* Sort the added notes. */
void core_notes_finish(struct core_notes *notes);
void core_notes_deinit(struct core_notes *notes);

/* Return the thread @tid, or NULL. */
const struct core_thread *core_notes_thread(const struct core_notes *notes, pid_t tid);
/* Return the mapping of @addr, or NULL. */
const struct core_map *core_notes_map(const struct core_notes *notes, uint64_t addr);

#endif
