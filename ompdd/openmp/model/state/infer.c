/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Applies the proofs in the runtime's descriptor to the activity of a snapshot's threads. */
#include "openmp/model/state/infer.h"

#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>

#include <omp-tools.h>

#include "openmp/model/model.h"
#include "openmp/model/snapshot.h"
#include "openmp/runtimes/body.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/offload.h"
#include "openmp/runtimes/runtime.h"
#include "target/arch/syscalls.h"
#include "target/modules/emulator.h"
#include "target/modules/modules.h"
#include "target/target.h"

#define MAX_NAME 256
/* How far above its stack pointer a thread's own semaphore may lie. */
#define MAX_FRAME 65536

struct inference {
	struct model *m;
	struct target *t;
	const struct runtime *runtime;
	const struct descriptor_proofs *proofs;
	struct snapshot *s;
	uint64_t *docks; /* sorted words that idle threads sleep on */
	size_t n_docks;
	bool has_devices; /* files of the runtime that serve devices are loaded */
};

static bool is_in_module(const struct runtime *runtime, uint64_t address)
{
	return address >= runtime->start && address < runtime->end;
}

static bool is_in_runtime(const struct inference *in, uint64_t address)
{
	return is_in_module(in->runtime, address);
}

/*
 * Whether the thread is in the C library's syscall(), on a processor where the runtime sleeps there. Programs may call
 * it, too. It has no frame: the link register holds its return address.
 */
static bool is_in_syscall_function(struct target *t, const struct target_activity *a)
{
	char symbol[MAX_NAME] = "";
	uint64_t offset;

	return arch->calls_in_libc && a->in_syscall && target_symbol_at(t, a->pc, symbol, sizeof(symbol), &offset) &&
	       !strcmp(symbol, "syscall");
}

/* Finds the futex word that the thread sleeps on in the runtime, and the value it expects there. */
static bool find_futex_wait(struct target *t, const struct runtime *runtime, const struct target_activity *a,
			    uint64_t *word_ret, uint32_t *expected_ret)
{
	if (!a->known || !a->in_syscall || a->syscall != SYS_futex ||
	    (!is_in_module(runtime, a->pc) && !(is_in_module(runtime, a->link) && is_in_syscall_function(t, a))))
		return false;
	int op = (int)a->args[1] & FUTEX_CMD_MASK;

	if (op != FUTEX_WAIT && op != FUTEX_WAIT_BITSET)
		return false;
	*word_ret = a->args[0];
	*expected_ret = (uint32_t)a->args[2];
	return true;
}

static bool has_plugin_state(const struct snapshot_thread *thread, int state)
{
	return thread->state.rc == ompd_rc_ok && !thread->state_is_inferred && thread->state.value == state;
}

static void set_state(struct snapshot_thread *thread, int state)
{
	/* The library's own answer takes precedence. */
	if (thread->state.rc == ompd_rc_ok)
		return;
	thread->state = (struct snapshot_word){ompd_rc_ok, state};
	thread->state_is_inferred = true;
}

static void set_wait(struct snapshot_thread *thread, uint64_t word, enum snapshot_wait what)
{
	if (thread->wait_id.rc == ompd_rc_ok)
		return;
	thread->wait_id = (struct snapshot_word){ompd_rc_ok, (int64_t)word};
	thread->wait_is_inferred = true;
	thread->wait = what;
}

static int compare_words(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return (a > b) - (a < b);
}

static bool is_dock(const struct inference *in, uint64_t word)
{
	return in->n_docks > 0 && bsearch(&word, in->docks, in->n_docks, sizeof(*in->docks), compare_words);
}

/* The word that an idle thread sleeps on is the dock of its pool. */
static void find_docks(struct inference *in)
{
	in->docks = calloc(in->s->n_threads ? in->s->n_threads : 1, sizeof(*in->docks));
	if (!in->docks)
		return;
	for (size_t i = 0; i < in->s->n_threads; i++) {
		const struct snapshot_thread *thread = &in->s->threads[i];
		uint32_t expected;
		uint64_t word;

		if (thread->openmp && has_plugin_state(thread, ompt_state_idle) &&
		    find_futex_wait(in->t, in->runtime, &thread->activity, &word, &expected))
			in->docks[in->n_docks++] = word;
	}
	qsort(in->docks, in->n_docks, sizeof(*in->docks), compare_words);
}

