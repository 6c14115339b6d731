/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sends one datagram per record. */
#include "server/journal.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"

static struct sockaddr_un address;

bool journal_open(const char *path)
{
	address = (struct sockaddr_un){0};
	if (strlen(path) >= sizeof(address.sun_path) || access(path, W_OK))
		return false;
	address.sun_family = AF_UNIX;
	memcpy(address.sun_path, path, strlen(path) + 1);
	return true;
}

bool journal_has_stderr(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	char own[64];
	struct stat st;

	if (!stream || fstat(STDERR_FILENO, &st))
		return false;
	snprintf(own, sizeof(own), "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	return !strcmp(own, stream);
}

void journal_send(const char *record, size_t len)
{
	_cleanup_close_ int fd =
		address.sun_family ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;

	if (fd >= 0)
		sendto(fd, record, len, MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)&address,
		       sizeof(address));
}
