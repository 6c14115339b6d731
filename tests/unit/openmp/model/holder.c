/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/model/holder: who keeps a thread waiting, and who only might. */
#include "check_main.h"

#include <string.h>
#include <sys/syscall.h>

#include "openmp/model/holder.h"
#include "openmp/model/snapshot.h"
#include "openmp/plugin/ompd.h"

#define N_THREADS 4
#define BARRIER	  0x9000
#define LOCK	  0x404100

static struct snapshot s;
static struct snapshot_thread threads[N_THREADS];
static struct snapshot_parallel parallels[2];
static struct snapshot_task tasks[6];
static uint32_t members[N_THREADS] = {0, 1, 2, 3};
static struct snapshot_mutex mutexes[2];
static struct holders h;

/* A team of all threads, each in its implicit task, which has the thread's number. */
static void setup(void)
{
	memset(threads, 0, sizeof(threads));
	memset(parallels, 0, sizeof(parallels));
	memset(tasks, 0, sizeof(tasks));
	s = (struct snapshot){
		.threads = threads,
		.n_threads = N_THREADS,
		.parallels = parallels,
		.n_parallels = 2,
		.tasks = tasks,
		.n_tasks = N_THREADS,
	};
	parallels[0].team_size.value = N_THREADS;
	parallels[0].members = members;
	parallels[0].n_members = N_THREADS;
	for (uint32_t i = 0; i < N_THREADS; i++) {
		threads[i].openmp = true;
		threads[i].tid = (pid_t)(100 + i);
		threads[i].state.value = ompt_state_work_parallel;
		threads[i].wait_id.rc = ompd_rc_unavailable;
		threads[i].task.index = i;
		tasks[i].kind = TASK_IMPLICIT;
		tasks[i].thread = i;
		tasks[i].generating.index = SNAPSHOT_NONE;
	}
}

static void teardown(void)
{
	holders_deinit(&h);
}

static void waits(uint32_t thread, int state, uint64_t wait_id)
{
	threads[thread].state.value = state;
	threads[thread].wait_id = (struct snapshot_word){wait_id ? ompd_rc_ok : ompd_rc_unavailable, (int64_t)wait_id};
}

static void explicit_task(uint32_t task, uint32_t parent, uint32_t thread)
{
	tasks[task] = (struct snapshot_task){.kind = TASK_EXPLICIT, .thread = thread, .generating.index = parent};
	s.n_tasks = task + 1;
}

/* What the library says of LOCK. */
static struct snapshot_mutex *mutex(int kind, int rc, int state)
{
	mutexes[s.n_mutexes] = (struct snapshot_mutex){.address = LOCK,
						       .kind = kind,
						       .rc = rc,
						       .state = state,
						       .thread = SNAPSHOT_NONE,
						       .task = SNAPSHOT_NONE};
	s.mutexes = mutexes;
	return &mutexes[s.n_mutexes++];
}

static const struct holder_wait *find(uint32_t thread)
{
	holders_deinit(&h);
	ck_assert_no_err(holders_find(NULL, &s, &h));
	const struct holder_wait *wait = holders_of(&h, thread);

	ck_assert_ptr_nonnull(wait);
	ck_assert_uint_eq(wait->thread, thread);
	for (uint32_t i = 0; i < wait->n_holders; i++) {
		ck_assert_int_ne(wait->holders[i].source, HOLDER_INFERRED);
		ck_assert_ptr_nonnull(wait->holders[i].evidence);
	}
	for (uint32_t i = 0; i < wait->n_listed; i++)
		ck_assert_int_eq(wait->candidates[i].source, HOLDER_INFERRED);
	ck_assert(wait->is_complete || wait->unknown);
	return wait;
}

START_TEST(test_who_works_waits_for_nothing)
{
	ck_assert_no_err(holders_find(NULL, &s, &h));
	for (uint32_t i = 0; i < N_THREADS; i++)
		ck_assert_ptr_null(holders_of(&h, i));
}
END_TEST

