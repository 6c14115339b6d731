/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/sampling/texts: each text is stored once, within the limits. */
#include "check_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openmp/sampling/texts.h"

START_TEST(test_each_text_is_kept_once)
{
	struct texts t = {0};
	char text[16];

	ck_assert_uint_eq(texts_add(&t, NULL), TEXTS_NONE);
	ck_assert_uint_eq(texts_add(&t, ""), TEXTS_NONE);
	ck_assert_str_eq(texts_get(&t, TEXTS_NONE), "");
	for (int round = 0; round < 2; round++) {
		for (unsigned i = 1; i <= 1000; i++) {
			snprintf(text, sizeof(text), "f%u", i);
			ck_assert_uint_eq(texts_add(&t, text), i);
			ck_assert_str_eq(texts_get(&t, i), text);
		}
	}
	ck_assert_str_eq(texts_get(&t, 5000), "");
	ck_assert_uint_eq(t.refused, 0);
	texts_deinit(&t);
}
END_TEST

START_TEST(test_bytes_are_bounded)
{
	const size_t len = 1u << 20;
	char *text = malloc(len);
	struct texts t = {0};
	unsigned n = 0;

	ck_assert_ptr_nonnull(text);
	memset(text, 'a', len - 1);
	text[len - 1] = '\0';
	while (n < 100) {
		text[0] = (char)('A' + n);
		if (texts_add(&t, text) == TEXTS_NONE)
			break;
		n++;
	}
	ck_assert_uint_eq(n, TEXTS_MAX_BYTES / len);
	ck_assert_uint_eq(t.refused, 1);
	/* A text that still fits is added. */
	text[0] = 'A';
	ck_assert_uint_eq(texts_add(&t, text), 1);
	texts_deinit(&t);
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/sampling/texts");
	TCase *tc = tcase_create("texts");

	tcase_add_test(tc, test_each_text_is_kept_once);
	tcase_add_test(tc, test_bytes_are_bounded);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
