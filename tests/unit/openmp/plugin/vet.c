/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/plugin/vet, in a folder that only its owner can write, like all its parents. */
#include "check_main.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "openmp/plugin/vet.h"

static char dir[PATH_MAX];
static char lib[PATH_MAX + 32];
static struct vet_dirs allowed;

/* A folder outside /tmp: below the test program's folder, or below /run. */
static bool setup_dir(const char *base)
{
	snprintf(dir, sizeof(dir), "%s/vetXXXXXX", base);
	if (!mkdtemp(dir))
		return false;
	snprintf(lib, sizeof(lib), "%s/libompd.so", dir);
	int fd = open(lib, O_CREAT | O_WRONLY, 0644);

	ck_assert_int_ge(fd, 0);
	close(fd);
	chmod(lib, 0644);
	vet_default_dirs(&allowed);
	allowed.dirs[allowed.n++] = dir;
	return true;
}

static void setup(void)
{
	const char *home = getenv("XDG_RUNTIME_DIR");

	umask(022);
	if (geteuid() == 0 && setup_dir("/run"))
		return;
	if (home && setup_dir(home))
		return;
	home = getenv("HOME");
	ck_assert(home && setup_dir(home));
}

static void teardown(void)
{
	char command[PATH_MAX + 16];

	chmod(dir, 0755);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ck_assert_int_eq(system(command), 0);
}

static void assert_refused(const char *path, const char *component, const char *reason)
{
	char *canonical;
	int fd;
	struct error *err = vet_path(path, &allowed, &fd, &canonical);

	ck_assert_msg(error_is(err, ERR_PLUGIN_UNTRUSTED), "%s: %s", path, err ? err->message : "ok");
	bool component_seen = !component, reason_seen = false, path_seen = false;

	for (int i = 0; i < err->n_details; i++) {
		const struct error_detail *d = &err->details[i];

		if (strcmp(d->key, "component") == 0 && component)
			component_seen = strcmp(d->value, component) == 0;
		if (strcmp(d->key, "reason") == 0)
			reason_seen = strstr(d->value, reason) != NULL;
		if (strcmp(d->key, "path") == 0)
			path_seen = true;
	}
	ck_assert_msg(component_seen && reason_seen && path_seen, "%s", err->message);
	/* The hint helps for a directory that is not allowed yet, and only there. */
	bool is_place = strstr(reason, "allowed") != NULL;
	ck_assert_msg(!strstr(error_hint_text(err), "--plugin-dir") == !is_place, "%s", error_hint_text(err));
	ck_assert_ptr_nonnull(strstr(error_hint_text(err), "--libompd"));
	error_destroy(err);
}

START_TEST(test_good_file_is_opened)
{
	char *canonical;
	struct stat a, b;
	int fd;

	ck_assert_no_err(vet_path(lib, &allowed, &fd, &canonical));
	ck_assert_str_eq(canonical, lib);
	fstat(fd, &a);
	stat(lib, &b);
	ck_assert_uint_eq(a.st_ino, b.st_ino);
	close(fd);
	free(canonical);
}
END_TEST

START_TEST(test_bare_name_is_searched_in_allowed_dirs)
{
	char *canonical;
	int fd;

	ck_assert_no_err(vet_path("libompd.so", &allowed, &fd, &canonical));
	close(fd);
	free(canonical);
	ck_assert_err(vet_path("libompd_other.so", &allowed, &fd, &canonical), ERR_PLUGIN_NOT_FOUND);
}
END_TEST

START_TEST(test_beside_a_runtime_of_roots)
{
	char runtime[PATH_MAX + 32], command[6 * PATH_MAX], *canonical;
	int fd;

	snprintf(runtime, sizeof(runtime), "%s/libomp.so", dir);
	snprintf(command, sizeof(command), "cp %s %s && mkdir %s/sub && cp %s %s/sub", lib, runtime, dir, lib, dir);
	ck_assert_int_eq(system(command), 0);
	vet_default_dirs(&allowed);
	assert_refused(lib, NULL, "not below an allowed directory");
	allowed.runtime = runtime;
	if (geteuid() != 0) {
		assert_refused(lib, NULL, "not below an allowed directory");
		return;
	}
	ck_assert_no_err(vet_path(lib, &allowed, &fd, &canonical));
	close(fd);
	free(canonical);
	snprintf(command, sizeof(command), "%s/sub/libompd.so", dir);
	assert_refused(command, NULL, "not below an allowed directory");
	/* This owner is trusted below an allowed directory, but not elsewhere. */
	ck_assert_int_eq(chown(runtime, 1, 1), 0);
	assert_refused(lib, NULL, "not below an allowed directory");
	ck_assert_int_eq(chown(runtime, 0, 0), 0);
	chmod(dir, 0777);
	assert_refused(lib, NULL, "not below an allowed directory");
}
END_TEST