START_TEST(test_barrier_waits_for_who_is_not_there)
{
	for (uint32_t i = 0; i < 3; i++)
		waits(i, ompt_state_wait_barrier, BARRIER);
	for (uint32_t i = 0; i < 3; i++) {
		const struct holder_wait *wait = find(i);

		ck_assert_int_eq(wait->kind, HOLDER_BARRIER);
		ck_assert_uint_eq(wait->wait_id, BARRIER);
		ck_assert(wait->is_complete);
		ck_assert_uint_eq(wait->n_holders, 1);
		ck_assert_uint_eq(wait->holders[0].thread, 3);
		ck_assert_int_eq(wait->holders[0].doing, HOLDER_WORKS);
	}
	ck_assert_ptr_null(holders_of(&h, 3));
}
END_TEST

START_TEST(test_barrier_of_another_kind_keeps_both)
{
	for (uint32_t i = 0; i < 3; i++)
		waits(i, ompt_state_wait_barrier_explicit, BARRIER);
	waits(3, ompt_state_wait_barrier_implicit_parallel, BARRIER + 64);
	const struct holder_wait *wait = find(0);
	ck_assert_uint_eq(wait->n_holders, 1);
	ck_assert_uint_eq(wait->holders[0].thread, 3);
	ck_assert_int_eq(wait->holders[0].doing, HOLDER_WAITS);
	wait = find(3);
	ck_assert_uint_eq(wait->n_holders, 3);
}
END_TEST

START_TEST(test_member_somewhere_in_the_runtime_may_be_at_the_barrier)
{
	for (uint32_t i = 0; i < 2; i++)
		waits(i, ompt_state_wait_barrier, BARRIER);
	threads[2].state.rc = ompd_rc_unavailable;
	threads[3].state.value = ompt_state_overhead;
	threads[3].state_is_inferred = true;
	const struct holder_wait *wait = find(1);
	ck_assert(!wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 0);
	ck_assert_uint_eq(wait->n_candidates, 2);
	ck_assert_uint_eq(wait->n_listed, 2);
}
END_TEST

START_TEST(test_member_in_another_region_is_not_at_the_barrier)
{
	for (uint32_t i = 0; i < N_THREADS; i++)
		waits(i, ompt_state_wait_barrier, 0);
	threads[2].parallel.index = 1;
	const struct holder_wait *wait = find(0);
	ck_assert(wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 1);
	ck_assert_uint_eq(wait->holders[0].thread, 2);
}
END_TEST

START_TEST(test_members_that_are_not_known)
{
	waits(0, ompt_state_wait_barrier, BARRIER);
	parallels[0].n_members = 3;
	const struct holder_wait *wait = find(0);
	ck_assert(!wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 2);
}
END_TEST

START_TEST(test_taskwait_waits_for_children_only)
{
	waits(0, ompt_state_wait_taskwait, 0);
	explicit_task(4, 0, 1);
	threads[1].task.index = 4;
	explicit_task(5, 4, SNAPSHOT_NONE);
	tasks[5].is_queued = true;
	const struct holder_wait *wait = find(0);
	ck_assert_int_eq(wait->kind, HOLDER_TASKWAIT);
	ck_assert_uint_eq(wait->task, 0);
	ck_assert_uint_eq(wait->n_holders, 1);
	ck_assert_uint_eq(wait->holders[0].task, 4);
	ck_assert_uint_eq(wait->holders[0].thread, 1);
	ck_assert_int_eq(wait->holders[0].doing, HOLDER_WORKS);
}
END_TEST

START_TEST(test_queued_child_with_predecessors)
{
	waits(0, ompt_state_wait_taskwait, 0);
	explicit_task(4, 0, SNAPSHOT_NONE);
	tasks[4].is_queued = true;
	tasks[4].predecessors.value = 2;
	const struct holder_wait *wait = find(0);
	ck_assert_uint_eq(wait->n_holders, 1);
	ck_assert_int_eq(wait->holders[0].doing, HOLDER_QUEUED);
	ck_assert_uint_eq(wait->holders[0].n_predecessors, 2);
	ck_assert_uint_eq(wait->holders[0].thread, SNAPSHOT_NONE);
}
END_TEST

