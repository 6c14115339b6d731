/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Targets whose libomp is strange or of an unknown build. This process runs on libomp. */
#include <elf.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "handles.h"
#include "libomp/libomp.h"
#include "libompd_oracle.h"
#include "self_target.h"

static void program(void)
{
#pragma omp parallel num_threads(2)
	oracle_park(omp_get_thread_num());
}

static ompd_address_space_handle_t *open_again(ompd_rc_t expected)
{
	ompd_address_space_handle_t *as = NULL;
	ompd_rc_t rc = ompd_process_initialize(self_target_context(), &as);

	ck_assert_msg(rc == expected, "rc %d: %s", rc, self_target.printed);
	ck_assert_int_eq(as != NULL, rc == ompd_rc_ok);
	return as;
}

static const struct libomp *libomp(ompd_address_space_handle_t *as)
{
	ck_assert_str_eq(as->base.process->backend->name, "libomp");
	return as->base.process->data;
}

static void expect_incompatible(const char *what)
{
	self_target.printed[0] = '\0';
	open_again(ompd_rc_incompatible);
	ck_assert_msg(strstr(self_target.printed, what), "no \"%s\" in: %s", what, self_target.printed);
}

static void read_table(struct libomp_table *ret)
{
	static struct code_walk walk;
	const char *why;

	ck_assert_int_eq(libomp_table_read(self_target_context(), &libomp(oracle_process)->image, &walk, ret, &why),
			 ompd_rc_ok);
}

static void observe_agreement(void)
{
	const struct libomp *own = libomp(oracle_process);
	struct libomp_table table;
	struct libomp_layout told;
	unsigned agreed;

	read_table(&table);
	libomp_layout_from_table(&table, &told);
	ck_assert_ptr_null(offsets_differ(libomp_layouts(), &told, &own->layout, &agreed));
	ck_assert_uint_gt(agreed, 25);
	ck_assert_int_ge(own->version, 13);
	ck_assert_ptr_null(
		offsets_differ(libomp_layouts(), offsets_of(own->version, libomp_layouts()), &own->layout, &agreed));
	ck_assert_uint_gt(agreed, 60);
	ck_assert(own->threads && own->locks && own->num_procs.address && own->cancel.address);
}

START_TEST(test_layout_derivations_agree)
{
	oracle_run(program, 2, 0, observe_agreement);
}
END_TEST

/* Hide the functions that show the release of libomp. */
static void hide_release(void)
{
	static const char *const probes[] = {
#define LIBOMP_LAYOUT(version, probe, ...) probe,
#include "libomp/layout.def"
#undef LIBOMP_LAYOUT
	};

	_Static_assert(sizeof(probes) <= sizeof(self_target.hide), "all of them are hidden");
	memcpy(self_target.hide, probes, sizeof(probes));
}

/* No row has this release: the facts of the table and of functions are enough for threads, teams and tasks. */
static void observe_unknown_release(void)
{
	hide_release();
	ompd_address_space_handle_t *as = open_again(ompd_rc_ok);

	ck_assert_ptr_nonnull(strstr(self_target.printed, "unknown build"));
	ck_assert_int_eq(libomp(as)->version, 0);
	ompd_rel_address_space_handle(as);
	ompd_rel_address_space_handle(oracle_process);
	oracle_process = open_again(ompd_rc_ok);
	oracle_check_all();
	self_target_reset();
}

START_TEST(test_layout_of_an_unknown_release)
{
	oracle_run(program, 2, 0, observe_unknown_release);
}
END_TEST

/* As before LLVM 13, or built without OMPD: functions and the release's row are the two derivations. */
static void observe_no_table(void)
{
	const struct libomp *own = libomp(oracle_process);
	ompd_addr_t text;
	uint8_t *copy = NULL;

	/* Replace the name that the function reads. */
	ck_assert_int_eq(image_find(self_target_context(), &own->image, "\0OMP_DEBUG", 11, &text), ompd_rc_ok);
	for (size_t i = 0; i < own->image.n; i++) {
		const struct image_segment *s = &own->image.segments[i];

		if (text < s->start || text >= s->end)
			continue;
		copy = malloc(s->end - s->start);
		ck_assert(copy);
		memcpy(copy, (const void *)(uintptr_t)s->start, s->end - s->start);
		copy[text - s->start + 1] = 'X';
		self_target.patches[0] = (struct self_target_patch){s->start, s->end - s->start, copy};
	}
	ck_assert(copy);
	ompd_address_space_handle_t *as = open_again(ompd_rc_ok);
	unsigned agreed;

	ck_assert_ptr_null(offsets_differ(libomp_layouts(), &libomp(as)->layout, &own->layout, &agreed));
	ompd_rel_address_space_handle(as);
	/* One derivation alone is not enough. */
	hide_release();
	expect_incompatible("its release");
	self_target_reset();
	free(copy);
}

