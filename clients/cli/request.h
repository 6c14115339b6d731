/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The command line in the protocol's terms: methods and their params. Sends nothing. */
#ifndef OMPDD_CLI_REQUEST_H
#define OMPDD_CLI_REQUEST_H

#include "args.h"

struct json_object;

/* Return the method whose result is printed. The views for readers are all drawn from one whole snapshot. */
const char *request_method(const struct args *args);
/* Return its params; those of `call` lack the params that the user gives. @target NULL: no target. The caller owns
 * them. */
struct json_object *request_params(const struct args *args, const char *target);

/* Return the method that creates a target from the command line: target.attach, target.launch or target.open_core. */
const char *request_attach_method(const struct args *args);
/*
 * Return its params, with paths, and the environment and files of a launched program. @is_elsewhere: the daemon may
 * run on another machine, which does not have our files. The caller owns them.
 */
struct json_object *request_attach_params(const struct args *args, int is_elsewhere);

#endif
