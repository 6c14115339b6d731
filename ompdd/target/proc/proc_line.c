/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Part of ompdd-tracer: proc_line.h. */
#include "target/proc/proc_line.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

ssize_t proc_line_read(const char *path, char *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, PROC_LINE_TEXT - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n;
}

bool proc_line_find(const char *text, const char *name, char *ret, size_t size)
{
	for (const char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		size_t len = strlen(name);

		if (strncmp(line, name, len))
			continue;
		size_t rest = strcspn(line + len, "\n");
		if (rest >= size || !line[len + rest])
			return false;
		memcpy(ret, line + len, rest);
		ret[rest] = '\0';
		return true;
	}
	return false;
}
