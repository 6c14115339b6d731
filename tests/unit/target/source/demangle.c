/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/source/demangle.c: names from compilers, and names that no compiler creates. */
#include "target/source/demangle.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check_main.h"

/* "pair<pair<..., the same>, the same>", @depth times: each level doubles the demangled name. */
static void nest(char *buf, size_t size, const char *before, unsigned depth)
{
	size_t len = (size_t)snprintf(buf, size, "%sSt4pairI", before);

	for (unsigned i = 1; i < depth; i++)
		len += (size_t)snprintf(buf + len, size - len, "S_I");
	len += (size_t)snprintf(buf + len, size - len, "iiE");
	for (unsigned i = 1; i < depth; i++)
		len += (size_t)snprintf(buf + len, size - len, "S%c_E",
					i <= 10 ? '0' + (char)(i - 1) : 'A' + (char)(i - 11));
}

START_TEST(functions_read_as_in_the_source)
{
	ck_assert_str_eq(demangle("_ZN2ns3Foo3barEiPKc"), "ns::Foo::bar(int, char const*)");
	ck_assert_str_eq(demangle("_Z3fooi._omp_fn.0"), "foo(int) [clone ._omp_fn.0]");
	ck_assert_str_eq(demangle("_Z3maxIdET_S0_S0_"), "double max<double>(double, double)");
	ck_assert_str_eq(demangle_or_same("_ZN1AC2Ev"), "A::A()");
}
END_TEST

START_TEST(other_names_stay)
{
	ck_assert_ptr_null(demangle("main"));
	ck_assert_ptr_null(demangle(""));
	ck_assert_ptr_null(demangle("_Z"));
	ck_assert_ptr_null(demangle("i"));
	ck_assert_ptr_null(demangle("_Znonsense!"));
	ck_assert_ptr_null(demangle("__m_MOD_work"));
	ck_assert_str_eq(demangle_or_same("GOMP_parallel"), "GOMP_parallel");
}
END_TEST

START_TEST(parameters_are_found)
{
	static const char *const names[][2] = {
		{"f", ""},
		{"f(int)", "(int)"},
		{"double max<double>(double, double)", "(double, double)"},
		{"A::get(void (*)(int)) const", "(void (*)(int)) const"},
		{"f(int) [clone ._omp_fn.0]", "(int) [clone ._omp_fn.0]"},
		{"ns::(anonymous namespace)::f(int)", "(int)"},
		{"(anonymous namespace)::f", ""},
		{"f(int)::{lambda()#1}::operator()() const", "() const"},
		{"wait<f(int)::<lambda()> >", ""},
		{"f(int)::{lambda()#1}", ""},
		{")", ""},
		{"", ""},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_str_eq(demangle_parameters(names[i][0]), names[i][1]);
}
END_TEST

/* Only the CPU time that is spent here counts, not the time of other processes. */
static int64_t spent_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

START_TEST(long_text_is_cut)
{
	char name[512];

	nest(name, sizeof(name), "_Z1f", 30);
	int64_t begin = spent_us();
	const char *text = demangle(name);
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_eq(strlen(text), DEMANGLE_SIZE - 1);
	ck_assert_int_eq(strncmp(text, "f(std::pair<std::pair<", 22), 0);
	ck_assert_int_lt(spent_us() - begin, 1000000);
	/* The last call stopped in the middle; the next call starts afresh. */
	ck_assert_str_eq(demangle("_Z1gv"), "g()");
}
END_TEST

START_TEST(long_names_are_not_tried)
{
	char name[DEMANGLE_MAX_MANGLED + 16] = "_Z1f";

	memset(name + 4, 'i', DEMANGLE_MAX_MANGLED + 4);
	ck_assert_ptr_null(demangle(name));
	name[400] = '\0';
	ck_assert_ptr_nonnull(demangle(name));
}
END_TEST

START_TEST(what_takes_too_long_is_left)
{
	char name[512];
	int64_t begin = spent_us();

	/* An expansion without a pack: all of it is searched, without any output meanwhile. */
	nest(name, sizeof(name), "_Z1fDp", 30);
	ck_assert_ptr_null(demangle(name));
	ck_assert_int_ge(spent_us() - begin, DEMANGLE_MAX_MS * 500);
	ck_assert_str_eq(demangle("_Z1gv"), "g()");
	/* After some of these there are no more. */
	for (int i = 0; i <= DEMANGLE_MAX_SLOW_MS / DEMANGLE_MAX_MS; i++) {
		nest(name, sizeof(name), "_Z1fDp", 30);
		name[3] = (char)('a' + i);
		ck_assert_ptr_null(demangle(name));
	}
	ck_assert_ptr_null(demangle("_Z1hv"));
}
END_TEST

static const char *const broken[] = {
	"_Z1fIJEEvDpT_",  "_ZT_",   "_ZS_",	 "_Z1fS_",	    "_ZN",	  "_ZNSt",   "_Z999999999999999999f",
	"_Z-1f",	  "_ZL",    "_ZlsRSoT_", "_Z1fIXsrSt3fooE", "_ZZZZZZZZ",  "_ZNK",    "_ZDpDpDp",
	"_Z1fDTcl1gfp_E", "_ZcvT_", "_Z1fM",	 "_ZGVZ",	    "_Z\xff\xfe", "_Z1\xff",
};

START_TEST(broken_names_are_survived)
{
	char name[256];

	demangle(broken[_i]);
	/* Each name is repeated, and cut at each place. */
	for (size_t len = 0; len < sizeof(name) - 1; len++) {
		for (size_t i = 0; i < len; i++)
			name[i] = broken[_i][i % strlen(broken[_i])];
		name[len] = '\0';
		demangle(name);
	}
	ck_assert_str_eq(demangle("_Z1gv"), "g()");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("demangle");
	TCase *c = tcase_create("demangle");

	tcase_add_test(c, functions_read_as_in_the_source);
	tcase_add_test(c, other_names_stay);
	tcase_add_test(c, parameters_are_found);
	tcase_add_test(c, long_text_is_cut);
	tcase_add_test(c, long_names_are_not_tried);
	tcase_add_test(c, what_takes_too_long_is_left);
	tcase_add_loop_test(c, broken_names_are_survived, 0, sizeof(broken) / sizeof(broken[0]));
	suite_add_tcase(s, c);
	return check_main(s);
}
