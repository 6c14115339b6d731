/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads of stock libomp: records, ids and states; members of backend_libomp. */
#include <string.h>

#include "libomp/libomp.h"

/* A thread-local variable with the thread's index in the array of threads. */
#define GTID_SYMBOL "__kmp_gtid"

/* Maximum distance from the variable __kmp_threads to the variable __kmp_root, in both directions. */
#define NEAR 128
/* Number of elements to compare. */
#define MAX_COMPARED 64

ompd_rc_t libomp_threads(const struct process *process, ompd_addr_t *ret)
{
	ompd_addr_t array;

	RC_TRY(PROCESS_READ(process, libomp_of(process)->threads, &array));
	if (!array) /* the runtime has not been used yet */
		return ompd_rc_unavailable;
	*ret = array;
	return ompd_rc_ok;
}

/*
 * Return whether the array of roots is at @roots, @capacity elements after @array. It must hold the
 * root of a thread in @array.
 */
static bool is_array_of_roots(const struct process *process, ompd_addr_t array, ompd_addr_t roots, uint64_t capacity)
{
	ompd_addr_t thread, root, own;

	for (uint64_t i = 0; i < capacity && i < MAX_COMPARED; i++) {
		if (PROCESS_READ(process, array + i * sizeof(thread), &thread) != ompd_rc_ok ||
		    PROCESS_READ(process, roots + i * sizeof(root), &root) != ompd_rc_ok)
			return false;
		if (thread && root)
			return PROCESS_READ(process, thread + libomp_of(process)->layout.th_root, &own) == ompd_rc_ok &&
			       own == root;
	}
	return false;
}

/*
 * Return the capacity of the array of threads. The array of roots follows it in the same block of
 * memory. The variable that points to the roots is next to that of the threads, before or after it,
 * depending on the compiler.
 */
static ompd_rc_t read_capacity(const struct process *process, ompd_addr_t array, uint32_t *ret)
{
	const struct libomp *libomp = libomp_of(process);
	ompd_addr_t words[2 * NEAR / sizeof(ompd_addr_t)];

	if (!offset_known(libomp->layout.th_root))
		return ompd_rc_unavailable;
	RC_TRY(cb_read(process->context, libomp->threads - NEAR, sizeof(words), words));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		uint64_t size = words[i] - array;

		if (words[i] <= array || size % sizeof(ompd_addr_t) || size / sizeof(ompd_addr_t) > LIBOMP_MAX_THREADS)
			continue;
		if (is_array_of_roots(process, array, words[i], size / sizeof(ompd_addr_t))) {
			*ret = (uint32_t)(size / sizeof(ompd_addr_t));
			return ompd_rc_ok;
		}
	}
	return ompd_rc_unavailable;
}

ompd_rc_t libomp_thread_at(const struct process *process, ompd_addr_t array, uint32_t gtid, struct libomp_thread *ret)
{
	ompd_addr_t address;

	RC_TRY(PROCESS_READ(process, array + gtid * sizeof(address), &address));
	if (!address)
		return ompd_rc_unavailable;
	RC_TRY(libomp_thread_read(process, address, ret));
	return ret->gtid < 0 || ret->gtid == (int32_t)gtid ? ompd_rc_ok : ompd_rc_unavailable;
}

/*
 * Find a thread by its own variable. unavailable: it is not a thread of the runtime. unsupported:
 * the variable has no symbol.
 */
static ompd_rc_t find_by_gtid(const struct process *process, ompd_thread_context_t *context, struct thread_ref *ret)
{
	struct libomp_thread thread;
	ompd_addr_t address, array;
	int32_t gtid;

	if (cb_symbol(process->context, context, GTID_SYMBOL, libomp_of(process)->file, &address) != ompd_rc_ok)
		return ompd_rc_unsupported;
	RC_TRY(PROCESS_READ(process, address, &gtid));
	if (gtid < 0 || (uint32_t)gtid >= LIBOMP_MAX_THREADS)
		return ompd_rc_unavailable;
	RC_TRY(libomp_threads(process, &array));
	RC_TRY(libomp_thread_at(process, array, (uint32_t)gtid, &thread));
	*ret = libomp_thread_ref(&thread);
	return ompd_rc_ok;
}

/*
 * Find the thread with this thread pointer in the array. Tools request threads in a row, mostly in
 * creation order, so the search starts where the last one ended.
 */
static ompd_rc_t find_by_pointer(const struct process *process, ompd_addr_t thread_pointer, struct thread_ref *ret)
{
	struct libomp_thread thread;
	ompd_addr_t array;
	uint32_t capacity;

	RC_TRY(libomp_threads(process, &array));
	RC_TRY(read_capacity(process, array, &capacity));
	struct libomp *libomp = process->data;

	for (uint32_t i = 0; i < capacity; i++) {
		uint32_t gtid = (libomp->found_last + i) % capacity;

		if (libomp_thread_at(process, array, gtid, &thread) != ompd_rc_ok || thread.pointer != thread_pointer)
			continue;
		libomp->found_last = gtid;
		*ret = libomp_thread_ref(&thread);
		return ompd_rc_ok;
	}
	return ompd_rc_unavailable;
}

