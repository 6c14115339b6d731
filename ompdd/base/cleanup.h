/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scope-bound cleanup for the daemon and the worker: `_cleanup_free_ char *p = NULL;`. */
#ifndef OMPDD_BASE_CLEANUP_H
#define OMPDD_BASE_CLEANUP_H

#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"

#define _cleanup_(fn) __attribute__((cleanup(fn)))

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}
#define _cleanup_free_ _cleanup_(cleanup_free)

static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}
#define _cleanup_close_ _cleanup_(cleanup_close)

static inline void cleanup_error(struct error **err)
{
	error_destroy(*err);
}
#define _cleanup_error_ _cleanup_(cleanup_error)

/* Define cleanup_<name>() for `_cleanup_(cleanup_<name>)` from a destroy function of a pointer. */
#define CLEANUP_DEFINE(name, type, destroy)                                                                            \
	static inline void cleanup_##name(type *p)                                                                     \
	{                                                                                                              \
		if (*p)                                                                                                \
			destroy(*p);                                                                                   \
	}

/* Move a pointer out of its guard: `*ret = no_cleanup(p);`. */
#define no_cleanup(p)                                                                                                  \
	({                                                                                                             \
		__typeof__(p) no_cleanup_tmp = (p);                                                                    \
		(p) = NULL;                                                                                            \
		no_cleanup_tmp;                                                                                        \
	})

#endif
