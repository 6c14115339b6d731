/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A target without a process: the test provides its memory, threads, modules and symbols. For tests of openmp/ and
 * worker/. Every function of target.h works on it.
 */
#ifndef OMPDD_SUPPORT_FAKE_TARGET_H
#define OMPDD_SUPPORT_FAKE_TARGET_H

#include "target/control.h"
#include "target/target.h"

/* Create a target, whose exe is "/fake/program". Destroy it with target_destroy(). */
struct target *fake_target_create(enum target_mode mode);
/* Create a target in mode TARGET_STOP that can be copied. */
struct target *fake_target_create_copying(void);

/* Map @len bytes at @addr, copied from @data (zeroes when NULL). A second call replaces mapped bytes. */
void fake_target_map(struct target *t, uint64_t addr, const void *data, size_t len);
/* Overwrite mapped bytes. */
void fake_target_poke(struct target *t, uint64_t addr, const void *data, size_t len);
void fake_target_poke_u64(struct target *t, uint64_t addr, uint64_t value);
void fake_target_poke_u32(struct target *t, uint64_t addr, uint32_t value);
/* Unmap what fake_target_map() mapped at @addr. */
void fake_target_unmap(struct target *t, uint64_t addr);

/* Add a thread. Its activity is unknown. */
void fake_target_add_thread(struct target *t, pid_t tid, uint64_t pthread, const char *comm);
void fake_target_remove_thread(struct target *t, pid_t tid);

/* Add a module; @build_id and @compiler may be NULL. Returns the index of the module. */
size_t fake_target_add_module(struct target *t, const char *path, uint64_t start, uint64_t end, const char *build_id,
			      const char *compiler);
/* Add a symbol to module number @module: @address is absolute, or a TLS offset with @is_tls. */
void fake_target_add_symbol(struct target *t, size_t module, const char *name, uint64_t address, uint64_t size,
			    bool is_tls);

/* Place the TLS block of @module in the thread at @pthread at @block. Without this call, the address is an error. */
void fake_target_set_tls(struct target *t, size_t module, uint64_t pthread, uint64_t block);

/* Set the registers of thread @tid while it is stopped. */
void fake_target_set_registers(struct target *t, pid_t tid, const struct target_registers *registers);

/* Push an event for target_next_event(). A TARGET_EVENT_HIT leaves the target stopped. */
void fake_target_push_event(struct target *t, const struct target_event *e);
/* Return the number of plants at @address without a lift. */
size_t fake_target_n_planted(struct target *t, uint64_t address);
/* Return the thread of the last target_answer(); *@ret: its answer. 0: no answer since the previous call. */
pid_t fake_target_answered(struct target *t, bool *ret);
size_t fake_target_n_planted_all(struct target *t);
/* Make target_plant() at @address return ERR_BREAKPOINT_IMPOSSIBLE from now on. */
void fake_target_refuse_plant(struct target *t, uint64_t address);
bool fake_target_is_parked(struct target *t, pid_t tid);
/* Return the number of target_step() calls. Each one adds 1 to rip. */
size_t fake_target_n_steps(struct target *t);

/* Make target_check() and reads fail from now on (ERR_TARGET_EXITED, ERR_STOP_TIMEOUT ...). */
void fake_target_fail(struct target *t, enum error_code code);
/* End the failure. */
void fake_target_recover(struct target *t);
/* Set the length of the stop that target_resume() reports. */
void fake_target_set_stopped_us(struct target *t, int64_t us);
void fake_target_set_stopped_by_other(struct target *t, bool stopped);

/* Counters for assertions. */
size_t fake_target_n_reads(struct target *t); /* pages and pieces that were read from the "process" */
size_t fake_target_n_calls(struct target *t); /* number of calls that read one or several pages */
size_t fake_target_n_stops(struct target *t);
size_t fake_target_n_resumes(struct target *t);

#endif
