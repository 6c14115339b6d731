/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rules of --allow, from text to a peer's tier. */
#include "server/allow.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

static struct error *refuse_rule(const char *text, const char *what)
{
	return error_hint(error_create(ERR_INVALID_PARAMS, "--allow %.128s: %s", text, what),
			  "as in --allow observe, --allow control:user=NAME or --allow observe:group=NAME; tiers are "
			  "observe, inspect, control and admin");
}

static bool parse_number(const char *text, id_t *ret)
{
	int64_t value;

	if (!number_parse(text, 0, UINT32_MAX - INT64_C(1), &value))
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

/* Parse "user=NAME" or "group=NAME". Returns NULL, or the reason why @text is not valid. */
static const char *parse_subject(const char *text, struct allow_rule *rule)
{
	if (!strncmp(text, "user=", 5)) {
		rule->whom = ALLOW_USER;
		return find_user(text + 5, &rule->id) ? NULL : "no such user";
	}
	if (!strncmp(text, "group=", 6)) {
		rule->whom = ALLOW_GROUP;
		return find_group(text + 6, &rule->id) ? NULL : "no such group";
	}
	return "neither user=NAME nor group=NAME";
}

struct error *allow_parse(const char *text, struct allow_rule *ret)
{
	struct allow_rule rule = {.text = text};
	size_t len = strcspn(text, ":");
	const char *why = NULL;

	if (!tier_parse(text, len, &rule.tier))
		return refuse_rule(text, "no such tier");
	if (text[len])
		why = parse_subject(text + len + 1, &rule);
	if (why)
		return refuse_rule(text, why);
	*ret = rule;
	return NULL;
}

static void add_user(struct allow_users *users, uid_t uid)
{
	if (users->n < ALLOW_MAX_USERS)
		users->uids[users->n++] = uid;
}

/* Add the users in the group's member list, and the users with @gid as their primary group. */
static void add_members(struct allow_users *users, gid_t gid)
{
	const struct group *gr = getgrgid(gid);
	const struct passwd *pw;

	for (size_t i = 0; gr && gr->gr_mem[i]; i++) {
		id_t uid;

		if (find_user(gr->gr_mem[i], &uid))
			add_user(users, (uid_t)uid);
	}
	setpwent();
	while ((pw = getpwent())) {
		if (pw->pw_gid == gid)
			add_user(users, pw->pw_uid);
	}
	endpwent();
}

struct error *allow_add_users(const char *text, struct allow_users *users)
{
	struct allow_rule rule = {.text = text};
	const char *why = parse_subject(text, &rule);

	if (why)
		return error_hint(error_create(ERR_INVALID_PARAMS, "--metrics-for %.128s: %s", text, why),
				  "as in --metrics-for user=NAME or --metrics-for group=NAME");
	if (rule.whom == ALLOW_USER)
		add_user(users, rule.id);
	else
		add_members(users, rule.id);
	return NULL;
}

bool allow_has_user(const struct allow_users *users, uid_t uid)
{
	for (size_t i = 0; i < users->n; i++) {
		if (users->uids[i] == uid)
			return true;
	}
	return false;
}

struct error *allow_find_group(const char *name, gid_t *ret)
{
	id_t id;

	if (!find_group(name, &id))
		return error_hint(error_create(ERR_INVALID_PARAMS, "no such group: %.64s", name),
				  "getent group lists all groups");
	*ret = (gid_t)id;
	return NULL;
}

struct error *allow_split_uri(const char *uri, size_t *len_ret, enum method_tier *ret)
{
	const char *suffix = NULL;

	/* Take the last suffix: a path may contain any text. */
	for (const char *p = uri; (p = strstr(p, ALLOW_SUFFIX)); p++)
		suffix = p;
	*ret = TIER_ADMIN;
	*len_ret = suffix ? (size_t)(suffix - uri) : strlen(uri);
	if (!suffix)
		return NULL;
	const char *tier = suffix + strlen(ALLOW_SUFFIX);
	if (tier_parse(tier, strlen(tier), ret))
		return NULL;
	return error_hint(error_create(ERR_INVALID_PARAMS, "--listen %.160s: \"%.32s\" is not a tier", uri, tier),
			  "the tiers are observe, inspect, control and admin");
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
		/* The later one of two rules for the same user, or for all users, wins. */
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
