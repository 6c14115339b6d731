/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens a software event for one thread (perf_event_open(2)). */
#include "target/sandbox/perf_event.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "target/arch/arch.h"

uint64_t perf_event_registers(void)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < arch->n_registers; i++)
		mask |= (uint64_t)1 << arch_host.perf[i];
	return mask;
}

int perf_event_create(pid_t tid, unsigned period_us)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = (uint64_t)period_us * 1000,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_regs_user = perf_event_registers(),
		.sample_stack_user = PERF_STACK_BYTES,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		/* The buffer is polled and needs no wake-up. */
		.watermark = 1,
		.wakeup_watermark = UINT32_MAX,
	};

	return (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}
