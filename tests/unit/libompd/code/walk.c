/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The symbolic execution of x86-64 code, on accessors in the forms that compilers and linkers produce. */
#include <elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "callbacks.h"
#include "check_main.h"
#include "code/walk.h"
#include "self_target.h"

static struct code_walk walk;

static void setup(void)
{
	self_target_reset();
	ck_assert(decode_use(EM_X86_64));
	ck_assert_int_eq(ompd_initialize(202111, self_target_callbacks()), ompd_rc_ok);
}

static void teardown(void)
{
	ompd_finalize();
}

/* Walk @code in place, so that its relative addresses are valid. */
static void run(const uint8_t *code, size_t size, enum code_mode mode)
{
	code_walk_init(&walk, self_target_context());
	code_walk_run(&walk, code, size, (ompd_addr_t)(uintptr_t)code, mode);
}

static const struct code_value *result(size_t n)
{
	for (size_t i = 0; i < walk.count; i++)
		if (walk.events[i].kind == CODE_RETURN && !n--)
			return &walk.events[i].value;
	ck_abort_msg("no such result");
	return NULL;
}

START_TEST(test_code_find_use)
{
	/*
	 * lea 0x100(%rip),%rdi, as in code that fills a table; also with other registers and after
	 * other bytes
	 */
	uint8_t code[64];
	const ompd_addr_t at = 0x10000;
	const uint8_t lea[] = {0x48, 0x8d, 0x3d, 0, 1, 0, 0}, r9[] = {0x4c, 0x8d, 0x0d, 0, 1, 0, 0};

	for (size_t i = 0; i + sizeof(lea) <= sizeof(code); i++) {
		memset(code, 0x8d, sizeof(code));
		memcpy(code + i, i % 2 ? lea : r9, sizeof(lea));
		ck_assert_uint_eq(decode_find_use(code, sizeof(code), at, at + i + sizeof(lea) + 0x100), i);
		ck_assert_uint_eq(decode_find_use(code, sizeof(code), at, at + i + sizeof(lea) + 0x101), SIZE_MAX);
		/* the last byte is missing */
		ck_assert_uint_eq(decode_find_use(code, i + sizeof(lea) - 1, at, at + i + sizeof(lea) + 0x100),
				  SIZE_MAX);
	}
	memcpy(code, lea, sizeof(lea));
	code[0] = 0x66; /* not a 64-bit register */
	ck_assert_uint_eq(decode_find_use(code, sizeof(lea), at, at + sizeof(lea) + 0x100), SIZE_MAX);
	ck_assert_uint_eq(decode_find_use(code, 0, at, at), SIZE_MAX);
}
END_TEST

/* The linker's form of initial-exec TLS in a static executable. */
START_TEST(test_code_walk_tls_offset_as_immediate)
{
	static const uint8_t code[] = {
		0x48, 0xc7, 0xc0, 0x70, 0xff, 0xff, 0xff, /* mov $-0x90,%rax */
		0x64, 0x8b, 0x40, 0x28,			  /* mov %fs:0x28(%rax),%eax */
		0xc3,
	};

	run(code, sizeof(code), CODE_ALL_PATHS);
	ck_assert(walk.has_tls_base && !walk.tls_base_conflict);
	ck_assert_int_eq(walk.tls_base, -0x90);
	ck_assert_int_eq(result(0)->root, CODE_TLS);
	ck_assert_int_eq(result(0)->loads, 1);
	ck_assert_int_eq(result(0)->width, 4);
	ck_assert_int_eq(result(0)->offset[0], -0x68);
}
END_TEST

