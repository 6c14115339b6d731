/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of ompdd/base/function_name.c. */
#include "base/function_name.h"

#include "base/buf.h"
#include "check_main.h"

static const struct {
	const char *name, *expected; /* NULL: unchanged */
} rows[] = {
	{"main", NULL},
	{"main._omp_fn.0", NULL},
	{"", NULL},
	{"<module>", NULL},
	{"fit.<locals>.step", NULL},
	{"solve(int)", "solve"},
	{"void Grid<double>::solve<Fast>(std::vector<double, std::allocator<double> >&) [clone ._omp_fn.0]",
	 "Grid<…>::solve<…>._omp_fn.0"},
	{"std::map<int, std::function<void (int)> > const& ns::make<3>() const", "ns::make<…>"},
	{"für_alle<main()::<lambda(M&)> >", "für_alle<…>"},
	{"main()::<lambda(std::map<int, int>&)>", "main::<lambda>"},
	{"main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}::operator()"},
	{"(anonymous namespace)::work(int)", "(anonymous namespace)::work"},
	{"std::ostream& std::operator<< <char>(std::ostream&, char)", "std::operator<<<…>"},
	{"bool ns::operator<(ns::A const&, ns::A const&)", "ns::operator<"},
	{"A::operator->() const", "A::operator->"},
	{"A<int>::operator unsigned long() const", "A<…>::operator unsigned long"},
	{"operator new(unsigned long)", "operator new"},
	{"decltype(auto) ns::get<1>(int)", "ns::get<…>"},
	{"std::function<void (int)>::operator()(int) const", "std::function<…>::operator()"},
	{"a<(b)3>::c(int) [clone .isra.0] [clone .cold]", "a<…>::c.isra.0.cold"},
	{"ns::f<int> [clone .part.1]", "ns::f<…>.part.1"},
	{"void (*ns::pick(int))(double)", NULL},
	{"non-virtual thunk to B::f()", NULL},
	{"guard variable for ns::f()::x", NULL},
	/* The demangler cuts long names. */
	{"void ns::f<std::pair<int", "ns::f<…>"},
	{"void ns::f<int>(std::pair<int", "ns::f<…>"},
	{"(", NULL},
	{"(*", NULL},
	{"A::(*", NULL},
	{">::<(", ">::<…>"},
};
#define N_ROWS (sizeof(rows) / sizeof(*rows))

START_TEST(test_function_name_shorten)
{
	struct buf p = {0};

	ck_assert_ptr_null(buf_append(&p, "in ", 3));
	function_name_shorten(&p, rows[_i].name);
	ck_assert_str_eq(buf_head(&p) + 3, rows[_i].expected ? rows[_i].expected : rows[_i].name);
	buf_deinit(&p);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/function_name");
	TCase *tc = tcase_create("function_name");

	tcase_add_loop_test(tc, test_function_name_shorten, 0, (int)N_ROWS);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
