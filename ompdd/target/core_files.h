/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The files that a core had mapped, found again on this machine: below a sysroot, at their own path, or by build-id.
 * Only a file with the build-id that the core's memory has is believed.
 */
#ifndef OMPDD_TARGET_CORE_FILES_H
#define OMPDD_TARGET_CORE_FILES_H

#include <gelf.h>
#include <stdbool.h>

#include "base/error.h"
#include "target/core_memory.h"
#include "target/core_notes.h"
#include "target/elf_file.h"
#include "target/maps.h"

enum core_file_state {
	CORE_FILE_UNTRIED,
	CORE_FILE_OK,
	CORE_FILE_UNVERIFIED, /* taken by its path: the core does not have its build-id */
	CORE_FILE_MISSING,
	CORE_FILE_MISMATCH, /* there are only files with other build-ids */
};

/* One mapped file. */
struct core_file {
	const char *path; /* as in the note */
	const char *name; /* as the dynamic linker calls it, once that is known; else NULL */
	uint64_t header;  /* address of its beginning; UINT64_MAX: not mapped */
	enum core_file_state state;
	int fd; /* -1 unless OK or UNVERIFIED */
	uint64_t size;
	char wanted[41];  /* build-id in memory; "" when it is not known */
	char found[41];	  /* of the file that does not match */
	char *where;	  /* the path of the file that was opened, or that does not match */
	GElf_Phdr *loads; /* the PT_LOAD headers of the opened file; owned */
	size_t n_loads;
};

/* Where to look; strings are borrowed. */
struct core_places {
	const char *exe;     /* for the executable, instead of its path; NULL: none */
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
	uint32_t *of_map;      /* notes->maps[i] is of files[of_map[i]] */
	struct core_file *exe; /* the file that has the program headers; NULL: not known */
	size_t n_open;
};

/* All arguments are borrowed. ERR_CORE_FILE_MISSING: there is no such sysroot. */
MUST_USE struct error *core_files_init(struct core_files *f, int corefd, const struct core_memory *memory,
				       const struct core_notes *notes, const struct core_places *places);
void core_files_deinit(struct core_files *f);

/* The file of path @path in the note; NULL when it is not there. */
struct core_file *core_files_find(struct core_files *f, const char *path);

/* Look for the file, once. */
void core_file_need(struct core_files *f, struct core_file *file);

/* Why @file cannot be had; NULL when it can. Not for CORE_FILE_UNTRIED. */
struct error *core_file_problem(const struct core_file *file);

/*
 * Read up to @len bytes at @addr from the file that was mapped there, for memory that the core does not have. Only
 * segments that the program cannot write have the file's bytes for sure: 0 for all others, and without a file.
 */
size_t core_files_read(struct core_files *f, uint64_t addr, void *buf, size_t len);

/* The mappings as modules.c wants them; numbers of files stand in for inodes. */
MUST_USE struct error *core_files_maps(const struct core_files *f, struct maps *ret);

#endif
