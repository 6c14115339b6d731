/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/modules/module_header on a copy of this program: the parts that it may write, and the parts that are
 * closed to it. */
#include "check_main.h"
#include "child.h"

#include "target/modules/module_header.h"
#include "target/modules/modules.h"

static const char *const words[] = {"a pointer", "that is relocated"}; /* .data.rel.ro */
static const int number = 7;
static const char *variable = "another";
static int zero;

static struct target *t;
static pid_t copy;

static void setup(void)
{
	const struct target_module *modules;
	size_t n;

	copy = child_start(child_sleeper);
	ck_assert_no_err(target_attach(copy, TARGET_OBSERVE, 1000, &t));
	target_view_begin(t);
	ck_assert_no_err(target_modules(t, &modules, &n));
}

static void teardown(void)
{
	target_destroy(t);
	child_end(copy);
}

static bool is_constant(const volatile void *place)
{
	return module_header_is_constant(t, (uint64_t)(uintptr_t)place);
}

START_TEST(test_constant)
{
	int automatic = 0;

	ck_assert(is_constant(&number));
	ck_assert(is_constant(words));
	ck_assert(is_constant((const void *)(uintptr_t)setup));
	ck_assert(!is_constant(&variable));
	ck_assert(!is_constant(&zero));
	ck_assert(!is_constant(&automatic));
	ck_assert(!is_constant(NULL));
}
END_TEST

START_TEST(test_headers)
{
	const struct target_module *module = target_module_at(t, (uint64_t)(uintptr_t)setup);
	Elf64_Phdr phdr;

	ck_assert(module);
	ck_assert(module_header_find(t, module, PT_GNU_RELRO, &phdr));
	ck_assert_uint_eq(phdr.p_type, PT_GNU_RELRO);
	ck_assert((uint64_t)(uintptr_t)words - module->base - phdr.p_vaddr < phdr.p_memsz);
	ck_assert(!module_header_find(t, module, PT_SHLIB, &phdr));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("module_header");
	TCase *c = tcase_create("module_header");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, test_constant);
	tcase_add_test(c, test_headers);
	suite_add_tcase(suite, c);
	return check_main(suite);
}
