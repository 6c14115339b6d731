/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Resolves an output path, and replaces the file as a whole or not at all. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"

/* The kernel's limit. */
#define MAX_LINKS 40
#define MAX_TRIES 100

static const char other_file[] = "name another file, or - for standard output";

struct error *output_cannot_write(const struct output *o, const char *hint, const char *why)
{
	return failure_create(ERR_OUTPUT, "cannot_write", hint, "cannot write %s: %s", o->path, why);
}

/* Return the number of one of our own descriptors; -1: the path is not one. */
static int parse_stream(const char *path)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};

	if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		int64_t fd;

		if (!strncmp(path, folders[i], strlen(folders[i])) &&
		    number_parse(path + strlen(folders[i]), 0, INT_MAX, &fd))
			return (int)fd;
	}
	return -1;
}

static struct error *take_stream(struct output *o, int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return output_cannot_write(o, other_file, "this descriptor is not open");
	if ((flags & O_ACCMODE) == O_RDONLY)
		return output_cannot_write(o, other_file, "this descriptor is open for reading only");
	o->stream = fd;
	return NULL;
}

/* Return whether another user could have placed @st in a folder that several users can write, such as /tmp. */
static int is_planted(const struct stat *folder, const struct stat *st)
{
	return folder->st_mode & S_ISVTX && folder->st_mode & (S_IWGRP | S_IWOTH) && st->st_uid != geteuid() &&
	       st->st_uid != folder->st_uid;
}

/* A walk down a path, name by name, that resolves links itself. */
struct walk {
	int folder;	     /* O_PATH */
	char rest[PATH_MAX]; /* names not yet visited */
	int n_links;
};

static struct error *enter_folder(struct output *o, struct walk *w, const char *name)
{
	int fd = openat(w->folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return output_cannot_write(o, other_file, strerror(errno));
	if (w->folder >= 0)
		close(w->folder);
	w->folder = fd;
	return NULL;
}

/* Prepend the target of the link @name to the rest. */
static struct error *follow_link(struct output *o, struct walk *w, const char *name, const struct stat *link)
{
	char text[PATH_MAX], rest[PATH_MAX];
	int is_last = !*w->rest;
	struct stat folder;

	if (fstat(w->folder, &folder))
		return output_cannot_write(o, NULL, strerror(errno));
	if (is_planted(&folder, link) || (is_last && link->st_uid != 0 && link->st_uid != geteuid()))
		return output_cannot_write(o, "name the file itself, or remove the link",
					   "a symbolic link on the way belongs to another user");
	ssize_t len = readlinkat(w->folder, name, text, sizeof(text) - 1);
	if (len < 0)
		return output_cannot_write(o, NULL, strerror(errno));
	text[len] = 0;
	if (++w->n_links > MAX_LINKS ||
	    snprintf(rest, sizeof(rest), "%s%s%s", text, is_last ? "" : "/", w->rest) >= (int)sizeof(rest))
		return output_cannot_write(o, other_file, strerror(ELOOP));
	memcpy(w->rest, rest, sizeof(rest));
	if (*text != '/')
		return NULL;
	int number = parse_stream(rest);
	return number >= 0 ? take_stream(o, number) : enter_folder(o, w, "/");
}

/* Take the next name from the rest. Returns 0 if it is too long. */
static int take_name(struct walk *w, char ret[NAME_MAX + 1])
{
	const char *from = w->rest + strspn(w->rest, "/");
	size_t len = strcspn(from, "/");

	if (len > NAME_MAX)
		return 0;
	memcpy(ret, from, len);
	ret[len] = 0;
	memmove(w->rest, from + len, strlen(from + len) + 1);
	return 1;
}

/* Walk down to the folder of the last name, which is not a link and need not exist. */
static struct error *walk_path(struct output *o, struct walk *w)
{
	struct stat st;

