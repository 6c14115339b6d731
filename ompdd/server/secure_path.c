/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether other users could put something in the place of a file: for sockets and token files. */
#include "server/secure_path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"

static struct error *check_folder(const char *folder)
{
	struct stat st;

	if (lstat(folder, &st))
		return error_create_errno(errno, "%s", folder);
	if (!S_ISDIR(st.st_mode))
		return error_create(ERR_UNAUTHORIZED, "%s is not a directory", folder);
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return error_hint(
			error_create(ERR_UNAUTHORIZED, "%s belongs to another user (uid %u)", folder, st.st_uid),
			"use a directory that belongs to you");
	if (st.st_mode & (S_IWGRP | S_IWOTH) && !(st.st_mode & S_ISVTX))
		return error_hint(error_create(ERR_UNAUTHORIZED, "%s is writable by other users (mode %04o)", folder,
					       st.st_mode & 07777),
				  "use another directory, or chmod go-w %s", folder);
	return NULL;
}

struct error *secure_path_check(const char *path)
{
	_cleanup_free_ char *copy = strdup(path);

	if (!copy)
		return &error_nomem;
	char *slash = strrchr(copy, '/');
	if (slash)
		slash[slash == copy ? 1 : 0] = '\0';
	_cleanup_free_ char *folder = realpath(slash ? copy : ".", NULL);
	if (!folder)
		return error_create_errno(errno, "%s", slash ? copy : ".");
	for (;;) {
		struct error *err = check_folder(folder);
		if (err)
			return err;
		slash = strrchr(folder, '/');
		if (slash == folder && !folder[1])
			return NULL;
		slash[slash == folder ? 1 : 0] = '\0';
	}
}
