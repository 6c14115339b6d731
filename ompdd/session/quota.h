/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What one user may take of a daemon that serves several, so that others get something, too. The daemon's own user and
 * root have no quota, and some of everything is kept for them.
 */
#ifndef OMPDD_SESSION_QUOTA_H
#define OMPDD_SESSION_QUOTA_H

#include <sys/types.h>

#include "base/error.h"

/* Defaults, and what nobody but the daemon's own user and root gets. */
#define QUOTA_CONNECTIONS 16
#define QUOTA_TARGETS	  16
#define QUOTA_KEPT	  8

/* Of one user; 0: the default. */
struct quota {
	size_t connections;
	size_t targets;
};

/* How much there is of something, and who has it. */
struct quota_use {
	size_t all;   /* in use */
	size_t own;   /* of these the asking user's */
	size_t limit; /* there are no more than so many */
};

/* The defaults in the place of zeroes. */
struct quota quota_complete(struct quota q);

/*
 * Whether @uid may have one more of @what ("connections", "targets"). ERR_LIMIT_EXCEEDED says which limit it is, with
 * the detail "limit": @what, or "user_" and that.
 */
MUST_USE struct error *quota_check(const struct quota_use *use, size_t quota, const char *what, uid_t uid);

#endif
