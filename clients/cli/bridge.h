/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Common parts of the bridge programs (HTTP, TLS), which connect ompdctl to a daemon. Requests arrive on standard
 * input, answers leave on standard output, each as one line of JSON.
 */
#ifndef CLI_BRIDGE_H
#define CLI_BRIDGE_H

#include <stddef.h>

/* Write @len bytes to ompdctl. Ends the program when ompdctl has exited. */
void bridge_put(const char *data, size_t len);

/*
 * Report to ompdctl why the bridge stops, as an answer with error @name (as in the protocol), and end the program.
 * @hint, the next step for the user, may be NULL.
 */
void bridge_give_up(const char *name, const char *message, const char *hint) __attribute__((noreturn));

#endif
