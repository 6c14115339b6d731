/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* cancel and cancellation point. */
#include "abi/abi.h"

#include "core/cancel.h"
#include "core/thread.h"
#include "tools/point.h"

ABI bool GOMP_cancel(int which, bool do_cancel)
{
	struct thread *t;

	if (!cancel_is_on()) {
		if (point_may_have_tool())
			thread_get_introduced();
		return false;
	}
	t = thread_self();
	if (!(do_cancel ? cancel_request(t, which) : cancel_point(t, which)))
		return false;
	POINT(cancel, t, which, do_cancel, SITE_HERE());
	return true;
}

ABI bool GOMP_cancellation_point(int which)
{
	struct thread *t;

	if (!cancel_is_on()) {
		if (point_may_have_tool())
			thread_get_introduced();
		return false;
	}
	t = thread_self();
	if (!cancel_point(t, which))
		return false;
	POINT(cancel, t, which, false, SITE_HERE());
	return true;
}
