/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Resource usage of this process, as the kernel counts it. */
#ifndef OMPDD_SERVER_OWN_USAGE_H
#define OMPDD_SERVER_OWN_USAGE_H

#include <stdint.h>

struct own_usage {
	double cpu_s;		/* user and system time of all threads */
	int64_t resident_bytes; /* this and the next: -1 if /proc cannot be read */
	int64_t virtual_bytes;
	int64_t open_fds; /* -1 if /proc cannot be read */
	int64_t max_fds;  /* -1: no limit */
	double started_s; /* since the epoch; 0 if /proc cannot be read */
};

void own_usage_get(struct own_usage *ret);

#endif
