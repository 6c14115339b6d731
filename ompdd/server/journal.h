/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sends records with their own fields to journald's socket (sd-journal's native protocol, one datagram each). */
#ifndef OMPDD_SERVER_JOURNAL_H
#define OMPDD_SERVER_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#define JOURNAL_SOCKET "/run/systemd/journal/socket"

/* Send records to @path from now on. Returns false if no process listens there. */
bool journal_open(const char *path);
/* Return true if standard error already goes to the journal, line by line (systemd's $JOURNAL_STREAM). */
bool journal_has_stderr(void);

/* Send @record, lines FIELD=value. Drops a record that cannot be sent at once: logging must not block. */
void journal_send(const char *record, size_t len);

#endif
