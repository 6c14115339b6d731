/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Credentials of MUNGE (--auth munge). The munged of a machine creates them for one of its users; any munged with the
 * same key can decode them. A build without libmunge has no credentials.
 */
#ifndef OMPDD_SERVER_CREDENTIAL_H
#define OMPDD_SERVER_CREDENTIAL_H

#include <stdbool.h>

#include "base/error.h"

struct credential_checker {
	const char *socket; /* path of munged's socket; NULL: the default */
	/*
	 * The text that each credential must carry. It is specific to this run of the daemon: a credential sent to
	 * another service is of no use here.
	 */
	char challenge[33];
};

/*
 * Parse @spec: "munge" or "munge:SOCKET", borrowed. Returns ERR_INVALID_PARAMS, or ERR_UNAUTHORIZED if this build has
 * no libmunge.
 */
MUST_USE struct error *credential_begin(const char *spec, struct credential_checker *ret);

/*
 * Check that the daemon's own user, or root, created @credential for our challenge. munged checks that it is recent and
 * was not used before. The call may block for seconds: see credential_ask.h. Any thread may call it. Returns
 * ERR_UNAUTHORIZED if a check fails.
 */
MUST_USE struct error *credential_check(const struct credential_checker *c, const char *credential);

#endif
