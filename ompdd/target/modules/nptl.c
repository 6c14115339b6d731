/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * glibc exports the layout of its thread descriptors for debuggers as _thread_db_* objects, so that libthread_db is
 * independent of versions. Yet each libthread_db refuses every other version of glibc. This code reads the few required
 * objects in all versions since 2.4.
 */
#include "target/modules/nptl.h"

#include "target/modules/modules.h"
#include "target/target_ops.h"

/* One _thread_db_* object. */
struct field {
	uint32_t bits;
	uint32_t elements;
	uint32_t offset;
};

/* No structure of glibc is this large: a larger offset is invalid. */
#define MAX_OFFSET 65536
/* l_tls_offset: there is no static TLS, or not any more. */
#define NO_TLS_OFFSET		  0
#define FORCED_DYNAMIC_TLS_OFFSET UINT64_MAX

static bool find_symbol(struct target *t, const char *name, uint64_t *ret)
{
	/* Since glibc 2.34 the thread library is libc itself. The dynamic linker may have any name. */
	static const char *const files[] = {"libpthread", "libc.so.6", "libc-", "ld-", NULL};
	struct target_symbol sym;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct error *err = target_symbol(t, name, files[i], &sym);

		if (!err) {
			*ret = sym.address;
			return true;
		}
		error_destroy(err);
	}
	return false;
}

bool nptl_is_absent(struct target *t)
{
	struct target_symbol begin;
	uint64_t described;
	struct error *err = target_symbol(t, "__libc_start_main", NULL, &begin);

	if (!err)
		return !find_symbol(t, "_thread_db_pthread_tid", &described);
	error_destroy(err);
	return false;
}

static bool find_field(struct target *t, const char *name, uint32_t bits, uint32_t *offset_ret)
{
	struct field field;
	uint64_t addr;

	if (!find_symbol(t, name, &addr) || !target_try_read(t, addr, &field, sizeof(field)) ||
	    field.offset > MAX_OFFSET || (bits && field.bits != bits))
		return false;
	*offset_ret = field.offset;
	return true;
}

static bool is_descriptor(struct target *t, uint64_t pd)
{
	uint64_t words[ARCH_TCB_WORDS];

	return target_try_read(t, pd, words, sizeof(words)) && (!arch->is_descriptor || arch->is_descriptor(pd, words));
}

/* Store the distance from the descriptor to the thread pointer; on some processors it is the descriptor's length. */
static bool pointer_distance(struct target *t, uint32_t *ret)
{
	*ret = 0;
	return !arch->pointer_is_behind || (find_field(t, "_thread_db_pthread_dtvp", 0, ret) && *ret);
}

/* Follow one circular list of descriptors. */
static void walk_list(struct target *t, const struct tid_map *map, uint64_t head, uint32_t next, uint32_t link,
		      uint32_t tid)
{
	uint64_t entry = head;

	for (unsigned n = 0; n < TARGET_MAX_THREADS; n++) {
		uint32_t id;

		if (!target_try_read(t, entry + next, &entry, sizeof(entry)) || entry == head || entry < link)
			return;
		uint64_t pd = entry - link;

		if (!is_descriptor(t, pd) || !target_try_read(t, pd + tid, &id, sizeof(id)))
			continue;
		struct target_thread *thread = tid_map_find(map, t, (pid_t)id);

		if (thread)
			thread->pthread = pd;
	}
}

bool nptl_fill_pthreads(struct target *t, const struct tid_map *map)
{
	/* glibc 2.34 moved the lists into the dynamic linker's data. */
	static const char *const lists[][2] = {
		{"_thread_db_rtld_global__dl_stack_used", "stack_used"},
		{"_thread_db_rtld_global__dl_stack_user", "__stack_user"},
	};
	uint32_t next, link, tid;
	bool any = false;

	if (!find_field(t, "_thread_db_list_t_next", 64, &next) ||
	    !find_field(t, "_thread_db_pthread_list", 0, &link) || !find_field(t, "_thread_db_pthread_tid", 32, &tid))
		return false;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		uint64_t head;
		uint32_t offset;

		if (find_field(t, lists[i][0], 0, &offset) && find_symbol(t, "_rtld_global", &head))
			head += offset;
		else if (!find_symbol(t, lists[i][1], &head))
			continue;
		walk_list(t, map, head, next, link, tid);
		any = true;
	}
	return any;
}

uint64_t nptl_pthread_of(struct target *t, pid_t tid, uint64_t pointer)
{
	uint32_t distance;
	pid_t id;

	if (!pointer || !pointer_distance(t, &distance) || distance >= pointer)
		return 0;
	uint64_t pd = pointer - distance;
	/* Without another mark, a descriptor is recognized by the thread's id. */
	bool is = arch->is_descriptor ? is_descriptor(t, pd) : nptl_thread_id(t, pd, &id) && id == tid;
	return is ? pd : 0;
}

bool nptl_thread_id(struct target *t, uint64_t pd, pid_t *ret)
{
	uint32_t at, id;

	if (!find_field(t, "_thread_db_pthread_tid", 32, &at) || !target_try_read(t, pd + at, &id, sizeof(id)) ||
	    id > INT32_MAX)
		return false;
	*ret = (pid_t)id;
	return true;
}

bool nptl_tls_address(struct target *t, const struct target_thread *thread, const struct target_symbol *sym,
		      uint64_t link_map, uint64_t *ret)
{
	uint64_t offset, block;
	uint32_t at, distance;

	if (!pointer_distance(t, &distance) || !find_field(t, "_thread_db_link_map_l_tls_offset", 64, &at) ||
	    !target_try_read(t, link_map + at, &offset, sizeof(offset)) || offset == NO_TLS_OFFSET ||
	    offset == FORCED_DYNAMIC_TLS_OFFSET || !arch->tls_block(thread->pthread + distance, offset, &block))
		return false;
	*ret = block + sym->address;
	return true;
}
