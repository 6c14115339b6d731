/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of server/allow: which rule applies to which user. */
#include "check_main.h"

#include <string.h>

#include "server/allow.h"

static const struct {
	const char *text;
	bool ok;
	enum allow_whom whom;
	id_t id;
	enum method_tier tier;
} rules[] = {
	{"observe", true, ALLOW_ALL, 0, TIER_OBSERVE},
	{"admin:user=0", true, ALLOW_USER, 0, TIER_ADMIN},
	{"control:user=root", true, ALLOW_USER, 0, TIER_CONTROL},
	{"inspect:group=12345", true, ALLOW_GROUP, 12345, TIER_INSPECT},
	{"", false, ALLOW_ALL, 0, 0},
	{"observer", false, ALLOW_ALL, 0, 0},
	{"obs", false, ALLOW_ALL, 0, 0},
	{"observe:", false, ALLOW_ALL, 0, 0},
	{"observe:user=", false, ALLOW_ALL, 0, 0},
	{"observe:user=-1", false, ALLOW_ALL, 0, 0},
	{"observe:user=4294967295", false, ALLOW_ALL, 0, 0},
	{"observe:group=1x", false, ALLOW_ALL, 0, 0},
	{"observe:uid=1", false, ALLOW_ALL, 0, 0},
};

START_TEST(test_parse)
{
	struct allow_rule rule;

	if (!rules[_i].ok) {
		ck_assert_err(allow_parse(rules[_i].text, &rule), ERR_INVALID_PARAMS);
		return;
	}
	ck_assert_no_err(allow_parse(rules[_i].text, &rule));
	ck_assert_int_eq(rule.whom, rules[_i].whom);
	ck_assert_uint_eq(rule.id, rules[_i].id);
	ck_assert_int_eq(rule.tier, rules[_i].tier);
}
END_TEST

START_TEST(test_suffix)
{
	enum method_tier tier;
	size_t len;

	ck_assert_no_err(allow_split_uri("unix:/a,allow=b/s,allow=control", &len, &tier));
	ck_assert_uint_eq(len, strlen("unix:/a,allow=b/s"));
	ck_assert_int_eq(tier, TIER_CONTROL);
	ck_assert_no_err(allow_split_uri("tcp:80", &len, &tier));
	ck_assert_uint_eq(len, 6);
	ck_assert_int_eq(tier, TIER_ADMIN);
	ck_assert_err(allow_split_uri("tcp:80,allow=", &len, &tier), ERR_INVALID_PARAMS);
}
END_TEST

static enum method_tier tier_of(uid_t uid, gid_t gid, const gid_t *groups, size_t n_groups)
{
	static const char *const texts[] = {"observe", "control:group=10", "inspect:group=11", "inspect:user=7",
					    "admin:user=8"};
	struct allow_rule all[sizeof(texts) / sizeof(texts[0])];
	struct session_peer peer = {.uid = uid, .gid = gid};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		ck_assert_no_err(allow_parse(texts[i], &all[i]));
	allow_apply(all, sizeof(texts) / sizeof(texts[0]), groups, n_groups, &peer);
	ck_assert_msg(!strncmp(peer.setting, "--allow ", 8), "%s", peer.setting);
	return peer.tier;
}

START_TEST(test_which_counts)
{
	const gid_t both[] = {11, 10};

	ck_assert_int_eq(tier_of(1, 1, NULL, 0), TIER_OBSERVE);
	ck_assert_int_eq(tier_of(1, 10, NULL, 0), TIER_CONTROL);
	ck_assert_int_eq(tier_of(1, 1, both, 1), TIER_INSPECT);
	ck_assert_int_eq(tier_of(1, 1, both, 2), TIER_CONTROL);
	ck_assert_int_eq(tier_of(7, 10, both, 2), TIER_INSPECT);
	ck_assert_int_eq(tier_of(8, 1, NULL, 0), TIER_ADMIN);
}
END_TEST

START_TEST(test_listener_limits)
{
	struct session_peer peer = {0};

	allow_apply(NULL, 0, NULL, 0, &peer);
	ck_assert_int_eq(peer.tier, TIER_ADMIN);
	allow_limit(TIER_INSPECT, "tcp:127.0.0.1:80", &peer);
	ck_assert_int_eq(peer.tier, TIER_INSPECT);
	ck_assert_str_eq(peer.setting, "--listen tcp:127.0.0.1:80,allow=inspect");
	allow_limit(TIER_CONTROL, "unix:/x", &peer);
	ck_assert_int_eq(peer.tier, TIER_INSPECT);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("allow");
	TCase *t = tcase_create("allow");

	tcase_add_loop_test(t, test_parse, 0, sizeof(rules) / sizeof(rules[0]));
	tcase_add_test(t, test_suffix);
	tcase_add_test(t, test_which_counts);
	tcase_add_test(t, test_listener_limits);
	suite_add_tcase(s, t);
	return check_main(s);
}
