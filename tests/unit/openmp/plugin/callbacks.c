/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/plugin/callbacks over a fake target. */
#include "check_main.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "fake_target.h"
#include "openmp/plugin/blocks.h"
#include "openmp/plugin/callbacks.h"

#define ADDR 0x10000u

static struct target *t;
static const ompd_callbacks_t *cb;
static ompd_address_space_context_t *context;

static void setup(void)
{
	t = fake_target_create(TARGET_STOP);
	fake_target_map(t, ADDR, NULL, 8192);
	fake_target_poke(t, ADDR, "hello", 6);
	fake_target_add_thread(t, 100, 0x7000, "a");
	fake_target_add_thread(t, 101, 0x8000, "b");
	size_t m = fake_target_add_module(t, "/lib/libgomp.so.1", 0x20000, 0x30000, NULL, NULL);

	fake_target_add_symbol(t, m, "object", 0x20010, 8, false);
	fake_target_add_symbol(t, m, "tls_object", 0x10, 8, true);
	fake_target_set_tls(t, m, 0x7000, 0x6f00);
	callbacks_set_target(t);
	target_view_begin(t);
	cb = callbacks_table();
	context = callbacks_context(0);
}

static void teardown(void)
{
	callbacks_set_target(NULL);
	blocks_free_all();
	target_destroy(t);
}

static ompd_thread_context_t *thread_context(int32_t tid)
{
	ompd_thread_context_t *ret = NULL;

	ck_assert_int_eq(cb->get_thread_context_for_thread_id(context, OMPD_THREAD_ID_LWP, 4, &tid, &ret), ompd_rc_ok);
	ck_assert_ptr_nonnull(ret);
	return ret;
}

START_TEST(test_alloc_without_a_place_for_the_pointer)
{
	void *p = NULL;

	ck_assert_int_eq(cb->alloc_memory(8, NULL), ompd_rc_bad_input);
	ck_assert_int_eq(cb->alloc_memory(UINT64_MAX, &p), ompd_rc_nomem);
	ck_assert_int_eq(cb->alloc_memory(8, &p), ompd_rc_ok);
	ck_assert_int_eq(cb->free_memory(p), ompd_rc_ok);
	ck_assert_int_eq(cb->free_memory(p), ompd_rc_bad_input);
	ck_assert_int_eq(cb->free_memory((void *)"constant"), ompd_rc_bad_input);
	ck_assert_int_eq(cb->free_memory(NULL), ompd_rc_bad_input);
}
END_TEST

START_TEST(test_read_is_whole_or_fails)
{
	ompd_address_t address = {0, ADDR};
	char bytes[16];

	ck_assert_int_eq(cb->read_memory(context, NULL, &address, 6, bytes), ompd_rc_ok);
	ck_assert_str_eq(bytes, "hello");
	address.address = ADDR + 8192 - 8;
	ck_assert_int_eq(cb->read_memory(context, NULL, &address, 16, bytes), ompd_rc_error);
	address.address = 8;
	ck_assert_int_eq(cb->read_memory(context, NULL, &address, 8, bytes), ompd_rc_error);
	address.address = UINT64_MAX - 3;
	ck_assert_int_eq(cb->read_memory(context, NULL, &address, 8, bytes), ompd_rc_error);
	/* A bad address is an error for the library, not the end of the view. */
	ck_assert(!callbacks_have_error());
}
END_TEST

START_TEST(test_read_with_bad_arguments)
{
	ompd_address_t address = {0, ADDR};
	char byte;

	ck_assert_int_eq(cb->read_memory(NULL, NULL, &address, 1, &byte), ompd_rc_bad_input);
	ck_assert_int_eq(cb->read_memory((void *)&byte, NULL, &address, 1, &byte), ompd_rc_bad_input);
	ck_assert_int_eq(cb->read_memory(context, NULL, NULL, 1, &byte), ompd_rc_bad_input);
	ck_assert_int_eq(cb->read_memory(context, NULL, &address, 1, NULL), ompd_rc_bad_input);
	ck_assert_int_eq(cb->read_memory(context, NULL, &address, UINT64_MAX, &byte), ompd_rc_bad_input);
}
END_TEST

START_TEST(test_read_of_a_target_that_is_gone_is_remembered)
{
	ompd_address_t address = {0, ADDR};
	char byte;

	fake_target_fail(t, ERR_TARGET_EXITED);
	ck_assert_int_eq(cb->read_memory(context, NULL, &address, 1, &byte), ompd_rc_error);
	ck_assert(callbacks_have_error());
	ck_assert_err(callbacks_take_error(), ERR_TARGET_EXITED);
	ck_assert(!callbacks_have_error());
}
END_TEST