	for (;;) {
		if (!take_name(w, o->name))
			return output_cannot_write(o, other_file, strerror(ENAMETOOLONG));
		int is_there = *o->name && !fstatat(w->folder, o->name, &st, AT_SYMLINK_NOFOLLOW);
		struct error *f = NULL;

		if (is_there && S_ISLNK(st.st_mode))
			f = follow_link(o, w, o->name, &st);
		else if (!*w->rest)
			return NULL;
		else
			f = enter_folder(o, w, o->name);
		if (f || o->stream >= 0)
			return f;
	}
}

/* Open an existing pipe or device now, because a pipe needs its reader. */
static struct error *open_special(struct output *o, const struct stat *st)
{
	if (!S_ISFIFO(st->st_mode) && !S_ISCHR(st->st_mode))
		return output_cannot_write(o, other_file,
					   S_ISDIR(st->st_mode)	  ? "it is a directory"
					   : S_ISBLK(st->st_mode) ? "it is a block device"
								  : "it is a socket");
	o->stream = openat(o->folder, o->name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
	o->is_own = 1;
	if (o->stream < 0 && errno == ENXIO && S_ISFIFO(st->st_mode))
		return output_cannot_write(o, "start its reader first (cat FILE), or write to standard output with -",
					   "it is a pipe, and no program reads from it");
	if (o->stream < 0)
		return output_cannot_write(o, other_file, strerror(errno));
	/* From now on, writes wait for the reader. */
	fcntl(o->stream, F_SETFL, fcntl(o->stream, F_GETFL) & ~O_NONBLOCK);
	return NULL;
}

static struct error *check_destination(struct output *o)
{
	static const char beside[] = "the file is created in its folder and then renamed: the folder must be writable";
	struct stat folder, st;

	if (!*o->name || !strcmp(o->name, ".") || !strcmp(o->name, ".."))
		return output_cannot_write(o, other_file, "it is a directory");
	if (fstat(o->folder, &folder))
		return output_cannot_write(o, NULL, strerror(errno));
	int is_there = !fstatat(o->folder, o->name, &st, AT_SYMLINK_NOFOLLOW);
	if (!is_there && errno != ENOENT)
		return output_cannot_write(o, other_file, strerror(errno));
	if (is_there && is_planted(&folder, &st))
		return output_cannot_write(o, "remove it, or name another file",
					   "it belongs to another user, in a folder that all users can write");
	if (is_there && !S_ISREG(st.st_mode))
		return open_special(o, &st);
	if (is_there && faccessat(o->folder, o->name, W_OK, AT_EACCESS))
		return output_cannot_write(o, other_file, strerror(errno));
	if (faccessat(o->folder, ".", W_OK | X_OK, AT_EACCESS))
		return output_cannot_write(o, beside, strerror(errno));
	return NULL;
}

struct error *output_open(struct output *o, const char *path)
{
	struct walk w = {.folder = -1};

	int number = parse_stream(path);