START_TEST(test_descendants_may_be_of_the_taskgroup)
{
	waits(0, ompt_state_wait_taskgroup, 0);
	explicit_task(4, 0, 1);
	explicit_task(5, 4, 2);
	const struct holder_wait *wait = find(0);
	ck_assert(!wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 0);
	ck_assert_uint_eq(wait->n_candidates, 2);
}
END_TEST

START_TEST(test_cycle_of_tasks_ends)
{
	waits(0, ompt_state_wait_taskgroup, 0);
	explicit_task(4, 5, 1);
	explicit_task(5, 4, 2);
	ck_assert_uint_eq(find(0)->n_candidates, 0);
}
END_TEST

START_TEST(test_lock_without_owner_has_candidates)
{
	waits(0, ompt_state_wait_lock, LOCK);
	waits(1, ompt_state_wait_lock, LOCK);
	waits(2, ompt_state_wait_lock, LOCK + 4);
	for (uint32_t i = 0; i < 2; i++) {
		const struct holder_wait *wait = find(i);

		ck_assert_int_eq(wait->kind, HOLDER_LOCK);
		ck_assert(!wait->is_complete);
		ck_assert_uint_eq(wait->n_holders, 0);
		ck_assert_uint_eq(wait->n_candidates, 2);
		ck_assert_uint_eq(wait->candidates[0].thread, 2);
		ck_assert_uint_eq(wait->candidates[1].thread, 3);
	}
	/* Two that wait for they know not what need not wait for the same. */
	waits(0, ompt_state_wait_ordered, 0);
	waits(1, ompt_state_wait_ordered, 0);
	ck_assert_uint_eq(find(0)->n_candidates, 3);
}
END_TEST

START_TEST(test_lock_that_names_its_holder)
{
	waits(0, ompt_state_wait_lock, LOCK);
	waits(1, ompt_state_wait_critical, LOCK);
	struct snapshot_mutex *lock = mutex(ompt_mutex_lock, ompd_rc_ok, OMPD_MUTEX_HELD);
	lock->thread = 3;
	const struct holder_wait *wait = find(0);
	ck_assert(wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 1);
	ck_assert_uint_eq(wait->holders[0].thread, 3);
	ck_assert_int_eq(wait->holders[0].tid, 103);
	ck_assert_int_eq(wait->holders[0].source, HOLDER_FROM_MEMORY);
	ck_assert_int_eq(wait->holders[0].doing, HOLDER_WORKS);
	/* What is said of one kind is not true of another. */
	ck_assert_uint_eq(find(1)->n_holders, 0);
	/* It holds what it waits for. */
	lock->thread = 0;
	wait = find(0);
	ck_assert_uint_eq(wait->holders[0].thread, 0);
	ck_assert_int_eq(wait->holders[0].doing, HOLDER_WAITS);
}
END_TEST

START_TEST(test_lock_is_nestable_only_if_its_routine_is)
{
	waits(0, ompt_state_wait_lock, LOCK);
	struct snapshot_mutex *lock = mutex(ompt_mutex_lock, ompd_rc_unsupported, 0);
	struct snapshot_mutex *nest = mutex(ompt_mutex_nest_lock, ompd_rc_ok, OMPD_MUTEX_HELD);
	nest->thread = 2;
	nest->task = 2;
	ck_assert_uint_eq(lock->thread, SNAPSHOT_NONE);
	ck_assert_uint_eq(find(0)->n_holders, 0);
	threads[0].lock = LOCK_SIMPLE;
	ck_assert_uint_eq(find(0)->n_holders, 0);
	threads[0].lock = LOCK_NESTABLE;
	ck_assert_uint_eq(find(0)->n_holders, 1);
	ck_assert_int_eq(find(0)->kind, HOLDER_NEST_LOCK);
	ck_assert_uint_eq(find(0)->holders[0].task, 2);
}
END_TEST