START_TEST(test_names_of_other_things_are_refused)
{
	assert_refused("/etc/passwd", "passwd", "not a name");
	assert_refused("libc.so.6", "libc.so.6", "not a name");
	assert_refused("", "", "not a name");
	assert_refused("./libompd.so", "./libompd.so", "neither absolute");
	assert_refused("../libompd.so", "../libompd.so", "neither absolute");
	ck_assert(vet_name_is_plausible("libompd.so"));
	ck_assert(vet_name_is_plausible("libgompd.so.1"));
	ck_assert(vet_name_is_plausible("libompd-19.so.5.0"));
	ck_assert(!vet_name_is_plausible("libompd"));
	ck_assert(!vet_name_is_plausible("libompd.so.x"));
	ck_assert(!vet_name_is_plausible("libompd.so."));
	ck_assert(!vet_name_is_plausible("libompd;rm.so"));
	ck_assert(!vet_name_is_plausible("xlibompd.so"));
	ck_assert(!vet_name_is_plausible("libxyompd.so"));
	ck_assert(!vet_name_is_plausible("lib/ompd.so"));
}
END_TEST

START_TEST(test_directory_that_is_not_allowed)
{
	allowed.n--;
	assert_refused(lib, lib, "allowed directory");
}
END_TEST

START_TEST(test_prefix_of_a_name_is_no_directory)
{
	char prefix[PATH_MAX];

	/* /run/vetABCDE allows nothing in /run/vetABCDEF */
	snprintf(prefix, sizeof(prefix), "%s", dir);
	prefix[strlen(prefix) - 1] = '\0';
	allowed.dirs[allowed.n - 1] = prefix;
	assert_refused(lib, lib, "allowed directory");
}
END_TEST

START_TEST(test_file_that_others_can_write)
{
	chmod(lib, 0664);
	assert_refused(lib, lib, "writable");
	chmod(lib, 0646);
	assert_refused(lib, lib, "writable");
}
END_TEST

START_TEST(test_parent_that_others_can_write)
{
	chmod(dir, 0777);
	assert_refused(lib, dir, "writable");
	chmod(dir, 01777);
	assert_refused(lib, dir, "writable");
	chmod(dir, 0775);
	assert_refused(lib, dir, "writable");
}
END_TEST

START_TEST(test_grandparent_that_others_can_write)
{
	char sub[PATH_MAX + 16], inner[PATH_MAX + 32];

	snprintf(sub, sizeof(sub), "%s/sub", dir);
	snprintf(inner, sizeof(inner), "%s/libompd.so", sub);
	ck_assert_int_eq(mkdir(sub, 0755), 0);
	ck_assert_int_eq(rename(lib, inner), 0);
	chmod(dir, 0777);
	assert_refused(inner, dir, "writable");
}
END_TEST

START_TEST(test_not_a_regular_file)
{
	unlink(lib);
	ck_assert_int_eq(mkfifo(lib, 0644), 0);
	assert_refused(lib, lib, "regular");
	unlink(lib);
	ck_assert_int_eq(mkdir(lib, 0755), 0);
	assert_refused(lib, lib, "regular");
}
END_TEST

START_TEST(test_symlink_is_judged_by_where_it_leads)
{
	unlink(lib);
	ck_assert_int_eq(symlink("/etc/passwd", lib), 0);
	assert_refused(lib, "/etc/passwd", "not a name");
}
END_TEST

START_TEST(test_owner_is_neither_root_nor_us)
{
	if (geteuid() != 0)
		CHECK_SKIP("needs root, who can give a file away");
	ck_assert_int_eq(chown(lib, 65534, 65534), 0);
	assert_refused(lib, lib, "belongs");
	ck_assert_int_eq(chown(lib, 0, 0), 0);
	ck_assert_int_eq(chown(dir, 65534, 65534), 0);
	assert_refused(lib, dir, "belongs");
}
END_TEST

START_TEST(test_missing_file)
{
	char *canonical;
	int fd;

	unlink(lib);
	ck_assert_err(vet_path(lib, &allowed, &fd, &canonical), ERR_PLUGIN_NOT_FOUND);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("vet");
	TCase *t = tcase_create("vet_path");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, test_good_file_is_opened);
	tcase_add_test(t, test_bare_name_is_searched_in_allowed_dirs);
	tcase_add_test(t, test_beside_a_runtime_of_roots);
	tcase_add_test(t, test_names_of_other_things_are_refused);
	tcase_add_test(t, test_directory_that_is_not_allowed);
	tcase_add_test(t, test_prefix_of_a_name_is_no_directory);
	tcase_add_test(t, test_file_that_others_can_write);
	tcase_add_test(t, test_parent_that_others_can_write);
	tcase_add_test(t, test_grandparent_that_others_can_write);
	tcase_add_test(t, test_not_a_regular_file);
	tcase_add_test(t, test_symlink_is_judged_by_where_it_leads);
	tcase_add_test(t, test_owner_is_neither_root_nor_us);
	tcase_add_test(t, test_missing_file);
	suite_add_tcase(s, t);
	return check_main(s);
}
