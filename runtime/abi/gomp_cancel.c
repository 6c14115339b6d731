/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* cancel and cancellation point. */
#include "abi/abi.h"

#include "core/cancel.h"
#include "core/thread.h"

ABI bool GOMP_cancel(int which, bool do_cancel)
{
	if (!cancel_is_on())
		return false;
	return do_cancel ? cancel_request(thread_self(), which) : cancel_point(thread_self(), which);
}

ABI bool GOMP_cancellation_point(int which)
{
	return cancel_is_on() && cancel_point(thread_self(), which);
}
