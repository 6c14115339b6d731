/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Credentials of MUNGE (--auth munge): made by the munged of a machine for one of its users, and read by any munged
 * that has the same key. Without libmunge at the build there are none.
 */
#ifndef OMPDD_SERVER_CREDENTIAL_H
#define OMPDD_SERVER_CREDENTIAL_H

#include <stdbool.h>

#include "base/error.h"

struct credential_checker {
	const char *socket; /* munged's; NULL: the usual one */
	/* What each credential must carry: of this run of the daemon alone, so that those shown to others are no good.
	 */
	char challenge[33];
};

/* @spec: "munge" or "munge:SOCKET", borrowed. ERR_INVALID_PARAMS; ERR_UNAUTHORIZED: this build has no libmunge. */
MUST_USE struct error *credential_begin(const char *spec, struct credential_checker *ret);

/*
 * Whether @credential was made by our own user, or root, for our challenge, a short time ago, and was not shown before:
 * munged sees to the last two. It may let wait for seconds: see credential_ask.h. Any thread. ERR_UNAUTHORIZED.
 */
MUST_USE struct error *credential_check(const struct credential_checker *c, const char *credential);

#endif
