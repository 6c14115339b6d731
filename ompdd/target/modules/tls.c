/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * libthread_db and the ps_* functions that it calls. The library finds them by name in the program, so they must be
 * exported.
 */
#include "target/modules/tls.h"

#include <proc_service.h>
#include <stdlib.h>
#include <string.h>
#include <thread_db.h>

#include "target/modules/modules.h"
#include "target/modules/nptl.h"
#include "target/target_ops.h"
#include "target/modules/tid_map.h"

#define EXPORT __attribute__((visibility("default")))

/*
 * The library follows lists in the target's memory without a limit. After this many reads in one walk, reads fail,
 * which ends the walk.
 */
#define MAX_READS_PER_WALK (64u * TARGET_MAX_THREADS)
/* The same limit for one look-up of a variable, which follows lists of modules. */
#define MAX_READS_PER_LOOKUP 65536u
/* The number of views in which a thread that glibc does not know (raw clone) is searched. */
#define MAX_RETRIES 3

/* The handle that libthread_db passes to its callbacks; the name is the library's. */
struct ps_prochandle {
	struct target *target;
	unsigned reads_left;
	struct error *failure; /* of a read, for a reason other than unmapped memory */
};

/* Brent's algorithm detects a circular list: it checks whether an earlier entry returns. */
struct circle {
	void *entry;
	unsigned steps, until;
};

struct tls_reader {
	struct ps_prochandle handle;
	struct circle circle; /* of the current walk */
	td_thragent_t *agent;
	const char *failure; /* the reason why there is no agent */
	bool other_glibc;    /* nptl.c reads as much as it can */
	struct tid_map map;
	uint64_t generation; /* of the threads that were filled last */
	unsigned retries;
};

/* Callbacks of libthread_db */

EXPORT ps_err_e ps_pdread(struct ps_prochandle *ph, psaddr_t addr, void *buf, size_t len)
{
	if (!ph->reads_left)
		return PS_ERR;
	ph->reads_left--;
	struct error *err = target_read(ph->target, (uint64_t)(uintptr_t)addr, buf, len);
	if (!err)
		return PS_OK;
	/*
	 * libthread_db would report its own error: keep the reason (the target has exited, or runs again) for the
	 * caller.
	 */
	if (!error_is(err, ERR_MEMORY_UNREADABLE) && !ph->failure)
		ph->failure = err;
	else
		error_destroy(err);
	return PS_BADADDR;
}

EXPORT ps_err_e ps_ptread(struct ps_prochandle *ph, psaddr_t addr, void *buf, size_t len)
{
	return ps_pdread(ph, addr, buf, len);
}

/* ompdd never writes to a target through libthread_db. */
EXPORT ps_err_e ps_pdwrite(struct ps_prochandle *ph, psaddr_t addr, const void *buf, size_t len)
{
	(void)ph, (void)addr, (void)buf, (void)len;
	return PS_ERR;
}

EXPORT ps_err_e ps_ptwrite(struct ps_prochandle *ph, psaddr_t addr, const void *buf, size_t len)
{
	return ps_pdwrite(ph, addr, buf, len);
}

EXPORT ps_err_e ps_pglobal_lookup(struct ps_prochandle *ph, const char *object, const char *name, psaddr_t *ret)
{
	struct target_symbol sym;
	/* Since glibc 2.34 the thread library is libc itself; before, @object is libpthread.so.0. */
	const char *files[] = {object, "libc.so.6", "libpthread", NULL};

	for (int i = 0; i < 4; i++) {
		if (i < 3 && !files[i])
			continue;
		struct error *err = target_symbol(ph->target, name, files[i], &sym);
		if (!err) {
			*ret = (psaddr_t)(uintptr_t)sym.address;
			return PS_OK;
		}
		error_destroy(err);
	}
	return PS_NOSYM;
}

/* Registers are not needed for the requests made here. */
EXPORT ps_err_e ps_lgetregs(struct ps_prochandle *ph, lwpid_t lwp, prgregset_t regs)
{
	(void)ph, (void)lwp, (void)regs;
	return PS_ERR;
}

EXPORT ps_err_e ps_lsetregs(struct ps_prochandle *ph, lwpid_t lwp, const prgregset_t regs)
{
	(void)ph, (void)lwp, (void)regs;
	return PS_ERR;
}

EXPORT ps_err_e ps_lgetfpregs(struct ps_prochandle *ph, lwpid_t lwp, prfpregset_t *regs)
{
	(void)ph, (void)lwp, (void)regs;
	return PS_ERR;
}

EXPORT ps_err_e ps_lsetfpregs(struct ps_prochandle *ph, lwpid_t lwp, const prfpregset_t *regs)
{
	(void)ph, (void)lwp, (void)regs;
	return PS_ERR;
}

EXPORT pid_t ps_getpid(struct ps_prochandle *ph)
{
	return target_pid(ph->target);
}

EXPORT ps_err_e ps_get_thread_area(struct ps_prochandle *ph, lwpid_t lwp, int index, psaddr_t *ret)
{
	(void)ph, (void)lwp, (void)index, (void)ret;
	return PS_ERR;
}

/* target_stop() stops targets. */
EXPORT ps_err_e ps_pstop(struct ps_prochandle *ph)
{
	(void)ph;
	return PS_OK;
}

EXPORT ps_err_e ps_pcontinue(struct ps_prochandle *ph)
{
	(void)ph;
	return PS_OK;
}

EXPORT ps_err_e ps_lstop(struct ps_prochandle *ph, lwpid_t lwp)
{
	(void)ph, (void)lwp;
	return PS_OK;
}

EXPORT ps_err_e ps_lcontinue(struct ps_prochandle *ph, lwpid_t lwp)
{
	(void)ph, (void)lwp;
	return PS_OK;
}

