/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/source/scopes on the test program: the same result as libdw's own search, where that is reliable. */
#include "check_main.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu_budget.h"
#include "target/source/scopes.h"

static int fd;
static Dwarf *dwarf;

static void setup(void)
{
	fd = open("/proc/self/exe", O_RDONLY);
	dwarf = dwarf_begin(fd, DWARF_C_READ);
	ck_assert_ptr_nonnull(dwarf);
}

static void teardown(void)
{
	dwarf_end(dwarf);
	close(fd);
}

/* At each address of the program's lines, the inlined functions are the same as libdw's. */
START_TEST(test_same_as_libdw)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die cu, mine[SCOPES_MAX];
	size_t n_compared = 0, deepest = 0;

	while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &cu, NULL) == 0) {
		Dwarf_Lines *lines;
		size_t n_lines;

		if (dwarf_getsrclines(&cu, &lines, &n_lines) != 0)
			continue;
		for (size_t i = 0; i < n_lines; i++) {
			Dwarf_Die *scopes = NULL, *instances = NULL;
			Dwarf_Addr pc;

			ck_assert_int_eq(dwarf_lineaddr(dwarf_onesrcline(lines, i), &pc), 0);
			if (dwarf_getscopes(&cu, pc, &scopes) <= 0)
				continue;
			int n = dwarf_getscopes_die(&scopes[0], &instances);
			size_t n_mine = scopes_find(&cu, pc, mine);
			bool has_function = dwarf_tag(&scopes[0]) != DW_TAG_compile_unit;

			ck_assert_uint_eq(n_mine, has_function ? (size_t)n : 0);
			for (size_t k = 0; k < n_mine; k++)
				ck_assert_uint_eq(dwarf_dieoffset(&mine[k]), dwarf_dieoffset(&instances[k]));
			n_compared += n_mine > 0;
			deepest = n_mine > deepest ? n_mine : deepest;
			free(scopes);
			free(instances);
		}
	}
	ck_assert_uint_gt(n_compared, 100);
	ck_assert_uint_gt(deepest, 2);
}
END_TEST

/* In a long unit, the search for code of a late function lasts at most as long as the request may. */
START_TEST(test_given_up_when_it_takes_too_long)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die cu, mine[SCOPES_MAX];
	size_t n_found = 0, n_lost = 0;

	for (int limited = 0; limited < 2; limited++) {
		unit = NULL;
		cpu_budget_begin(limited);
		/* A limit of a microsecond is exceeded at the second check. */
		if (limited)
			for (int i = 0; !cpu_budget_is_spent(); i++)
				ck_assert_int_lt(i, 1 << 24);
		while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &cu, NULL) == 0) {
			Dwarf_Lines *lines;
			size_t n_lines;
			Dwarf_Addr pc;

			if (dwarf_getsrclines(&cu, &lines, &n_lines) != 0 || n_lines < 3)
				continue;
			ck_assert_int_eq(dwarf_lineaddr(dwarf_onesrcline(lines, n_lines / 2), &pc), 0);
			size_t n = scopes_find(&cu, pc, mine);

			n_found += !limited && n;
			n_lost += limited && !n;
		}
		ck_assert(cpu_budget_was_spent() == limited);
	}
	cpu_budget_begin(0);
	ck_assert_uint_gt(n_found, 0);
	ck_assert_uint_gt(n_lost, 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("scopes");
	TCase *t = tcase_create("find");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, test_same_as_libdw);
	tcase_add_test(t, test_given_up_when_it_takes_too_long);
	suite_add_tcase(s, t);
	return check_main(s);
}
