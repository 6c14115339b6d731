/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes files into a folder of limited size. A lock on the folder excludes other writers. */
#include "watch/kept.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/secure_path.h"
#include "output.h"
#include "text.h"

static const char prefix[] = "ompdd-";
/* The name of a file until it is renamed. A file with this name is the rest of a writer that was killed. */
static const char unfinished[] = ".ompdd-unfinished";

#define LOCK_TRIES    30
#define LOCK_PAUSE_NS 100000000L

struct kept_file {
	char *name;
	int64_t bytes;
};

struct kept_folder {
	int fd;
	struct kept_file *files; /* oldest first */
	size_t n, cap;
	int64_t bytes;
};

static struct error *cannot_keep(const char *folder, const char *why)
{
	return failure_create(ERR_OUTPUT, "cannot_write", "keep=DIR needs a folder of yours with mode 0700",
			      "cannot keep files in %s: %s", folder, why);
}

/* Open the folder, and create it if @create. */
static struct error *open_folder(const char *folder, int create, int *ret)
{
	char path[PATH_MAX], resolved[PATH_MAX];
	size_t len = strlen(folder);
	struct stat st;

	while (len > 1 && folder[len - 1] == '/')
		len--;
	if (len >= sizeof(path))
		return cannot_keep(folder, strerror(ENAMETOOLONG));
	memcpy(path, folder, len);
	path[len] = 0;
	if (!lstat(path, &st) && S_ISLNK(st.st_mode))
		return cannot_keep(folder, "it is a symbolic link");
	struct error *f = secure_path_resolve(path, resolved);
	if (f) {
		struct error *why = f;

		f = cannot_keep(folder, why->message);
		error_destroy(why);
		return f;
	}
	if (create && mkdir(resolved, 0700) && errno != EEXIST)
		return cannot_keep(folder, strerror(errno));
	int fd = open(resolved, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return cannot_keep(folder, strerror(errno));
	const char *why = fstat(fd, &st)				? strerror(errno)
			  : st.st_uid != geteuid()			? "it belongs to another user"
			  : st.st_mode & (S_IWGRP | S_IWOTH)		? "other users can write to it"
			  : faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) ? strerror(errno)
									: NULL;
	if (why) {
		close(fd);
		return cannot_keep(folder, why);
	}
	*ret = fd;
	return NULL;
}

struct error *kept_check(const char *folder)
{
	int fd;
	struct error *f = open_folder(folder, 1, &fd);

	if (!f)
		close(fd);
	return f;
}

/* Wait for another writer, but not without end. Returns 0, or -1 and errno. */
static int lock_folder(int fd)
{
	const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};

	for (int i = 0; i < LOCK_TRIES; i++) {
		if (!flock(fd, LOCK_EX | LOCK_NB))
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -1;
		nanosleep(&pause, NULL);
	}
	return -1;
}

static int compare_files(const void *a, const void *b)
{
	return strcmp(((const struct kept_file *)a)->name, ((const struct kept_file *)b)->name);
}

/* List the regular files that have names of ours. Names start with the time, so they sort by age. */
static struct error *list_files(const char *folder, struct kept_folder *k)
{
	int fd = openat(k->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	if (!dir) {
		int number = errno;

		if (fd >= 0)
			close(fd);
		return cannot_keep(folder, strerror(number));
	}
	while ((entry = readdir(dir))) {
		struct stat st;

		if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0 ||
		    fstatat(k->fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		TEXT_GROW(k->files, k->n, k->cap);
		k->files[k->n++] = (struct kept_file){text_strdup(entry->d_name), st.st_size};
		k->bytes += st.st_size;
	}
	closedir(dir);
	if (k->n)
		qsort(k->files, k->n, sizeof(*k->files), compare_files);
	return NULL;
}

/* Remove the oldest files until another one of @len bytes fits. */
static struct error *make_room(const char *folder, struct kept_folder *k, const struct kept_limits *limits, size_t len)
{
	int64_t n = (int64_t)k->n;

	if ((int64_t)len > limits->max_bytes)
		return cannot_keep(folder, "the file is larger than size=");
	for (size_t i = 0; i < k->n; i++) {
		if (n < limits->max_files && k->bytes + (int64_t)len <= limits->max_bytes)
			break;
		if (unlinkat(k->fd, k->files[i].name, 0) && errno != ENOENT)
			return cannot_keep(folder, strerror(errno));
		k->bytes -= k->files[i].bytes;
		n--;
	}
	return NULL;
}

/* Returns NULL, or the reason of the failure. */
static const char *write_file(int folder, const char *name, const char *data, size_t len)
{
	unlinkat(folder, unfinished, 0);
	int fd = openat(folder, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	const char *why = fd < 0 ? strerror(errno) : output_write_data(fd, data, len);
	struct stat st;

	/* Network file systems report a full disk here. */
	if (fd >= 0 && close(fd) && !why)
		why = strerror(errno);
	if (!why && !fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW))
		why = "a file with this name exists";
	if (!why && renameat(folder, unfinished, folder, name))
		why = strerror(errno);
	if (why && fd >= 0)
		unlinkat(folder, unfinished, 0);
	return why;
}

/* Return "ompdd-20261128T171500.123456Z-@name"; the caller frees it. */
static char *create_name(const char *name)
{
	struct timespec now;
	struct tm utc;
	char at[32];
	struct buf t = {0};

	clock_gettime(CLOCK_REALTIME, &now);
	strftime(at, sizeof(at), "%Y%m%dT%H%M%S", gmtime_r(&now.tv_sec, &utc));
	text_printf(&t, "%s%s.%06ldZ-%s", prefix, at, now.tv_nsec / 1000, name);
	return text_take(&t);
}

struct error *kept_write(const char *folder, const struct kept_limits *limits, const char *name, const char *data,
			 size_t len, char **path_ret)
{
	struct kept_folder k = {.fd = -1};
	struct error *f = open_folder(folder, 1, &k.fd);
	struct buf path = {0};

	if (f)
		return f;
	char *own = create_name(name);
	if (lock_folder(k.fd))
		f = cannot_keep(folder, errno == EWOULDBLOCK ? "another program holds its lock" : strerror(errno));
	if (!f)
		f = list_files(folder, &k);
	if (!f)
		f = make_room(folder, &k, limits, len);
	const char *why = f ? NULL : write_file(k.fd, own, data, len);
	if (why)
		f = cannot_keep(folder, why);
	close(k.fd);
	for (size_t i = 0; i < k.n; i++)
		free(k.files[i].name);
	free(k.files);
	if (!f) {
		text_printf(&path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", own);
		*path_ret = text_take(&path);
	}
	free(own);
	return f;
}