	*o = (struct output){.path = path, .stream = -1, .folder = -1};
	if (number >= 0)
		return take_stream(o, number);
	if (!*path || strlen(path) >= sizeof(w.rest))
		return output_cannot_write(o, other_file, strerror(*path ? ENAMETOOLONG : ENOENT));
	memcpy(w.rest, path, strlen(path) + 1);
	w.folder = open(*path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (w.folder < 0)
		return output_cannot_write(o, NULL, strerror(errno));
	struct error *f = walk_path(o, &w);
	o->folder = w.folder;
	return f || o->stream >= 0 ? f : check_destination(o);
}

const char *output_write_data(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n >= 0) {
			data += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN) {
			/* Another process has made the shared descriptor non-blocking. */
			poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
		} else if (errno == EPIPE) {
			return "its reader has closed it";
		} else if (errno != EINTR) {
			return strerror(errno);
		}
	}
	return NULL;
}

int output_create_beside(const struct output *o, int is_folder, char name[OUTPUT_BESIDE_LEN])
{
	for (int i = 0; i < MAX_TRIES; i++) {
		unsigned number;
		int fd = -1;

		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			return -1;
		snprintf(name, OUTPUT_BESIDE_LEN, ".ompdctl-%08x", number);
		if (!is_folder)
			fd = openat(o->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		else if (!mkdirat(o->folder, name, 0777))
			fd = openat(o->folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

/* Keep the permissions of the replaced file. If its group cannot be kept, the new group gets no permissions. */
static int keep_permissions(const struct output *o, int fd)
{
	struct stat st, now;

	if (fstatat(o->folder, o->name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -1;
	if (!S_ISREG(st.st_mode)) {
		errno = EEXIST;
		return -1;
	}
	mode_t mode = st.st_mode & 0777;
	if (fstat(fd, &now))
		return -1;
	if (now.st_gid != st.st_gid && fchown(fd, (uid_t)-1, st.st_gid))
		mode &= ~(mode_t)S_IRWXG;
	if (now.st_uid != st.st_uid && !geteuid() && fchown(fd, st.st_uid, (gid_t)-1))
		return -1;
	return fchmod(fd, mode);
}

static struct error *replace_file(struct output *o, const char *data, size_t len)
{
	char beside[OUTPUT_BESIDE_LEN];
	int fd = output_create_beside(o, 0, beside);

	if (fd < 0)
		return output_cannot_write(o, other_file, strerror(errno));
	const char *why = keep_permissions(o, fd) ? strerror(errno) : output_write_data(fd, data, len);
	/* Network file systems report a full disk here. */
	if (close(fd) && !why)
		why = strerror(errno);
	if (!why && renameat(o->folder, beside, o->folder, o->name))
		why = strerror(errno);
	if (!why)
		return NULL;
	struct error *f = output_cannot_write(o, other_file, why);
	unlinkat(o->folder, beside, 0);
	return f;
}

struct error *output_write(struct output *o, const char *data, size_t len)
{
	static const int held[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXFSZ};
	const struct timespec now = {0};
	sigset_t set, before, limit;

	if (o->stream >= 0) {
		const char *why = output_write_data(o->stream, data, len);

		return why ? output_cannot_write(o, other_file, why) : NULL;
	}
	/* No signal may leave a partial file beside the destination. */
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(held) / sizeof(*held); i++)
		sigaddset(&set, held[i]);
	sigprocmask(SIG_BLOCK, &set, &before);
	struct error *f = replace_file(o, data, len);
	/* Report the file size limit as an error, instead of a fatal signal. */
	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	sigtimedwait(&limit, NULL, &now);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return f;
}

struct error *output_begin(struct output *o)
{
	if (o->stream >= 0)
		return output_cannot_write(o, "name a regular file", "it is a pipe, a terminal or a device");
	o->fd = output_create_beside(o, 0, o->beside);
	if (o->fd < 0) {
		o->beside[0] = 0;
		return output_cannot_write(o, other_file, strerror(errno));
	}
	return fchmod(o->fd, 0600) ? output_cannot_write(o, other_file, strerror(errno)) : NULL;
}

struct error *output_place(struct output *o)
{
	int fd = o->fd;

	o->fd = -1;
	/* Network file systems report a full disk here. */
	if (close(fd) || renameat(o->folder, o->beside, o->folder, o->name))
		return output_cannot_write(o, other_file, strerror(errno));
	o->beside[0] = 0;
	return NULL;
}

struct error *output_remove_old(struct output *o)
{
	if (o->stream >= 0 || !unlinkat(o->folder, o->name, 0) || errno == ENOENT)
		return NULL;
	return output_cannot_write(o, other_file, strerror(errno));
}

void output_close(struct output *o)
{
	if (o->beside[0] && o->fd >= 0)
		close(o->fd);
	if (o->beside[0])
		unlinkat(o->folder, o->beside, 0);
	if (o->is_own && o->stream >= 0)
		close(o->stream);
	if (o->folder >= 0)
		close(o->folder);
	*o = (struct output){.stream = -1, .folder = -1};
}