START_TEST(test_read_string_is_bounded)
{
	ompd_address_t address = {0, ADDR};
	char text[6];

	ck_assert_int_eq(cb->read_string(context, NULL, &address, sizeof(text), text), ompd_rc_ok);
	ck_assert_str_eq(text, "hello");
	ck_assert_int_eq(cb->read_string(context, NULL, &address, 0, text), ompd_rc_bad_input);
	address.address = 8;
	ck_assert_int_eq(cb->read_string(context, NULL, &address, sizeof(text), text), ompd_rc_error);
}
END_TEST

START_TEST(test_write_is_never_done)
{
	ompd_address_t address = {0, ADDR};

	ck_assert_int_eq(cb->write_memory(context, NULL, &address, 1, "x"), ompd_rc_unsupported);
}
END_TEST

START_TEST(test_convert_checks_for_overflow)
{
	uint32_t in[2] = {1, 0x80000000}, out[2] = {0};

	ck_assert_int_eq(cb->device_to_host(context, in, 4, 2, out), ompd_rc_ok);
	ck_assert_uint_eq(out[1], 0x80000000);
	ck_assert_int_eq(cb->host_to_device(context, in, 4, 1, out), ompd_rc_ok);
	ck_assert_int_eq(cb->device_to_host(context, in, UINT64_MAX, 2, out), ompd_rc_bad_input);
	ck_assert_int_eq(cb->device_to_host(context, in, 1ull << 33, 1ull << 31, out), ompd_rc_bad_input);
	ck_assert_int_eq(cb->device_to_host(context, NULL, 4, 1, out), ompd_rc_bad_input);
}
END_TEST

START_TEST(test_sizeof_is_that_of_x86_64)
{
	ompd_device_type_sizes_t sizes;

	ck_assert_int_eq(cb->sizeof_type(context, &sizes), ompd_rc_ok);
	ck_assert_uint_eq(sizes.sizeof_long, 8);
	ck_assert_uint_eq(sizes.sizeof_int, 4);
	ck_assert_int_eq(cb->sizeof_type(context, NULL), ompd_rc_bad_input);
}
END_TEST

START_TEST(test_symbol_lookup)
{
	ompd_address_t address;

	ck_assert_int_eq(cb->symbol_addr_lookup(context, NULL, "object", &address, NULL), ompd_rc_ok);
	ck_assert_uint_eq(address.address, 0x20010);
	ck_assert_int_eq(cb->symbol_addr_lookup(context, NULL, "object", &address, "libgomp.so"), ompd_rc_ok);
	ck_assert_int_eq(cb->symbol_addr_lookup(context, NULL, "object", &address, "libother"), ompd_rc_unavailable);
	ck_assert_int_eq(cb->symbol_addr_lookup(context, NULL, "missing", &address, NULL), ompd_rc_unavailable);
	ck_assert_int_eq(cb->symbol_addr_lookup(context, NULL, NULL, &address, NULL), ompd_rc_bad_input);
	ck_assert(!callbacks_have_error());
}
END_TEST

START_TEST(test_symbol_in_tls_needs_a_thread_that_has_it)
{
	ompd_address_t address;

	ck_assert_int_eq(cb->symbol_addr_lookup(context, NULL, "tls_object", &address, NULL), ompd_rc_bad_input);
	ck_assert_int_eq(cb->symbol_addr_lookup(context, thread_context(100), "tls_object", &address, NULL),
			 ompd_rc_ok);
	ck_assert_uint_eq(address.address, 0x6f10);
	ck_assert_int_eq(cb->symbol_addr_lookup(context, thread_context(101), "tls_object", &address, NULL),
			 ompd_rc_unavailable);
	ck_assert(!callbacks_have_error());
}
END_TEST

START_TEST(test_thread_context_is_the_same_for_the_same_thread)
{
	uint64_t pthread = 0x8000;
	ompd_thread_context_t *by_pthread = NULL;

	ck_assert_int_eq(
		cb->get_thread_context_for_thread_id(context, OMPD_THREAD_ID_PTHREAD, 8, &pthread, &by_pthread),
		ompd_rc_ok);
	ck_assert_ptr_eq(by_pthread, thread_context(101));
	ck_assert_ptr_ne(by_pthread, thread_context(100));
	target_view_begin(t);
	ck_assert_ptr_eq(by_pthread, thread_context(101));
}
END_TEST

START_TEST(test_thread_context_with_bad_arguments)
{
	ompd_thread_context_t *ret;
	uint64_t id = 999;

	ck_assert_int_eq(cb->get_thread_context_for_thread_id(context, OMPD_THREAD_ID_LWP, 8, &id, &ret),
			 ompd_rc_unavailable);
	ck_assert_int_eq(cb->get_thread_context_for_thread_id(context, OMPD_THREAD_ID_LWP, 3, &id, &ret),
			 ompd_rc_bad_input);
	ck_assert_int_eq(cb->get_thread_context_for_thread_id(context, OMPD_THREAD_ID_PTHREAD, 4, &id, &ret),
			 ompd_rc_bad_input);
	ck_assert_int_eq(cb->get_thread_context_for_thread_id(context, OMPD_THREAD_ID_CUDALOGICAL, 8, &id, &ret),
			 ompd_rc_unsupported);
	ck_assert_int_eq(cb->get_thread_context_for_thread_id(context, OMPD_THREAD_ID_LWP, 8, NULL, &ret),
			 ompd_rc_bad_input);
}
END_TEST

