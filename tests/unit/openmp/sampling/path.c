/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/sampling/path: where a thread's own stack continues, by the encountering thread of its region. */
#include "check_main.h"

#include <omp-tools.h>
#include <stdlib.h>
#include <string.h>

#include "openmp/sampling/path.h"
#include "openmp/sampling/place.h"

#define OUTER 0x1000 /* the regions' functions */
#define INNER 0x2000
#define TASK  0x3000

static struct tally tally;
static struct paths *paths;
static struct snapshot s;
static struct snapshot_thread threads[4];
static struct snapshot_parallel parallels[3];
static struct call_chain chains[4];

/* A frame of the program with the call site @line. */
static uint32_t frame(int line)
{
	return stack_tree_frame(&tally.tree, &(struct tree_frame){.kind = TREE_USER, .line = line});
}

static void add_frame(struct call_chain *t, int line)
{
	t->frames = realloc(t->frames, (t->n + 1) * sizeof(*t->frames));
	t->frames[t->n++] = frame(line);
}

static void add_mark(struct call_chain *t, bool is_task, uint64_t function)
{
	t->marks[t->n_marks++] = (struct call_chain_mark){.at = t->n, .is_task = is_task, .function = function};
}

static void put_in(uint32_t thread, uint32_t region)
{
	threads[thread].parallel = (struct snapshot_ref){.rc = ompd_rc_ok, .index = region};
}

static void set_up(void)
{
	ck_assert(tally_init(&tally, true, false));
	paths = calloc(1, sizeof(*paths));
	ck_assert_ptr_nonnull(paths);
	memset(threads, 0, sizeof(threads));
	memset(chains, 0, sizeof(chains));
	/* Their places are known already, so that no target is needed. */
	for (uint32_t i = 0; i < 3; i++) {
		paths->functions[i].function = (uint64_t[]){OUTER, INNER, TASK}[i];
		paths->functions[i].place.line = (int)paths->functions[i].function;
	}
	paths->n_functions = 3;
	/* The initial region, a region in it, and a region in that one. */
	for (uint32_t i = 0; i < 3; i++) {
		parallels[i] = (struct snapshot_parallel){
			.level = {.rc = ompd_rc_ok, .value = i},
			.function = {.rc = i ? ompd_rc_ok : ompd_rc_unavailable, .value = i == 1 ? OUTER : INNER},
			.enclosing = {.rc = i ? ompd_rc_ok : ompd_rc_unavailable, .index = i ? i - 1 : SNAPSHOT_NONE},
		};
	}
	s = (struct snapshot){.threads = threads, .n_threads = 4, .parallels = parallels, .n_parallels = 3};
	for (uint32_t i = 0; i < 4; i++)
		put_in(i, 1);
	ck_assert(paths_begin(paths, &tally, NULL, &s));
	for (uint32_t i = 0; i < 4; i++)
		paths->chains[i] = &chains[i];
	/*
	 * main() encountered the region at line 10, and is in it at line 20; the others have no frames of their own so
	 * far.
	 */
	chains[0].is_whole = true;
	add_frame(&chains[0], 10);
	add_mark(&chains[0], false, OUTER);
	add_frame(&chains[0], 20);
}

static void tear_down(void)
{
	paths_end(paths);
	free(paths);
	tally_deinit(&tally);
	for (uint32_t i = 0; i < 4; i++)
		free(chains[i].frames);
}

/* Checks that the lines of @node and its parents, innermost first, are @lines; 0 ends the list. */
static void check(uint32_t node, const int *lines)
{
	for (; *lines; lines++) {
		ck_assert_uint_ne(node, STACK_TREE_ROOT);
		ck_assert_int_eq(tally.tree.frames[tally.tree.nodes[node].frame].line, *lines);
		node = tally.tree.nodes[node].parent;
	}
	ck_assert_uint_eq(node, STACK_TREE_ROOT);
}

START_TEST(test_a_member_goes_on_with_who_met_its_region)
{
	add_frame(&chains[1], 21);
	check(paths_node(paths, 0, &chains[0]), (int[]){20, OUTER, 10, 0});
	check(paths_node(paths, 1, &chains[1]), (int[]){21, OUTER, 10, 0});
	/* A thread that waits at the end of the region has no frames of the program. */
	check(paths_node(paths, 2, &chains[2]), (int[]){OUTER, 10, 0});
}
END_TEST

