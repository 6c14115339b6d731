/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Becoming another user, and nothing of who one was. */
#ifndef OMPDD_SERVER_LOGIN_H
#define OMPDD_SERVER_LOGIN_H

#include <pwd.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * Make this process, one of root that has just been forked, one of @uid, @gid and that user's groups, as a login would:
 * in a session of its own without a terminal, in the home folder or /, with the limits, the umask and the priority that
 * users have, not with the daemon's; without its keys. @pw: the user's entry; pw_name NULL: there is none.
 * False: errno says why; then it must not go on.
 */
bool login_as(uid_t uid, gid_t gid, const struct passwd *pw);

#endif
