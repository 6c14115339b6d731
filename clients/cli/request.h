/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a command line asks, in the protocol's terms: the methods and their params. Sends nothing. */
#ifndef OMPDD_CLI_REQUEST_H
#define OMPDD_CLI_REQUEST_H

#include "args.h"

struct json_object;

/* The method whose result is wanted; the views for people draw from one whole snapshot. */
const char *request_method(const struct args *args);
/* Its params, of which those of `call` lack what the user gives; @target NULL: it is about none. The caller owns them.
 */
struct json_object *request_params(const struct args *args, const char *target);

/* The method that makes what the command line names a target: target.attach, target.launch or target.open_core. */
const char *request_attach_method(const struct args *args);
/*
 * Its params, with the paths, the environment and the files that a launched program is to have. @is_elsewhere: the
 * daemon may be on another machine, where our files are not. The caller owns them.
 */
struct json_object *request_attach_params(const struct args *args, int is_elsewhere);

#endif
