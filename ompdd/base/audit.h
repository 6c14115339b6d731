/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The audit log: actions on processes and refused requests, with their user. It writes one line each to standard error,
 * whatever the log level is:
 *
 *   audit: n=7 uid=1000 pid=4100 program="ompdctl" method=target.stop target=t1 target_pid=4711 outcome=ok
 *
 * If a journal listens, it also gets a record with the fields OMPDD_UID, OMPDD_METHOD and so on. Foreign texts are
 * escaped. Refusals and other entries have separate rate limits, so that a flood of refusals does not suppress other
 * entries. n counts all entries; `left_out` is the number of suppressed lines since the last written one.
 */
#ifndef OMPDD_BASE_AUDIT_H
#define OMPDD_BASE_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct audit_entry {
	uid_t uid;
	pid_t pid;	     /* of the peer; 0: unknown */
	const char *program; /* of the peer; NULL or "": unknown */
	const char *method;  /* or the attempted action: "connect", "http" */
	const char *target;  /* NULL: no target */
	pid_t target_pid;    /* 0: no process, or unknown */
	const char *outcome; /* "ok", or the name of an error */
};

/*
 * Set the outputs. @to_stderr: write lines to standard error (the default). @send: sends records, lines FIELD=value, to
 * a journal; NULL: no journal.
 */
void audit_set(bool to_stderr, void (*send)(const char *record, size_t len));

void audit_write(const struct audit_entry *e);
/* Report suppressed lines, if there are any. Call it regularly, and at the end. */
void audit_flush(void);

#endif
