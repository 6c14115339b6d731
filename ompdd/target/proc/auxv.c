/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the pairs of an auxiliary vector. */
#include "target/proc/auxv.h"

#include <elf.h>
#include <string.h>

void auxv_parse(const void *data, size_t len, struct process_auxv *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (size_t at = 0; len - at >= sizeof(Elf64_auxv_t); at += sizeof(Elf64_auxv_t)) {
		Elf64_auxv_t entry;

		memcpy(&entry, (const char *)data + at, sizeof(entry));
		switch (entry.a_type) {
		case AT_NULL:
			return;
		case AT_PHDR:
			ret->phdr = entry.a_un.a_val;
			break;
		case AT_PHNUM:
			ret->phnum = entry.a_un.a_val;
			break;
		case AT_BASE:
			ret->base = entry.a_un.a_val;
			break;
		case AT_RANDOM:
			ret->random = entry.a_un.a_val;
			break;
		case AT_SYSINFO_EHDR:
			ret->vdso = entry.a_un.a_val;
			break;
		case AT_ENTRY:
			ret->entry = entry.a_un.a_val;
			break;
		case AT_EXECFN:
			ret->execfn = entry.a_un.a_val;
			break;
		default:
			break;
		}
	}
}
