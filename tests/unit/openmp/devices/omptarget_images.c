/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of the images of libomptarget in a target's memory: entries, and what proves the tables. */
#include <check.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "fake_target.h"
#include "openmp/devices/devices_omptarget.h"
#include "openmp/devices/omptarget_layout.h"
#include "target/target.h"

#define BASE	  0x10000
#define TREE	  BASE
#define NODE	  (BASE + 0x100)
#define IMAGES	  (BASE + 0x200)
#define PROGRAM	  0x400000
#define IMAGE	  PROGRAM
#define ENTRIES	  (PROGRAM + 0x100)
#define NAMES	  (PROGRAM + 0x200)
#define CODE	  (PROGRAM + 0x300)
#define OBJECT	  (PROGRAM + 0x400)
#define KERNEL	  "__omp_offloading_1_2_main_l7"
#define N_ENTRIES 2
#define MAX_ENTRY 64

static struct target *t;
static unsigned release;

/* Releases of each kind: a list of two addresses, of an address and its size, behind other members, longer entries. */
static const unsigned releases[] = {14, 16, 18, 20};

/* Return the address of entry @n, or of the end of the entries before it. */
static uint64_t entry_at(int n)
{
	return ENTRIES + (uint64_t)n * omptarget_layout_of(release)->entry.bytes;
}

static void put_entry(int n, uint64_t address, uint64_t name, uint64_t size, uint32_t flags)
{
	const struct omptarget_layout *layout = omptarget_layout_of(release);
	const uint64_t words[3] = {address, name, size};
	const uint16_t kind[2] = {1, 1}; /* version, OpenMP */
	uint8_t entry[MAX_ENTRY] = {0};

	memcpy(entry + layout->entry.address, words, sizeof(words));
	memcpy(entry + layout->entry.flags, &flags, sizeof(flags));
	if (layout->entry.kind)
		memcpy(entry + layout->entry.kind, kind, sizeof(kind));
	fake_target_poke(t, entry_at(n), entry, layout->entry.bytes);
}

static void put_image(uint64_t entries)
{
	const uint64_t words[4] = {OBJECT, OBJECT + 64, entries, entry_at(N_ENTRIES)};

	fake_target_poke(t, IMAGE, words, sizeof(words));
}

static void put_node(uint64_t key, uint64_t n_images)
{
	const struct omptarget_layout *layout = omptarget_layout_of(release);
	const uint64_t words[7] = {
		0, TREE + offsetof(struct omptarget_tree, colour), 0, 0, key, ENTRIES, entry_at(N_ENTRIES)};

	ck_assert_ptr_nonnull(layout);
	const uint64_t list[2] = {IMAGES, layout->is_small ? 8ull << 32 | n_images : IMAGES + n_images * 8};
	fake_target_poke(t, NODE, words, sizeof(words));
	fake_target_poke(t, NODE + 4 * sizeof(words[0]) + layout->images, list, sizeof(list));
}

static void put_all(void)
{
	put_node(ENTRIES, 2);
	put_image(ENTRIES);
	put_entry(0, OBJECT, NAMES, 0, 0);
	put_entry(1, OBJECT + 8, NAMES + 64, 4, 1);
}

static void set_up(void)
{
	release = 14;
	t = fake_target_create(TARGET_STOP);
	fake_target_map(t, BASE, NULL, 4096);
	fake_target_map(t, PROGRAM, NULL, 4096);
	size_t module = fake_target_add_module(t, "/fake/program", PROGRAM, PROGRAM + 4096, NULL, NULL);
	fake_target_add_symbol(t, module, KERNEL, CODE, 16, false);
	fake_target_poke_u64(t, IMAGES, IMAGE);
	fake_target_poke_u64(t, IMAGES + 8, IMAGE);
	fake_target_poke(t, NAMES, KERNEL, sizeof(KERNEL));
	fake_target_poke(t, NAMES + 64, "table", sizeof("table"));
	put_all();
}

static void tear_down(void)
{
	target_destroy(t);
}

static struct error *read_images(uint64_t n, struct devices *ret)
{
	const struct omptarget_tree tree = {.root = NODE, .n = n};

	*ret = (struct devices){.list = calloc(2, sizeof(*ret->list)), .n = 2};
	strcpy(ret->list[0].kind, "x86_64");
	target_view_begin(t);
	return omptarget_images_read(t, omptarget_layout_of(release), TREE, &tree, ret);
}

