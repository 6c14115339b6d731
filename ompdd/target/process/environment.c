/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the settings of a process that the kernel keeps: its first environment, and the limit of its stacks. */
#include "target/process/environment.h"

#include <string.h>

#include "base/number.h"
#include "target/proc/job.h"
#include "target/proc/proc.h"
#include "target/process/process.h"

struct error *process_environment(struct target *t, char **ret, size_t *len_ret)
{
	return proc_read_all(process_of(t)->dirfd, "environ", JOB_MAX_ENVIRON, ret, len_ret);
}

bool target_limit_parse(const char *limits, const char *name, uint64_t *ret)
{
	static const char unlimited[] = "unlimited";
	size_t len = strlen(name);
	const char *line = limits;
	int64_t number;

	while (line && strncmp(line, name, len) != 0) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (!line)
		return false;
	line += len;
	line += strspn(line, " ");
	if (!strncmp(line, unlimited, sizeof(unlimited) - 1)) {
		*ret = TARGET_UNLIMITED;
		return true;
	}
	if (!number_skip(&line, INT64_MAX, &number) || *line != ' ')
		return false;
	*ret = (uint64_t)number;
	return true;
}

bool target_stack_limit(struct target *t, uint64_t *ret)
{
	char text[4096];

	return t->ops == &process_ops && proc_read(process_of(t)->dirfd, "limits", text, sizeof(text)) > 0 &&
	       target_limit_parse(text, "Max stack size", ret);
}
