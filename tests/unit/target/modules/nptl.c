/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/modules/nptl.c: thread lists of another glibc in artificial memory, both generations of it, and
 * nonsense. */
#include "target/modules/modules.h"
#include "target/modules/nptl.h"

#include <unistd.h>

#include "check_main.h"
#include "fake_target.h"
#include "target/target_ops.h"

#define LIBC	 0x10000u
#define LD	 0x20000u
#define THREADS	 0x40000u
#define LINK_MAP 0x60000u
#define LINK	 0x2c0u /* of struct pthread in its list */
#define TID	 0x2d0u
#define USED	 0x100u /* the list heads in _rtld_global */
#define USER	 0x110u

static struct target *t;
static size_t libc, ld;
static const struct tid_map same = {.same_namespace = true};

static uint64_t thread_at(unsigned i)
{
	return THREADS + i * 0x1000u;
}

static void add_field(const char *name, uint64_t at, uint32_t bits, uint32_t offset)
{
	const uint32_t field[3] = {bits, 1, offset};

	fake_target_poke(t, at, field, sizeof(field));
	fake_target_add_symbol(t, libc, name, at, sizeof(field), false);
}

/* Puts thread number @i behind @entry; returns its own entry. */
static uint64_t append(uint64_t entry, unsigned i, uint32_t tid)
{
	uint64_t pd = thread_at(i);

	fake_target_poke_u64(t, pd, pd);
	fake_target_poke_u64(t, pd + 16, pd);
	fake_target_poke_u32(t, pd + TID, tid);
	fake_target_poke_u64(t, entry, pd + LINK);
	return pd + LINK;
}

static void setup_common(const char *thread_library, const char *linker)
{
	t = fake_target_create(TARGET_OBSERVE);
	arch_use(&arch_x86_64); /* its descriptors can be recognized */
	fake_target_map(t, LIBC, NULL, 0x1000);
	fake_target_map(t, LD, NULL, 0x1000);
	fake_target_map(t, THREADS, NULL, 0x4000);
	fake_target_map(t, LINK_MAP, NULL, 0x1000);
	libc = fake_target_add_module(t, thread_library, LIBC, LIBC + 0x1000, NULL, NULL);
	ld = fake_target_add_module(t, linker, LD, LD + 0x1000, NULL, NULL);
	for (pid_t tid = 101; tid <= 103; tid++)
		fake_target_add_thread(t, tid, 0, "worker");
	add_field("_thread_db_list_t_next", LIBC + 0x00, 64, 0);
	add_field("_thread_db_pthread_list", LIBC + 0x10, 128, LINK);
	add_field("_thread_db_pthread_tid", LIBC + 0x20, 32, TID);
	add_field("_thread_db_link_map_l_tls_offset", LIBC + 0x30, 64, 0x450);
}

/* Thread 101 has a stack of its own (the main thread), 102 and 103 have stacks from glibc. */
static void fill_lists(uint64_t used, uint64_t user)
{
	fake_target_poke_u64(t, append(append(used, 1, 102), 2, 103), used);
	fake_target_poke_u64(t, append(user, 0, 101), user);
}

static void setup_linker(const char *linker)
{
	setup_common("/lib/libc.so.6", linker);
	fake_target_add_symbol(t, ld, "_rtld_global", LD, 0x800, false);
	add_field("_thread_db_rtld_global__dl_stack_used", LIBC + 0x40, 128, USED);
	add_field("_thread_db_rtld_global__dl_stack_user", LIBC + 0x50, 128, USER);
	fill_lists(LD + USED, LD + USER);
}

static void setup_new(void)
{
	setup_linker("/lib64/ld-linux-x86-64.so.2");
}

/* A program's PT_INTERP may name it like this, and so may the process that starts it. */
static void setup_renamed(void)
{
	setup_linker("/opt/tool/lib/loader.so");
}

