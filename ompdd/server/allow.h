/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * --allow: which tier (rpc/dispatch.h) a peer has. TIER is for everybody, TIER:user=NAME and TIER:group=NAME for some.
 * A user's own rule counts before those of his groups, of which the most counts, and these before that for everybody.
 * Without any it is admin: who may connect at all may do all, as it was before there were tiers.
 */
#ifndef OMPDD_SERVER_ALLOW_H
#define OMPDD_SERVER_ALLOW_H

#include "session/session.h"

#define ALLOW_MAX_RULES 64
/* In --listen URI,allow=TIER: at most that for who comes in there. */
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

/* @text is borrowed by *@ret. Names of users and groups are looked up here, once; numbers do, too. ERR_INVALID_PARAMS.
 */
MUST_USE struct error *allow_parse(const char *text, struct allow_rule *ret);

/* A group by name or number. ERR_INVALID_PARAMS. */
MUST_USE struct error *allow_find_group(const char *name, gid_t *ret);
/*
 * Add the user of "user=NAME", or all that the system's lists of users and groups have in the group of "group=NAME".
 * Now, and not when somebody comes: such a list may be at a server that does not answer. ERR_INVALID_PARAMS.
 */
MUST_USE struct error *allow_add_users(const char *text, struct allow_users *users);
bool allow_has_user(const struct allow_users *users, uid_t uid);

/* Split @uri of --listen: *@len_ret is its length without the suffix. ERR_INVALID_PARAMS for a wrong tier. */
MUST_USE struct error *allow_split_uri(const char *uri, size_t *len_ret, enum method_tier *ret);

/* Set @peer's tier and setting. @groups: what is known of its groups. */
void allow_apply(const struct allow_rule *rules, size_t n, const gid_t *groups, size_t n_groups,
		 struct session_peer *peer);
/* The tier of a listener, whose text is @uri, on top of that. */
void allow_limit(enum method_tier tier, const char *uri, struct session_peer *peer);

#endif
