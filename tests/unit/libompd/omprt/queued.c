/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Our runtime's task lists in a hostile target that tries to keep libompd busy forever: circular
 * lists, lists on two levels, and lists that are too long in total.
 */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "handles.h"
#include "libompd_oracle.h"
#include "omprt/omprt.h"
#include "steps.h"
#include "ompd-more.h"
#include "self_target.h"

static void program(void)
{
#pragma omp parallel num_threads(2)
	oracle_park(omp_get_thread_num());
}

static const struct layout *layout(void)
{
	return &((const struct omprt *)oracle_process->base.process->data)->layout;
}

/* Structs in the test's memory, each in its own slot. */
#define SLOT  1024u
#define SLOTS 100000u
static uint8_t *memory;
static size_t n_slots;

static ompd_addr_t slots(size_t n)
{
	ck_assert_uint_le(n_slots + n, SLOTS);
	n_slots += n;
	return (ompd_addr_t)(uintptr_t)memory + (n_slots - n) * SLOT;
}

static void put(void *copy, enum layout_entry_number field, uint64_t value)
{
	const struct layout_entry *e = &layout()->entries[field];

	memcpy((uint8_t *)copy + e->offset, &value, e->size);
}

static uint64_t get(const void *copy, enum layout_entry_number field)
{
	const struct layout_entry *e = &layout()->entries[field];
	uint64_t value = 0;

	memcpy(&value, (const uint8_t *)copy + e->offset, e->size);
	return value;
}

static void *at(ompd_addr_t address)
{
	return (void *)(uintptr_t)address;
}

/* Create a list of @n structs, linked by @next; with @is_ring, the last leads to the first. */
static ompd_addr_t make_list(size_t n, enum layout_entry_number next, bool is_ring)
{
	ompd_addr_t first = slots(n);

	for (size_t i = 0; i < n; i++)
		put(at(first + i * SLOT), next, i + 1 < n ? first + (i + 1) * SLOT : is_ring ? first : 0);
	return first;
}

static ompd_addr_t team;
static uint8_t patched[OMPRT_MAX_SPAN];

/* Create explicit, ready tasks of the team. */
static ompd_addr_t make_tasks(size_t n, bool is_ring)
{
	ompd_addr_t first = make_list(n, LAYOUT_task_next, is_ring);

	for (size_t i = 0; i < n; i++) {
		put(at(first + i * SLOT), LAYOUT_task_team, team);
		put(at(first + i * SLOT), LAYOUT_task_kind, LAYOUT_TASK_EXPLICIT);
		put(at(first + i * SLOT), LAYOUT_task_fn, 1);
	}
	return first;
}

static ompd_addr_t make_queue(size_t n, bool is_ring, ompd_addr_t tasks)
{
	ompd_addr_t first = make_list(n, LAYOUT_task_bucket_next, is_ring);

	for (size_t i = 0; i < n; i++)
		put(at(first + i * SLOT), LAYOUT_task_bucket_first, tasks);
	return first;
}

/* Replace the team's queue. */
static void use_queue(ompd_addr_t queue)
{
	size_t size = layout()->entries[LAYOUT_team].size;

	ck_assert_uint_le(size, sizeof(patched));
	memcpy(patched, at(team), size);
	put(patched, LAYOUT_team_queue, queue);
	self_target_reset();
	self_target.patches[0] = (struct self_target_patch){team, size, patched};
	/* Read the slots directly: the kernel is slower. */
	self_target.patches[1] =
		(struct self_target_patch){(ompd_addr_t)(uintptr_t)memory, (size_t)SLOTS * SLOT, memory};
}

static ompd_addr_t thread_record(void)
{
	return oracle_thread_pointer(oracle_view(0)) + (uint64_t)layout()->thread_offset;
}

static void begin(void)
{
	self_target_reset();
	team = get(at(thread_record()), LAYOUT_thread_team);
	free(memory);
	memory = calloc(SLOTS, SLOT);
	ck_assert_ptr_nonnull(memory);
	n_slots = 0;
}

static ompd_parallel_handle_t *get_region(void)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(0));
	ompd_parallel_handle_t *region = NULL;

	ck_assert_int_eq(ompd_get_curr_parallel_handle(thread, &region), ompd_rc_ok);
	ompd_rel_thread_handle(thread);
	return region;
}