static bool has_prefix(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

static void infer_mutex_wait(const struct inference *in, struct snapshot_thread *thread, uint64_t word)
{
	const struct target_module *module;
	char symbol[MAX_NAME] = "";
	uint64_t offset = 0;

	if (is_in_runtime(in, word)) {
		enum construct construct = model_lock_construct(in->m, word);

		if (construct == CONSTRUCT_CRITICAL) {
			set_state(thread, ompt_state_wait_critical);
			set_wait(thread, word, WAIT_CRITICAL);
			return;
		}
		if (construct == CONSTRUCT_ATOMIC) {
			set_state(thread, ompt_state_wait_atomic);
			set_wait(thread, word, WAIT_ATOMIC);
			return;
		}
	}
	module = target_module_at(in->t, word);
	if (module && target_symbol_at(in->t, word, symbol, sizeof(symbol), &offset)) {
		if (has_prefix(symbol, in->proofs->critical_lock)) {
			set_state(thread, ompt_state_wait_critical);
			set_wait(thread, word, WAIT_CRITICAL);
			return;
		}
		if (!is_in_runtime(in, word) || in->runtime->is_executable) {
			/* A variable of the program: omp_lock_t and omp_nest_lock_t start with their mutex. */
			set_state(thread, ompt_state_wait_lock);
			set_wait(thread, word, WAIT_LOCK);
			return;
		}
	}
	/* Heap, stack, or a stripped program: a lock, a critical construct, or the runtime's own. */
	set_state(thread, ompt_state_wait_mutex);
	set_wait(thread, word, WAIT_MUTEX);
}

static void infer_barrier_wait(const struct inference *in, struct snapshot_thread *thread, uint64_t word)
{
	bool in_region = thread->parallel.index != SNAPSHOT_NONE;

	if (has_plugin_state(thread, ompt_state_idle) || is_dock(in, word)) {
		/* In a team, but at the dock: the team is being started. */
		set_state(thread, in_region ? ompt_state_overhead : ompt_state_idle);
		set_wait(thread, word, WAIT_DOCK);
		return;
	}
	/* A thread whose region is not known may wait at a barrier or be idle. */
	if (!in_region)
		return;
	set_state(thread, ompt_state_wait_barrier);
	set_wait(thread, word, WAIT_BARRIER);
}

static void infer_semaphore_wait(struct snapshot_thread *thread, uint64_t word)
{
	uint64_t sp = thread->activity.sp;

	/* The semaphore of taskwait and taskwait depend lies in the waiter's frame. */
	set_state(thread, word >= sp && word - sp < MAX_FRAME ? ompt_state_wait_taskwait : ompt_state_overhead);
	set_wait(thread, word, WAIT_SEMAPHORE);
}

static bool get_level(const struct snapshot *s, const struct snapshot_thread *thread, int64_t *ret)
{
	if (thread->parallel.index == SNAPSHOT_NONE)
		return false;
	const struct snapshot_word *level = &s->parallels[thread->parallel.index].level;

	*ret = level->value;
	return level->rc == ompd_rc_ok;
}

/*
 * Whether @pc is in a routine that waits for an iteration of a doacross loop, possibly awake. *@offset_ret is the
 * offset in the routine.
 */
static bool is_in_doacross(const struct inference *in, uint64_t pc, uint64_t *offset_ret)
{
	char symbol[MAX_NAME] = "";

	if (!is_in_runtime(in, pc) || !target_symbol_at(in->t, pc, symbol, sizeof(symbol), offset_ret))
		return false;
	for (const char *const *i = in->proofs->ordered_waits; i && *i; i++) {
		if (!strcmp(symbol, *i))
			return true;
	}
	return false;
}

enum code_owner { CODE_OF_PROGRAM, CODE_OF_RUNTIME, CODE_UNKNOWN };

/* System calls that sleep and that the runtime never makes: it waits with futex(2) alone. */
static bool is_programs_sleep(const struct target_activity *a)
{
	static const long calls[] = {
		SYS_pause,	     SYS_nanosleep,  SYS_clock_nanosleep, SYS_poll,    SYS_ppoll,  SYS_select,
		SYS_pselect6,	     SYS_epoll_wait, SYS_epoll_pwait,	  SYS_wait4,   SYS_waitid, SYS_rt_sigsuspend,
		SYS_rt_sigtimedwait, SYS_accept,     SYS_recvfrom,	  SYS_recvmsg,
	};

	for (size_t i = 0; a->in_syscall && i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (a->syscall == calls[i])
			return true;
	}
	return false;
}

/* Whether the code at @pc belongs neither to the C library, where the runtime sleeps too, nor to the kernel (vdso). */
static bool is_in_file_of_program(const struct inference *in, uint64_t pc)
{
	const struct target_module *module = target_module_at(in->t, pc);
	const char *slash = module && module->path ? strrchr(module->path, '/') : NULL;

	return slash && !has_prefix(slash, "/libc.") && !has_prefix(slash, "/libc-") &&
	       !has_prefix(slash, "/libpthread") && !has_prefix(slash, "/ld-");
}

/*
 * The address cannot distinguish a runtime linked into the program from the program or from libc. Proof is the system
 * call that the thread sleeps in, or a name that only one of them has. Such names are outlined functions of regions or
 * tasks, main(), and the runtime's prefixes.
 */
static enum code_owner find_code_owner(const struct inference *in, const struct target_activity *a)
{
	char symbol[MAX_NAME] = "";
	uint64_t offset;

	if (!in->runtime->is_executable && is_in_runtime(in, a->pc))
		return CODE_OF_RUNTIME;
	/* A driver sleeps and calls the C library as the program does: only the stack shows which of them called. */
	if (in->has_devices &&
	    (is_programs_sleep(a) || offload_has_code(in->t, a->pc) || !is_in_file_of_program(in, a->pc)))
		return CODE_UNKNOWN;
	if (is_programs_sleep(a))
		return CODE_OF_PROGRAM;
	if (!in->runtime->is_executable && is_in_syscall_function(in->t, a)) {
		if (!a->link)
			return CODE_UNKNOWN;
		return is_in_runtime(in, a->link) ? CODE_OF_RUNTIME : CODE_OF_PROGRAM;
	}
	if (!in->runtime->is_executable)
		return in->proofs->word_of || is_in_file_of_program(in, a->pc) ? CODE_OF_PROGRAM : CODE_UNKNOWN;
	if (!target_symbol_at(in->t, a->pc, symbol, sizeof(symbol), &offset))
		return CODE_UNKNOWN;
	if (body_is_outlined(symbol) || !strcmp(symbol, "main"))
		return CODE_OF_PROGRAM;
	for (const char *const *i = in->proofs->code_prefixes; i && *i; i++) {
		if (has_prefix(symbol, *i))
			return CODE_OF_RUNTIME;
	}
	return CODE_UNKNOWN;
}

static void infer_thread(const struct inference *in, struct snapshot_thread *thread)
{
	const struct target_activity *a = &thread->activity;
	uint64_t word, offset;
	uint32_t expected;
	int64_t level;

	if (!a->known)
		return;
	if (in->proofs->word_of && find_futex_wait(in->t, in->runtime, a, &word, &expected)) {
		switch (in->proofs->word_of(expected)) {
		case WORD_MUTEX:
			infer_mutex_wait(in, thread, word);
			break;
		case WORD_SEMAPHORE:
			infer_semaphore_wait(thread, word);
			break;
		case WORD_BARRIER:
			infer_barrier_wait(in, thread, word);
			break;
		}
		return;
	}
	if (thread->state.rc == ompd_rc_ok)
		return;
	if (is_in_doacross(in, a->pc, &offset)) {
		thread->is_in_doacross = true;
		set_state(thread, ompt_state_wait_ordered);
		return;
	}
	enum code_owner owner = find_code_owner(in, a);
	if (owner == CODE_OF_RUNTIME && in->proofs->word_of)
		set_state(thread, ompt_state_overhead);
	else if (owner == CODE_OF_PROGRAM && get_level(in->s, thread, &level))
		set_state(thread, level > 0 ? ompt_state_work_parallel : ompt_state_work_serial);
}

/*
 * Returns the runtime of @m if the activity of its threads can prove a state. NULL: its descriptor has no proofs, or an
 * emulator executes it.
 */
static const struct runtime *get_provable_runtime(struct model *m)
{
	const struct error *why;
	const struct runtime *runtime = model_runtime(m, &why);

	return runtime && runtime->descriptor->proofs && !target_emulator(model_target(m)) ? runtime : NULL;
}

bool infer_sleeps_on(struct model *m, const struct target_activity *a, uint64_t *word_ret)
{
	const struct runtime *runtime = get_provable_runtime(m);
	uint32_t expected;

	return runtime && runtime->descriptor->proofs->word_of &&
	       find_futex_wait(model_target(m), runtime, a, word_ret, &expected);
}

bool infer_spins(struct model *m, const struct target_activity *a, uint64_t *function_ret)
{
	struct inference in = {.m = m, .t = model_target(m), .runtime = get_provable_runtime(m)};
	uint64_t offset;

	if (!in.runtime || !a->known || a->in_syscall)
		return false;
	in.proofs = in.runtime->descriptor->proofs;
	if (!is_in_doacross(&in, a->pc, &offset))
		return false;
	*function_ret = a->pc - offset;
	return true;
}

void infer_snapshot(struct model *m, struct snapshot *s)
{
	struct inference in = {
		.m = m,
		.t = model_target(m),
		.runtime = get_provable_runtime(m),
		.s = s,
		.has_devices = offload_is_present(model_target(m)),
	};

	if (!in.runtime)
		return;
	in.proofs = in.runtime->descriptor->proofs;
	find_docks(&in);
	for (size_t i = 0; i < s->n_threads; i++)
		if (s->threads[i].openmp)
			infer_thread(&in, &s->threads[i]);
	free(in.docks);
}

bool infer_needs_registers(struct model *m, const struct snapshot *s)
{
	struct target *t = model_target(m);
	bool is_needed = false;

	if (target_mode(t) != TARGET_STOP || !get_provable_runtime(m))
		return false;
	for (size_t i = 0; i < s->n_threads; i++) {
		const struct snapshot_thread *thread = &s->threads[i];
		const struct target_activity *a = &thread->activity;

		if (!thread->openmp || !a->known || a->link || a->syscall != SYS_futex || !is_in_syscall_function(t, a))
			continue;
		target_need_registers(t, thread->tid);
		is_needed = true;
	}
	return is_needed;
}
