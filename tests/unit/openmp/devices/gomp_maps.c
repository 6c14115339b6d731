/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of map tables of libgomp in a target's memory: counts, order, cycles, foreign blocks. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "fake_target.h"
#include "openmp/devices/devices_gomp.h"

#define BASE	0x10000
#define DEVICE	0x7000
#define BLOCK	(BASE + 0x800)
#define NODE(n) (BASE + (uint64_t)(n)*0x80)

static const struct gomp_devices_layout old_layout = {0}, new_layout = {.has_reverse = true, .has_special = true};
static struct target *t;

static void set_up(void)
{
	t = fake_target_create(TARGET_STOP);
	fake_target_map(t, BASE, NULL, 4096);
	target_view_begin(t);
}

static void tear_down(void)
{
	target_destroy(t);
}

/* Write the block of device memory that starts at @start, for a layout whose members are @more words later. */
static void put_block(uint64_t start, size_t more)
{
	fake_target_poke_u64(t, BLOCK + (2 + more) * 8, start);
	fake_target_poke_u64(t, BLOCK + (3 + more) * 8, start + 4096);
	fake_target_poke_u64(t, BLOCK + (7 + more) * 8, DEVICE);
}

static void put_node(int n, uint64_t host, uint64_t size, uint64_t count, uint64_t left, uint64_t right)
{
	const uint64_t words[9] = {host, host + size, BLOCK, host & 0xff, count, 5, 0, left, right};

	fake_target_poke(t, NODE(n), words, sizeof(words));
}

START_TEST(test_order_and_counts)
{
	struct device device = {0};

	put_block(0x900000, 0);
	put_node(0, 0x2010, 16, 3, NODE(1), NODE(2));
	put_node(1, 0x1000, 1, UINT64_MAX, 0, 0);
	put_node(2, 0x3000, 8, UINT64_MAX - 1, 0, 0);
	target_view_begin(t);
	ck_assert_no_err(gomp_maps_read(t, &old_layout, NODE(0), DEVICE, &device));
	ck_assert_uint_eq(device.n_maps, 3);
	ck_assert_uint_eq(device.maps[0].host, 0x1000);
	ck_assert_int_eq(device.maps[0].kind, DEVICE_INFINITE);
	ck_assert_uint_eq(device.maps[1].device_address, 0x900010);
	ck_assert_uint_eq(device.maps[1].count, 3);
	ck_assert_int_eq(device.maps[1].kind, DEVICE_COUNTED);
	ck_assert_int_eq(device.maps[2].kind, DEVICE_LINK);
	free(device.maps);
}
END_TEST

START_TEST(test_special_counts)
{
	struct device device = {0};

	put_block(0x900000, 1);
	fake_target_poke_u64(t, BASE + 0x900, 7);
	put_node(0, 0x2000, 16, ~(uint64_t)7, NODE(1), NODE(2));
	put_node(1, 0x1000, 8, ~(uint64_t)7 | 5, 0, 0);
	put_node(2, 0x3000, 8, ~(uint64_t)7 | 4, 0, 0);
	fake_target_poke_u64(t, NODE(2) + 40, BASE + 0x900);
	target_view_begin(t);
	ck_assert_no_err(gomp_maps_read(t, &new_layout, NODE(0), DEVICE, &device));
	ck_assert_uint_eq(device.n_maps, 3);
	ck_assert_uint_eq(device.maps[0].count, 5);
	ck_assert_int_eq(device.maps[1].kind, DEVICE_INFINITE);
	ck_assert_uint_eq(device.maps[2].count, 7);
	free(device.maps);
}
END_TEST

static void assert_refused(const struct gomp_devices_layout *layout, const char *why)
{
	struct device device = {0};

	target_view_begin(t);
	struct error *err = gomp_maps_read(t, layout, NODE(0), DEVICE, &device);
	ck_assert(error_is(err, ERR_UNKNOWN_LAYOUT));
	ck_assert_ptr_nonnull(strstr(err->message, why));
	error_destroy(err);
	free(device.maps);
}

START_TEST(test_damage)
{
	put_block(0x900000, 0);
	put_node(0, 0x2000, 16, 1, 0, NODE(1));
	put_node(1, 0x1000, 16, 1, 0, 0);
	assert_refused(&old_layout, "not sorted");
	put_node(1, 0x3000, 16, 1, 0, NODE(0));
	assert_refused(&old_layout, "not sorted");
	put_node(0, 0x2000, 16, 1, NODE(0), 0);
	assert_refused(&old_layout, "deeper");
	put_node(0, 0x2000, 16, 1, 0, 0);
	assert_refused(&new_layout, "another device");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp_gomp_maps");
	TCase *maps = tcase_create("gomp_maps");

	tcase_add_checked_fixture(maps, set_up, tear_down);
	tcase_add_test(maps, test_order_and_counts);
	tcase_add_test(maps, test_special_counts);
	tcase_add_test(maps, test_damage);
	suite_add_tcase(suite, maps);
	return check_main(suite);
}
