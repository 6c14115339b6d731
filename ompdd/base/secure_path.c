/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Walks a path name by name, as the kernel does. Does not check the result of realpath(): another user may exchange a
 * link between that check and the use of the path.
 */
#include "base/secure_path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The same limit as the kernel's. */
#define MAX_LINKS 40

struct walk {
	char done[PATH_MAX]; /* resolved part, without a slash at the end: "" is the root */
	char rest[PATH_MAX]; /* names still to resolve */
	int n_links;
};

static struct error *refuse_length(void)
{
	return error_create_errno(ENAMETOOLONG, "a path");
}

static bool is_trusted(uid_t uid)
{
	return uid == 0 || uid == geteuid();
}

/* @shared_ret: other users may create names in the folder, but not replace ours. */
static struct error *check_folder(const char *folder, bool *shared_ret)
{
	struct stat st;

	if (lstat(folder, &st))
		return error_create_errno(errno, "%s", folder);
	if (!S_ISDIR(st.st_mode))
		return error_create(ERR_UNAUTHORIZED, "%s is not a directory", folder);
	if (!is_trusted(st.st_uid))
		return error_hint(
			error_create(ERR_UNAUTHORIZED, "%s belongs to another user (uid %u)", folder, st.st_uid),
			"use a directory that belongs to you");
	*shared_ret = st.st_mode & (S_IWGRP | S_IWOTH);
	if (*shared_ret && !(st.st_mode & S_ISVTX))
		return error_hint(error_create(ERR_UNAUTHORIZED, "%s is writable by other users (mode %04o)", folder,
					       st.st_mode & 07777),
				  "use another directory, or chmod go-w %s", folder);
	return NULL;
}

/* Continue at the target of the link @path. */
static struct error *follow_link(struct walk *w, const char *path)
{
	char text[PATH_MAX], rest[PATH_MAX];

	if (++w->n_links > MAX_LINKS)
		return error_create_errno(ELOOP, "%s", path);
	ssize_t len = readlink(path, text, sizeof(text) - 1);
	if (len < 0)
		return error_create_errno(errno, "%s", path);
	text[len] = '\0';
	if (snprintf(rest, sizeof(rest), "%s/%s", text, w->rest) >= (int)sizeof(rest))
		return refuse_length();
	memcpy(w->rest, rest, sizeof(rest));
	if (text[0] == '/')
		w->done[0] = '\0';
	return NULL;
}

/* Resolve one name. */
static struct error *resolve_name(struct walk *w, const char *name)
{
	char path[PATH_MAX];
	bool shared = false;
	struct stat st;

	struct error *err = check_folder(*w->done ? w->done : "/", &shared);
	if (err)
		return err;
	if (!strcmp(name, "."))
		return NULL;
	if (!strcmp(name, "..")) {
		*(*w->done ? strrchr(w->done, '/') : w->done) = '\0';
		return NULL;
	}
	if (snprintf(path, sizeof(path), "%s/%s", w->done, name) >= (int)sizeof(path))
		return refuse_length();
	bool is_there = lstat(path, &st) == 0;
	if (!is_there && (errno != ENOENT || w->rest[strspn(w->rest, "/")]))
		return error_create_errno(errno, "%s", path);
	if (!is_there || !S_ISLNK(st.st_mode)) {
		memcpy(w->done, path, sizeof(path));
		return NULL;
	}
	if (shared && !is_trusted(st.st_uid))
		return error_hint(error_create(ERR_UNAUTHORIZED,
					       "%s is a symbolic link of another user (uid %u), who can replace it",
					       path, st.st_uid),
				  "give the path without that link");
	return follow_link(w, path);
}

/* Take the next name out of @w->rest; false if it is empty. */
static bool take_name(struct walk *w, char ret[PATH_MAX])
{
	const char *from = w->rest + strspn(w->rest, "/");
	size_t len = strcspn(from, "/");

	memcpy(ret, from, len);
	ret[len] = '\0';
	memmove(w->rest, from + len, strlen(from + len) + 1);
	return len > 0;
}

struct error *secure_path_resolve(const char *path, char ret[PATH_MAX])
{
	struct walk w = {.n_links = 0};
	char name[PATH_MAX];
	struct error *err = NULL;

	if (path[0] != '/' && !getcwd(name, sizeof(name)))
		return error_create_errno(errno, "the current directory");
	if (snprintf(w.rest, sizeof(w.rest), "%s/%s", path[0] == '/' ? "" : name, path) >= (int)sizeof(w.rest))
		return refuse_length();
	while (!err && take_name(&w, name))
		err = resolve_name(&w, name);
	if (!err)
		snprintf(ret, PATH_MAX, "%s", *w.done ? w.done : "/");
	return err;
}

struct error *secure_path_check(const char *path)
{
	char resolved[PATH_MAX];

	return secure_path_resolve(path, resolved);
}
