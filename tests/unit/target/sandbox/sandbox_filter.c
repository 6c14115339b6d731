/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/sandbox/sandbox_filter: for each call, the filter's result is that of its rules, one after another.
 */
#include "target/sandbox/sandbox_filter.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <string.h>

#include "check_main.h"

#define AUDIT	  AUDIT_ARCH_X86_64
#define OTHERWISE SECCOMP_RET_TRAP
#define STEPS	  64
#define ALWAYS                                                                                                         \
	{                                                                                                              \
		0, 0, 0                                                                                                \
	}

/* Returns the kernel's action for the filter; *@steps_ret: the number of executed instructions. */
static uint32_t run(const struct sock_filter *code, size_t n, const struct seccomp_data *data, size_t *steps_ret)
{
	uint32_t a = 0;
	size_t pc = 0;

	for (*steps_ret = 0; *steps_ret < n; ++*steps_ret) {
		ck_assert_uint_lt(pc, n);
		const struct sock_filter *i = &code[pc++];

		switch (i->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			ck_assert_uint_le(i->k, sizeof(*data) - sizeof(a));
			memcpy(&a, (const char *)data + i->k, sizeof(a));
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= i->k;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
			pc += a == i->k ? i->jt : i->jf;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			pc += a >= i->k ? i->jt : i->jf;
			break;
		case BPF_JMP | BPF_JA:
			pc += i->k;
			break;
		case BPF_RET | BPF_K:
			return i->k;
		default:
			ck_abort_msg("instruction %zu: code %#x", pc - 1, i->code);
		}
	}
	ck_abort_msg("no result");
	return 0;
}

static bool holds(const struct sandbox_condition *c, const struct seccomp_data *data)
{
	return ((uint32_t)data->args[c->arg] & c->mask) == c->value;
}

static uint32_t said(const struct sandbox_rule *rules, size_t n, const struct seccomp_data *data)
{
	for (size_t i = 0; i < n; i++) {
		if (rules[i].nr == data->nr && holds(&rules[i].first, data) && holds(&rules[i].second, data) &&
		    holds(&rules[i].third, data))
			return rules[i].action;
	}
	return OTHERWISE;
}

/* Tries numbers up to @last and those at the end, each with small arguments. */
static void compare(const struct sandbox_rule *rules, size_t n_rules, int last)
{
	struct sock_filter code[SANDBOX_FILTER_MAX_LEN];
	size_t n = sandbox_filter_make(code, AUDIT, rules, n_rules, OTHERWISE), steps;

	ck_assert_uint_le(n, BPF_MAXINSNS);
	for (int nr = -2; nr <= last; nr++) {
		for (uint64_t value = 0; value < 8; value++) {
			struct seccomp_data data = {
				.nr = nr, .arch = AUDIT, .args = {value, 7 - value, value | 0x100000000, value}};

			uint32_t got = run(code, n, &data, &steps);
			ck_assert_msg(got == said(rules, n_rules, &data), "call %d, %d: %#x", nr, (int)value, got);
			ck_assert_uint_lt(steps, STEPS);
		}
	}
	struct seccomp_data other = {.nr = 0, .arch = AUDIT + 1};
	ck_assert_uint_eq(run(code, n, &other, &steps), SECCOMP_RET_ERRNO | 1 /* EPERM */);
}

START_TEST(test_what_rules_say)
{
	static const struct sandbox_rule rules[] = {
		{7, ALWAYS, ALWAYS, SECCOMP_RET_ALLOW, ALWAYS},
		{0, ALWAYS, ALWAYS, SECCOMP_RET_ALLOW, ALWAYS},
		{1, ALWAYS, ALWAYS, SECCOMP_RET_ALLOW, ALWAYS},
		{8, {1, ~0u, 3}, ALWAYS, SECCOMP_RET_ALLOW, ALWAYS},
		{8, {0, 6, 4}, ALWAYS, SECCOMP_RET_ALLOW, ALWAYS},
		{6, ALWAYS, ALWAYS, SECCOMP_RET_ERRNO | 38, ALWAYS},
		{12, {2, ~0u, 5}, ALWAYS, SECCOMP_RET_ALLOW, ALWAYS},
		{12, ALWAYS, ALWAYS, SECCOMP_RET_ERRNO | 1, ALWAYS},
		{12, {0, ~0u, 1}, ALWAYS, SECCOMP_RET_ERRNO | 9, ALWAYS},
		{400, ALWAYS, ALWAYS, SECCOMP_RET_ALLOW, ALWAYS},
		{9, {0, ~0u, 4}, {1, 4, 0}, SECCOMP_RET_ALLOW, ALWAYS},
		{9, {0, ~0u, 2}, {2, ~0u, 2}, SECCOMP_RET_ERRNO | 7, ALWAYS},
		{10, {0, ~0u, 4}, {1, ~0u, 3}, SECCOMP_RET_ALLOW, {3, ~0u, 4}},
		{10, {0, ~0u, 2}, ALWAYS, SECCOMP_RET_ERRNO | 5, {3, 6, 4}},
		{401, {3, 1, 0}, ALWAYS, SECCOMP_RET_ERRNO | 2, ALWAYS},
		{401, {3, 1, 1}, ALWAYS, SECCOMP_RET_ALLOW, ALWAYS},
	};

	compare(rules, sizeof(rules) / sizeof(rules[0]), 500);
}
END_TEST

START_TEST(test_no_rule)
{
	compare(NULL, 0, 10);
}
END_TEST

/* Enough rules for a search whose jumps are longer than a condition's. */
START_TEST(test_many_rules)
{
	struct sandbox_rule rules[SANDBOX_FILTER_MAX_RULES];
	size_t n = 0;

	for (int nr = 300; n + 2 <= SANDBOX_FILTER_MAX_RULES; nr -= 2) {
		rules[n++] = (struct sandbox_rule){
			nr, {nr % 3, 3, (uint32_t)(nr % 4)}, {1, 1, 1}, SECCOMP_RET_ALLOW, ALWAYS};
		rules[n++] =
			(struct sandbox_rule){nr, {0, 7, 5}, ALWAYS, SECCOMP_RET_ERRNO | (uint32_t)(nr % 50), ALWAYS};
	}
	compare(rules, n, 310);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sandbox_filter");
	TCase *tc = tcase_create("sandbox_filter");

	tcase_add_test(tc, test_what_rules_say);
	tcase_add_test(tc, test_no_rule);
	tcase_add_test(tc, test_many_rules);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
