/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The audit log: who has done something to a process, or was refused. One line each on standard error, whatever the log
 * level is:
 *
 *   audit: n=7 uid=1000 pid=4100 program="ompdctl" method=target.stop target=t1 target_pid=4711 outcome=ok
 *
 * and, where a journal listens, a record with the fields OMPDD_UID, OMPDD_METHOD and so on. Texts of others are
 * escaped. Who floods it costs himself lines, not others theirs: refusals and the rest have limits of their own, n
 * counts all, and `left_out` says how many were not written since the last line that was.
 */
#ifndef OMPDD_BASE_AUDIT_H
#define OMPDD_BASE_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct audit_entry {
	uid_t uid;
	pid_t pid;	     /* of the peer; 0: not known */
	const char *program; /* of the peer; NULL or "": not known */
	const char *method;  /* or what was tried: "connect", "http" */
	const char *target;  /* NULL: none */
	pid_t target_pid;    /* 0: none, or not known */
	const char *outcome; /* "ok", or the name of an error */
};

/* Whether lines go to standard error (the default), and what sends records, lines FIELD=value, to a journal; NULL:
 * nothing. */
void audit_set(bool to_stderr, void (*send)(const char *record, size_t len));

void audit_write(const struct audit_entry *e);
/* Say what was left out, if it was: now and then, and at the end. */
void audit_flush(void);

#endif
