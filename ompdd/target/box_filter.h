/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From a list of system calls to a seccomp filter (seccomp(2)) that finds each of them in a few steps. */
#ifndef OMPDD_TARGET_BOX_FILTER_H
#define OMPDD_TARGET_BOX_FILTER_H

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

/* Rules of one filter. */
#define BOX_FILTER_MAX_RULES 256
/* Instructions that so many rules need at most, with what is between and around them. */
#define BOX_FILTER_MAX_LEN (14 * BOX_FILTER_MAX_RULES + 16)

/* What happens to system call @nr, if the lower half of argument @arg, masked, is @value. */
struct box_rule {
	int nr;
	int arg; /* -1: whatever they are */
	uint32_t mask, value;
	uint32_t action; /* SECCOMP_RET_ */
};

/*
 * Of several rules for a call, the first that holds. @audit: the architecture whose numbers they are (AUDIT_ARCH_);
 * calls of another are refused with EPERM. @otherwise: the action for what no rule says. @n_rules: up to
 * BOX_FILTER_MAX_RULES. @to has room for BOX_FILTER_MAX_LEN. Returns how many instructions there are.
 */
size_t box_filter_make(struct sock_filter *to, uint32_t audit, const struct box_rule *rules, size_t n_rules,
		       uint32_t otherwise);

#endif