ompd_rc_t libomp_thread_find(const struct process *process, ompd_thread_id_t kind, ompd_size_t size, const void *id,
			     struct thread_ref *ret)
{
	ompd_thread_context_t *context;
	ompd_addr_t thread_pointer;

	RC_TRY(glibc_check_kind(kind, size));
	RC_TRY(cb_thread_context(process->context, kind, size, id, &context));
	if (kind == OMPD_THREAD_ID_PTHREAD) {
		memcpy(&thread_pointer, id, sizeof(thread_pointer));
		thread_pointer += libomp_of(process)->glibc.behind;
		RC_TRY(glibc_check_thread(process->context, &libomp_of(process)->glibc, thread_pointer));
	}
	ompd_rc_t rc = find_by_gtid(process, context, ret);

	if (rc == ompd_rc_ok && kind == OMPD_THREAD_ID_PTHREAD && ret->thread_pointer != thread_pointer)
		return ompd_rc_unavailable;
	if (rc != ompd_rc_unsupported)
		return rc;
	if (kind == OMPD_THREAD_ID_LWP)
		RC_TRY(glibc_thread_pointer(process->context, &libomp_of(process)->glibc, context, &thread_pointer));
	return find_by_pointer(process, thread_pointer, ret);
}

ompd_rc_t libomp_thread_id(const struct process *process, const struct thread_ref *thread, ompd_thread_id_t kind,
			   ompd_size_t size, void *ret)
{
	RC_TRY(glibc_check_kind(kind, size));
	if (!thread->thread_pointer) /* it has not started yet */
		return ompd_rc_unavailable;
	return glibc_thread_id(process->context, &libomp_of(process)->glibc, thread->thread_pointer, kind, size, ret);
}

ompd_rc_t libomp_thread_next(const struct process *process, const struct thread_ref *previous, struct thread_ref *ret)
{
	struct libomp_thread thread;
	bool is_behind = !previous;
	ompd_addr_t array;
	uint32_t capacity;

	RC_TRY(libomp_threads(process, &array));
	RC_TRY(read_capacity(process, array, &capacity));
	for (uint32_t gtid = 0; gtid < capacity; gtid++) {
		/* Slots between threads may be empty. */
		if (libomp_thread_at(process, array, gtid, &thread) != ompd_rc_ok)
			continue;
		if (is_behind) {
			*ret = libomp_thread_ref(&thread);
			return ompd_rc_ok;
		}
		is_behind = thread.address == previous->thread;
	}
	return is_behind ? ompd_rc_unavailable : ompd_rc_stale_handle;
}

/*
 * A thread keeps its team's address after the region's end, for the next region. It is in that team
 * only if the team's primary thread is in the team or in an inner team.
 */
static ompd_rc_t is_in_use(const struct process *process, const struct libomp_team *team, bool *ret)
{
	struct libomp_thread first;
	struct libomp_team outer;
	ompd_addr_t address;

	RC_TRY(libomp_team_member(process, team, 0, &address));
	RC_TRY(libomp_thread_read(process, address, &first));
	*ret = first.team == team->address;
	address = first.team;
	for (unsigned depth = 0; !*ret && address && depth < LIBOMP_MAX_DEPTH; depth++) {
		RC_TRY(libomp_team_read(process, address, &outer));
		if (outer.level <= team->level)
			return ompd_rc_ok;
		address = outer.parent;
		*ret = address == team->address;
	}
	return ompd_rc_ok;
}

/*
 * Return whether the thread has a place in the team that it names. While the primary thread creates
 * or leaves the team, it may have its number in the enclosing team. It is the first thread of the
 * team.
 */
static ompd_rc_t has_place(const struct process *process, const struct libomp_team *team, struct libomp_thread *thread,
			   bool *ret)
{
	ompd_addr_t listed = 0;

	if (thread->tid >= 0 && thread->tid < team->nproc)
		RC_TRY(libomp_team_member(process, team, thread->tid, &listed));
	if (listed != thread->address && thread->tid) {
		RC_TRY(libomp_team_member(process, team, 0, &listed));
		if (listed == thread->address)
			thread->tid = 0;
	}
	*ret = listed == thread->address;
	return ompd_rc_ok;
}

ompd_rc_t libomp_thread_member(const struct process *process, ompd_addr_t address, struct libomp_thread *thread,
			       struct libomp_team *team)
{
	bool has, in_use = true;

	RC_TRY(libomp_thread_read(process, address, thread));
	if (!thread->team)
		return ompd_rc_unavailable;
	RC_TRY(libomp_team_read(process, thread->team, team));
	if (libomp_team_is_given_back(team))
		return ompd_rc_unavailable;
	RC_TRY(has_place(process, team, thread, &has));
	if (!has)
		return ompd_rc_unavailable;
	if (thread->tid)
		RC_TRY(is_in_use(process, team, &in_use));
	return in_use ? ompd_rc_ok : ompd_rc_unavailable;
}
