/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Opens the files that a process has mapped, as that process sees them, only if they are still the mapped files. Opens
 * their separate debug files too.
 */
#ifndef OMPDD_TARGET_ELF_FILE_H
#define OMPDD_TARGET_ELF_FILE_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/*
 * Open @path below @dirfd for reading if it is a regular file; no other file is ever opened. With @in_root, all links
 * are resolved with @dirfd as the root folder. Return -1 with errno, which is 0 for a file that is not regular.
 */
int elf_file_open_regular(int dirfd, const char *path, bool in_root, struct stat *st);

/* Start to read an ELF file with pread(); NULL when @fd is another kind of file. */
Elf *elf_file_begin(int fd);

/* A mapped file as described by /proc/PID/maps and the target's memory. */
struct elf_file_identity {
	const char *path;   /* in the target's file system */
	const char *name;   /* the dynamic linker's name for it */
	uint64_t map_start; /* of one of its mappings */
	uint64_t map_end;
	unsigned dev_major;
	unsigned dev_minor;
	uint64_t inode;
	const char *build_id; /* read from memory; "" without one */
	bool is_exe;
};

/*
 * Open the file below the process directory @dirfd (/proc/PID). Return NULL if there is no matching regular file: then
 * only the target's memory has its contents. The caller calls elf_end(), and closes *@fd_ret when it has loaded what it
 * needs.
 */
Elf *elf_file_open(int dirfd, const struct elf_file_identity *id, int *fd_ret);

/*
 * Find the separate debug file of @elf by build-id or .gnu_debuglink. Searches @dirs, /usr/lib/debug, and the file's
 * own folder below the target's root folder @rootfd (-1: none). Return NULL if there is no such file.
 */
Elf *elf_file_find_debug(int rootfd, const char *const *dirs, size_t n_dirs, Elf *elf, const char *path,
			 const char *build_id, int *fd_ret);

#endif
