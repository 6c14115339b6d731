/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* target/proc and target/dump/dump_maps: the parsers of /proc text. The first byte chooses one; the results must lie
 * within the input. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "target/dump/dump_maps.h"
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

/* The same text as lines of smaps. */
static void check_attributes(const char *text, size_t len)
{
	struct dump_maps maps = {0};

	for (const char *line = text, *end = text + len; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		size_t n = (size_t)((newline ? newline : end) - line);

		if (!dump_maps_add_line(&maps, line, n))
			break;
		line += n + 1;
	}
	for (size_t i = 0; i < maps.n; i++) {
		if (maps.rows[i].end <= maps.rows[i].start)
			abort();
	}
	dump_maps_deinit(&maps);
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
		check_attributes(text, size - 1);
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
