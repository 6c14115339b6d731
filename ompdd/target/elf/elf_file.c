/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Opens files named by a target with care: they may be pipes or devices, symbolic links out of a container, or rebuilt
 * since they were mapped.
 */
#include "target/elf/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "target/elf/elf_sections.h"
#include "target/sandbox/broker.h"
#include "target/proc/proc.h"
#include "target/elf/symbols.h"

#define DEBUG_ROOT "/usr/lib/debug"
/* Limit for reading a debug file whose checksum must be computed. */
#define MAX_DEBUG_FILE (1u << 30)
#define MAX_OWN_MAPS   (1u << 20)

/* Return whether @dirfd is our own root, in our own mount namespace: a mount belongs to one namespace only. */
static bool is_our_root(int dirfd)
{
	const unsigned wanted = STATX_INO | STATX_MNT_ID;
	struct statx theirs, ours;

	return statx(dirfd, "", AT_EMPTY_PATH, wanted, &theirs) == 0 && statx(AT_FDCWD, "/", 0, wanted, &ours) == 0 &&
	       (theirs.stx_mask & ours.stx_mask & wanted) == wanted && theirs.stx_mnt_id == ours.stx_mnt_id &&
	       theirs.stx_ino == ours.stx_ino;
}

/*
 * Only openat2() resolves links within a root. The sandbox refuses that call, because a filter cannot see its flags, so
 * the broker makes it. Usually the root is our own; then openat() gives the same result faster.
 */
static int open_path(int dirfd, const char *path, bool in_root)
{
	if (in_root && path[0] == '/' && is_our_root(dirfd))
		return openat(AT_FDCWD, path, O_PATH | O_CLOEXEC);
	int fd = in_root ? broker_open_in_root(dirfd, path) : -1;
	if (fd >= 0 || (in_root && errno != ENOSYS))
		return fd;
	return openat(dirfd, in_root && path[0] == '/' ? path + 1 : path, O_PATH | O_CLOEXEC);
}

int elf_file_open_regular(int dirfd, const char *path, bool in_root, struct stat *st)
{
	char name[64];
	int fd = open_path(dirfd, path, in_root);

	if (fd < 0)
		return -1;
	if (fstat(fd, st) != 0 || !S_ISREG(st->st_mode)) {
		close(fd);
		errno = 0;
		return -1;
	}
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	int readable = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int failed = errno;
	close(fd);
	errno = failed;
	return readable;
}

/* pread(), not mmap(): a file that is truncated meanwhile causes an error, not SIGBUS. */
Elf *elf_file_begin(int fd)
{
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);

	if (elf && elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		return NULL;
	}
	return elf;
}

/*
 * Return whether @fd has the numbers of @id in /proc/self/maps. On overlay and btrfs file systems, stat() returns other
 * numbers than maps. A mapping of our own has comparable ones; the file is not read through it.
 */
static bool has_numbers_when_mapped(int fd, const struct elf_file_identity *id)
{
	_cleanup_free_ char *text = NULL;
	struct proc_map map;
	size_t len;
	bool same = false;

	void *page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	if (page == MAP_FAILED)
		return false;
	struct error *err = proc_read_all(AT_FDCWD, "/proc/self/maps", MAX_OWN_MAPS, &text, &len);
	const char *at = text;
	while (!err && proc_next_map(&at, text + len, &map)) {
		if (map.start != (uintptr_t)page)
			continue;
		same = map.dev_major == id->dev_major && map.dev_minor == id->dev_minor && map.inode == id->inode;
		break;
	}
	error_destroy(err);
	munmap(page, 1);
	return same;
}

/* Open by @fd (taken) if it is the mapped file. */
static Elf *open_matching(int fd TAKES, const struct stat *st, const struct elf_file_identity *id, int *fd_ret)
{
	char build_id[41];

	if (fd < 0)
		return NULL;
	Elf *elf = elf_file_begin(fd);
	if (!elf) {
		close(fd);
		return NULL;
	}
	bool same = major(st->st_dev) == id->dev_major && minor(st->st_dev) == id->dev_minor && st->st_ino == id->inode;
	/* If the numbers differ from those in maps, the build-id is as reliable, and cheaper than a mapping. */
	if (!same && id->build_id[0]) {
		elf_sections_build_id(elf, build_id);
		same = !strcmp(build_id, id->build_id);
	} else if (!same) {
		same = has_numbers_when_mapped(fd, id);
	}
	if (same) {
		*fd_ret = fd;
		return elf;
	}
	elf_end(elf);
	close(fd);
	return NULL;
}

