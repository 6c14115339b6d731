/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Vets a library path that comes from target memory. The file is opened first, and all checks use the open file. The
 * caller loads it through that descriptor.
 */
#include "openmp/plugin/vet.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/path.h"

static const char *const default_dirs[] = {
	"/usr/lib",
	"/usr/lib64",
	"/usr/local/lib",
	"/usr/local/lib64",
	"/lib",
	"/lib64",
	"/usr/lib/" OMPDD_MULTIARCH,
	"/usr/local/lib/" OMPDD_MULTIARCH,
	"/lib/" OMPDD_MULTIARCH,
};

void vet_default_dirs(struct vet_dirs *ret)
{
	ret->n = 0;
	ret->runtime = NULL;
	for (size_t i = 0; i < sizeof(default_dirs) / sizeof(default_dirs[0]); i++)
		ret->dirs[ret->n++] = default_dirs[i];
}

bool vet_name_is_plausible(const char *name)
{
	const char *ompd = strstr(name, "ompd");

	/* The vendor may have added one letter. */
	if (strncmp(name, "lib", 3) != 0 || !ompd || ompd > name + 4 ||
	    (ompd > name + 3 && !islower((unsigned char)name[3])))
		return false;
	name = ompd + strlen("ompd");

	for (const char *p = name; *p; p++)
		if (!isascii(*p) || (!isalnum((unsigned char)*p) && !strchr("_.+-", *p)))
			return false;

	/* Only groups of ".digits" may follow the last ".so". */
	const char *so = NULL;

	for (const char *p = strstr(name, ".so"); p; p = strstr(p + 1, ".so"))
		so = p;
	if (!so)
		return false;
	for (so += 3; *so == '.';) {
		if (!isdigit((unsigned char)*++so))
			return false;
		while (isdigit((unsigned char)*so))
			so++;
	}
	return *so == '\0';
}

struct error *vet_untrusted(const char *path, const char *component, const char *reason)
{
	struct error *err = error_create(ERR_PLUGIN_UNTRUSTED, "the target names the OMPD library %s, but %s %s", path,
					 component, reason);

	error_detail(err, "path", "%s", path);
	error_detail(err, "component", "%s", component);
	error_detail(err, "reason", "%s", reason);
	return error_hint(err, "name the library to load with --libompd PATH");
}

/* An unsafe path stays refused even if its directory was given with --plugin-dir. */
static struct error *report_unsafe(const char *path, const char *component, const char *reason)
{
	return error_hint(vet_untrusted(path, component, reason),
			  "let %s belong to root or to ompdd's user, and let no other user write to it (chown, chmod "
			  "go-w), or name the library with --libompd PATH",
			  component);
}

/* @canonical is a file in a directory that is not allowed. */
static struct error *report_not_allowed(const char *path, const char *canonical)
{
	const char *slash = strrchr(canonical, '/');

	return error_hint(vet_untrusted(path, canonical, "is not below an allowed directory"),
			  "allow its directory with --plugin-dir %.*s, or name the library with --libompd %s",
			  slash > canonical ? (int)(slash - canonical) : 1, canonical, canonical);
}

static struct error *report_not_found(const char *path)
{
	return error_create(ERR_PLUGIN_NOT_FOUND, "the target names the OMPD library %s, which does not exist", path);
}

static bool is_trusted_owner(const struct stat *st)
{
	return st->st_uid == 0 || st->st_uid == geteuid();
}

static bool is_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	while (len > 1 && dir[len - 1] == '/')
		len--;
	if (len == 1 && dir[0] == '/')
		return true;
	return strncmp(path, dir, len) == 0 && path[len] == '/';
}

static bool is_in_dirs(const char *canonical, const struct vet_dirs *dirs)
{
	for (size_t i = 0; i < dirs->n; i++) {
		_cleanup_free_ char *real = realpath(dirs->dirs[i], NULL);

		if (real && is_below(canonical, real))
			return true;
	}
	return false;
}

