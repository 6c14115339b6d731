/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The first word of a token file is the token. Certificates may follow it. */
#include "token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

#define MAX_TOKEN (64 << 10) /* with certificates */

struct error *token_find(const char *named, const struct advice *advice, const char *scheme, const char **ret)
{
	const char *path = named ? named : getenv("OMPDD_TOKEN_FILE");
	struct stat st;

	*ret = path;
	if (path && *path && !named && !stat(path, &st) && st.st_uid != 0 && st.st_uid != geteuid())
		return failure_create(ERR_CONNECT, "unauthorized", advice->untrusted_token,
				      "cannot trust $OMPDD_TOKEN_FILE: %s belongs to another user (uid %u)", path,
				      st.st_uid);
	if (path && *path)
		return NULL;
	return failure_create(ERR_USAGE, "no_token", advice->no_token, "a %s: address needs a token", scheme);
}

struct error *token_read(const char *path, char **ret)
{
	struct error *f = NULL;
	struct buf t = {0};
	char chunk[4096];
	ssize_t n = -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && !f && t.len <= MAX_TOKEN &&
	       ((n = read(fd, chunk, sizeof(chunk))) > 0 || (n < 0 && errno == EINTR))) {
		if (n > 0)
			f = buf_append(&t, chunk, (size_t)n);
	}
	if (t.len > MAX_TOKEN) {
		n = -1;
		errno = EFBIG;
	}
	if (!f && n < 0)
		f = failure_create(ERR_CONNECT, "no_token", NULL, "cannot read the token in %s: %m", path);
	if (!f)
		f = buf_append(&t, "", 0);
	if (fd >= 0)
		close(fd);
	if (f) {
		buf_deinit(&t);
		return f;
	}
	t.data[strcspn(t.data, " \t\r\n")] = 0;
	*ret = t.data;
	return NULL;
}