START_TEST(test_who_met_it_waits_at_its_end)
{
	chains[0].n_marks = 0;
	chains[0].n = 1;
	add_frame(&chains[0], 99); /* the call into the runtime */
	chains[0].in_runtime = true;
	chains[0].construct = CONSTRUCT_PARALLEL;
	add_frame(&chains[1], 21);
	check(paths_node(paths, 1, &chains[1]), (int[]){21, OUTER, 10, 0});
	check(paths_node(paths, 0, &chains[0]), (int[]){OUTER, 10, 0});
}
END_TEST

START_TEST(test_a_task_is_of_its_region_whoever_executes_it)
{
	add_frame(&chains[1], 21);
	add_mark(&chains[1], true, TASK);
	add_frame(&chains[1], 30);
	add_mark(&chains[2], true, TASK);
	add_frame(&chains[2], 30);
	uint32_t node = paths_node(paths, 1, &chains[1]);
	check(node, (int[]){30, TASK, OUTER, 10, 0});
	ck_assert_uint_eq(paths_node(paths, 2, &chains[2]), node);
}
END_TEST

START_TEST(test_a_region_that_a_member_has_met)
{
	/* Thread 1 is a member of the outer region, and encountered the inner one at line 25. */
	add_frame(&chains[1], 25);
	add_mark(&chains[1], false, INNER);
	add_frame(&chains[1], 40);
	put_in(1, 2);
	put_in(2, 2);
	add_frame(&chains[2], 41);
	check(paths_node(paths, 1, &chains[1]), (int[]){40, INNER, 25, OUTER, 10, 0});
	check(paths_node(paths, 2, &chains[2]), (int[]){41, INNER, 25, OUTER, 10, 0});
}
END_TEST

START_TEST(test_who_met_it_is_not_known)
{
	add_frame(&chains[1], 21);
	paths->chains[0] = NULL;
	check(paths_node(paths, 1, &chains[1]), (int[]){21, OUTER, 0});
}
END_TEST

START_TEST(test_the_function_of_a_region_comes_from_stacks)
{
	parallels[1].function.rc = ompd_rc_unavailable;
	ck_assert_uint_eq(paths_region(paths, 1)->function, OUTER);
	ck_assert(paths_region(paths, 1)->is_inferred);
}
END_TEST

START_TEST(test_an_older_stack_does_not_fit)
{
	ck_assert(paths_fits(paths, 0, &chains[0]));
	/* The call chain belongs to the region before. */
	chains[0].marks[0].function = INNER;
	ck_assert(!paths_fits(paths, 0, &chains[0]));
	chains[1].outermost = OUTER;
	ck_assert(paths_fits(paths, 1, &chains[1]));
	chains[1].outermost = INNER;
	ck_assert(!paths_fits(paths, 1, &chains[1]));
	/* This call chain is from a moment outside all regions. */
	chains[0].n_marks = 0;
	ck_assert(!paths_fits(paths, 0, &chains[0]));
	put_in(0, 0);
	ck_assert(paths_fits(paths, 0, &chains[0]));
}
END_TEST

START_TEST(test_regions_in_a_circle_end)
{
	parallels[1].enclosing = (struct snapshot_ref){.rc = ompd_rc_ok, .index = 2};
	parallels[2].enclosing = (struct snapshot_ref){.rc = ompd_rc_ok, .index = 1};
	put_in(1, 2);
	put_in(2, 2);
	add_frame(&chains[1], 25);
	add_mark(&chains[1], false, INNER);
	paths_node(paths, 1, &chains[1]);
	paths_node(paths, 2, &chains[2]);
	parallels[2].level.value = 1;
	paths->regions[1].is_known = paths->regions[2].is_known = false;
	paths_node(paths, 1, &chains[1]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/sampling/path");
	TCase *tc = tcase_create("path");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, test_a_member_goes_on_with_who_met_its_region);
	tcase_add_test(tc, test_who_met_it_waits_at_its_end);
	tcase_add_test(tc, test_a_task_is_of_its_region_whoever_executes_it);
	tcase_add_test(tc, test_a_region_that_a_member_has_met);
	tcase_add_test(tc, test_who_met_it_is_not_known);
	tcase_add_test(tc, test_the_function_of_a_region_comes_from_stacks);
	tcase_add_test(tc, test_an_older_stack_does_not_fit);
	tcase_add_test(tc, test_regions_in_a_circle_end);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
