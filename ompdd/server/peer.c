/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A name for a process id, from /proc. */
#include "server/peer.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

void peer_find_program(struct session_peer *peer)
{
	char path[64], text[PATH_MAX];

	peer->program[0] = '\0';
	if (peer->pid <= 0)
		return;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)peer->pid);
	ssize_t n = readlink(path, text, sizeof(text) - 1);
	if (n <= 0) {
		snprintf(path, sizeof(path), "/proc/%d/comm", (int)peer->pid);
		_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

		n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
		n -= n > 0 && text[n - 1] == '\n';
	}
	text[n > 0 ? n : 0] = '\0';
	const char *slash = strrchr(text, '/');
	snprintf(peer->program, sizeof(peer->program), "%.63s", slash ? slash + 1 : text);
}