/* Return the number of reads for the queued tasks. */
static uint64_t ask_queued(ompd_parallel_handle_t *region)
{
	ompd_task_handle_t **tasks = NULL;
	ompd_word_t n = 0, total = 0;
	uint64_t before = self_target.reads;

	ck_assert_int_eq(ompd_get_queued_tasks(region, 0, &tasks, &n, &total), ompd_rc_incomplete);
	return self_target.reads - before;
}

static void observe_circles(void)
{
	static const size_t sizes[][2] = {{1, 1}, {1, 30000}, {30000, 1}, {300, 1000}, {1000, 300}};
	ompd_parallel_handle_t *region = get_region();

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t n_buckets = sizes[i][0], n_tasks = sizes[i][1];

		for (unsigned rings = 1; rings < 4; rings++) {
			/*
			 * Every bucket has the same tasks: the lists are endless only if one of the
			 * two is circular.
			 */
			begin();
			use_queue(make_queue(n_buckets, rings & 1, make_tasks(n_tasks, rings & 2)));
			uint64_t n = rings & 2 ? n_tasks : n_buckets * (n_tasks + 1);
			ck_assert_uint_lt(ask_queued(region), 100 + 8 * n);
		}
	}
	self_target_reset();
	ompd_rel_parallel_handle(region);
}

START_TEST(test_omprt_queued_in_circles)
{
	oracle_run(program, 2, 0, observe_circles);
}
END_TEST

/* No cycle, but 4 * 10^8 tasks to visit. */
static void observe_levels(void)
{
	ompd_parallel_handle_t *region = get_region();

	begin();
	use_queue(make_queue(20000, false, make_tasks(20000, false)));
	/* Each task is read to find the next one, and on its first visit once more. */
	ck_assert_uint_lt(ask_queued(region), 2 * STEPS_MAX);
	self_target_reset();
	ompd_rel_parallel_handle(region);
}

START_TEST(test_omprt_queued_in_levels)
{
	oracle_run(program, 2, 0, observe_levels);
}
END_TEST

/* Replace the first thread's record: it waits at the end of the taskgroup @group. */
static void wait_for_group(ompd_addr_t group)
{
	static uint8_t record[OMPRT_MAX_SPAN];
	ompd_addr_t thread = thread_record();
	size_t size = layout()->entries[LAYOUT_thread].size;

	ck_assert_uint_le(size, sizeof(record));
	memcpy(record, at(thread), size);
	put(record, LAYOUT_thread_state, ompt_state_wait_taskgroup);
	put(record, LAYOUT_thread_wait_id, group);
	self_target.patches[2] = (struct self_target_patch){thread, size, record};
}

/* Tasks in other groups; each is in many groups. */
static void observe_groups(void)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(0));

	for (int is_ring = 0; is_ring < 2; is_ring++) {
		ompd_awaited_t *awaited = NULL;
		ompd_word_t n = 0, is_complete = 1;

		begin();
		ompd_addr_t tasks = make_tasks(20000, false), groups = make_list(1000, LAYOUT_taskgroup_outer, is_ring);

		for (size_t i = 0; i < 20000; i++)
			put(at(tasks + i * SLOT), LAYOUT_task_taskgroup, groups);
		use_queue(make_queue(1, false, tasks));
		wait_for_group(slots(1));
		ck_assert_int_eq(ompd_get_awaited(thread, NULL, 10, &awaited, &n, &is_complete), ompd_rc_ok);
		ck_assert_int_eq(n, 0);
		ck_assert_int_eq(is_complete, 0);
		/* The limit of one request for the tasks, and of one for the groups. */
		ck_assert_uint_lt(self_target.reads, 2 * STEPS_MAX);
	}
	self_target_reset();
	ompd_rel_thread_handle(thread);
}

START_TEST(test_omprt_taskgroups_in_levels)
{
	oracle_run(program, 2, 0, observe_groups);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("omprt_queued");
	TCase *tcase = tcase_create("target");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, test_omprt_queued_in_circles);
	tcase_add_test(tcase, test_omprt_queued_in_levels);
	tcase_add_test(tcase, test_omprt_taskgroups_in_levels);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