START_TEST(test_lock_of_nobody)
{
	waits(0, ompt_state_wait_lock, LOCK);
	mutex(ompt_mutex_lock, ompd_rc_ok, OMPD_MUTEX_FREE);
	ck_assert_uint_eq(find(0)->n_holders, 0);
	ck_assert(find(0)->is_complete);
}
END_TEST

START_TEST(test_lock_of_a_thread_that_ended)
{
	waits(0, ompt_state_wait_lock, LOCK);
	struct snapshot_mutex *lock = mutex(ompt_mutex_lock, ompd_rc_ok, OMPD_MUTEX_ORPHANED);
	for (int i = 0; i < 2; i++) {
		const struct holder_wait *wait = find(0);

		ck_assert(wait->is_complete);
		ck_assert_uint_eq(wait->n_holders, 1);
		ck_assert_uint_eq(wait->holders[0].thread, SNAPSHOT_NONE);
		ck_assert_int_eq(wait->holders[0].tid, 77 * i);
		ck_assert_int_eq(wait->holders[0].doing, HOLDER_ENDED);
		/* The runtime does not know yet, the kernel does. */
		lock->state = OMPD_MUTEX_HELD;
		lock->tid = 77;
	}
}
END_TEST

START_TEST(test_lock_of_a_task_that_is_not_known)
{
	waits(0, ompt_state_wait_lock, LOCK);
	threads[0].lock = LOCK_NESTABLE;
	mutex(ompt_mutex_nest_lock, ompd_rc_ok, OMPD_MUTEX_HELD);
	const struct holder_wait *wait = find(0);
	ck_assert(!wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 0);
	ck_assert_uint_eq(wait->n_candidates, 3);
	/* Nobody can be in it, as all are in others, and those around them are known: it is over. */
	for (int i = 0; i < N_THREADS; i++)
		tasks[i].kind = TASK_INITIAL;
	wait = find(0);
	ck_assert(wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 1);
	ck_assert_uint_eq(wait->holders[0].thread, SNAPSHOT_NONE);
	ck_assert_int_eq(wait->holders[0].doing, HOLDER_ENDED);
	/* Below an explicit task there may be others. */
	tasks[3].kind = TASK_EXPLICIT;
	ck_assert_uint_eq(find(0)->n_holders, 0);
	/* One that idles is in none. */
	threads[3].state.value = ompt_state_idle;
	tasks[3].is_queued = true;
	ck_assert_uint_eq(find(0)->n_holders, 1);
	threads[3].openmp = false;
	threads[3].openmp_rc = ompd_rc_error;
	ck_assert_uint_eq(find(0)->n_holders, 0);
	threads[3].openmp_rc = ompd_rc_unavailable;
	ck_assert_uint_eq(find(0)->n_holders, 1);
	s.truncated = true;
	ck_assert_uint_eq(find(0)->n_holders, 0);
}
END_TEST

START_TEST(test_mutex_is_what_the_thread_entered)
{
	waits(0, ompt_state_wait_mutex, LOCK);
	ck_assert_int_eq(find(0)->kind, HOLDER_MUTEX);
	threads[0].construct = CONSTRUCT_LOCK;
	ck_assert_int_eq(find(0)->kind, HOLDER_LOCK);
	threads[0].construct = CONSTRUCT_CRITICAL;
	ck_assert_int_eq(find(0)->kind, HOLDER_CRITICAL);
}
END_TEST

START_TEST(test_idle_holder)
{
	waits(0, ompt_state_wait_lock, LOCK);
	threads[1].state.value = ompt_state_idle;
	threads[2].activity = (struct target_activity){.known = true, .in_syscall = true, .syscall = SYS_read};
	const struct holder_wait *wait = find(0);
	ck_assert_int_eq(wait->candidates[0].doing, HOLDER_IDLE);
	ck_assert_int_eq(wait->candidates[1].doing, HOLDER_SLEEPS);
	ck_assert_int_eq(wait->candidates[1].call, SYS_read);
	ck_assert_int_eq(wait->candidates[2].doing, HOLDER_WORKS);
}
END_TEST

