/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The folder of a user's own daemon socket. */
#include "base/socket_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *get_variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

bool socket_folder_find(uid_t uid, char *ret, size_t size)
{
	const char *run = get_variable("XDG_RUNTIME_DIR"), *tmp = get_variable("TMPDIR");
	char login[40];
	int n;

	snprintf(login, sizeof(login), "/run/user/%u", uid);
	if (run)
		n = snprintf(ret, size, "%s/ompdd", run);
	else if (uid == 0)
		n = snprintf(ret, size, "/run/ompdd");
	else if (access(login, F_OK) == 0)
		n = snprintf(ret, size, "%s/ompdd", login);
	else
		n = snprintf(ret, size, "%s/ompdd-%u", tmp ? tmp : "/tmp", uid);
	return n >= 0 && (size_t)n < size;
}
