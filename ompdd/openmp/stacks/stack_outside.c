/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Each kind of object is a provider. The function that the program called shows the kind, the futex word and the bytes
 * around it show the object and its holder. The layouts are those of glibc on 64-bit processors.
 */
#include "openmp/stacks/stack_outside.h"

#include <linux/futex.h>
#include <string.h>

#include "openmp/model/wait/outside.h"
#include "openmp/stacks/stack_arena.h"
#include "openmp/stacks/stack_library.h"
#include "target/arch/syscalls.h"
#include "target/modules/modules.h"
#include "target/modules/tid_map.h"

/* The value of a lock without an owner of its own while threads wait for it. */
#define LOCK_CONTENDED 2

/* Bytes that are copied before the futex word, and from it on. */
#define BEFORE 64
#define AFTER  64

struct snapshot_bytes {
	uint64_t word; /* address of the futex word */
	uint32_t expected;
	unsigned char bytes[BEFORE + AFTER];
};

/* A thread that may wait for an object. */
struct question {
	struct stacks *st;
	struct snapshot *s;
	uint32_t thread; /* in s->threads */
	const struct tid_map *map;
	const struct snapshot_bytes *bytes;
	struct outside_wait *ret;
	bool is_of_one_moment;
};

struct provider {
	enum holder_kind kind;
	const char *const *functions; /* of the C library; ends with NULL */
	bool (*find)(const struct question *q, const char *function);
};

static bool sleeps_on_word(const struct target_activity *a)
{
	int op = (int)a->args[1] & FUTEX_CMD_MASK;

	return a->known && a->in_syscall && a->syscall == SYS_futex && (op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET);
}

struct error *stack_outside_read(struct target *t, struct snapshot *s, struct snapshot_thread *thread)
{
	const struct target_activity *a = &thread->activity;

	if (!sleeps_on_word(a) || a->args[0] < BEFORE)
		return NULL;
	struct snapshot_bytes *bytes = arena_alloc(&s->arena, sizeof(*bytes));
	if (!bytes)
		return &error_nomem;
	bytes->word = a->args[0];
	bytes->expected = (uint32_t)a->args[2];
	struct error *err = target_read(t, a->args[0] - BEFORE, bytes->bytes, sizeof(bytes->bytes));
	if (!err)
		thread->bytes = bytes;
	error_destroy(err);
	return NULL;
}

/* Return the word at @offset from the futex word. */
static uint32_t get_word(const struct question *q, int offset)
{
	uint32_t word;

	memcpy(&word, q->bytes->bytes + BEFORE + offset, sizeof(word));
	return word;
}

static uint64_t get_pointer(const struct question *q, int offset)
{
	uint64_t pointer;

	memcpy(&pointer, q->bytes->bytes + BEFORE + offset, sizeof(pointer));
	return pointer;
}

static void set_holder(const struct question *q, uint32_t thread, const char *evidence)
{
	q->ret->has_holder = thread != SNAPSHOT_NONE;
	q->ret->holder = thread;
	q->ret->evidence = evidence;
}

/* Return the thread with the id @own in the process's namespace. */
static uint32_t find_own(const struct question *q, pid_t own)
{
	const struct target_thread *thread = tid_map_find(q->map, q->st->t, own);

	return thread ? snapshot_find_thread(q->s, thread->tid) : SNAPSHOT_NONE;
}

/* Reader-writer locks: the offsets of pthread_rwlock_t, and the state in `readers`. */
enum { RWLOCK_READERS = 0, RWLOCK_PHASE = 8, RWLOCK_WRITERS = 12, RWLOCK_OWNER = 24 };
enum { RWLOCK_IS_WRITTEN = 1, RWLOCK_READER_SHIFT = 3 };
/* The words of the phase and of the writers are less; a reader that waits on `readers` expects its own kind there. */
#define RWLOCK_ONE_READER (1u << RWLOCK_READER_SHIFT)

