/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* answer: like `true`, but writes the file next to it: a node whose summary costs nothing. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char text[65536], path[4096];

	(void)argc;
	snprintf(path, sizeof(path), "%s.json", argv[0]);
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));
	return n <= 0 || write(STDOUT_FILENO, text, (size_t)n) != n;
}
