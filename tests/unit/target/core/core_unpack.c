/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/core/core_unpack: unpacking restores the content, holes stay holes, and all limits hold. */
#include "target/core/core_unpack.h"

#include <fcntl.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "scratch.h"

#define SIZE (3u << 20)

static unsigned char *original, *packed;
static size_t packed_len;
static int in = -1, out = -1;
static bool cut;

static void setup(void)
{
	scratch_setup();
	setenv("TMPDIR", scratch, 1);
	original = calloc(1, SIZE);
	packed = malloc(2 * SIZE);
	/* A page at the start, and incompressible bytes at the end, across pages; a hole between them. */
	memset(original, 'x', 4096);
	uint32_t seed = 1;
	for (size_t i = SIZE - 200001; i < SIZE - 1; i++)
		original[i] = (unsigned char)((seed = seed * 1664525 + 1013904223) >> 24);
}

static void teardown(void)
{
	close(in);
	close(out);
	free(original);
	free(packed);
	scratch_teardown();
}

static void pack_gzip(const void *data, size_t len)
{
	z_stream z = {.next_in = (Bytef *)data, .avail_in = (uInt)len};

	z.next_out = packed + packed_len;
	z.avail_out = (uInt)(2 * SIZE - packed_len);
	ck_assert_int_eq(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	packed_len += z.total_out;
	deflateEnd(&z);
}

static void pack_zstd(const void *data, size_t len)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();

	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	size_t n = ZSTD_compress2(context, packed + packed_len, 2 * SIZE - packed_len, data, len);
	ck_assert(!ZSTD_isError(n));
	packed_len += n;
	ZSTD_freeCCtx(context);
}

static void (*const packers[])(const void *, size_t) = {pack_gzip, pack_zstd};

static struct error *unpack(uint64_t space)
{
	if (in >= 0)
		close(in);
	in = open(scratch_path("core"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ck_assert_int_ge(in, 0);
	ck_assert_int_eq(write(in, packed, packed_len), packed_len);
	lseek(in, 0, SEEK_SET);
	out = 4711;
	return core_unpack(in, "core", space, &out, &cut);
}

/* The unpacked file is the first @len bytes of the original. */
static void assert_unpacked(size_t len)
{
	unsigned char *bytes = malloc(len + 1);

	ck_assert_int_ge(out, 0);
	ck_assert_int_eq(pread(out, bytes, len + 1, 0), len);
	ck_assert(!memcmp(bytes, original, len));
	free(bytes);
}

START_TEST(test_it_is_what_it_was_and_holes_take_no_room)
{
	struct stat st;

	packers[_i](original, SIZE);
	ck_assert_no_err(unpack(CORE_SPACE));
	ck_assert(!cut);
	assert_unpacked(SIZE);
	ck_assert_int_eq(fstat(out, &st), 0);
	ck_assert_int_eq(st.st_nlink, 0);
	ck_assert_int_lt(st.st_blocks * 512, SIZE / 2);
}
END_TEST

START_TEST(test_zeroes_at_the_end_count)
{
	packers[_i](original, SIZE / 2);
	ck_assert_no_err(unpack(CORE_SPACE));
	assert_unpacked(SIZE / 2);
}
END_TEST

START_TEST(test_members_follow_each_other)
{
	packers[_i](original, 1000);
	packers[_i](original + 1000, SIZE - 1000);
	ck_assert_no_err(unpack(CORE_SPACE));
	ck_assert(!cut);
	assert_unpacked(SIZE);
}
END_TEST

START_TEST(test_an_early_end_is_said)
{
	packers[_i](original, SIZE);
	packed_len -= 100000;
	ck_assert_no_err(unpack(CORE_SPACE));
	ck_assert(cut);
	struct stat st;
	ck_assert_int_eq(fstat(out, &st), 0);
	ck_assert_int_gt(st.st_size, 4096);
	ck_assert_int_lt(st.st_size, SIZE);
	assert_unpacked((size_t)st.st_size);
}
END_TEST

START_TEST(test_damage_is_an_error)
{
	packers[_i](original, SIZE);
	memset(packed + packed_len / 2, 0xff, 1000);
	ck_assert_err(unpack(CORE_SPACE), ERR_CORE_DAMAGED);
	ck_assert_int_eq(out, -1);
}
END_TEST

START_TEST(test_room_is_bounded_by_what_is_no_hole)
{
	/* The first page, and the pages that contain the last bytes. */
	uint64_t needed = 4096 + (SIZE - (SIZE - 200001) / 4096 * 4096);

	packers[_i](original, SIZE);
	ck_assert_err(unpack(needed - 1), ERR_CORE_TOO_LARGE);
	ck_assert_int_eq(out, -1);
	ck_assert_no_err(unpack(needed));
	assert_unpacked(SIZE);
}
END_TEST

START_TEST(test_padding_behind_gzip_is_no_data)
{
	pack_gzip(original, SIZE);
	memset(packed + packed_len, 0, 512);
	packed_len += 512;
	ck_assert_no_err(unpack(CORE_SPACE));
	ck_assert(!cut);
	assert_unpacked(SIZE);
}
END_TEST

static const struct {
	const char *bytes;
	size_t len;
	bool is_packed;
} others[] = {
	{"\177ELF\2\1\1", 7, false},  {"", 0, false},
	{"\x1f\x8b", 2, false},	      {"BZh91AY&SY", 10, true},
	{"\xfd\x37zXZ\0\0", 7, true}, {"\x04\"M\x18@p", 6, true},
};

START_TEST(test_other_files_are_left_or_named)
{
	memcpy(packed, others[_i].bytes, others[_i].len);
	packed_len = others[_i].len;
	if (others[_i].is_packed)
		ck_assert_err(unpack(CORE_SPACE), ERR_CORE_NOT_A_CORE);
	else
		ck_assert_no_err(unpack(CORE_SPACE));
	ck_assert_int_eq(out, -1);
}
END_TEST

START_TEST(test_a_folder_that_is_not_there)
{
	setenv("TMPDIR", "/nonexistent", 1);
	pack_gzip(original, 4096);
	ck_assert_err(unpack(CORE_SPACE), ERR_CORE_TOO_LARGE);
	/* A path that depends on the current directory is refused. */
	setenv("TMPDIR", "nonexistent", 1);
	ck_assert_no_err(unpack(CORE_SPACE));
	assert_unpacked(4096);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_core_unpack");
	TCase *tc = tcase_create("core_unpack");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_it_is_what_it_was_and_holes_take_no_room, 0, 2);
	tcase_add_loop_test(tc, test_zeroes_at_the_end_count, 0, 2);
	tcase_add_loop_test(tc, test_members_follow_each_other, 0, 2);
	tcase_add_loop_test(tc, test_an_early_end_is_said, 0, 2);
	tcase_add_loop_test(tc, test_damage_is_an_error, 0, 2);
	tcase_add_loop_test(tc, test_room_is_bounded_by_what_is_no_hole, 0, 2);
	tcase_add_test(tc, test_padding_behind_gzip_is_no_data);
	tcase_add_loop_test(tc, test_other_files_are_left_or_named, 0, sizeof(others) / sizeof(others[0]));
	tcase_add_test(tc, test_a_folder_that_is_not_there);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