START_TEST(test_entries)
{
	struct devices d;

	release = releases[_i];
	put_all();
	ck_assert_no_err(read_images(1, &d));
	ck_assert(d.has_images);
	ck_assert_uint_eq(d.n_images, 1);
	ck_assert_str_eq(d.images[0].kind, "x86_64");
	ck_assert_str_eq(d.images[0].module, "/fake/program");
	ck_assert_uint_eq(d.images[0].n_entries, 2);
	ck_assert_str_eq(d.images[0].entries[0].name, KERNEL);
	ck_assert_uint_eq(d.images[0].entries[0].function, CODE);
	ck_assert_uint_eq(d.images[0].entries[1].size, 4);
	ck_assert(d.images[0].entries[1].is_link);
	devices_deinit(&d);
}
END_TEST

static void assert_refused(uint64_t n, const char *why)
{
	struct devices d;
	struct error *err = read_images(n, &d);

	ck_assert(error_is(err, ERR_UNKNOWN_LAYOUT));
	ck_assert_ptr_nonnull(strstr(err->message, why));
	ck_assert(!d.has_images);
	error_destroy(err);
	devices_deinit(&d);
}

START_TEST(test_damage)
{
	assert_refused(2, "number of objects");
	put_node(ENTRIES + 32, 2);
	assert_refused(1, "no valid size");
	put_node(ENTRIES, 3);
	assert_refused(1, "impossible number of images");
	put_node(ENTRIES, 2);
	put_image(ENTRIES + 32);
	assert_refused(1, "another table");
	put_image(ENTRIES);
	put_entry(0, BASE, NAMES, 0, 0);
	assert_refused(1, "no function or variable");
	put_entry(0, OBJECT, NAMES, 0, 64);
	assert_refused(1, "an unknown kind");
	put_entry(0, OBJECT, NAMES + 32, 0, 0);
	assert_refused(1, "no name");
}
END_TEST

/* Entries that only libomptarget uses, and those of other languages, are left out. */
START_TEST(test_other_entries)
{
	struct devices d;

	put_entry(0, 0, 0, 0, 16);
	ck_assert_no_err(read_images(1, &d));
	ck_assert_uint_eq(d.images[0].n_entries, 1);
	devices_deinit(&d);
	release = 20;
	put_all();
	fake_target_poke(t, entry_at(0) + 10, "\2", 2);
	ck_assert_no_err(read_images(1, &d));
	ck_assert_uint_eq(d.images[0].n_entries, 1);
	ck_assert_str_eq(d.images[0].entries[0].name, "table");
	devices_deinit(&d);
	fake_target_poke(t, entry_at(0) + 8, "\2", 2);
	assert_refused(1, "an unknown kind");
}
END_TEST

/* Since LLVM 20, a table may be outside the program. Its image and its entries may not. */
START_TEST(test_table_on_the_heap)
{
	const uint64_t heap = 0x900000;
	uint64_t node[2] = {heap, heap}, image[4] = {OBJECT, OBJECT + 64, heap};
	uint8_t entries[2 * MAX_ENTRY];
	struct devices d;

	release = 20;
	put_all();
	image[3] = heap + entry_at(N_ENTRIES) - ENTRIES;
	target_view_begin(t);
	ck_assert_no_err(target_read(t, ENTRIES, entries, sizeof(entries)));
	fake_target_map(t, heap, entries, sizeof(entries));
	fake_target_poke(t, NODE + 4 * sizeof(node[0]), node, sizeof(node));
	fake_target_poke_u64(t, NODE + 6 * sizeof(node[0]), image[3]);
	fake_target_poke(t, IMAGE, image, sizeof(image));
	ck_assert_no_err(read_images(1, &d));
	ck_assert_uint_eq(d.images[0].n_entries, N_ENTRIES);
	ck_assert_str_eq(d.images[0].module, "/fake/program");
	devices_deinit(&d);
	image[0] = heap;
	image[1] = heap + 8;
	fake_target_poke(t, IMAGE, image, sizeof(image));
	assert_refused(1, "in no program or library");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp_omptarget_images");
	TCase *images = tcase_create("omptarget_images");

	tcase_add_checked_fixture(images, set_up, tear_down);
	tcase_add_loop_test(images, test_entries, 0, (int)(sizeof(releases) / sizeof(releases[0])));
	tcase_add_test(images, test_damage);
	tcase_add_test(images, test_other_entries);
	tcase_add_test(images, test_table_on_the_heap);
	suite_add_tcase(suite, images);
	return check_main(suite);
}
