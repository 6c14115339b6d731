/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of map tables of libomptarget in a target's memory: counts, order, cycles, foreign nodes. */
#include <check.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "fake_target.h"
#include "openmp/devices/devices_omptarget.h"
#include "openmp/devices/omptarget_layout.h"

#define BASE	 0x10000
#define TREE	 BASE
#define ROOT	 (TREE + offsetof(struct omptarget_tree, colour))
#define NODE(n)	 (BASE + 0x100 + (uint64_t)(n)*0x80)
#define NAME	 (BASE + 0x3f00)
#define COUNT(n) (BASE + 0x3000 + (uint64_t)(n)*0x10)
#define APART(n) (BASE + 0x3800 + (uint64_t)(n)*0x40)

static struct target *t;
static unsigned release;

/* Releases of each kind: an object in the tree, apart from it, and with an address of what was allocated for it. */
static const unsigned releases[] = {14, 15, 17};

static void set_up(void)
{
	release = 14;
	t = fake_target_create(TARGET_STOP);
	fake_target_map(t, BASE, NULL, 16384);
	target_view_begin(t);
}

static void tear_down(void)
{
	target_destroy(t);
}

/* Write an object that is counted @count times by map clauses, and never by ompx_hold. */
static void put_node(int n, uint64_t parent, uint64_t host, uint64_t size, uint64_t left, uint64_t right)
{
	const struct omptarget_layout *layout = omptarget_layout_of(release);
	const uint64_t links[4] = {0, parent, left, right}, key[2] = {host, APART(n)};
	uint64_t object[8] = {host, host, host + size, 0};

	ck_assert_ptr_nonnull(layout);
	object[layout->object.device_address / 8] = host + 0x900000;
	object[layout->object.counts / 8] = COUNT(n);
	fake_target_poke(t, NODE(n), links, sizeof(links));
	if (!layout->object.is_apart) {
		fake_target_poke(t, NODE(n) + sizeof(links), object, sizeof(object));
		return;
	}
	fake_target_poke(t, NODE(n) + sizeof(links), key, sizeof(key));
	fake_target_poke(t, APART(n), object, sizeof(object));
}

static void put_counts(int n, uint64_t dynamic, uint64_t hold)
{
	fake_target_poke_u64(t, COUNT(n), dynamic);
	fake_target_poke_u64(t, COUNT(n) + 8, hold);
}

static struct error *read_tree(uint64_t n, struct device *ret)
{
	const struct omptarget_tree tree = {.root = NODE(0), .n = n};

	target_view_begin(t);
	return omptarget_maps_read(t, omptarget_layout_of(release), TREE, &tree, ret);
}

static void put_three(void)
{
	put_node(0, ROOT, 0x2000, 16, NODE(1), NODE(2));
	put_node(1, NODE(0), 0x1000, 1, 0, 0);
	put_node(2, NODE(0), 0x3000, 8, 0, 0);
	put_counts(0, 3, 1);
	put_counts(1, UINT64_MAX, 0);
	put_counts(2, 1, UINT64_MAX);
}

START_TEST(test_order_and_counts)
{
	struct device device = {0};

	release = releases[_i];
	put_three();
	ck_assert_no_err(read_tree(3, &device));
	ck_assert_uint_eq(device.n_maps, 3);
	ck_assert_uint_eq(device.maps[0].host, 0x1000);
	ck_assert_int_eq(device.maps[0].kind, DEVICE_INFINITE);
	ck_assert_uint_eq(device.maps[1].device_address, 0x902000);
	ck_assert_uint_eq(device.maps[1].size, 16);
	ck_assert_uint_eq(device.maps[1].count, 4);
	ck_assert_int_eq(device.maps[1].kind, DEVICE_COUNTED);
	ck_assert_int_eq(device.maps[2].kind, DEVICE_INFINITE);
	free(device.maps);
}
END_TEST

