/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the programs have in common through which ompdctl speaks to a daemon that it does not reach itself (HTTP, TLS):
 * requests come in at standard input, answers go out at standard output, each a line of JSON.
 */
#ifndef CLI_BRIDGE_H
#define CLI_BRIDGE_H

#include <stddef.h>

/* @len bytes for ompdctl. Ends the program when ompdctl has left. */
void bridge_put(const char *data, size_t len);

/*
 * Say to ompdctl why nothing more comes, as an answer with error @name (as in the protocol), and end the program.
 * @hint, what to do now, may be NULL.
 */
void bridge_give_up(const char *name, const char *message, const char *hint) __attribute__((noreturn));

#endif
