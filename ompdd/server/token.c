/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file behind --token-file. */
#include "server/token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "server/secure_path.h"

#define RANDOM_BYTES 32

static struct error *create(const char *path, int fd, char **ret)
{
	unsigned char random[RANDOM_BYTES];
	_cleanup_free_ char *token = malloc(2 * RANDOM_BYTES + 1);

	if (!token)
		return &error_nomem;
	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return error_create_errno(errno, "getrandom");
	for (size_t i = 0; i < RANDOM_BYTES; i++)
		snprintf(token + 2 * i, 3, "%02x", random[i]);
	if (dprintf(fd, "%s\n", token) != 2 * RANDOM_BYTES + 1 || fsync(fd))
		return error_create_errno(errno, "write %s", path);
	*ret = no_cleanup(token);
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

static struct error *read_token(const char *path, int fd, char **ret)
{
	_cleanup_free_ char *token = calloc(1, TOKEN_MAX_LEN + 3);

	if (!token)
		return &error_nomem;
	ssize_t n = read(fd, token, TOKEN_MAX_LEN + 2);
	if (n < 0)
		return error_create_errno(errno, "read %s", path);
	size_t len = strcspn(token, "\r\n");
	size_t rest = strspn(token + len, "\r\n");
	bool printable = true;
	for (size_t i = 0; i < len; i++)
		printable &= token[i] > 0x20 && token[i] < 0x7f;
	if (!printable || len < TOKEN_MIN_LEN || len > TOKEN_MAX_LEN || len + rest != (size_t)n)
		return error_hint(error_create(ERR_UNAUTHORIZED,
					       "token file %s does not hold one line of %d to %d "
					       "printable characters",
					       path, TOKEN_MIN_LEN, TOKEN_MAX_LEN),
				  "remove the file, so that ompdd makes a new one");
	token[len] = '\0';
	*ret = no_cleanup(token);
	return NULL;
}

struct error *token_load(const char *path, char **ret)
{
	struct error *err = secure_path_check(path);
	if (err)
		return error_wrap(err, "token file %s", path);
	_cleanup_close_ int new_fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (new_fd >= 0) {
		err = create(path, new_fd, ret);
		if (err)
			unlink(path);
		return err;
	}
	if (errno != EEXIST)
		return error_create_errno(errno, "create token file %s", path);
	/* O_NONBLOCK: a fifo in its place must not stop us. */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno == ELOOP)
		return error_create(ERR_UNAUTHORIZED, "token file %s is a symbolic link", path);
	if (fd < 0)
		return error_create_errno(errno, "open token file %s", path);
	err = check_file(path, fd);
	if (err)
		return err;
	return read_token(path, fd, ret);
}
