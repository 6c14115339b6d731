/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A private folder for one test, removed afterwards. */
#ifndef OMPDD_SUPPORT_SCRATCH_H
#define OMPDD_SUPPORT_SCRATCH_H

#include "check_main.h"

#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char scratch[64];

static inline void scratch_setup(void)
{
	strcpy(scratch, "/tmp/ompdd-unit-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(scratch));
}

static inline int scratch_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void scratch_teardown(void)
{
	nftw(scratch, scratch_remove, 8, FTW_DEPTH | FTW_PHYS);
}

/* Return the path of @name in the folder. Static: valid until the next call. */
static inline const char *scratch_path(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", scratch, name);
	return path;
}

#endif
