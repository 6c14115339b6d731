/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* target/proc: the parsers of /proc text. The first byte chooses one; the results must lie within the input. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "target/proc/proc.h"

static void check_maps(const char *text, size_t len)
{
	const char *at = text;
	const char *end = text + len;
	struct proc_map m;

	while (proc_next_map(&at, end, &m)) {
		if (m.end <= m.start || at < text || at > end)
			abort();
		if (m.path < text || m.path > end || m.path_len > (size_t)(end - m.path))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct proc_stat stat;
	struct proc_status status;
	struct target_activity activity;

	if (!size)
		return 0;
	/* A copy of exactly this length, so that a sanitizer sees every read behind it. */
	char *text = malloc(size);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	switch (data[0] % 4) {
	case 0:
		check_maps(text, size - 1);
		break;
	case 1:
		if (proc_parse_stat(text, &stat) && !memchr(stat.comm, '\0', sizeof(stat.comm)))
			abort();
		break;
	case 2:
		proc_parse_status(text, &status);
		break;
	default:
		if (proc_parse_syscall(text, &activity) && !activity.known)
			abort();
		break;
	}
	free(text);
	return 0;
}
