/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The error directive with at(execution) (OpenMP 5.2, 8.5). */
#include "abi/abi.h"

#include "core/state/task.h"
#include "core/team/registration.h"
#include "omp-tools.h"
#include "os/message.h"
#include "tools/observer.h"
#include "tools/point.h"

/* C passes a terminated string; @len is SIZE_MAX then. Fortran passes a length. NULL: no message clause. */
static int get_length(const char *message, size_t len)
{
	if (len == SIZE_MAX)
		len = __builtin_strlen(message);
	return len > 1 << 20 ? 1 << 20 : (int)len;
}

static void report_error(ompt_severity_t severity, const char *message, size_t len, struct site site)
{
	if (!point_may_have_tool())
		return;
	thread_self();
	point_error(severity, message, message ? (size_t)get_length(message, len) : 0, site);
}

ABI void GOMP_warning(const char *message, size_t len)
{
	report_error(ompt_warning, message, len, SITE_HERE());
	if (message)
		message_error("error directive encountered: %.*s", get_length(message, len), message);
	else
		message_error("error directive encountered");
}

ABI void GOMP_error(const char *message, size_t len)
{
	report_error(ompt_fatal, message, len, SITE_HERE());
	if (message)
		message_fatal("fatal error: error directive encountered: %.*s", get_length(message, len), message);
	message_fatal("fatal error: error directive encountered");
}
