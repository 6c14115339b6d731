/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The processes that a command line is about. */
#ifndef OMPDD_CLI_PROCESS_CHOICE_H
#define OMPDD_CLI_PROCESS_CHOICE_H

#include "args.h"
#include "processes.h"
#include "text.h"

struct connection;
struct json_object;

/*
 * Find the processes that @args names. If it leaves the choice to ompdctl, find the only OpenMP process of the calling
 * user, by process.list. With --wait, wait for a process that uses an OpenMP runtime. Fails with ERR_USAGE if the user
 * has none or several; a table of several is printed on standard error, but not with --json.
 */
struct error *process_choice_find(const struct args *args, const struct style *style, struct processes *ret);

/*
 * Request the OpenMP processes of @user, a number or a name, with the name @name; NULL: any. Signals interrupt the
 * request as they interrupt @signals; NULL: they do not. The caller frees *@ret, the result of process.list, also after
 * a failure.
 */
struct error *process_choice_list(const struct args *args, const char *user, const char *name,
				  const struct connection *signals, struct json_object **ret);
/* As process_choice_list(), for the calling user. */
struct error *process_choice_list_own(const struct args *args, const char *name, const struct connection *signals,
				      struct json_object **ret);

#endif
