/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The auxiliary vector from /proc/PID/auxv or a core's NT_AUXV note: addresses chosen by the kernel. */
#ifndef OMPDD_TARGET_AUXV_H
#define OMPDD_TARGET_AUXV_H

#include <stddef.h>
#include <stdint.h>

struct process_auxv {
	uint64_t phdr;
	uint64_t phnum;
	uint64_t base;	 /* the dynamic linker's; 0 in a static program */
	uint64_t random; /* 16 bytes that are always mapped */
	uint64_t vdso;
	uint64_t entry;	 /* the executable's */
	uint64_t execfn; /* the file name given to execve() */
};

/* Parse @len bytes. Entries that are missing or cut off are 0. */
void auxv_parse(const void *data, size_t len, struct process_auxv *ret);

#endif