static bool is_roots(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && st.st_uid == 0 && !S_ISLNK(st.st_mode) && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/*
 * Return whether @canonical and @runtime are files of one directory. They and all directories above them must be under
 * the control of root alone.
 */
static bool is_roots_beside(const char *canonical, const char *runtime)
{
	_cleanup_free_ char *real = runtime ? realpath(runtime, NULL) : NULL;
	_cleanup_free_ char *dir = strdup(canonical);
	char *slash = real ? strrchr(real, '/') : NULL;

	if (!slash || !dir || !is_roots(real) || !is_roots(canonical))
		return false;
	size_t len = (size_t)(slash - real) + 1;

	if (strncmp(canonical, real, len) != 0 || strchr(canonical + len, '/'))
		return false;
	for (slash = strrchr(dir, '/'); slash; slash = strrchr(dir, '/')) {
		*slash = '\0';
		if (!is_roots(*dir ? dir : "/"))
			return false;
	}
	return true;
}

/* Check the open file: a regular file of a trusted owner, not writable by others. */
static struct error *check_file(const char *path, int fd, const struct stat *st)
{
	char link[64], opened[PATH_MAX];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t len = readlink(link, opened, sizeof(opened) - 1);

	if (len < 0)
		return error_create_errno(errno, "readlink %s", link);
	opened[len] = '\0';
	if (strcmp(opened, path) != 0)
		return vet_untrusted(path, path, "was replaced while it was checked");
	if (!S_ISREG(st->st_mode))
		return vet_untrusted(path, path, "is not a regular file");
	if (!is_trusted_owner(st))
		return report_unsafe(path, path, "belongs neither to root nor to the user of ompdd");
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return report_unsafe(path, path, "is writable by its group or by others");
	return NULL;
}

/* Check every directory above the file: a user who may rename entries there can replace the file. */
static struct error *check_parents(const char *named, const char *path)
{
	_cleanup_free_ char *dir = strdup(path);

	if (!dir)
		return &error_nomem;
	for (char *slash = strrchr(dir, '/'); slash; slash = strrchr(dir, '/')) {
		struct stat st;

		*slash = '\0';
		const char *name = *dir ? dir : "/";

		if (lstat(name, &st) < 0)
			return vet_untrusted(named, name, "cannot be examined");
		if (!S_ISDIR(st.st_mode))
			return vet_untrusted(named, name, "is not a directory");
		if (!is_trusted_owner(&st))
			return report_unsafe(named, name, "belongs neither to root nor to the user of ompdd");
		/* Even with the sticky bit, any user may have created the files in this folder. */
		if (st.st_mode & (S_IWGRP | S_IWOTH))
			return report_unsafe(named, name, "is writable by its group or by others");
	}
	return NULL;
}

struct error *vet_folder(const char *named, const char *folder)
{
	_cleanup_free_ char *path = strdup(folder);
	_cleanup_free_ char *inside = NULL;
	char *real;

	/* A user who may write to the folder above can create a missing folder. */
	while (path && !(real = realpath(path, NULL))) {
		char *slash = strrchr(path, '/');

		if (!slash || slash == path || (errno != ENOENT && errno != ENOTDIR))
			return vet_untrusted(named, folder, "cannot be resolved");
		*slash = '\0';
	}
	if (!path)
		return &error_nomem;
	int n = asprintf(&inside, "%s/x", strcmp(real, "/") ? real : "");
	free(real);
	if (n < 0) {
		inside = NULL;
		return &error_nomem;
	}
	return check_parents(named, inside);
}

struct error *vet_file(const char *named, const char *file, char **canonical_ret)
{
	_cleanup_free_ char *canonical = realpath(file, NULL);
	struct stat st;

	if (!canonical || lstat(canonical, &st) < 0)
		return vet_untrusted(named, file, "cannot be resolved");
	if (!S_ISREG(st.st_mode))
		return vet_untrusted(named, canonical, "is not a regular file");
	if (!is_trusted_owner(&st))
		return report_unsafe(named, canonical, "belongs neither to root nor to the user of ompdd");
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return report_unsafe(named, canonical, "is writable by its group or by others");
	struct error *err = check_parents(named, canonical);
	if (!err)
		*canonical_ret = no_cleanup(canonical);
	return err;
}

static struct error *check_absolute(const char *path, const struct vet_dirs *dirs, int *fd_ret, char **canonical_ret)
{
	_cleanup_free_ char *canonical = realpath(path, NULL);
	_cleanup_close_ int fd = -1;
	struct error *err;
	struct stat st;

	if (!vet_name_is_plausible(path_file_name(path)))
		return vet_untrusted(path, path_file_name(path), "is not a name of an OMPD library");
	if (!canonical) {
		if (errno == ENOENT || errno == ENOTDIR)
			return report_not_found(path);
		return vet_untrusted(path, path, "cannot be resolved");
	}
	if (!vet_name_is_plausible(path_file_name(canonical)))
		return vet_untrusted(path, canonical, "is not a name of an OMPD library");
	if (!is_in_dirs(canonical, dirs) && !is_roots_beside(canonical, dirs->runtime))
		return report_not_allowed(path, canonical);
	fd = open(canonical, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return vet_untrusted(path, canonical, "cannot be opened");
	if (fstat(fd, &st) < 0)
		return error_create_errno(errno, "fstat %s", canonical);
	err = check_file(canonical, fd, &st);
	if (err)
		return err;
	err = check_parents(canonical, canonical);
	if (err)
		return err;
	*fd_ret = fd;
	fd = -1;
	*canonical_ret = no_cleanup(canonical);
	return NULL;
}

struct error *vet_path(const char *path, const struct vet_dirs *dirs, int *fd_ret, char **canonical_ret)
{
	struct error *first = NULL;

	if (path[0] == '/')
		return check_absolute(path, dirs, fd_ret, canonical_ret);
	if (strchr(path, '/'))
		return vet_untrusted(path, path, "is neither absolute nor a bare name");
	if (!vet_name_is_plausible(path))
		return vet_untrusted(path, path, "is not a name of an OMPD library");

	for (size_t i = 0; i < dirs->n; i++) {
		_cleanup_free_ char *full = NULL;

		if (asprintf(&full, "%s/%s", dirs->dirs[i], path) < 0) {
			full = NULL;
			error_destroy(first);
			return &error_nomem;
		}
		struct error *err = check_absolute(full, dirs, fd_ret, canonical_ret);

		if (!err) {
			error_destroy(first);
			return NULL;
		}
		/* The error of an existing file that was refused is more useful than that of a missing one. */
		if (error_catch(&err, ERR_PLUGIN_NOT_FOUND))
			continue;
		if (first)
			error_destroy(err);
		else
			first = err;
	}
	return first ? first : report_not_found(path);
}