START_TEST(test_thread_context_that_is_none_or_gone)
{
	ompd_thread_context_t *gone = thread_context(100);
	ompd_address_t address;
	char junk[64];

	ck_assert_int_eq(cb->symbol_addr_lookup(context, (ompd_thread_context_t *)junk, "tls_object", &address, NULL),
			 ompd_rc_unavailable);
	ck_assert_int_eq(cb->symbol_addr_lookup(context, (ompd_thread_context_t *)((char *)gone + 1), "tls_object",
						&address, NULL),
			 ompd_rc_unavailable);
	fake_target_remove_thread(t, 100);
	target_view_begin(t);
	ck_assert_int_eq(cb->symbol_addr_lookup(context, gone, "tls_object", &address, NULL), ompd_rc_unavailable);
}
END_TEST

START_TEST(test_thread_contexts_end_with_their_target)
{
	/* The slots of these thread numbers in the table are the same. */
	static const pid_t tids[] = {100, 100 + 2 * TARGET_MAX_THREADS, 100 + 4 * TARGET_MAX_THREADS};
	ompd_thread_context_t *contexts[3];
	ompd_address_t address;

	for (int i = 1; i < 3; i++)
		fake_target_add_thread(t, tids[i], 0x9000u + 0x1000u * (uint64_t)i, "c");
	target_view_begin(t);
	for (int i = 0; i < 3; i++)
		contexts[i] = thread_context(tids[i]);
	callbacks_set_target(NULL);
	callbacks_set_target(t);
	context = callbacks_context(0);
	ck_assert_int_eq(cb->symbol_addr_lookup(context, contexts[0], "tls_object", &address, NULL),
			 ompd_rc_unavailable);
	for (int i = 2; i >= 0; i--) {
		contexts[i] = thread_context(tids[i]);
		for (int k = i + 1; k < 3; k++)
			ck_assert_ptr_ne(contexts[i], contexts[k]);
	}
	for (int i = 0; i < 3; i++)
		ck_assert_ptr_eq(thread_context(tids[i]), contexts[i]);
	ck_assert_int_eq(cb->symbol_addr_lookup(context, contexts[0], "tls_object", &address, NULL), ompd_rc_ok);
}
END_TEST

START_TEST(test_print_keeps_the_last_line)
{
	ck_assert_int_eq(cb->print_string(NULL, 0), ompd_rc_bad_input);
	callbacks_clear_message();
	ck_assert_int_eq(cb->print_string("why not\n", 0), ompd_rc_ok);
	ck_assert_str_eq(callbacks_message(), "why not");
}
END_TEST

START_TEST(test_strlen_does_not_leave_the_block)
{
	void *p;

	ck_assert_int_eq(cb->alloc_memory(4, &p), ompd_rc_ok);
	memcpy(p, "abcd", 4);
	ck_assert_uint_eq(callbacks_strlen(p, 100), SIZE_MAX);
	memcpy(p, "abc", 4);
	ck_assert_uint_eq(callbacks_strlen(p, 100), 3);
	ck_assert_uint_eq(callbacks_strlen("constant", 100), 8);
	ck_assert_uint_eq(callbacks_strlen("constant", 4), SIZE_MAX);
	ck_assert_uint_eq(callbacks_strlen(NULL, 4), SIZE_MAX);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("callbacks");
	TCase *c = tcase_create("callbacks");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, test_alloc_without_a_place_for_the_pointer);
	tcase_add_test(c, test_read_is_whole_or_fails);
	tcase_add_test(c, test_read_with_bad_arguments);
	tcase_add_test(c, test_read_of_a_target_that_is_gone_is_remembered);
	tcase_add_test(c, test_read_string_is_bounded);
	tcase_add_test(c, test_write_is_never_done);
	tcase_add_test(c, test_convert_checks_for_overflow);
	tcase_add_test(c, test_sizeof_is_that_of_x86_64);
	tcase_add_test(c, test_symbol_lookup);
	tcase_add_test(c, test_symbol_in_tls_needs_a_thread_that_has_it);
	tcase_add_test(c, test_thread_context_is_the_same_for_the_same_thread);
	tcase_add_test(c, test_thread_context_with_bad_arguments);
	tcase_add_test(c, test_thread_context_that_is_none_or_gone);
	tcase_add_test(c, test_thread_contexts_end_with_their_target);
	tcase_add_test(c, test_print_keeps_the_last_line);
	tcase_add_test(c, test_strlen_does_not_leave_the_block);
	suite_add_tcase(s, c);
	return check_main(s);
}
