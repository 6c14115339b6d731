/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Implements --allow: the tier (rpc/dispatch.h) of a peer. TIER applies to all users; TIER:user=NAME and
 * TIER:group=NAME apply to some. A user's own rule precedes the rules of the user's groups. These precede the rule for
 * all users. The highest tier wins among the rules of several groups. Without a rule the tier is admin: any client that
 * can connect may call all methods.
 */
#ifndef OMPDD_SERVER_ALLOW_H
#define OMPDD_SERVER_ALLOW_H

#include "session/session.h"

#define ALLOW_MAX_RULES 64
/* The suffix in --listen URI,allow=TIER: it limits the tier of the clients of that listener. */
#define ALLOW_SUFFIX ",allow="

enum allow_whom { ALLOW_ALL, ALLOW_GROUP, ALLOW_USER };

struct allow_rule {
	enum allow_whom whom;
	id_t id;
	enum method_tier tier;
	const char *text; /* borrowed */
};

#define ALLOW_MAX_USERS 256

struct allow_users {
	uid_t uids[ALLOW_MAX_USERS];
	size_t n;
};

/*
 * Parse @text, which *@ret borrows. Looks up names of users and groups once, here; accepts numbers, too. Returns
 * ERR_INVALID_PARAMS if @text is not valid.
 */
MUST_USE struct error *allow_parse(const char *text, struct allow_rule *ret);

/* Find a group by name or number. Returns ERR_INVALID_PARAMS if there is no such group. */
MUST_USE struct error *allow_find_group(const char *name, gid_t *ret);
/*
 * Add the user of "user=NAME", or all members of the group of "group=NAME" in the system's lists of users and groups.
 * Looks them up now and not at a connection: the lists may be on a server that does not answer. Returns
 * ERR_INVALID_PARAMS if @text is not valid.
 */
MUST_USE struct error *allow_add_users(const char *text, struct allow_users *users);
bool allow_has_user(const struct allow_users *users, uid_t uid);

/*
 * Split @uri of --listen: sets *@len_ret to its length without the suffix. Returns ERR_INVALID_PARAMS for a wrong tier.
 */
MUST_USE struct error *allow_split_uri(const char *uri, size_t *len_ret, enum method_tier *ret);

/* Set @peer's tier and setting. @groups: the known groups of @peer. */
void allow_apply(const struct allow_rule *rules, size_t n, const gid_t *groups, size_t n_groups,
		 struct session_peer *peer);
/* Limit @peer's tier to @tier, the tier of the listener with the text @uri. */
void allow_limit(enum method_tier tier, const char *uri, struct session_peer *peer);

#endif
