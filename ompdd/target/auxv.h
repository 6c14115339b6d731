/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The auxiliary vector, of /proc/PID/auxv or of a core's NT_AUXV note: where the kernel put things. */
#ifndef OMPDD_TARGET_AUXV_H
#define OMPDD_TARGET_AUXV_H

#include <stddef.h>
#include <stdint.h>

struct process_auxv {
	uint64_t phdr;
	uint64_t phnum;
	uint64_t base;	 /* of the dynamic linker; 0 in a static program */
	uint64_t random; /* 16 bytes that are always mapped */
	uint64_t vdso;
	uint64_t entry;	 /* of the executable */
	uint64_t execfn; /* the file name given to execve() */
};

/* Entries that are missing, or cut off, are 0. */
void auxv_parse(const void *data, size_t len, struct process_auxv *ret);

#endif
