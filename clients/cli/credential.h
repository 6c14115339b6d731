/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A credential of MUNGE in place of the daemon's token: $OMPDD_AUTH is munge, or munge:SOCKET for another munged. With
 * TLS, $OMPDD_TOKEN_FILE has the certificate by which the daemon is known.
 */
#ifndef OMPDD_CLI_CREDENTIAL_H
#define OMPDD_CLI_CREDENTIAL_H

#include "rpc.h"

int credential_is_asked_for(void);
/* Have munge(1) make one for @challenge; NULL: it does not. The caller frees it. */
char *credential_make(const char *challenge);
/* Have munge(1) make one for the daemon's challenge, and show it. */
struct failure *credential_show(struct rpc *rpc);

#endif