/* End of the callbacks. */

struct error *tls_reader_create(struct tls_reader **ret)
{
	struct tls_reader *tls = calloc(1, sizeof(*tls));

	if (!tls)
		return &error_nomem;
	tls->generation = UINT64_MAX;
	*ret = tls;
	return NULL;
}

void tls_reader_destroy(struct tls_reader *tls)
{
	if (!tls)
		return;
	if (tls->agent)
		td_ta_delete(tls->agent);
	tid_map_deinit(&tls->map);
	error_destroy(tls->handle.failure);
	free(tls);
}

static const char *explain_result(td_err_e rc)
{
	switch ((int)rc) {
	case TD_NOLIBTHREAD:
		return "the process has no glibc thread library, or not yet";
	case TD_VERSION:
		return "the process runs another version of glibc than ompdd";
	case TD_TLSDEFER:
		return "the thread has not allocated this thread-local storage yet";
	case TD_NOTLS:
		return "the module has no thread-local storage";
	default:
		return "libthread_db could not read the thread's descriptor";
	}
}

static bool need_agent(struct tls_reader *tls, struct target *t)
{
	tls->handle.target = t;
	tls->handle.reads_left = MAX_READS_PER_WALK;
	error_destroy(tls->handle.failure);
	tls->handle.failure = NULL;
	if (tls->agent)
		return true;
	/* This machine's library expects this machine's layout of a thread. */
	if (arch != arch_host.arch) {
		tls->other_glibc = true;
		tls->failure = "the core comes from another processor, and its glibc lacks the symbols for its threads";
		return false;
	}
	td_err_e rc = td_ta_new(&tls->handle, &tls->agent);
	if (rc == TD_OK)
		return true;
	tls->agent = NULL;
	tls->failure = explain_result(rc);
	/* Older versions use another name for the first symbol that the library requests. */
	tls->other_glibc = rc == TD_VERSION || rc == TD_NOLIBTHREAD;
	return false;
}

static bool comes_again(struct circle *c, void *entry)
{
	if (entry && entry == c->entry) /* NULL: before glibc has created its list */
		return true;
	if (c->steps++ == c->until)
		*c = (struct circle){.entry = entry, .until = 2 * c->until + 1};
	return false;
}

static int on_thread(const td_thrhandle_t *handle, void *arg)
{
	struct tls_reader *tls = arg;
	struct target *t = tls->handle.target;
	td_thrinfo_t info;

	/* A result other than 0 ends the walk. */
	if (comes_again(&tls->circle, (void *)handle->th_unique))
		return 1;
	if (td_thr_get_info(handle, &info) != TD_OK)
		return 0;
	pid_t id = info.ti_lid;
	/*
	 * libthread_db returns the process's id for a thread that is being created, or that has ended and is not
	 * joined.
	 */
	if (id == target_pid(t) && nptl_thread_id(t, (uint64_t)info.ti_tid, &id) && !id)
		return 0;
	struct target_thread *thread = tid_map_find(&tls->map, t, id);
	if (thread)
		thread->pthread = (uint64_t)info.ti_tid;
	return 0;
}

void tls_reader_fill_pthreads(struct tls_reader *tls, struct target *t)
{
	/* A thread keeps its descriptor for life: with the same threads there is nothing to do. */
	if (tls->generation == t->threads_generation && !tls->retries)
		return;
	if (tls->generation != t->threads_generation) {
		tls->retries = MAX_RETRIES;
		tid_map_refresh(&tls->map, t);
	}
	tls->retries--;
	tls->generation = t->threads_generation;
	tls->circle = (struct circle){0};
	if (need_agent(tls, t))
		td_ta_thr_iter(tls->agent, on_thread, tls, TD_THR_ANY_STATE, TD_THR_LOWEST_PRIORITY, TD_SIGNO_MASK,
			       TD_THR_ANY_USER_FLAGS);
	else if (!tls->other_glibc || !nptl_fill_pthreads(t, &tls->map))
		return;
	/* A temporary failure: the next view retries. */
	if (tls->handle.failure)
		tls->generation = UINT64_MAX;
	bool all = true;
	for (size_t i = 0; i < t->n_threads; i++)
		all &= t->threads[i].pthread != 0;
	if (all)
		tls->retries = 0;
	t->by_pthread_valid = false;
}

struct error *tls_address(struct tls_reader *tls, struct target *t, const struct target_thread *thread,
			  const struct target_symbol *sym, uint64_t link_map, uint64_t *ret)
{
	psaddr_t addr;
	const char *reason;

	if (!thread->pthread) {
		reason = tls->failure ? tls->failure : "the thread has no glibc descriptor";
	} else if (!link_map) {
		reason = "its module is not in the dynamic linker's list";
	} else if (!need_agent(tls, t)) {
		if (tls->other_glibc && nptl_tls_address(t, thread, sym, link_map, ret))
			return NULL;
		reason = tls->failure;
	} else {
		td_thrhandle_t handle = {tls->agent, (psaddr_t)(uintptr_t)thread->pthread};

		tls->handle.reads_left = MAX_READS_PER_LOOKUP;
		td_err_e rc = td_thr_tls_get_addr(&handle, (psaddr_t)(uintptr_t)link_map, (size_t)sym->address, &addr);

		if (rc == TD_OK) {
			*ret = (uint64_t)(uintptr_t)addr;
			return NULL;
		}
		reason = explain_result(rc);
	}
	if (tls->handle.failure) {
		struct error *err = tls->handle.failure;

		tls->handle.failure = NULL;
		return err;
	}
	return error_detail(error_create(ERR_SYMBOL_NOT_FOUND, "no address of the thread-local symbol in thread %d: %s",
					 thread->tid, reason),
			    "reason", "%s", reason);
}