static bool find_rwlock(const struct question *q, const char *function)
{
	uint32_t expected = q->bytes->expected;
	int at = RWLOCK_PHASE;

	if (strstr(function, "rdlock"))
		at = expected >= RWLOCK_ONE_READER ? RWLOCK_READERS : RWLOCK_PHASE;
	else if (expected & 1)
		at = RWLOCK_WRITERS;
	uint32_t readers = get_word(q, RWLOCK_READERS - at), owner = get_word(q, RWLOCK_OWNER - at);

	q->ret->address = q->bytes->word - (uint64_t)at;
	if (readers & RWLOCK_IS_WRITTEN)
		set_holder(q, find_own(q, (pid_t)owner), "the lock names it as its writer");
	else
		q->ret->n_readers = readers >> RWLOCK_READER_SHIFT;
	return true;
}

/* Threads wait on the word of one of two groups. The second one follows the first, at a multiple of 8. */
#define CONDITION_SIGNALS 40

static bool find_condition(const struct question *q, const char *function)
{
	(void)function;
	q->ret->address = (q->bytes->word & ~(uint64_t)7) - CONDITION_SIGNALS;
	return true;
}

static bool find_semaphore(const struct question *q, const char *function)
{
	(void)function;
	q->ret->address = q->bytes->word;
	return true;
}

/* The futex word is the id in the descriptor of the thread, and the kernel clears it at the thread's end. */
static bool find_join(const struct question *q, const char *function)
{
	uint32_t now = get_word(q, 0);

	(void)function;
	q->ret->address = q->bytes->word;
	if (!now || now != q->bytes->expected)
		return false;
	set_holder(q, find_own(q, (pid_t)now), "its end is awaited");
	if (q->ret->has_holder)
		q->ret->joined = q->s->threads[q->ret->holder].tid;
	return q->ret->has_holder;
}

/* The lock of a stream: the futex word, a count, the owner's descriptor. */
enum { STREAM_OWNER = 8 };

static bool find_stream(const struct question *q, const char *function)
{
	uint64_t owner = get_pointer(q, STREAM_OWNER);

	(void)function;
	if (q->bytes->expected != LOCK_CONTENDED || get_word(q, 0) != LOCK_CONTENDED || !owner)
		return false;
	q->ret->address = q->bytes->word;
	for (uint32_t i = 0; i < q->s->n_threads; i++) {
		if (q->s->threads[i].pthread == owner)
			set_holder(q, i, "the lock names it as its holder");
	}
	return q->ret->has_holder;
}

/* The lock of an arena does not name its holder. */
static bool find_arena(const struct question *q, const char *function)
{
	uint32_t holder;

	(void)function;
	if (q->bytes->expected != LOCK_CONTENDED || get_word(q, 0) != LOCK_CONTENDED)
		return false;
	q->ret->address = q->bytes->word;
	if (!q->is_of_one_moment || !stack_arena_find_holder(q->st, q->s, &holder))
		return true;
	set_holder(q, holder,
		   holder == q->thread ? "its signal handler interrupted malloc, and no other thread executes malloc"
				       : "no other thread executes malloc");
	return true;
}

static const char *const rwlock_functions[] = {
	"pthread_rwlock_rdlock",
	"pthread_rwlock_wrlock",
	"pthread_rwlock_timedrdlock",
	"pthread_rwlock_timedwrlock",
	"pthread_rwlock_clockrdlock",
	"pthread_rwlock_clockwrlock",
	NULL,
};
static const char *const condition_functions[] = {"pthread_cond_wait", "pthread_cond_timedwait",
						  "pthread_cond_clockwait", NULL};
static const char *const semaphore_functions[] = {"sem_wait", "sem_timedwait", "sem_clockwait", "new_sem_wait_slow64",
						  NULL};
