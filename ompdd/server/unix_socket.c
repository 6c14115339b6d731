/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The daemon's own unix socket: its folder, its lock, its owner and its mode. */
#include "server/unix_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "server/allow.h"
#include "base/secure_path.h"
#include "base/socket_folder.h"

bool unix_socket_is_shared(mode_t mode)
{
	return mode & 077;
}

/* /run/ompdd belongs to the node: systemd-tmpfiles creates it so that all users reach the node's daemon. */
static struct error *check_folder(const char *dir, bool shared)
{
	mode_t denied = shared ? S_IWGRP | S_IWOTH : 077;
	struct stat st;

	if (lstat(dir, &st))
		return error_create_errno(errno, "%s", dir);
	if (S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & denied))
		return NULL;
	return error_hint(error_create(ERR_UNAUTHORIZED, "%s is not a directory that belongs to us with mode %s", dir,
				       shared ? "0755" : "0700"),
			  "remove it, or give --listen unix:PATH");
}

struct error *unix_socket_default_address(mode_t mode, struct address *ret)
{
	char dir[80];
	char uri[128];

	if (!socket_folder_find(geteuid(), dir, sizeof(dir)))
		return error_create(ERR_INVALID_PARAMS, "XDG_RUNTIME_DIR or TMPDIR is too long for a socket");
	/* systemd creates root's folder for all users of the node. */
	bool shared = unix_socket_is_shared(mode) || !strcmp(dir, "/run/ompdd");
	if (mkdir(dir, unix_socket_is_shared(mode) ? 0755 : 0700) && errno != EEXIST)
		return error_hint(error_create_errno(errno, "mkdir %s", dir),
				  "set XDG_RUNTIME_DIR to a directory that belongs to you, or give --listen unix:PATH");
	struct error *err = check_folder(dir, shared);
	if (err)
		return err;
	snprintf(uri, sizeof(uri), "unix:%s/ompdd.sock", dir);
	return address_parse(uri, ret);
}

/*
 * Take the lock beside the socket. Its holder may remove a stale socket. The lock also ensures that the file removed at
 * the end is ours, and not that of a successor.
 */
static struct error *take_lock(struct unix_socket *u, const char *path)
{
	struct stat mine, there;

	if (asprintf(&u->lock_path, "%s.lock", path) < 0) {
		u->lock_path = NULL;
		return &error_nomem;
	}
	for (;;) {
		_cleanup_close_ int fd = open(u->lock_path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0)
			return error_create_errno(errno, "open %s", u->lock_path);
		if (flock(fd, LOCK_EX | LOCK_NB)) {
			if (errno != EWOULDBLOCK)
				return error_create_errno(errno, "lock %s", u->lock_path);
			return error_hint(error_create(ERR_LIMIT_EXCEEDED, "another ompdd listens on unix:%s", path),
					  "use it: ompdctl -s unix:%s targets", path);
		}
		if (fstat(fd, &mine) || lstat(u->lock_path, &there) || mine.st_ino != there.st_ino)
			continue; /* its owner has just removed it */
		u->lock_fd = fd;
		fd = -1;
		return NULL;
	}
}

/* Remove a socket file without a running ompdd, unless another process answers there. */
static struct error *remove_stale(const struct address *a)
{
	const char *path = a->u.un.sun_path;
	struct stat st;

	if (lstat(path, &st)) {
		if (errno == ENOENT)
			return NULL;
		return error_create_errno(errno, "%s", path);
	}
	if (!S_ISSOCK(st.st_mode))
		return error_hint(error_create(ERR_INVALID_PARAMS, "%s exists and is not a socket", path),
				  "give another path");
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return error_create_errno(errno, "socket");
	if (!connect(fd, &a->u.sa, a->len) || errno == EAGAIN)
		return error_create(ERR_LIMIT_EXCEEDED, "another program listens on unix:%s", path);
	if (unlink(path))
		return error_create_errno(errno, "remove %s", path);
	return NULL;
}

/* Set the group before the mode: the other order would briefly admit users of the wrong group. */
static struct error *share_socket(const char *path, const char *group, mode_t mode)
{
	gid_t gid;

	if (group) {
		struct error *err = allow_find_group(group, &gid);
		if (err)
			return err;
		if (lchown(path, (uid_t)-1, gid))
			return error_create_errno(errno, "give %s to the group %s", path, group);
	}
	if (mode && chmod(path, mode))
		return error_create_errno(errno, "chmod %s", path);
	return NULL;
}

struct error *unix_socket_bind(struct unix_socket *u, int fd, const struct address *a, const char *group, mode_t mode)
{
	struct error *err = secure_path_check(a->u.un.sun_path);
	if (err)
		return err;
	err = take_lock(u, a->u.un.sun_path);
	if (!err)
		err = remove_stale(a);
	if (err)
		return err;
	/* Use the umask: any user could connect between bind and chmod. */
	mode_t mask = umask(0177);
	int rc = bind(fd, &a->u.sa, a->len);
	int bind_errno = errno;
	umask(mask);
	if (rc)
		return error_create_errno(bind_errno, "bind unix:%s", a->u.un.sun_path);
	u->path = a->u.un.sun_path;
	return share_socket(u->path, group, mode);
}

void unix_socket_remove(struct unix_socket *u)
{
	if (u->path)
		unlink(u->path); /* before the lock is released */
	if (u->lock_fd >= 0) {
		unlink(u->lock_path);
		close(u->lock_fd);
	}
	free(u->lock_path);
}