static struct snapshot_awaited awaited[2];
static struct snapshot_awaited_item items[3];

/* The library says that @thread waits for the @n items. */
static void library_says(uint32_t thread, uint32_t n, bool is_complete)
{
	awaited[0] =
		(struct snapshot_awaited){.thread = thread, .task = SNAPSHOT_NONE, .is_complete = is_complete, .n = n};
	s.awaited = awaited;
	s.n_awaited = 1;
	s.awaited_items = items;
	s.n_awaited_items = n;
	for (uint32_t i = 0; i < n; i++)
		items[i] = (struct snapshot_awaited_item){.thread = SNAPSHOT_NONE, .task = SNAPSHOT_NONE};
}

START_TEST(test_turn)
{
	waits(0, ompt_state_wait_ordered, 0x500);
	library_says(0, 1, true);
	items[0].thread = 2;
	const struct holder_wait *wait = find(0);
	ck_assert_int_eq(wait->kind, HOLDER_ORDERED);
	ck_assert(wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 1);
	ck_assert_uint_eq(wait->holders[0].thread, 2);
	ck_assert_int_eq(wait->holders[0].source, HOLDER_FROM_PLUGIN);
	/* It has ended, as far as the kernel knows. */
	items[0].thread = SNAPSHOT_NONE;
	wait = find(0);
	ck_assert(!wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 0);
	/* Nobody has begun it. */
	library_says(0, 0, false);
	ck_assert(!find(0)->is_complete);
}
END_TEST

/* Who has the turn in a loop keeps those of its threads only that are seen to wait in ordered. */
START_TEST(test_turn_of_a_thread_that_may_do_anything)
{
	library_says(0, 1, true);
	awaited[0].as_state = ompt_state_wait_ordered;
	items[0].thread = 2;
	waits(0, ompt_state_wait_barrier_implicit_workshare, 0x500);
	ck_assert_int_eq(find(0)->kind, HOLDER_BARRIER);
	waits(0, ompt_state_wait_ordered, 0);
	ck_assert_uint_eq(find(0)->n_holders, 1);
	ck_assert_uint_eq(find(0)->holders[0].thread, 2);
	threads[0].is_in_doacross = true;
	ck_assert_uint_eq(find(0)->n_holders, 0);
	ck_assert_uint_eq(find(0)->n_candidates, 3);
	/* Who is at a barrier has left the loop, unless that is of a region within an iteration. */
	waits(1, ompt_state_wait_barrier_implicit_parallel, 0x500);
	ck_assert_uint_eq(find(0)->n_candidates, 2);
	ck_assert_uint_eq(find(0)->candidates[0].thread, 2);
	threads[1].parallel.index = 1;
	ck_assert_uint_eq(find(0)->n_candidates, 3);
}
END_TEST

START_TEST(test_mutex_of_the_c_library)
{
	waits(0, ompt_state_work_parallel, 0);
	threads[0].mutex = 0x404200;
	threads[0].mutex_owner = 2;
	threads[3].openmp = false;
	threads[3].mutex = 0x404200;
	threads[3].mutex_owner = 2;
	for (uint32_t i = 0; i < 4; i += 3) {
		const struct holder_wait *wait = find(i);

		ck_assert_int_eq(wait->kind, HOLDER_PTHREAD);
		ck_assert_uint_eq(wait->wait_id, 0x404200);
		ck_assert(wait->is_complete);
		ck_assert_uint_eq(wait->n_holders, 1);
		ck_assert_uint_eq(wait->holders[0].thread, 2);
		ck_assert_int_eq(wait->holders[0].source, HOLDER_FROM_MEMORY);
	}
}
END_TEST

