/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of the proof that a record in a target's memory is a plugin of libomptarget, for each kind of record. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "fake_target.h"
#include "openmp/devices/devices_omptarget.h"
#include "openmp/devices/omptarget_layout.h"

#define RECORD	 0x10000
#define LIBRARY	 0x400000
#define CLASS	 (LIBRARY + 0x100)
#define FUNCTION (LIBRARY + 0x200)
#define NAME	 (LIBRARY + 0x210)
#define PLUGIN	 0x500000

static struct target *t;
static size_t plugin;

static void set_up(void)
{
	t = fake_target_create(TARGET_STOP);
	fake_target_map(t, RECORD, NULL, 4096);
	fake_target_map(t, LIBRARY, NULL, 4096);
	fake_target_map(t, PLUGIN, NULL, 4096);
	fake_target_add_module(t, "/fake/libomptarget.so.19", LIBRARY, LIBRARY + 4096, NULL, NULL);
	plugin = fake_target_add_module(t, "/fake/libomptarget.rtl.cuda.so", PLUGIN, PLUGIN + 4096, NULL, NULL);
}

static void tear_down(void)
{
	target_destroy(t);
}

static struct error *check_plugin(unsigned release, int plugin_number, struct devices *ret)
{
	*ret = (struct devices){.list = calloc(1, sizeof(*ret->list)), .n = 1};
	ck_assert_ptr_nonnull(ret->list);
	ret->list->number = 3;
	target_view_begin(t);
	return omptarget_plugin_check(t, omptarget_layout_of(release), RECORD, plugin_number, ret->list);
}

static void assert_refused(unsigned release, int plugin_number, const char *why)
{
	struct devices d;
	struct error *err = check_plugin(release, plugin_number, &d);

	ck_assert(error_is(err, ERR_UNKNOWN_LAYOUT));
	ck_assert_ptr_nonnull(strstr(err->message, why));
	error_destroy(err);
	devices_deinit(&d);
}

static void assert_accepted(unsigned release, int plugin_number, const char *kind)
{
	struct devices d;

	ck_assert_no_err(check_plugin(release, plugin_number, &d));
	ck_assert_str_eq(d.list->kind, kind);
	ck_assert_uint_eq(d.list->plugin_number, (unsigned)plugin_number);
	devices_deinit(&d);
}

/* Write the addresses of functions from @at on, in the order of the record. A name "" is a function that is missing. */
static void put_functions(uint64_t at, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t address = PLUGIN + 0x100 + i * 16;
		char name[64] = "__tgt_rtl_";

		strncat(name, names[i], sizeof(name) - strlen(name) - 1);
		if (*names[i])
			fake_target_add_symbol(t, plugin, name, address, 16, false);
		fake_target_poke_u64(t, at + i * 8, *names[i] ? address : 0);
	}
}

static const char *const names_16[] = {
	"init_plugin",
	"",
	"is_valid_binary",
	"",
	"is_data_exchangable",
	"number_of_devices",
	"init_device",
	"",
	"load_binary",
	"data_alloc",
	"data_submit",
	"",
	"data_retrieve",
	"",
	"",
	"",
	"data_delete",
	"launch_kernel",
};
static const char *const names_18[] = {
	"init_plugin",
	"is_valid_binary",
	"is_data_exchangable",
	"number_of_devices",
	"init_device",
	"load_binary",
	"get_global",
	"get_function",
	"data_alloc",
	"data_submit",
	"",
	"data_retrieve",
	"",
	"",
	"",
	"data_delete",
	"launch_kernel",
};

#define N(names) (sizeof(names) / sizeof((names)[0]))

START_TEST(test_numbered)
{
	fake_target_poke_u32(t, RECORD, 2); /* its first device */
	fake_target_poke_u32(t, RECORD + 4, 2);
	put_functions(RECORD + 16, names_16, N(names_16));
	assert_accepted(16, 1, "cuda");
	assert_refused(16, 0, "a number that its plugin does not have");
	fake_target_poke_u32(t, RECORD + 4, 1);
	assert_refused(16, 1, "a number that its plugin does not have");
	assert_refused(15, 1, "functions");
	fake_target_poke_u64(t, RECORD + 16 + 5 * 8, 0); /* number_of_devices */
	assert_refused(16, 1, "does not have its plugin's functions");
}
END_TEST

START_TEST(test_named)
{
	fake_target_poke_u32(t, RECORD, 2);
	put_functions(RECORD + 48, names_18, N(names_18));
	assert_accepted(18, 1, "cuda");
	/* One of its devices could not be initialised. */
	assert_accepted(18, 2, "cuda");
	assert_refused(18, 0, "a number that its plugin does not have");
	fake_target_poke_u64(t, RECORD + 48, LIBRARY);
	assert_refused(18, 1, "names no plugin");
}
END_TEST

static void put_object(void)
{
	fake_target_poke_u64(t, RECORD, CLASS);
	fake_target_poke_u32(t, RECORD + 8, 1); /* it is initialised */
	fake_target_poke_u32(t, RECORD + 12, 2);
	for (int i = 0; i < 10; i++)
		fake_target_poke_u64(t, CLASS + (uint64_t)i * 8, FUNCTION);
	fake_target_poke(t, NAME, "amdgpu", sizeof("amdgpu"));
}

START_TEST(test_object)
{
	put_object();
	assert_accepted(19, 1, "");
	assert_refused(19, 2, "a number that its plugin does not have");
	fake_target_poke_u64(t, CLASS + 72, PLUGIN);
	assert_refused(19, 1, "names no plugin");
	put_object();
	fake_target_poke_u64(t, RECORD, PLUGIN + 8);
	assert_refused(19, 1, "names no plugin");
	put_object();
	fake_target_poke_u32(t, RECORD + 8, 0);
	assert_refused(19, 1, "a number that its plugin does not have");
}
END_TEST

START_TEST(test_name_of_an_object)
{
#ifdef __x86_64__
	static const uint8_t returns[] = {0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x8d, 0x05, 5, 0, 0, 0, 0xc3}, /* NAME */
		calls[] = {0x48, 0x8d, 0x05, 9, 0, 0, 0, 0xe8, 0, 0, 0, 0, 0xc3};

	put_object();
	fake_target_poke(t, FUNCTION, returns, sizeof(returns));
	assert_accepted(19, 1, "amdgpu");
	fake_target_poke(t, NAME, "AMD GPU", sizeof("AMD GPU"));
	assert_accepted(19, 1, "");
	put_object();
	fake_target_poke(t, FUNCTION, calls, sizeof(calls));
	assert_accepted(19, 1, "");
#else
	CHECK_SKIP("the code is of x86-64");
#endif
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp_omptarget_plugins");
	TCase *plugins = tcase_create("omptarget_plugins");

	tcase_add_checked_fixture(plugins, set_up, tear_down);
	tcase_add_test(plugins, test_numbered);
	tcase_add_test(plugins, test_named);
	tcase_add_test(plugins, test_object);
	tcase_add_test(plugins, test_name_of_an_object);
	suite_add_tcase(suite, plugins);
	return check_main(suite);
}