/* The name of an object that the compiler gave it, and texts of another form. */
START_TEST(test_names)
{
	static const struct {
		const char *text, *variable, *file;
		int line;
	} names[] = {
		{";a[0:n];sim.c;12;7;;", "a[0:n]", "sim.c", 12},
		{";a;;0;0;;", "a", NULL, 0},
		{";unknown;unknown;0;0;;", NULL, NULL, 0},
		{";;sim.c;12;7;;", NULL, NULL, 0},
		{";a;sim.c", NULL, NULL, 0},
		{"a;sim.c;12;7;;", NULL, NULL, 0},
		{"", NULL, NULL, 0},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct device device = {0};

		put_three();
		fake_target_poke_u64(t, NODE(0) + 7 * sizeof(uint64_t), NAME);
		fake_target_poke(t, NAME, names[i].text, strlen(names[i].text) + 1);
		ck_assert_no_err(read_tree(3, &device));
		const struct device_name *name = device.maps[1].name;
		ck_assert_ptr_null(device.maps[0].name);
		ck_assert_int_eq(name != NULL, names[i].variable != NULL);
		if (name) {
			ck_assert_str_eq(name->variable, names[i].variable);
			ck_assert_pstr_eq(name->file, names[i].file);
			ck_assert_int_eq(name->line, names[i].line);
			ck_assert(!name->is_candidate);
		}
		devices_destroy_name(device.maps[1].name);
		free(device.maps);
	}
}
END_TEST

/* A name that cannot be read is not known. */
START_TEST(test_unreadable_name)
{
	struct device device = {0};

	put_three();
	fake_target_poke_u64(t, NODE(0) + 7 * sizeof(uint64_t), 0x10);
	ck_assert_no_err(read_tree(3, &device));
	ck_assert_ptr_null(device.maps[1].name);
	free(device.maps);
}
END_TEST

START_TEST(test_empty_table)
{
	const struct omptarget_tree tree = {.n = 0};
	struct device device = {0};

	ck_assert_no_err(omptarget_maps_read(t, omptarget_layout_of(release), TREE, &tree, &device));
	ck_assert_uint_eq(device.n_maps, 0);
}
END_TEST

static void assert_refused(uint64_t n, const char *why)
{
	struct device device = {0};
	struct error *err = read_tree(n, &device);

	ck_assert(error_is(err, ERR_UNKNOWN_LAYOUT));
	ck_assert_ptr_nonnull(strstr(err->message, why));
	error_destroy(err);
	free(device.maps);
}

START_TEST(test_damage)
{
	put_three();
	assert_refused(2, "number of objects");
	put_node(1, NODE(0), 0x2000, 0, 0, 0);
	assert_refused(3, "not sorted");
	put_node(1, NODE(0), 0x1ff8, 16, 0, 0);
	assert_refused(3, "not sorted");
	put_node(1, NODE(2), 0x1000, 1, 0, 0);
	assert_refused(3, "another place");
	put_three();
	put_counts(0, UINT64_MAX / 2, 0);
	assert_refused(3, "impossible reference count");
}
END_TEST

START_TEST(test_key)
{
	release = 15;
	put_three();
	fake_target_poke_u64(t, APART(1) + 8, 0x1008);
	assert_refused(3, "another address than its key");
}
END_TEST

START_TEST(test_cycle)
{
	put_three();
	put_node(2, NODE(0), 0x3000, 8, NODE(2), 0);
	assert_refused(3, "another place");
	put_node(2, NODE(0), 0x3000, 8, 0, NODE(0));
	assert_refused(3, "another place");
	/* Both parts of the root are one node. */
	put_node(0, ROOT, 0x2000, 16, NODE(1), NODE(1));
	assert_refused(3, "not sorted");
}
END_TEST

START_TEST(test_depth)
{
	for (int i = 0; i < 70; i++) {
		put_node(i, i ? NODE(i - 1) : ROOT, 0x9000 - (uint64_t)i * 16, 16, i < 69 ? NODE(i + 1) : 0, 0);
		put_counts(i, 1, 0);
	}
	assert_refused(70, "deeper");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp_omptarget_maps");
	TCase *maps = tcase_create("omptarget_maps");

	tcase_add_checked_fixture(maps, set_up, tear_down);
	tcase_add_loop_test(maps, test_order_and_counts, 0, (int)(sizeof(releases) / sizeof(releases[0])));
	tcase_add_test(maps, test_names);
	tcase_add_test(maps, test_unreadable_name);
	tcase_add_test(maps, test_empty_table);
	tcase_add_test(maps, test_damage);
	tcase_add_test(maps, test_key);
	tcase_add_test(maps, test_cycle);
	tcase_add_test(maps, test_depth);
	suite_add_tcase(suite, maps);
	return check_main(suite);
}
