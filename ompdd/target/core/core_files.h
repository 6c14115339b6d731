/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the files that a core had mapped again on this machine: below a sysroot, at their own path, or by build-id. A
 * file is accepted only if its build-id is the one in the core's memory.
 */
#ifndef OMPDD_TARGET_CORE_FILES_H
#define OMPDD_TARGET_CORE_FILES_H

#include <gelf.h>
#include <stdbool.h>

#include "base/error.h"
#include "target/core/core_memory.h"
#include "target/core/core_notes.h"
#include "target/elf/elf_file.h"
#include "target/proc/maps.h"

enum core_file_state {
	CORE_FILE_UNTRIED,
	CORE_FILE_OK,
	CORE_FILE_UNVERIFIED, /* taken by its path: the core lacks its build-id */
	CORE_FILE_MISSING,
	CORE_FILE_MISMATCH, /* only files with other build-ids were found */
};

/* One mapped file. */
struct core_file {
	const char *path; /* as in the note */
	const char *name; /* the dynamic linker's name for it, once known; else NULL */
	uint64_t header;  /* address of its first byte; UINT64_MAX: not mapped */
	enum core_file_state state;
	int fd; /* -1 unless OK or UNVERIFIED */
	uint64_t size;
	char wanted[41];  /* build-id in memory; "" when unknown */
	char found[41];	  /* of the file that does not match */
	char *where;	  /* the path of the file that was opened, or that does not match */
	GElf_Phdr *loads; /* the PT_LOAD headers of the opened file; owned */
	size_t n_loads;
};

/* The places to search; strings are borrowed. */
struct core_places {
	const char *exe;     /* replaces the executable's path; NULL: none */
	const char *sysroot; /* NULL: none */
	const char *const *debug_dirs;
	size_t n_debug_dirs;
};

struct core_files {
	int corefd;
	const struct core_memory *memory;
	const struct core_notes *notes;
	struct core_places places;
	int sysrootfd;		 /* -1: none */
	struct core_file *files; /* by path */
	size_t n;
	uint32_t *of_map;      /* notes->maps[i] belongs to files[of_map[i]] */
	struct core_file *exe; /* the file that has the program headers; NULL: unknown */
	size_t n_open;
};

/* All arguments are borrowed. ERR_CORE_FILE_MISSING: there is no such sysroot. */
MUST_USE struct error *core_files_init(struct core_files *f, int corefd, const struct core_memory *memory,
				       const struct core_notes *notes, const struct core_places *places);
void core_files_deinit(struct core_files *f);

/* Return the file with path @path in the note, or NULL. */
struct core_file *core_files_find(struct core_files *f, const char *path);

/* Search for the file, once. */
void core_file_need(struct core_files *f, struct core_file *file);

/* Return why @file is not available; NULL if it is. Not for CORE_FILE_UNTRIED. */
struct error *core_file_problem(const struct core_file *file);

/*
 * Read up to @len bytes at @addr from the file that was mapped there, for memory that the core lacks. Only segments
 * that the program cannot write are sure to have the file's bytes. Return 0 for all others, and without a file.
 */
size_t core_files_read(struct core_files *f, uint64_t addr, void *buf, size_t len);

/* Return the mappings for modules.c; file numbers replace inodes. */
MUST_USE struct error *core_files_maps(const struct core_files *f, struct maps *ret);

#endif
