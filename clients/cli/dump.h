/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ompdctl dump: writes a core file of a running process. */
#ifndef OMPDD_CLI_DUMP_H
#define OMPDD_CLI_DUMP_H

#include "follow.h"

/* Write the core of the process s->args->pid, and print a message with @write. After a failure or ^C there is no file.
 */
struct error *dump(struct conversation *s, const struct style *style, follow_write *write);

/*
 * Write a core of the process @pid into the open file @file, with the options of @args. @signals has the signals that
 * end it early, after interrupt_catch(). The caller checks the length of the file. Fails with ERR_ANSWER or
 * ERR_CONNECT.
 */
struct error *dump_into(const struct args *args, const struct connection *signals, long pid, int file);

#endif
