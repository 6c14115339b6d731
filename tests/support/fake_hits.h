/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A worker on a fake program with a fake runtime, whose threads reach places in the text. For tests of worker/. In the
 * fake library, threads 100 to 102 are one team. Thread 100 is the encountering thread.
 */
#ifndef OMPDD_SUPPORT_FAKE_HITS_H
#define OMPDD_SUPPORT_FAKE_HITS_H

#include <string.h>

#include "check_main.h"
#include "fake_target.h"
#include "methods/event.h"
#include "openmp/model/runtimes.h"
#include "target/arch/arch.h"
#include "worker/control/breakpoints.h"
#include "worker/control/control.h"
#include "worker/worker.h"

#define STACK	      0x700000
#define WORK	      0x401000 /* a function of the program */
#define REGION	      0x402000 /* a region's function */
#define USER	      0x403000 /* a return address in the program */
#define GOMP_PARALLEL 0x21000
#define GOMP_TASK     0x22000
#define GOMP_SINGLE   0x23000
#define INSIDE	      0x2f000 /* a return address in the runtime */
/* The stack pointer after the return of a call by come(). */
#define RETURNED (STACK + 256 + arch->return_slot)

static struct worker w;

static inline void setup(void)
{
	setenv("FAKE_OMPD", "", 1);
	setenv("FAKE_OMPD_THREADS", "3", 1);
	w = (struct worker){.write_event = event_write,
			    .plugin_options = {.libompd = FAKE_LIBOMPD, .timeout_ms = 1000}};
	ck_assert_no_err(worker_init(&w, "t1"));
	w.client = 1;
	w.target = fake_target_create(TARGET_STOP);
	size_t program = fake_target_add_module(w.target, "/fake/program", 0x400000, 0x500000, "aa", NULL);
	size_t gomp = fake_target_add_module(w.target, "/lib/libgomp.so.1", 0x20000, 0x30000, "ab", NULL);

	fake_target_add_symbol(w.target, program, "work", WORK, 16, false);
	fake_target_add_symbol(w.target, gomp, "GOMP_parallel", GOMP_PARALLEL, 64, false);
	fake_target_add_symbol(w.target, gomp, "GOMP_task", GOMP_TASK, 64, false);
	fake_target_add_symbol(w.target, gomp, "GOMP_single_start", GOMP_SINGLE, 64, false);
	for (int i = 0; i < 3; i++)
		fake_target_add_thread(w.target, 100 + i, 0x7000 + 0x1000 * (uint64_t)i, "team");
	fake_target_add_thread(w.target, 199, 0, "other");
	fake_target_map(w.target, STACK, NULL, 4096);
	ck_assert_no_err(runtimes_create(w.target, &w.plugin_options, w.handles, &w.runtimes));
}

static inline void teardown(void)
{
	worker_deinit(&w);
}

/* Thread @tid reaches @address in a call that returns to @return_address. */
static inline void come(pid_t tid, uint64_t address, uint64_t return_address, uint64_t argument)
{
	struct target_event e = {.kind = TARGET_EVENT_HIT, .tid = tid, .address = address};

	e.registers.known = TARGET_ALL_REGISTERS;
	if (arch->return_slot)
		fake_target_poke_u64(w.target, STACK + 256, return_address);
	else
		e.registers.value[arch->return_register] = return_address;
	e.registers.value[TARGET_REGISTER_SP] = STACK + 256;
	e.registers.value[TARGET_REGISTER_PC] = address;
	e.arguments[0] = argument;
	fake_target_set_registers(w.target, tid, &e.registers);
	fake_target_push_event(w.target, &e);
	worker_target_events(&w);
}

static inline uint32_t set(struct breakpoint_spec spec)
{
	const struct breakpoint *b = NULL;

	ck_assert_no_err(breakpoints_set(&w, &spec, &b));
	return b->number;
}

static inline uint32_t set_function(void)
{
	return set((struct breakpoint_spec){.kind = BREAKPOINT_FUNCTION, .function = "work"});
}

static inline void hold(void)
{
	struct view view;

	ck_assert_no_err(worker_hold(&w, &view));
}

static inline void resume(void)
{
	int64_t us;

	ck_assert_no_err(worker_release(&w, &us));
}

static inline bool emitted(const char *text)
{
	bool found = w.events.len && memmem(buf_head(&w.events), w.events.len, text, strlen(text));

	buf_consume(&w.events, w.events.len);
	return found;
}

#endif