START_TEST(test_mutex_of_a_thread_that_has_ended)
{
	waits(0, ompt_state_work_parallel, 0);
	threads[0].mutex = 0x404200;
	threads[0].mutex_tid = 777;
	threads[0].mutex_owner = SNAPSHOT_NONE;
	const struct holder_wait *wait = find(0);
	ck_assert(wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 1);
	ck_assert_int_eq(wait->holders[0].doing, HOLDER_ENDED);
	ck_assert_int_eq(wait->holders[0].tid, 777);
}
END_TEST

START_TEST(test_single_is_told_from_a_barrier)
{
	waits(0, ompt_state_wait_barrier_implicit_workshare, 0x500);
	ck_assert_int_eq(find(0)->kind, HOLDER_BARRIER);
	library_says(0, 1, true);
	items[0].thread = 1;
	ck_assert_int_eq(find(0)->kind, HOLDER_SINGLE);
	ck_assert_uint_eq(find(0)->holders[0].thread, 1);
	awaited[0].rc = ompd_rc_unavailable;
	ck_assert_int_eq(find(0)->kind, HOLDER_BARRIER);
}
END_TEST

START_TEST(test_tasks_that_the_library_names)
{
	waits(0, ompt_state_wait_taskgroup, 0x500);
	explicit_task(4, 0, SNAPSHOT_NONE);
	explicit_task(5, 4, 1);
	library_says(0, 2, true);
	items[0].task = 4;
	items[0].progress = OMPD_PROGRESS_DETACHED;
	items[1].task = 5;
	items[1].progress = OMPD_PROGRESS_BEGUN;
	const struct holder_wait *wait = find(0);
	ck_assert(wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 2);
	ck_assert_int_eq(wait->holders[0].doing, HOLDER_DETACHED);
	ck_assert_uint_eq(wait->holders[1].thread, 1);
	ck_assert_uint_eq(h.n_dependences, 0);
}
END_TEST

START_TEST(test_dependences)
{
	explicit_task(4, 0, 1);
	explicit_task(5, 0, SNAPSHOT_NONE);
	library_says(SNAPSHOT_NONE, 1, true);
	awaited[0].task = 5;
	items[0].task = 4;
	ck_assert_no_err(holders_find(NULL, &s, &h));
	ck_assert_uint_eq(h.n_dependences, 1);
	ck_assert_uint_eq(h.dependences[0].task, 5);
	ck_assert_uint_eq(h.dependences[0].on, 4);
}
END_TEST

START_TEST(test_held_by_code)
{
	struct snapshot_held helds[2] = {
		{.thread = 1, .kind = HOLDER_LOCK, .address = LOCK, .evidence = "so"},
		{.thread = 1, .kind = HOLDER_LOCK, .address = LOCK, .evidence = "and so"},
	};

	waits(0, ompt_state_wait_lock, LOCK);
	s.helds = helds;
	s.n_helds = 2;
	const struct holder_wait *wait = find(0);
	ck_assert(wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 1);
	ck_assert_uint_eq(wait->holders[0].thread, 1);
	ck_assert_int_eq(wait->holders[0].source, HOLDER_FROM_CODE);
	/* Two at once: one of them is not as it seems. */
	helds[1].thread = 2;
	wait = find(0);
	ck_assert(!wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 0);
	ck_assert_uint_eq(wait->n_candidates, 3);
	/* Another construct's, another address. */
	helds[0].kind = helds[1].kind = HOLDER_CRITICAL;
	helds[1].thread = 1;
	ck_assert_uint_eq(find(0)->n_holders, 0);
	helds[0].kind = helds[1].kind = HOLDER_LOCK;
	helds[0].address = helds[1].address = LOCK + 4;
	ck_assert_uint_eq(find(0)->n_holders, 0);
	/* What the lock itself says comes first. */
	helds[0].address = LOCK;
	mutex(ompt_mutex_lock, ompd_rc_ok, OMPD_MUTEX_HELD)->thread = 3;
	ck_assert_uint_eq(find(0)->holders[0].thread, 3);
}
END_TEST

