/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file behind --token-file. */
#include "server/token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/secure_path.h"

#define RANDOM_BYTES 32
#define CERTIFICATE  "-----BEGIN CERTIFICATE-----"

static struct error *create_token(char **ret)
{
	unsigned char random[RANDOM_BYTES];
	char *token = malloc(2 * RANDOM_BYTES + 1);

	if (!token)
		return &error_nomem;
	if (getrandom(random, sizeof(random), 0) != sizeof(random)) {
		free(token);
		return error_create_errno(errno, "getrandom");
	}
	for (size_t i = 0; i < RANDOM_BYTES; i++)
		snprintf(token + 2 * i, 3, "%02x", random[i]);
	*ret = token;
	return NULL;
}

static struct error *check_file(const char *path, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return error_create_errno(errno, "%s", path);
	if (!S_ISREG(st.st_mode))
		return error_create(ERR_UNAUTHORIZED, "token file %s is not a regular file", path);
	if (st.st_uid != geteuid())
		return error_create(ERR_UNAUTHORIZED, "token file %s belongs to another user (uid %u)", path,
				    st.st_uid);
	if (st.st_mode & 077)
		return error_hint(error_create(ERR_UNAUTHORIZED, "token file %s is accessible by others (mode %04o)",
					       path, st.st_mode & 07777),
				  "chmod 600 %s, and use a new token", path);
	return NULL;
}

/* Never overwrite another file: the content must look like our own. */
static struct error *check_content(const char *path, int fd)
{
	char text[TOKEN_MAX_LEN + sizeof(CERTIFICATE) + 2] = "";

	ssize_t n = read(fd, text, sizeof(text) - 1);
	if (n < 0)
		return error_create_errno(errno, "read %s", path);
	size_t len = strcspn(text, "\r\n");
	size_t rest = strspn(text + len, "\r\n");
	bool printable = true;
	for (size_t i = 0; i < len; i++)
		printable &= text[i] > 0x20 && text[i] < 0x7f;
	bool ends = len + rest == (size_t)n || !strncmp(text + len + rest, CERTIFICATE, sizeof(CERTIFICATE) - 1);
	if (!printable || len < TOKEN_MIN_LEN || len > TOKEN_MAX_LEN || !ends)
		return error_hint(error_create(ERR_UNAUTHORIZED,
					       "%s is not a token file: it does not hold one line of %d to %d "
					       "printable characters",
					       path, TOKEN_MIN_LEN, TOKEN_MAX_LEN),
				  "give another path, or remove the file: ompdd then creates a new one");
	return NULL;
}

static struct error *lock_file(const char *path, int fd)
{
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return NULL;
	if (errno != EWOULDBLOCK)
		return error_create_errno(errno, "lock %s", path);
	return error_hint(error_create(ERR_LIMIT_EXCEEDED, "another ompdd uses the token file %s", path),
			  "give each its own --token-file");
}

/* Check an existing file: it must be ours to replace. */
static struct error *check_old_file(const char *path, int *fd_ret)
{
	/* O_NONBLOCK: a fifo in its place must not block us. */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		return NULL;
	if (fd < 0 && errno == ELOOP)
		return error_create(ERR_UNAUTHORIZED, "token file %s is a symbolic link", path);
	if (fd < 0)
		return error_create_errno(errno, "open token file %s", path);
	struct error *err = check_file(path, fd);
	if (!err)
		err = check_content(path, fd);
	if (!err)
		err = lock_file(path, fd);
	if (err)
		return err;
	*fd_ret = fd;
	fd = -1;
	return NULL;
}

/* Write the new file beside the old one and rename it: a reader gets either the old or the new file as a whole. */
static struct error *replace_file(const char *path, const char *token, const char *certificate, int *fd_ret)
{
	_cleanup_free_ char *beside = NULL;

	if (asprintf(&beside, "%s.new", path) < 0) {
		beside = NULL;
		return &error_nomem;
	}
	unlink(beside);
	_cleanup_close_ int fd = open(beside, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_create_errno(errno, "create token file %s", beside);
	struct error *err = lock_file(beside, fd);
	if (!err && (dprintf(fd, "%s\n%s", token, certificate ? certificate : "") < 0 || fsync(fd)))
		err = error_create_errno(errno, "write %s", beside);
	if (!err && rename(beside, path))
		err = error_create_errno(errno, "create token file %s", path);
	if (err) {
		unlink(beside);
		return err;
	}
	*fd_ret = fd;
	fd = -1;
	return NULL;
}

struct error *token_make(const char *path, const char *certificate, char **ret, int *fd_ret)
{
	_cleanup_close_ int old = -1;
	char *token = NULL;

	struct error *err = secure_path_check(path);
	if (err)
		return error_wrap(err, "token file %s", path);
	err = check_old_file(path, &old);
	if (!err)
		err = create_token(&token);
	if (err)
		return err;
	err = replace_file(path, token, certificate, fd_ret);
	if (err)
		free(token);
	else
		*ret = token;
	return err;
}

void token_remove(const char *path, int fd TAKES)
{
	struct stat mine, there;

	if (!fstat(fd, &mine) && !lstat(path, &there) && mine.st_ino == there.st_ino && mine.st_dev == there.st_dev)
		unlink(path);
	close(fd);
}
