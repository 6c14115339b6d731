/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A fixture for tests with one child and one target: `child` and `t`, which teardown() ends. */
#ifndef OMPDD_SUPPORT_CHILD_FIXTURE_H
#define OMPDD_SUPPORT_CHILD_FIXTURE_H

#include <unistd.h>

#include "check_main.h"
#include "child.h"
#include "target/target.h"

static pid_t child;
static struct target *t;

static void teardown(void)
{
	target_destroy(t);
	t = NULL;
	if (child > 0)
		child_end(child);
	child = 0;
}

/* Start a child that executes @body, with @n_ready threads, and attach to it. */
static inline void attach_child(void (*body)(void), int n_ready, enum target_mode mode, unsigned max_stop_ms)
{
	child = child_start(body);
	child_wait_ready(n_ready);
	ck_assert_no_err(target_attach(child, mode, max_stop_ms, &t));
}

/* Wait some seconds until target_check() returns @code. */
static inline void await_check(enum error_code code)
{
	struct error *err = NULL;

	for (int i = 0; i < 300000 && !err; i++) {
		usleep(1000);
		err = target_check(t);
	}
	ck_assert_err(err, code);
}

#endif
