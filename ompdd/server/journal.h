/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* journald's socket for records with fields of their own (sd-journal's native protocol, one datagram each). */
#ifndef OMPDD_SERVER_JOURNAL_H
#define OMPDD_SERVER_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#define JOURNAL_SOCKET "/run/systemd/journal/socket"

/* Send records to @path from now on; false: nobody listens there. */
bool journal_open(const char *path);
/* Whether standard error goes to the journal already, line by line (systemd's $JOURNAL_STREAM). */
bool journal_has_stderr(void);

/* Send @record, lines FIELD=value. One that does not go out at once is lost: it must hold nobody up. */
void journal_send(const char *record, size_t len);

#endif