static void setup_old(void)
{
	setup_common("/lib/libpthread.so.0", "/lib64/ld-linux-x86-64.so.2");
	fake_target_add_symbol(t, libc, "stack_used", LIBC + 0x800, 16, false);
	fake_target_add_symbol(t, libc, "__stack_user", LIBC + 0x810, 16, false);
	fill_lists(LIBC + 0x800, LIBC + 0x810);
}

static void teardown(void)
{
	target_destroy(t);
}

static void begin(void)
{
	const struct target_thread *threads;
	size_t n;

	target_view_begin(t);
	ck_assert_no_err(target_threads(t, &threads, &n));
	ck_assert_uint_eq(n, 3);
}

static uint64_t pthread_of(pid_t tid)
{
	return target_find_thread(t, tid)->pthread;
}

static void check_all_found(void)
{
	begin();
	ck_assert(nptl_fill_pthreads(t, &same));
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(pthread_of((pid_t)(101 + i)), thread_at(i));
}

START_TEST(test_fill_lists_in_the_dynamic_linker)
{
	check_all_found();
}
END_TEST

START_TEST(test_fill_lists_in_libpthread)
{
	check_all_found();
}
END_TEST

START_TEST(test_fill_container)
{
	struct tid_pair pairs[] = {{101, 102}, {102, 103}, {103, 101}};
	const struct tid_map map = {.pairs = pairs, .n = 3};

	begin();
	ck_assert(nptl_fill_pthreads(t, &map));
	ck_assert_uint_eq(pthread_of(102), thread_at(0));
	ck_assert_uint_eq(pthread_of(103), thread_at(1));
	ck_assert_uint_eq(pthread_of(101), thread_at(2));
}
END_TEST

START_TEST(test_fill_without_descriptions)
{
	teardown();
	t = fake_target_create(TARGET_OBSERVE);
	for (pid_t tid = 101; tid <= 103; tid++)
		fake_target_add_thread(t, tid, 0, "worker");
	begin();
	ck_assert(!nptl_fill_pthreads(t, &same));
}
END_TEST

START_TEST(test_fill_offset_beyond_reason)
{
	fake_target_poke_u32(t, LIBC + 0x28, 0x7fffffff);
	begin();
	ck_assert(!nptl_fill_pthreads(t, &same));
	ck_assert_uint_eq(pthread_of(101), 0);
}
END_TEST

START_TEST(test_fill_list_without_end)
{
	/* 103 -> 102 -> 103 ...: the list never returns to its head. */
	fake_target_poke_u64(t, thread_at(2) + LINK, thread_at(1) + LINK);
	check_all_found();
}
END_TEST

START_TEST(test_fill_list_into_nowhere)
{
	fake_target_poke_u64(t, thread_at(1) + LINK, 0x123456789000);
	begin();
	ck_assert(nptl_fill_pthreads(t, &same));
	ck_assert_uint_eq(pthread_of(102), thread_at(1));
	ck_assert_uint_eq(pthread_of(103), 0);
	ck_assert_uint_eq(pthread_of(101), thread_at(0));
}
END_TEST

START_TEST(test_fill_no_thread_control_block)
{
	fake_target_poke_u64(t, thread_at(1) + 16, 0);
	begin();
	ck_assert(nptl_fill_pthreads(t, &same));
	ck_assert_uint_eq(pthread_of(102), 0);
	ck_assert_uint_eq(pthread_of(103), thread_at(2));
}
END_TEST

START_TEST(test_tls_address_static)
{
	const struct target_symbol sym = {.address = 0x10, .is_tls = true};
	uint64_t address = 0;

	check_all_found();
	fake_target_poke_u64(t, LINK_MAP + 0x450, 0x78);
	target_view_begin(t);
	ck_assert(nptl_tls_address(t, target_find_thread(t, 102), &sym, LINK_MAP, &address));
	ck_assert_uint_eq(address, thread_at(1) - 0x78 + 0x10);
}
END_TEST

