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

struct listed_file {
	char *name;
	int64_t bytes;
};

struct kept_folder {
	int fd;
	struct listed_file *files; /* oldest first */
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
	return strcmp(((const struct listed_file *)a)->name, ((const struct listed_file *)b)->name);
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
		k->files[k->n++] = (struct listed_file){text_strdup(entry->d_name), st.st_size};
		k->bytes += st.st_size;
	}
	closedir(dir);
	if (k->n)
		qsort(k->files, k->n, sizeof(*k->files), compare_files);
	return NULL;
}

/* Remove the oldest files of @k until another one of @len bytes fits. */
static struct error *remove_oldest(const char *folder, struct kept_folder *k, const struct kept_limits *limits,
				   int64_t len)
{
	int64_t n = (int64_t)k->n;

	if (len > limits->max_bytes)
		return cannot_keep(folder, "the file is larger than size=");
	for (size_t i = 0; i < k->n; i++) {
		if (n < limits->max_files && k->bytes + len <= limits->max_bytes)
			break;
		if (unlinkat(k->fd, k->files[i].name, 0) && errno != ENOENT)
			return cannot_keep(folder, strerror(errno));
		k->bytes -= k->files[i].bytes;
		n--;
	}
	return NULL;
}

static struct error *make_room(const struct kept_file *file, const struct kept_limits *limits, int64_t len)
{
	struct kept_folder k = {.fd = file->folder_fd};
	struct error *f = list_files(file->folder, &k);

	if (!f)
		f = remove_oldest(file->folder, &k, limits, len);
	for (size_t i = 0; i < k.n; i++)
		free(k.files[i].name);
	free(k.files);
	return f;
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

struct error *kept_begin(struct kept_file *k, const char *folder)
{
	*k = (struct kept_file){.folder = folder, .folder_fd = -1, .fd = -1};
	struct error *f = open_folder(folder, 1, &k->folder_fd);

	if (f)
		return f;
	if (lock_folder(k->folder_fd))
		return cannot_keep(folder, errno == EWOULDBLOCK ? "another program holds its lock" : strerror(errno));
	unlinkat(k->folder_fd, unfinished, 0);
	k->fd = openat(k->folder_fd, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return k->fd < 0 ? cannot_keep(folder, strerror(errno)) : NULL;
}

/* Close and rename the file. Returns NULL, or the reason of the failure. */
static const char *rename_file(struct kept_file *k, const char *name)
{
	struct stat st;
	int fd = k->fd;

	k->fd = -1;
	/* Network file systems report a full disk here. */
	if (close(fd))
		return strerror(errno);
	if (!fstatat(k->folder_fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return "a file with this name exists";
	return renameat(k->folder_fd, unfinished, k->folder_fd, name) ? strerror(errno) : NULL;
}

struct error *kept_place(struct kept_file *k, const struct kept_limits *limits, const char *name, char **path_ret)
{
	struct buf path = {0};
	struct stat st;

	if (fstat(k->fd, &st))
		return cannot_keep(k->folder, strerror(errno));
	struct error *f = make_room(k, limits, st.st_size);
	if (f)
		return f;
	char *own = create_name(name);
	const char *why = rename_file(k, own);
	if (why) {
		free(own);
		return cannot_keep(k->folder, why);
	}
	text_printf(&path, "%s%s%s", k->folder, k->folder[strlen(k->folder) - 1] == '/' ? "" : "/", own);
	*path_ret = text_take(&path);
	free(own);
	close(k->folder_fd);
	k->folder_fd = -1;
	return NULL;
}

void kept_abandon(struct kept_file *k)
{
	if (k->fd >= 0)
		close(k->fd);
	if (k->folder_fd >= 0) {
		unlinkat(k->folder_fd, unfinished, 0);
		close(k->folder_fd);
	}
	k->fd = k->folder_fd = -1;
}

struct error *kept_write(const char *folder, const struct kept_limits *limits, const char *name, const char *data,
			 size_t len, char **path_ret)
{
	struct kept_file k;
	struct error *f = kept_begin(&k, folder);

	/* First make room: the disk may be full. */
	if (!f)
		f = make_room(&k, limits, (int64_t)len);
	const char *why = f ? NULL : output_write_data(k.fd, data, len);
	if (why)
		f = cannot_keep(folder, why);
	if (!f)
		f = kept_place(&k, limits, name, path_ret);
	kept_abandon(&k);
	return f;
}
