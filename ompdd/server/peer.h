/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the audit log says of a peer beyond its numbers. */
#ifndef OMPDD_SERVER_PEER_H
#define OMPDD_SERVER_PEER_H

#include "session/session.h"

/*
 * Set @peer->program for @peer->pid: the name of its executable's file, or, where we may not see that, what it calls
 * itself. It is what it was when it connected.
 */
void peer_find_program(struct session_peer *peer);

#endif
