/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Limits the resources of one user in a daemon that serves several users, so that all users get a share. The daemon's
 * own user and root have no quota, and a reserve is kept for them.
 */
#ifndef OMPDD_SESSION_QUOTA_H
#define OMPDD_SESSION_QUOTA_H

#include <sys/types.h>

#include "base/error.h"

/* The defaults, and the reserve (QUOTA_KEPT) for the daemon's own user and root. */
#define QUOTA_CONNECTIONS 16
#define QUOTA_TARGETS	  16
#define QUOTA_KEPT	  8

/* The limits of one user; 0: the default. */
struct quota {
	size_t connections;
	size_t targets;
};

/* The use of one resource. */
struct quota_use {
	size_t all;   /* in use by all users */
	size_t own;   /* in use by the requesting user */
	size_t limit; /* the total limit */
};

/* Replace zeroes by the defaults. */
struct quota quota_complete(struct quota q);

/*
 * Check that @uid may have one more of @what ("connections", "targets"). Returns ERR_LIMIT_EXCEEDED with the detail
 * "limit": @what for the total limit, "user_" and @what for the user's.
 */
MUST_USE struct error *quota_check(const struct quota_use *use, size_t quota, const char *what, uid_t uid);

#endif
