/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Turns a list of system calls into a seccomp filter (seccomp(2)) that finds each call in a few steps. */
#ifndef OMPDD_TARGET_SANDBOX_FILTER_H
#define OMPDD_TARGET_SANDBOX_FILTER_H

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

/* Rules of one filter. */
#define SANDBOX_FILTER_MAX_RULES 256
/* The largest number of instructions for that many rules, with the search. */
#define SANDBOX_FILTER_MAX_LEN (14 * SANDBOX_FILTER_MAX_RULES + 16)

/* For the upper half of an argument: pointers need both halves. */
#define SANDBOX_UPPER(arg) ((arg) + 8)

/* True if argument number `arg`, its lower half masked, is `value`. A zero mask is always true. */
struct sandbox_condition {
	int arg;
	uint32_t mask, value;
};

/* The action for system call @nr if all conditions are true. */
struct sandbox_rule {
	int nr;
	struct sandbox_condition first, second;
	uint32_t action; /* SECCOMP_RET_ */
	struct sandbox_condition third;
};

/*
 * Write a seccomp filter to @to, which has room for SANDBOX_FILTER_MAX_LEN instructions. Among the rules for a call,
 * the first true one counts. @audit: the architecture of the numbers (AUDIT_ARCH_); calls of another architecture are
 * refused with EPERM. @otherwise: the action without a true rule. @n_rules: at most SANDBOX_FILTER_MAX_RULES. Returns
 * the number of instructions.
 */
size_t sandbox_filter_make(struct sock_filter *to, uint32_t audit, const struct sandbox_rule *rules, size_t n_rules,
			   uint32_t otherwise);

#endif
