/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rules of --allow, from text to a peer's tier. */
#include "server/allow.h"

#include <ctype.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct error *bad(const char *text, const char *what)
{
	return error_hint(error_create(ERR_INVALID_PARAMS, "--allow %.128s: %s", text, what),
			  "as in --allow observe, --allow control:user=NAME or --allow observe:group=NAME; tiers are "
			  "observe, inspect, control and admin");
}

static bool parse_number(const char *text, id_t *ret)
{
	char *end;

	errno = 0;
	unsigned long value = strtoul(text, &end, 10);
	if (!isdigit((unsigned char)*text) || errno || *end || value >= UINT32_MAX)
		return false;
	*ret = (id_t)value;
	return true;
}

static bool find_user(const char *name, id_t *ret)
{
	const struct passwd *pw = getpwnam(name);

	if (!pw)
		return parse_number(name, ret);
	*ret = pw->pw_uid;
	return true;
}

static bool find_group(const char *name, id_t *ret)
{
	const struct group *gr = getgrnam(name);

	if (!gr)
		return parse_number(name, ret);
	*ret = gr->gr_gid;
	return true;
}

struct error *allow_parse(const char *text, struct allow_rule *ret)
{
	struct allow_rule rule = {.text = text};
	size_t len = strcspn(text, ":");
	const char *whom = text + len;

	if (!tier_parse(text, len, &rule.tier))
		return bad(text, "there is no such tier");
	if (!strncmp(whom, ":user=", 6)) {
		rule.whom = ALLOW_USER;
		if (!find_user(whom + 6, &rule.id))
			return bad(text, "there is no such user");
	} else if (!strncmp(whom, ":group=", 7)) {
		rule.whom = ALLOW_GROUP;
		if (!find_group(whom + 7, &rule.id))
			return bad(text, "there is no such group");
	} else if (*whom) {
		return bad(text, "behind the tier comes :user=NAME, :group=NAME or nothing");
	}
	*ret = rule;
	return NULL;
}

struct error *allow_split_uri(const char *uri, size_t *len_ret, enum method_tier *ret)
{
	const char *suffix = NULL;

	/* The last one: a path may contain anything. */
	for (const char *p = uri; (p = strstr(p, ALLOW_SUFFIX)); p++)
		suffix = p;
	*ret = TIER_ADMIN;
	*len_ret = suffix ? (size_t)(suffix - uri) : strlen(uri);
	if (!suffix)
		return NULL;
	const char *tier = suffix + strlen(ALLOW_SUFFIX);
	if (tier_parse(tier, strlen(tier), ret))
		return NULL;
	return error_hint(error_create(ERR_INVALID_PARAMS, "--listen %.160s: \"%.32s\" is no tier", uri, tier),
			  "tiers are observe, inspect, control and admin");
}

static bool has_group(const gid_t *groups, size_t n, id_t id)
{
	for (size_t i = 0; i < n; i++) {
		if (groups[i] == id)
			return true;
	}
	return false;
}

void allow_apply(const struct allow_rule *rules, size_t n, const gid_t *groups, size_t n_groups,
		 struct session_peer *peer)
{
	const struct allow_rule *best = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct allow_rule *r = &rules[i];

		if (r->whom == ALLOW_USER && r->id != peer->uid)
			continue;
		if (r->whom == ALLOW_GROUP && r->id != peer->gid && !has_group(groups, n_groups, r->id))
			continue;
		/* Of two for the same user, or for everybody, the later one. */
		if (!best || r->whom > best->whom ||
		    (r->whom == best->whom && (r->whom != ALLOW_GROUP || r->tier > best->tier)))
			best = r;
	}
	peer->tier = best ? best->tier : TIER_ADMIN;
	snprintf(peer->setting, sizeof(peer->setting), "%s%s", best ? "--allow " : "no --allow",
		 best ? best->text : "");
}

void allow_limit(enum method_tier tier, const char *uri, struct session_peer *peer)
{
	if (tier >= peer->tier)
		return;
	peer->tier = tier;
	snprintf(peer->setting, sizeof(peer->setting), "--listen %.120s" ALLOW_SUFFIX "%s", uri, tier_name(tier));
}
