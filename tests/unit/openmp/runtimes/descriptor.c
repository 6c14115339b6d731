/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks for every descriptor of openmp/runtimes/descriptor, including future ones. */
#include "openmp/runtimes/descriptor.h"

#include <stdio.h>
#include <string.h>

#include "check_main.h"

static bool is_file_name(const char *name)
{
	for (const struct runtime_descriptor *const *i = runtime_descriptors; *i; i++) {
		for (const char *const *file_name = (*i)->file_names; file_name && *file_name; file_name++) {
			if (!strcmp(*file_name, name))
				return true;
		}
	}
	return false;
}

START_TEST(test_each_has_a_name_of_its_own)
{
	for (const struct runtime_descriptor *const *i = runtime_descriptors; *i; i++) {
		ck_assert_ptr_nonnull((*i)->name);
		for (const struct runtime_descriptor *const *k = runtime_descriptors; k < i; k++)
			ck_assert_str_ne((*i)->name, (*k)->name);
	}
}
END_TEST

/* The schema promises these names to clients. */
START_TEST(test_each_name_is_in_the_schema)
{
	char line[1024] = "", quoted[64];
	FILE *f = fopen(DEFINITIONS, "r");

	ck_assert_ptr_nonnull(f);
	while (!(strstr(line, "\"enum\"") && strstr(line, "\"libgomp\"")))
		ck_assert_ptr_nonnull(fgets(line, sizeof(line), f));
	fclose(f);
	for (const struct runtime_descriptor *const *i = runtime_descriptors; *i; i++) {
		snprintf(quoted, sizeof(quoted), "\"%s\"", (*i)->name);
		ck_assert_msg(strstr(line, quoted), "%s is not in " DEFINITIONS, quoted);
	}
}
END_TEST

START_TEST(test_each_can_be_recognised)
{
	for (const struct runtime_descriptor *const *i = runtime_descriptors; *i; i++) {
		ck_assert_msg((*i)->file_names || (*i)->stands_in_for || (*i)->symbol, "%s", (*i)->name);
		ck_assert_msg(!(*i)->stands_in_for == !(*i)->proof, "%s", (*i)->name);
		if ((*i)->stands_in_for)
			ck_assert_msg(is_file_name((*i)->stands_in_for), "%s", (*i)->name);
	}
}
END_TEST

/* A function that starts a region is also recognized as its start when it is on a stack. */
START_TEST(test_region_entries_are_parallel)
{
	for (const struct runtime_descriptor *const *i = runtime_descriptors; *i; i++) {
		for (const struct descriptor_region *region = (*i)->regions; region && region->symbol; region++)
			ck_assert_msg(construct_of(region->symbol) == CONSTRUCT_PARALLEL, "%s", region->symbol);
	}
}
END_TEST

START_TEST(test_constructs_are_runtime_names)
{
	for (const struct runtime_descriptor *const *i = runtime_descriptors; *i; i++) {
		for (const struct descriptor_construct *c = (*i)->constructs; c && c->prefix; c++)
			ck_assert_msg(construct_is_runtime_name(c->prefix), "%s", c->prefix);
	}
}
END_TEST

START_TEST(test_proofs_are_whole)
{
	for (const struct runtime_descriptor *const *i = runtime_descriptors; *i; i++) {
		const struct descriptor_proofs *proofs = (*i)->proofs;
		size_t n = 0;

		if (!proofs)
			continue;
		/* A runtime that sleeps in the C library has neither. */
		ck_assert_msg(!proofs->word_of == !proofs->critical_lock, "%s", (*i)->name);
		for (const struct descriptor_construct *c = proofs->locks; c && c->prefix; c++, n++)
			ck_assert_msg(construct_of(c->prefix) == c->construct, "%s", c->prefix);
		ck_assert_uint_le(n, DESCRIPTOR_MAX_LOCKS);
	}
}
END_TEST

START_TEST(test_words_of_libgomp)
{
	const struct descriptor_proofs *proofs = descriptor_libgomp.proofs;

	ck_assert_int_eq(proofs->word_of(0xffffffffu), WORD_MUTEX);
	ck_assert_int_eq(proofs->word_of(0x80000000u), WORD_SEMAPHORE);
	ck_assert_int_eq(proofs->word_of(0x80000001u), WORD_SEMAPHORE);
	ck_assert_int_eq(proofs->word_of(0), WORD_BARRIER);
	ck_assert_int_eq(proofs->word_of(64), WORD_BARRIER);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("descriptor");
	TCase *c = tcase_create("descriptors");

	tcase_add_test(c, test_each_has_a_name_of_its_own);
	tcase_add_test(c, test_each_name_is_in_the_schema);
	tcase_add_test(c, test_each_can_be_recognised);
	tcase_add_test(c, test_region_entries_are_parallel);
	tcase_add_test(c, test_constructs_are_runtime_names);
	tcase_add_test(c, test_proofs_are_whole);
	tcase_add_test(c, test_words_of_libgomp);
	suite_add_tcase(s, c);
	return check_main(s);
}