static const char *const join_functions[] = {"pthread_join", "pthread_timedjoin_np", "pthread_clockjoin_np", NULL};
static const char *const stream_functions[] = {
	"printf",    "fprintf",	   "vprintf",	  "vfprintf",	  "puts",   "fputs",  "putc",	"fputc",
	"putchar",   "fwrite",	   "fflush",	  "fgets",	  "fread",  "getc",   "fgetc",	"getchar",
	"fscanf",    "scanf",	   "fseek",	  "ftell",	  "rewind", "perror", "ungetc", "setvbuf",
	"flockfile", "printf_chk", "fprintf_chk", "vfprintf_chk", NULL,
};

static const struct provider providers[] = {
	{HOLDER_RWLOCK, rwlock_functions, find_rwlock},
	{HOLDER_CONDITION, condition_functions, find_condition},
	{HOLDER_SEMAPHORE, semaphore_functions, find_semaphore},
	{HOLDER_JOIN, join_functions, find_join},
	{HOLDER_STREAM, stream_functions, find_stream},
	{HOLDER_ARENA, stack_arena_functions, find_arena},
};

/* Return whether the thread sleeps in a call of the C library by the program. Set @run to that call. */
static bool find_call(struct stacks *st, const struct stacks_thread *t, struct library_run *run)
{
	*run = (struct library_run){0};
	return stack_library_next(st, t, run) && run->first == 0 && t->frames[0].kind == FRAME_USER &&
	       (run->end == t->n_frames || t->frames[run->end].kind == FRAME_USER) && run->function[0];
}

static const struct provider *find_provider(const char *function)
{
	for (size_t i = 0; i < sizeof(providers) / sizeof(providers[0]); i++) {
		for (const char *const *name = providers[i].functions; *name; name++) {
			if (!strcmp(*name, function + strspn(function, "_")))
				return &providers[i];
		}
	}
	return NULL;
}

/*
 * A lock that lets writers go first blocks new readers while a writer waits. The writer that goes next waits for the
 * present readers on the word of the phase; other threads wait for it.
 */
static void find_next_writers(struct snapshot *s)
{
	for (uint32_t i = 0; i < s->n_threads; i++) {
		struct outside_wait *wait = s->threads[i].outside;

		if (!wait || wait->kind != HOLDER_RWLOCK || wait->has_holder || !wait->n_readers)
			continue;
		for (uint32_t k = 0; k < s->n_threads; k++) {
			const struct outside_wait *other = s->threads[k].outside;
			bool is_next = k != i && other && other->kind == HOLDER_RWLOCK &&
				       other->address == wait->address &&
				       s->threads[k].bytes->word == wait->address + RWLOCK_PHASE &&
				       s->threads[i].bytes->word != wait->address + RWLOCK_PHASE;

			if (!is_next)
				continue;
			wait->has_holder = true;
			wait->holder = k;
			wait->evidence = "it waits to write, and the lock lets it go first";
		}
	}
}

struct error *stack_outside_find(struct stacks *st, struct snapshot *s, bool is_of_one_moment)
{
	struct tid_map map = {0};
	struct error *err = NULL;
	bool has_map = false;

	for (uint32_t i = 0; i < s->n_threads && !err; i++) {
		struct snapshot_thread *thread = &s->threads[i];
		size_t number =
			thread->bytes && !thread->mutex && !thread->gil ? stacks_find(st, thread->tid) : SIZE_MAX;
		const struct stacks_thread *t = number == SIZE_MAX ? NULL : stacks_thread(st, number);
		struct library_run run;

		if (!t || t->end == STACK_MOVED || !find_call(st, t, &run))
			continue;
		const struct provider *provider = find_provider(run.function);
		if (!provider)
			continue;
		if (!has_map)
			tid_map_refresh(&map, st->t);
		has_map = true;
		struct outside_wait *wait = arena_alloc(&s->arena, sizeof(*wait));
		if (!wait) {
			err = &error_nomem;
			break;
		}
		wait->kind = provider->kind;
		if (provider->find(&(struct question){st, s, i, &map, thread->bytes, wait, is_of_one_moment},
				   run.function))
			thread->outside = wait;
	}
	tid_map_deinit(&map);
	if (!err)
		find_next_writers(s);
	return err;
}
