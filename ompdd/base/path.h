/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of a file's path. */
#ifndef OMPDD_BASE_PATH_H
#define OMPDD_BASE_PATH_H

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* Return the file name: the part of @path after the last slash, or all of it without one. Borrowed from @path. */
static inline const char *path_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Store the folder of our own executable in @ret, of @size bytes. Returns false, with "" in @ret, if it is not known.
 */
static inline bool path_own_folder(char *ret, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", ret, size - 1);

	ret[n > 0 ? n : 0] = '\0';
	char *slash = strrchr(ret, '/');
	if (slash)
		*slash = '\0';
	return slash;
}

#endif
