/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads mutexes of the C library. The futex of a mutex is its first word. The owner follows it: it is set after the
 * lock is taken and cleared before the lock is released.
 */
#include "openmp/stacks/stack_mutex.h"

#include <linux/futex.h>
#include <string.h>

#include "base/path.h"
#include "target/arch/syscalls.h"
#include "target/modules/modules.h"
#include "target/modules/nptl.h"
#include "target/modules/tid_map.h"

/* The layout of pthread_mutex_t in glibc for 64-bit processors. */
struct mutex {
	uint32_t lock, count;
	int32_t owner;
	uint32_t n_users, kind;
};

/* The lock's value while a thread may sleep for it. */
#define CONTENDED 2
/* The bits of `kind` that are not hints. Normal, recursive, error-checking and adaptive mutexes have no others. */
#define KIND_BITS 0xff
#define KIND_LAST 3
/* Limit for the functions of the C library between the system call and pthread_mutex_lock(). */
#define MAX_INNER 3

void stack_mutex_read(struct target *t, struct snapshot_thread *thread)
{
	const struct target_activity *a = &thread->activity;
	struct mutex mutex;

	if (!a->known || !a->in_syscall || a->syscall != SYS_futex ||
	    ((int)a->args[1] & FUTEX_CMD_MASK) != FUTEX_WAIT || !((int)a->args[1] & FUTEX_PRIVATE_FLAG) ||
	    (uint32_t)a->args[2] != CONTENDED)
		return;
	struct error *err = target_read(t, a->args[0], &mutex, sizeof(mutex));

	if (!err && mutex.lock == CONTENDED && mutex.owner > 0 && (mutex.kind & KIND_BITS) <= KIND_LAST &&
	    thread->pthread && nptl_thread_id(t, thread->pthread, &thread->own_tid)) {
		thread->mutex = a->args[0];
		thread->mutex_tid = mutex.owner;
	}
	error_destroy(err);
}

bool stack_mutex_is_glibc(const struct target_module *module)
{
	const char *name = module && module->path ? path_file_name(module->path) : "";

	return !strcmp(name, "libc.so.6") || !strncmp(name, "libc-2.", 7) || !strncmp(name, "libpthread", 10);
}

/* Return whether the code at @pc is pthread_mutex_lock()'s, by any of its names. */
static bool is_lock(struct target *t, uint64_t pc)
{
	static const char name[] = "pthread_mutex_lock";
	char symbol[64];
	uint64_t offset;

	if (!target_symbol_at(t, pc, symbol, sizeof(symbol), &offset))
		return false;
	symbol[strcspn(symbol, "@")] = '\0';
	const char *plain = strncmp(symbol, "__GI_", 5) ? symbol : symbol + 5;
	return !strcmp(plain + strspn(plain, "_"), name);
}

/* Return whether the program has called pthread_mutex_lock(), and the thread sleeps in it. */
static bool is_in_lock(struct stacks *st, const struct stacks_thread *t)
{
	for (uint32_t i = 0; i + 1 < t->n_frames && i <= MAX_INNER; i++) {
		const struct stacks_place *place = t->frames[i].place;
		uint64_t pc = place->pc - !place->is_exact;

		if (t->frames[i].kind != FRAME_USER || !stack_mutex_is_glibc(target_module_at(st->t, pc)))
			return false;
		if (is_lock(st->t, pc))
			return t->frames[i + 1].kind == FRAME_USER;
	}
	return false;
}

/*
 * In another namespace threads have other ids, and a core may not record them. The ids are known only if the waiting
 * thread's own id is correct.
 */
static bool has_known_ids(struct stacks *st, const struct tid_map *map, const struct snapshot_thread *thread)
{
	const struct target_thread *own = tid_map_find(map, st->t, thread->own_tid);

	return own && own->tid == thread->tid;
}

void stack_mutex_find(struct stacks *st, struct snapshot *s, bool is_consistent)
{
	struct tid_map map = {0};
	bool has_map = false;

	for (size_t i = 0; i < s->n_threads; i++) {
		struct snapshot_thread *thread = &s->threads[i];
		size_t number = thread->mutex ? stacks_find(st, thread->tid) : SIZE_MAX;
		const struct stacks_thread *t = number == SIZE_MAX ? NULL : stacks_thread(st, number);
		const struct target_thread *owner = NULL;
		bool is_proven = t && t->end != STACK_MOVED && is_in_lock(st, t);

		if (!thread->mutex)
			continue;
		if (is_proven) {
			if (!has_map)
				tid_map_refresh(&map, st->t);
			has_map = true;
			is_proven = has_known_ids(st, &map, thread);
			owner = is_proven ? tid_map_find(&map, st->t, thread->mutex_tid) : NULL;
		}
		thread->mutex_owner = owner ? snapshot_find_thread(s, owner->tid) : SNAPSHOT_NONE;
		if (is_proven && !owner && map.same_namespace)
			thread->mutex_process = target_find_fork_parent(st->t, thread->mutex_tid);
		/*
		 * If all threads run during the read, the owner may be a thread that started after the list was read.
		 * That is excluded if another process owns the mutex.
		 */
		if (thread->mutex_owner == SNAPSHOT_NONE &&
		    !(is_proven && !owner && (is_consistent || thread->mutex_process)))
			thread->mutex = 0;
	}
	tid_map_deinit(&map);
}