START_TEST(test_layout_without_the_table)
{
	oracle_run(program, 2, 0, observe_no_table);
}
END_TEST

/* The code and the memory contradict each other. */
static void observe_other_words(void)
{
	static uint64_t words[LIBOMP_WORDS];
	struct libomp_table table;

	read_table(&table);
	memcpy(words, (const void *)(uintptr_t)table.address, sizeof(words));
	words[7] += 8;
	self_target.patches[0] = (struct self_target_patch){table.address, sizeof(words), words};
	expect_incompatible("what ompd_init() stored");
	self_target_reset();
}

START_TEST(test_layout_of_other_words_in_memory)
{
	oracle_run(program, 2, 0, observe_other_words);
}
END_TEST

/* A function reads at an offset that differs from the table and the row. */
static void observe_other_code(void)
{
	static uint8_t code[512];
	uint32_t level = libomp(oracle_process)->layout.team_level;
	ompd_addr_t address;

	ompd_address_t found;

	ck_assert_int_eq(
		self_target_callbacks()->symbol_addr_lookup(self_target_context(), NULL, "omp_get_level", &found, NULL),
		ompd_rc_ok);
	address = found.address;
	memcpy(code, (const void *)(uintptr_t)address, sizeof(code));
	uint8_t *at = memmem(code, sizeof(code), &level, sizeof(level));

	ck_assert_ptr_nonnull(at);
	*at = (uint8_t)(*at + 4);
	self_target.patches[0] = (struct self_target_patch){address, sizeof(code), code};
	open_again(ompd_rc_incompatible);
	/* Since LLVM 19, another function reads the same field, and is the first that contradicts. */
	ck_assert_msg(strstr(self_target.printed, "team_level") ||
			      strstr(self_target.printed, "two accessors that disagree"),
		      "%s", self_target.printed);
	self_target_reset();
}

START_TEST(test_layout_of_a_function_that_disagrees)
{
	oracle_run(program, 2, 0, observe_other_code);
}
END_TEST

static void observe_foreign_functions(void)
{
	static const char *const core[] = {"omp_get_thread_num", "omp_get_level", "omp_get_active_level",
					   "omp_get_max_threads"};

	for (size_t i = 0; i < sizeof(core) / sizeof(core[0]); i++) {
		self_target_reset();
		self_target.rename[0][0] = core[i];
		self_target.rename[0][1] = "omp_get_wtick";
		expect_incompatible(core[i]);
	}
	self_target_reset();
}

START_TEST(test_layout_functions_that_are_no_accessors)
{
	oracle_run(program, 2, 0, observe_foreign_functions);
}
END_TEST

/*
 * One row for two processors: compilers lay out kmp.h of LLVM 19 differently only in the team,
 * after its arguments.
 */
START_TEST(test_layout_by_processor)
{
	const struct decode_arch *own = decode_arch;

	ck_assert(decode_use(EM_X86_64));
	const struct libomp_layout *x86 = offsets_of(19, libomp_layouts());
	ck_assert(decode_use(EM_AARCH64));
	struct libomp_layout arm = *(const struct libomp_layout *)offsets_of(19, libomp_layouts());

	ck_assert_uint_eq(arm.team_threads, 704);
	ck_assert_uint_eq(arm.team_control_stack, 832);
	arm.team_threads += 128;
	arm.team_implicit_tasks += 128;
	arm.team_level += 128;
	arm.team_serialized += 128;
	arm.team_active_level += 128;
	arm.team_control_stack += 128 + 1024;
	ck_assert_mem_eq(&arm, x86, sizeof(arm));
	decode_arch = own;
}
END_TEST

int main(void)
{
	Suite *s = suite_create("layout");
	TCase *layout = tcase_create("layout");

	tcase_set_timeout(layout, 60);
	tcase_add_test(layout, test_layout_derivations_agree);
	tcase_add_test(layout, test_layout_of_an_unknown_release);
	tcase_add_test(layout, test_layout_without_the_table);
	tcase_add_test(layout, test_layout_of_other_words_in_memory);
	tcase_add_test(layout, test_layout_of_a_function_that_disagrees);
	tcase_add_test(layout, test_layout_functions_that_are_no_accessors);
	tcase_add_test(layout, test_layout_by_processor);
	suite_add_tcase(s, layout);
	return check_main(s);
}