/* The runtime waits for a record of its own; by the code on their stacks both are at the same lock of the program. */
START_TEST(test_held_by_code_at_the_programs_address)
{
	struct snapshot_held helds[1] = {
		{.thread = 1, .kind = HOLDER_LOCK, .address = 0x404000, .evidence = "so"},
	};

	waits(0, ompt_state_wait_lock, LOCK);
	s.helds = helds;
	s.n_helds = 1;
	ck_assert_uint_eq(find(0)->n_holders, 0);
	threads[0].lock_address = 0x404000;
	const struct holder_wait *wait = find(0);
	ck_assert(wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 1);
	ck_assert_uint_eq(wait->holders[0].thread, 1);
	ck_assert_uint_eq(wait->address, 0x404000);
	/* What it waits for need not be known otherwise. */
	threads[0].wait_id.rc = ompd_rc_unavailable;
	ck_assert_uint_eq(find(0)->n_holders, 1);
	threads[0].lock_address = 0x404008;
	ck_assert_uint_eq(find(0)->n_holders, 0);
	/* The runtime's only one has no address. */
	helds[0] = (struct snapshot_held){.thread = 1, .kind = HOLDER_CRITICAL, .evidence = "so"};
	threads[0].state.value = ompt_state_wait_critical;
	ck_assert_uint_eq(find(0)->n_holders, 0);
	threads[0].lock_address = 0;
	threads[0].lock_is_only = true;
	ck_assert_uint_eq(find(0)->n_holders, 1);
	threads[0].state.value = ompt_state_wait_atomic;
	ck_assert_uint_eq(find(0)->n_holders, 0);
}
END_TEST

START_TEST(test_names_are_all_there)
{
	for (int i = 0; i < HOLDER_KINDS; i++)
		ck_assert_ptr_nonnull(holder_kind_name((enum holder_kind)i));
	for (int i = 0; i <= HOLDER_INFERRED; i++)
		ck_assert_ptr_nonnull(holder_source_name((enum holder_source)i));
	for (int i = 0; i <= HOLDER_ENDED; i++)
		ck_assert_ptr_nonnull(holder_doing_name((enum holder_doing)i));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/model/holder");
	TCase *tc = tcase_create("holder");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_who_works_waits_for_nothing);
	tcase_add_test(tc, test_barrier_waits_for_who_is_not_there);
	tcase_add_test(tc, test_barrier_of_another_kind_keeps_both);
	tcase_add_test(tc, test_member_somewhere_in_the_runtime_may_be_at_the_barrier);
	tcase_add_test(tc, test_member_in_another_region_is_not_at_the_barrier);
	tcase_add_test(tc, test_members_that_are_not_known);
	tcase_add_test(tc, test_taskwait_waits_for_children_only);
	tcase_add_test(tc, test_queued_child_with_predecessors);
	tcase_add_test(tc, test_descendants_may_be_of_the_taskgroup);
	tcase_add_test(tc, test_cycle_of_tasks_ends);
	tcase_add_test(tc, test_lock_without_owner_has_candidates);
	tcase_add_test(tc, test_lock_that_names_its_holder);
	tcase_add_test(tc, test_lock_is_nestable_only_if_its_routine_is);
	tcase_add_test(tc, test_lock_of_nobody);
	tcase_add_test(tc, test_lock_of_a_thread_that_ended);
	tcase_add_test(tc, test_lock_of_a_task_that_is_not_known);
	tcase_add_test(tc, test_mutex_is_what_the_thread_entered);
	tcase_add_test(tc, test_idle_holder);
	tcase_add_test(tc, test_turn);
	tcase_add_test(tc, test_turn_of_a_thread_that_may_do_anything);
	tcase_add_test(tc, test_mutex_of_the_c_library);
	tcase_add_test(tc, test_mutex_of_a_thread_that_has_ended);
	tcase_add_test(tc, test_single_is_told_from_a_barrier);
	tcase_add_test(tc, test_tasks_that_the_library_names);
	tcase_add_test(tc, test_dependences);
	tcase_add_test(tc, test_held_by_code);
	tcase_add_test(tc, test_held_by_code_at_the_programs_address);
	tcase_add_test(tc, test_names_are_all_there);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