START_TEST(test_code_walk_tls_offset_from_the_got)
{
	static struct {
		uint8_t code[16];
		int64_t got;
	} __attribute__((packed)) image = {
		.code =
			{
				0x48,
				0x8b,
				0x05,
				0x09,
				0,
				0,
				0, /* mov 9(%rip),%rax: image.got */
				0x64,
				0x48,
				0x8b,
				0x40,
				0x10, /* mov %fs:0x10(%rax),%rax */
				0x8b,
				0x40,
				0x04, /* mov 4(%rax),%eax */
				0xc3,
			},
		.got = -144,
	};

	run(image.code, sizeof(image.code), CODE_ALL_PATHS);
	ck_assert_int_eq(walk.tls_base, -144);
	ck_assert_int_eq(result(0)->root, CODE_TLS);
	ck_assert_int_eq(result(0)->loads, 2);
	ck_assert_int_eq(result(0)->offset[0], -128);
	ck_assert_int_eq(result(0)->offset[1], 4);
	ck_assert_int_eq(result(0)->offset[2], 0);
}
END_TEST

/* clang's form: first the address of the record, then plain accesses. */
START_TEST(test_code_walk_thread_pointer_plus_offset)
{
	static const uint8_t code[] = {
		0x64, 0x48, 0x8b, 0x04, 0x25, 0,    0,	  0, 0, /* mov %fs:0,%rax */
		0x48, 0x8d, 0x80, 0x80, 0xff, 0xff, 0xff,	/* lea -0x80(%rax),%rax */
		0x48, 0x8b, 0x40, 0x20,				/* mov 0x20(%rax),%rax */
		0x0f, 0xb6, 0x40, 0x03,				/* movzbl 3(%rax),%eax */
		0xc3,
	};

	run(code, sizeof(code), CODE_ALL_PATHS);
	ck_assert_int_eq(result(0)->root, CODE_TLS);
	ck_assert_int_eq(result(0)->loads, 2);
	ck_assert_int_eq(result(0)->width, 1);
	ck_assert_int_eq(result(0)->offset[0], -0x60);
	ck_assert_int_eq(result(0)->offset[1], 3);
}
END_TEST

START_TEST(test_code_walk_follows_both_sides)
{
	static const uint8_t code[] = {
		0x85, 0xff,		   /* test %edi,%edi */
		0x74, 0x06,		   /* je +6 */
		0xb8, 0x01, 0,	  0, 0,	   /* mov $1,%eax */
		0xc3, 0xb8, 0x02, 0, 0, 0, /* mov $2,%eax */
		0xc3,
	};

	run(code, sizeof(code), CODE_ALL_PATHS);
	ck_assert_int_eq(result(0)->offset[0], 1);
	ck_assert_int_eq(result(1)->offset[0], 2);
}
END_TEST

/* After a conditional move, both values are possible. */
START_TEST(test_code_walk_conditional_move_is_a_fork)
{
	static const uint8_t code[] = {
		0xb8, 0x01, 0,	  0, 0, /* mov $1,%eax */
		0xba, 0x02, 0,	  0, 0, /* mov $2,%edx */
		0x0f, 0x44, 0xc2,	/* cmove %edx,%eax */
		0xc3,
	};

	run(code, sizeof(code), CODE_ALL_PATHS);
	ck_assert_int_eq(result(0)->offset[0] + result(1)->offset[0], 3);
}
END_TEST

/* A call clears the registers that it may change. */
START_TEST(test_code_walk_call_forgets)
{
	static const uint8_t code[] = {
		0xbf, 0x07, 0, 0, 0, /* mov $7,%edi */
		0xb8, 0x01, 0, 0, 0, /* mov $1,%eax */
		0xbb, 0x05, 0, 0, 0, /* mov $5,%ebx */
		0xe8, 0x10, 0, 0, 0, /* call */
		0xc3,
	};

	run(code, sizeof(code), CODE_ALL_PATHS);
	ck_assert_int_eq(walk.events[0].kind, CODE_CALL);
	ck_assert_int_eq(walk.events[0].arg[0].offset[0], 7);
	ck_assert_uint_eq(walk.events[0].target, (ompd_addr_t)(uintptr_t)code + 20 + 0x10);
	ck_assert_int_eq(result(0)->root, CODE_UNKNOWN);
}
END_TEST

/*
 * Some linkers keep a slot of the GOT that other linkers would replace: it is constant and holds an
 * address of the same file. Other words there are loads.
 */