START_TEST(test_tls_address_not_static)
{
	static const uint64_t offsets[] = {0, UINT64_MAX, 0x7000000000000000};
	const struct target_symbol sym = {.address = 0x10, .is_tls = true};
	uint64_t address = 1;

	check_all_found();
	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		fake_target_poke_u64(t, LINK_MAP + 0x450, offsets[i]);
		target_view_begin(t);
		ck_assert(!nptl_tls_address(t, target_find_thread(t, 102), &sym, LINK_MAP, &address));
	}
	ck_assert(!nptl_tls_address(t, target_find_thread(t, 102), &sym, 0x7fff00000000, &address));
	ck_assert_uint_eq(address, 1);
}
END_TEST

START_TEST(test_thread_id_of_a_thread_and_of_one_that_has_ended)
{
	pid_t id = -1;

	ck_assert(nptl_thread_id(t, thread_at(1), &id));
	ck_assert_int_eq(id, 102);
	fake_target_poke_u32(t, thread_at(1) + TID, 0);
	target_view_begin(t);
	ck_assert(nptl_thread_id(t, thread_at(1), &id));
	ck_assert_int_eq(id, 0);
}
END_TEST

START_TEST(test_thread_id_unreadable)
{
	pid_t id = -1;

	ck_assert(!nptl_thread_id(t, 0x123456789000, &id));
	fake_target_poke_u32(t, thread_at(1) + TID, 0x80000000u);
	ck_assert(!nptl_thread_id(t, thread_at(1), &id));
	ck_assert_int_eq(id, -1);
}
END_TEST

START_TEST(test_tid_map_of_ours)
{
	struct tid_map map = {0};

	t->pid = getpid();
	tid_map_refresh(&map, t);
	ck_assert(map.same_namespace);
	begin();
	ck_assert_ptr_eq(tid_map_find(&map, t, 102), target_find_thread(t, 102));
	ck_assert_ptr_null(tid_map_find(&map, t, 999));
	tid_map_deinit(&map);
}
END_TEST

static TCase *tcase(const char *name, void (*setup)(void))
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, setup, teardown);
	return tc;
}

int main(void)
{
	Suite *s = suite_create("nptl");
	TCase *tc = tcase("nptl_fill_pthreads", setup_new);

	tcase_add_test(tc, test_fill_lists_in_the_dynamic_linker);
	tcase_add_test(tc, test_fill_container);
	tcase_add_test(tc, test_fill_without_descriptions);
	tcase_add_test(tc, test_fill_offset_beyond_reason);
	tcase_add_test(tc, test_fill_list_without_end);
	tcase_add_test(tc, test_fill_list_into_nowhere);
	tcase_add_test(tc, test_fill_no_thread_control_block);
	suite_add_tcase(s, tc);
	tc = tcase("nptl_fill_pthreads with a dynamic linker of another name", setup_renamed);
	tcase_add_test(tc, test_fill_lists_in_the_dynamic_linker);
	suite_add_tcase(s, tc);
	tc = tcase("nptl_fill_pthreads before 2.34", setup_old);
	tcase_add_test(tc, test_fill_lists_in_libpthread);
	suite_add_tcase(s, tc);
	tc = tcase("nptl_tls_address", setup_new);
	tcase_add_test(tc, test_tls_address_static);
	tcase_add_test(tc, test_tls_address_not_static);
	suite_add_tcase(s, tc);
	tc = tcase("nptl_thread_id", setup_new);
	tcase_add_test(tc, test_thread_id_of_a_thread_and_of_one_that_has_ended);
	tcase_add_test(tc, test_thread_id_unreadable);
	suite_add_tcase(s, tc);
	tc = tcase("tid_map", setup_new);
	tcase_add_test(tc, test_tid_map_of_ours);
	suite_add_tcase(s, tc);
	return check_main(s);
}