Elf *elf_file_open(int dirfd, const struct elf_file_identity *id, int *fd_ret)
{
	char name[96];
	struct stat st;

	_cleanup_close_ int root = openat(dirfd, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	Elf *elf = NULL;
	if (root >= 0 && id->path[0] == '/')
		elf = open_matching(elf_file_open_regular(root, id->path, true, &st), &st, id, fd_ret);
	/* The file was removed or replaced: the kernel keeps the executable for privileged readers. */
	if (!elf && id->is_exe)
		elf = open_matching(elf_file_open_regular(dirfd, "exe", false, &st), &st, id, fd_ret);
	if (!elf) {
		snprintf(name, sizeof(name), "map_files/%llx-%llx", (unsigned long long)id->map_start,
			 (unsigned long long)id->map_end);
		elf = open_matching(elf_file_open_regular(dirfd, name, false, &st), &st, id, fd_ret);
	}
	return elf;
}

static Elf *open_debug_by_build_id(const char *path, const char *build_id, int *fd_ret)
{
	struct stat st;
	char its[41];
	int fd = elf_file_open_regular(AT_FDCWD, path, false, &st);

	if (fd < 0)
		return NULL;
	Elf *elf = elf_file_begin(fd);
	if (elf) {
		elf_sections_build_id(elf, its);
		if (!strcmp(its, build_id)) {
			*fd_ret = fd;
			return elf;
		}
	}
	elf_end(elf);
	close(fd);
	return NULL;
}

static uint32_t crc32_update(uint32_t crc, const unsigned char *p, size_t n)
{
	crc = ~crc;
	for (size_t i = 0; i < n; i++) {
		crc ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

static bool has_checksum(int fd, uint32_t expected)
{
	unsigned char buf[65536];
	uint32_t crc = 0;
	off_t at = 0;

	while (at < MAX_DEBUG_FILE) {
		ssize_t n = pread(fd, buf, sizeof(buf), at);

		if (n <= 0)
			break;
		crc = crc32_update(crc, buf, (size_t)n);
		at += n;
	}
	return crc == expected;
}

static Elf *open_debug_by_link(int rootfd, const char *path, const char *build_id, uint32_t crc, int *fd_ret)
{
	struct stat st;
	char its[41];
	int fd = elf_file_open_regular(rootfd, path, rootfd != AT_FDCWD, &st);

	if (fd < 0)
		return NULL;
	Elf *elf = elf_file_begin(fd);
	if (elf) {
		elf_sections_build_id(elf, its);
		if (build_id[0] && its[0] ? !strcmp(its, build_id) : has_checksum(fd, crc)) {
			*fd_ret = fd;
			return elf;
		}
	}
	elf_end(elf);
	close(fd);
	return NULL;
}

/* Search one folder of debug files: by build-id, then by the path, then in the folder itself. */
static Elf *open_debug_in(const char *dir, int rootfd, const char *path, const char *build_id, const char *link,
			  uint32_t crc, int *fd_ret)
{
	char name[PATH_MAX];
	const char *slash = strrchr(path, '/');
	Elf *debug = NULL;
	int n;

	if (strlen(build_id) > 2) {
		n = snprintf(name, sizeof(name), "%s/.build-id/%.2s/%s.debug", dir, build_id, build_id + 2);
		if (n > 0 && (size_t)n < sizeof(name))
			debug = open_debug_by_build_id(name, build_id, fd_ret);
	}
	if (debug || !link[0] || !slash)
		return debug;
	n = snprintf(name, sizeof(name), "%s%.*s/%s", dir, (int)(slash - path), path, link);
	if (n > 0 && (size_t)n < sizeof(name))
		debug = open_debug_by_link(rootfd, name, build_id, crc, fd_ret);
	n = snprintf(name, sizeof(name), "%s/%s", dir, link);
	if (!debug && n > 0 && (size_t)n < sizeof(name))
		debug = open_debug_by_link(rootfd, name, build_id, crc, fd_ret);
	return debug;
}

Elf *elf_file_find_debug(int rootfd, const char *const *dirs, size_t n_dirs, Elf *elf, const char *path,
			 const char *build_id, int *fd_ret)
{
	char name[PATH_MAX], link[NAME_MAX + 1] = "";
	const char *slash = strrchr(path, '/');
	uint32_t crc = 0;
	Elf *debug = NULL;

	if (!elf_sections_debuglink(elf, link, sizeof(link), &crc))
		link[0] = '\0';
	for (size_t i = 0; i < n_dirs && !debug; i++)
		debug = open_debug_in(dirs[i], AT_FDCWD, path, build_id, link, crc, fd_ret);
	if (!debug && strlen(build_id) > 2) {
		snprintf(name, sizeof(name), DEBUG_ROOT "/.build-id/%.2s/%s.debug", build_id, build_id + 2);
		debug = open_debug_by_build_id(name, build_id, fd_ret);
	}
	if (debug || !slash || !link[0] || rootfd == -1)
		return debug;
	static const char *const forms[] = {"%s%.*s/%s", "%s%.*s/.debug/%s", "%s%.*s/%s"};
	for (int i = 0; i < 3 && !debug; i++) {
		const char *prefix = i == 2 ? DEBUG_ROOT : "";

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		int n = snprintf(name, sizeof(name), forms[i], prefix, (int)(slash - path), path, link);
#pragma GCC diagnostic pop
		/* A file that links to itself adds nothing. */
		if (n > 0 && (size_t)n < sizeof(name) && strcmp(name, path))
			debug = open_debug_by_link(rootfd, name, build_id, crc, fd_ret);
	}
	return debug;
}
