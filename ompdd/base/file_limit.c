/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Raises the soft limit of open files to the hard one. */
#include "base/file_limit.h"

#include <sys/resource.h>

size_t file_limit_raise(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return 0;
	if (files.rlim_cur < files.rlim_max) {
		rlim_t before = files.rlim_cur;

		files.rlim_cur = files.rlim_max;
		if (setrlimit(RLIMIT_NOFILE, &files))
			files.rlim_cur = before;
	}
	return files.rlim_cur;
}
