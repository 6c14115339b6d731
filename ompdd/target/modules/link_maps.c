/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads the dynamic linker's list of modules like a debugger: DT_DEBUG of the executable, struct r_debug, struct
 * link_map.
 */
#include "target/modules/link_maps.h"

#include <elf.h>
#include <link.h>

#include "target/target_ops.h"

#define MAX_PHDRS      512
#define MAX_DYNAMIC    4096
#define MAX_NAMESPACES 16

/* Find DT_DEBUG of the executable, where the dynamic linker stores the address of its struct r_debug. */
static uint64_t find_r_debug(struct target *t, const struct process_auxv *auxv)
{
	Elf64_Phdr phdrs[MAX_PHDRS];
	size_t n = auxv->phnum < MAX_PHDRS ? auxv->phnum : MAX_PHDRS;
	const Elf64_Phdr *dynamic = NULL;
	uint64_t bias = 0;

	if (!auxv->phdr || !n || !target_try_read(t, auxv->phdr, phdrs, n * sizeof(phdrs[0])))
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (phdrs[i].p_type == PT_PHDR)
			bias = auxv->phdr - phdrs[i].p_vaddr;
		if (phdrs[i].p_type == PT_DYNAMIC)
			dynamic = &phdrs[i];
	}
	if (!dynamic)
		return 0;
	for (size_t i = 0; i < MAX_DYNAMIC && i < dynamic->p_memsz / sizeof(Elf64_Dyn); i++) {
		Elf64_Dyn dyn;

		if (!target_try_read(t, bias + dynamic->p_vaddr + i * sizeof(dyn), &dyn, sizeof(dyn)) ||
		    dyn.d_tag == DT_NULL)
			return 0;
		if (dyn.d_tag == DT_DEBUG)
			return dyn.d_un.d_ptr;
	}
	return 0;
}

/*
 * Append one namespace's list to the @n entries and return the new number. *@whole is cleared when an entry cannot be
 * read.
 */
static size_t walk_namespace(struct target *t, uint64_t first, struct link_maps_entry *entries, size_t n, size_t max,
			     bool *whole)
{
	uint64_t addr = first;
	struct link_map map;

	/* The limit also ends a circular list. */
	for (; addr && n < max; n++) {
		if (!target_try_read(t, addr, &map, sizeof(map))) {
			*whole = false;
			return n;
		}
		entries[n] = (struct link_maps_entry){
			.address = addr,
			.bias = map.l_addr,
			.name = (uint64_t)(uintptr_t)map.l_name,
			.dynamic = (uint64_t)(uintptr_t)map.l_ld,
		};
		addr = (uint64_t)(uintptr_t)map.l_next;
		if (addr == first)
			return n + 1;
	}
	return n;
}

size_t link_maps_list(struct target *t, const struct process_auxv *auxv, uint64_t *r_debug,
		      struct link_maps_entry *entries, size_t max, bool *whole_ret)
{
	/* Since glibc 2.35 version 2 of r_debug has a next pointer, for dlmopen(). */
	struct {
		struct r_debug base;
		uint64_t next;
	} debug;
	size_t n = 0;

	*whole_ret = true;
	if (!*r_debug)
		*r_debug = find_r_debug(t, auxv);
	uint64_t addr = *r_debug;
	for (int namespaces = 0; addr && namespaces < MAX_NAMESPACES; namespaces++) {
		debug.next = 0;
		if (!target_try_read(t, addr, &debug.base, sizeof(debug.base))) {
			*whole_ret = false;
			break;
		}
		n = walk_namespace(t, (uint64_t)(uintptr_t)debug.base.r_map, entries, n, max, whole_ret);
		if (debug.base.r_version < 2 || !target_try_read(t, addr + sizeof(debug.base), &debug.next, 8))
			break;
		addr = debug.next;
	}
	return n;
}
