/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the files that processes have mapped as code, and whether they define a symbol, for a survey of many processes.
 * No target is created and no memory is read. Results for a file are cached for the next process that maps it.
 */
#ifndef OMPDD_TARGET_CODE_FILES_H
#define OMPDD_TARGET_CODE_FILES_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/error.h"
#include "target/proc/maps.h"

/* The largest number of files of one process; more are ignored. */
#define CODE_FILES_MAX 1024

/* Each file once, sorted by address; points into `maps`. */
struct code_files {
	struct maps maps;
	const struct proc_map **files;
	size_t n;
};

enum code_answer { CODE_NO, CODE_YES, CODE_UNKNOWN };

struct code_cache;
struct symbols;

/* An open mapped file. */
struct code_file {
	bool is_open;
	int fd;
	struct stat st;
	Elf *elf; /* until its symbols have been requested */
	struct symbols *symbols;
};

/*
 * List the code files of the process with the /proc folder @dirfd. The list is empty for a process without memory
 * (kernel thread, zombie). ERR_PERMISSION_DENIED, ERR_TARGET_EXITED.
 */
MUST_USE struct error *code_files_read(int dirfd, struct code_files *ret);
void code_files_deinit(struct code_files *files);

struct code_cache *code_cache_create(void);
void code_cache_destroy(struct code_cache *cache);

/*
 * Open @file, or the executable if @file is NULL, of the process with the /proc folder @dirfd. Never fails: an
 * unreadable file defines no known symbol.
 */
void code_file_open(int dirfd, const struct proc_map *file, struct code_file *ret);
void code_file_close(struct code_file *f);

/*
 * Return whether @f defines @symbol (a literal). CODE_UNKNOWN: the file was removed, may not be read, or has too many
 * symbols.
 */
enum code_answer code_file_defines(struct code_cache *cache, struct code_file *f, const char *symbol);

#endif
