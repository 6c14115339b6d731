/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The files that processes have mapped as code, and whether they define a symbol, for a look at many processes: no
 * target is made, nothing of their memory is read, and what was found out of a file holds for the next process that
 * has it.
 */
#ifndef OMPDD_TARGET_CODE_FILES_H
#define OMPDD_TARGET_CODE_FILES_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/error.h"
#include "target/maps.h"

/* Of one process; more are ignored. */
#define CODE_FILES_MAX 1024

/* Each once, in order of address; of struct maps. */
struct code_files {
	struct maps maps;
	const struct proc_map **files;
	size_t n;
};

enum code_answer { CODE_NO, CODE_YES, CODE_UNKNOWN };

struct code_cache;
struct symbols;

/* One of them, open. */
struct code_file {
	bool is_open;
	int fd;
	struct stat st;
	Elf *elf; /* until its symbols have been asked for */
	struct symbols *symbols;
};

/*
 * Of the process whose folder in /proc @dirfd is. None: it has no memory, as kernel threads and zombies.
 * ERR_PERMISSION_DENIED, ERR_TARGET_EXITED.
 */
MUST_USE struct error *code_files_read(int dirfd, struct code_files *ret);
void code_files_deinit(struct code_files *files);

struct code_cache *code_cache_create(void);
void code_cache_destroy(struct code_cache *cache);

/* @file of the process whose folder in /proc @dirfd is, or its executable with @file NULL. Never fails: what cannot be
 * read defines nothing that is known. */
void code_file_open(int dirfd, const struct proc_map *file, struct code_file *ret);
void code_file_close(struct code_file *f);

/*
 * Whether @f defines @symbol (a literal). CODE_UNKNOWN: the file is not there any more, may not be read, or its symbols
 * are too many.
 */
enum code_answer code_file_defines(struct code_cache *cache, struct code_file *f, const char *symbol);

#endif
