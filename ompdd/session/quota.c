/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Limits the resources of one user in a daemon that serves several users. */
#include "session/quota.h"

#include <unistd.h>

struct quota quota_complete(struct quota q)
{
	if (!q.connections)
		q.connections = QUOTA_CONNECTIONS;
	if (!q.targets)
		q.targets = QUOTA_TARGETS;
	return q;
}

struct error *quota_check(const struct quota_use *use, size_t quota, const char *what, uid_t uid)
{
	bool is_owner = uid == 0 || uid == geteuid();

	if (!is_owner && use->own >= quota)
		return error_detail(
			error_hint(error_create(ERR_LIMIT_EXCEEDED, "user %u has %zu %s already", uid, use->own, what),
				   "close or detach what you no longer need; the administrator may raise "
				   "--user-%s",
				   what),
			"limit", "user_%s", what);
	if (use->all + (is_owner ? 0 : QUOTA_KEPT) >= use->limit)
		return error_detail(
			error_hint(error_create(ERR_LIMIT_EXCEEDED, "there are already %zu %s", use->all, what),
				   "close or detach what you no longer need"),
			"limit", "%s", what);
	return NULL;
}
