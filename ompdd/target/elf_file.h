/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Opening the files that a process has mapped, as that process sees them, and only if they
 * still are what is mapped; and their separate debug files.
 */
#ifndef OMPDD_TARGET_ELF_FILE_H
#define OMPDD_TARGET_ELF_FILE_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/*
 * Open @path below @dirfd for reading if it is a regular file, without ever opening anything else; with @in_root,
 * @dirfd is the root folder of all links on the way. -1 with errno, which is 0 when it is not a regular file.
 */
int elf_file_open_regular(int dirfd, const char *path, bool in_root, struct stat *st);

/* Begin to read an ELF file with pread(); NULL when @fd is open on anything else. */
Elf *elf_file_begin(int fd);

/* What is known of a mapped file from /proc/PID/maps and the target's memory. */
struct elf_file_identity {
	const char *path;   /* in the target's file system */
	const char *name;   /* as the dynamic linker names it */
	uint64_t map_start; /* of one of its mappings */
	uint64_t map_end;
	unsigned dev_major;
	unsigned dev_minor;
	uint64_t inode;
	const char *build_id; /* read from memory; "" when there is none */
	bool is_exe;
};

/*
 * Open the file below the process directory @dirfd (/proc/PID). NULL when no matching regular file can be had: then
 * only the target's memory knows. The caller ends it with elf_end(), and closes *@fd_ret when it has loaded what it
 * needs.
 */
Elf *elf_file_open(int dirfd, const struct elf_file_identity *id, int *fd_ret);

/*
 * The separate debug file of @elf, by build-id or .gnu_debuglink: in @dirs, in /usr/lib/debug, and beside the file
 * below the target's root folder @rootfd (-1: none). NULL when there is none.
 */
Elf *elf_file_find_debug(int rootfd, const char *const *dirs, size_t n_dirs, Elf *elf, const char *path,
			 const char *build_id, int *fd_ret);

#endif
