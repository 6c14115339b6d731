/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A MUNGE credential instead of the daemon's token: $OMPDD_AUTH is munge, or munge:SOCKET for another munged. With
 * TLS, the file $OMPDD_TOKEN_FILE contains the daemon's certificate.
 */
#ifndef OMPDD_LIB_CREDENTIAL_H
#define OMPDD_LIB_CREDENTIAL_H

#include "rpc.h"

int credential_is_requested(void);
/* Create a credential for @challenge with munge(1); NULL: munge(1) failed. The caller frees it. */
char *credential_make(const char *challenge);
/* Create a credential for the daemon's challenge with munge(1), and send it. */
struct error *credential_show(struct rpc *rpc);

#endif
