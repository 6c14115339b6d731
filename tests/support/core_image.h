/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Small core files for tests, written with libelf. The test chooses the contents, valid or not. */
#ifndef OMPDD_SUPPORT_CORE_IMAGE_H
#define OMPDD_SUPPORT_CORE_IMAGE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Notes under construction; all zeroes is empty. */
struct core_image_notes {
	unsigned char *bytes;
	size_t len;
	size_t cap;
};

void core_image_note(struct core_image_notes *notes, const char *name, uint32_t type, const void *desc, size_t len);
/*
 * Add an NT_PRSTATUS. Its registers are zero except rip and fs_base. @syscall >= 0: the registers show an interrupted
 * call.
 */
void core_image_thread(struct core_image_notes *notes, pid_t tid, int signal, uint64_t pc, uint64_t fs_base,
		       long syscall);
/* Add an NT_PRPSINFO of a process that was forked and has executed no program since. */
void core_image_process(struct core_image_notes *notes, pid_t pid, const char *comm);
/* Add an NT_FILE. @rows has three values per path: start, end and offset in pages. */
void core_image_files(struct core_image_notes *notes, const uint64_t *rows, const char *const *paths, size_t n);
void core_image_notes_deinit(struct core_image_notes *notes);

struct core_image_segment {
	uint64_t address;
	uint64_t memsz;
	const void *data; /* filesz bytes */
	uint64_t filesz;
	uint32_t flags;
};

/* Write a core to @fd (open, empty): headers, notes, segments. */
void core_image_write(int fd, unsigned machine, const struct core_image_notes *notes,
		      const struct core_image_segment *segments, size_t n);

#endif
