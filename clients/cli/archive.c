/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The files of an OTF2 archive, moved one by one. If one of them cannot be moved, the moved files go back. */
#include "archive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define N_FILES 3

static void format_file_name(const struct archive *a, int i, char ret[NAME_MAX + 8])
{
	/* Other programs open the last one. */
	static const char *const endings[N_FILES] = {"", ".def", ".otf2"};

	snprintf(ret, NAME_MAX + 8, "%s%s", a->name, endings[i]);
}

static int is_present(const struct archive *a, const char *name)
{
	struct stat st;

	return !fstatat(a->output.folder, name, &st, AT_SYMLINK_NOFOLLOW);
}

static struct error *create_exists_failure(const struct archive *a)
{
	return output_cannot_write(&a->output, "remove it, or choose another name",
				   "an archive of this name exists, and ompdctl does not overwrite it");
}

struct error *archive_open(struct archive *a, const char *path)
{
	static const char ending[] = ".otf2";
	char name[NAME_MAX + 8];

	*a = (struct archive){.folder = -1};
	struct error *f = output_open(&a->output, path);
	if (f)
		return f;
	if (a->output.stream >= 0)
		return output_cannot_write(&a->output, "name a file: -o NAME.otf2", "an OTF2 archive is several files");
	memcpy(a->name, a->output.name, sizeof(a->name));
	size_t len = strlen(a->name);
	if (len >= sizeof(ending) && !strcmp(a->name + len - sizeof(ending) + 1, ending))
		a->name[len - sizeof(ending) + 1] = 0;
	for (int i = 0; i < N_FILES; i++) {
		format_file_name(a, i, name);
		if (is_present(a, name))
			return create_exists_failure(a);
	}
	return NULL;
}

struct error *archive_begin(struct archive *a)
{
	a->folder = output_create_beside(&a->output, 1, a->beside);
	return a->folder >= 0 ? NULL : output_cannot_write(&a->output, NULL, strerror(errno));
}

/* Rename without replacing. Not every network file system can do that in one step. */
static int move_file(int from, int to, const char *name)
{
	struct stat st;

	if (!renameat2(from, name, to, name, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	if (!fstatat(to, name, &st, AT_SYMLINK_NOFOLLOW)) {
		errno = EEXIST;
		return -1;
	}
	return renameat(from, name, to, name);
}

struct error *archive_place(struct archive *a)
{
	char name[NAME_MAX + 8];
	int n = 0;

	for (; n < N_FILES; n++) {
		format_file_name(a, n, name);
		if (move_file(a->folder, a->output.folder, name))
			break;
	}
	if (n == N_FILES)
		return NULL;
	struct error *f =
		errno == EEXIST ? create_exists_failure(a) : output_cannot_write(&a->output, NULL, strerror(errno));
	while (n-- > 0) {
		format_file_name(a, n, name);
		renameat(a->output.folder, name, a->folder, name);
	}
	return f;
}

/* Remove the file or the folder @name, with the files in the folder. */
static void remove_name(int folder, const char *name)
{
	struct dirent *entry;

	if (!unlinkat(folder, name, 0) || errno == ENOENT)
		return;
	int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	while (dir && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			remove_name(fd, entry->d_name);
	}
	if (dir)
		closedir(dir);
	unlinkat(folder, name, AT_REMOVEDIR);
}

void archive_close(struct archive *a)
{
	if (a->folder >= 0) {
		remove_name(a->output.folder, a->beside);
		close(a->folder);
	}
	a->folder = -1;
	output_close(&a->output);
}
