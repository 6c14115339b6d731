/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Becomes another user, and drops all rights of the previous one. */
#ifndef OMPDD_SERVER_LOGIN_H
#define OMPDD_SERVER_LOGIN_H

#include <pwd.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * Make this process, a newly forked one of root, a process of @uid, @gid and that user's groups, as a login does. It
 * gets a new session without a terminal, and the home folder or / as its folder. Limits, umask and priority become
 * those of users; the daemon's keys are dropped. @pw: the user's entry; pw_name NULL: no entry. Returns false with
 * errno on failure: the process must then exit.
 */
bool login_as(uid_t uid, gid_t gid, const struct passwd *pw);

#endif