START_TEST(test_code_walk_address_from_the_got)
{
	static struct {
		uint8_t code[16];
		uint64_t slot;
		uint32_t variable;
	} __attribute__((packed)) file = {
		.code = {0x48, 0x8b, 0x05, 0x09, 0, 0, 0, /* mov 9(%rip),%rax: file.slot */
			 0x8b, 0x00,			  /* mov (%rax),%eax */
			 0xc3},
	};
	ompd_addr_t start = (uintptr_t)&file, slot = start + offsetof(typeof(file), slot);
	struct image image = {.n = 1, .segments = {{.start = start, .end = start + sizeof(file)}}};

	for (unsigned relro = 0; relro < 2; relro++) {
		for (unsigned inside = 0; inside < 2; inside++) {
			file.slot = inside ? slot + sizeof(file.slot) : start + sizeof(file);
			image.relro_start = relro ? slot : 0;
			image.relro_end = relro ? slot + sizeof(file.slot) : 0;
			teardown(); /* values may be cached from the first walk */
			setup();
			code_walk_init(&walk, self_target_context());
			walk.image = &image;
			code_walk_run(&walk, file.code, sizeof(file.code), start, CODE_ALL_PATHS);
			ck_assert_int_eq(result(0)->root, CODE_FIXED);
			ck_assert_int_eq(result(0)->loads, (relro && inside ? 1 : 2));
			ck_assert_uint_eq((uint64_t)result(0)->offset[0], (relro && inside ? file.slot : slot));
		}
	}
}
END_TEST

START_TEST(test_code_walk_ends)
{
	static const uint8_t self_loop[] = {0xeb, 0xfe};
	static const uint8_t two_loops[] = {0x74, 0xfe, 0x75, 0xfc, 0xeb, 0xfa};
	static const uint8_t not_code[] = {0x06, 0x06, 0xff, 0xff};
	static const uint8_t cut[] = {0x48, 0x8b};
	uint8_t jumps[512];

	run(self_loop, sizeof(self_loop), CODE_ALL_PATHS);
	run(self_loop, sizeof(self_loop), CODE_LINEAR);
	run(two_loops, sizeof(two_loops), CODE_ALL_PATHS);
	run(two_loops, sizeof(two_loops), CODE_ONCE);
	run(not_code, sizeof(not_code), CODE_ALL_PATHS);
	ck_assert_uint_eq(walk.count, 0);
	run(cut, sizeof(cut), CODE_LINEAR);
	ck_assert_uint_eq(walk.count, 0);
	run(cut, 0, CODE_ALL_PATHS);
	for (size_t i = 0; i < sizeof(jumps); i += 2) { /* jumps at every instruction */
		jumps[i] = (uint8_t)(0x70 + i % 16);
		jumps[i + 1] = (uint8_t)(i * 7);
	}
	run(jumps, sizeof(jumps), CODE_ALL_PATHS);
}
END_TEST

/* Half of a pointer is not a pointer. */
START_TEST(test_code_walk_truncation_is_unknown)
{
	static const uint8_t code[] = {
		0x64, 0x48, 0x8b, 0x04, 0x25, 0x10, 0, 0, 0, /* mov %fs:0x10,%rax */
		0x89, 0xc0,				     /* mov %eax,%eax */
		0xc3,
	};

	run(code, sizeof(code), CODE_ALL_PATHS);
	ck_assert_int_eq(result(0)->root, CODE_UNKNOWN);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("code_walk");
	TCase *tcase = tcase_create("run");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_code_find_use);
	tcase_add_test(tcase, test_code_walk_tls_offset_as_immediate);
	tcase_add_test(tcase, test_code_walk_tls_offset_from_the_got);
	tcase_add_test(tcase, test_code_walk_thread_pointer_plus_offset);
	tcase_add_test(tcase, test_code_walk_follows_both_sides);
	tcase_add_test(tcase, test_code_walk_conditional_move_is_a_fork);
	tcase_add_test(tcase, test_code_walk_call_forgets);
	tcase_add_test(tcase, test_code_walk_address_from_the_got);
	tcase_add_test(tcase, test_code_walk_ends);
	tcase_add_test(tcase, test_code_walk_truncation_is_unknown);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
