/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The public face of a target: the page cache, the thread list and the checks that all ways of
 * access share. Called by openmp/, worker/ and methods/; calls the operations of process.c or of a test's fake.
 */
#include "target/target.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/dwarf.h"
#include "target/target_ops.h"

/* Missing pages of one read that are fetched together. */
#define READ_BATCH 64

struct error *target_init(struct target *t, const struct target_ops *ops, pid_t pid,
			  enum target_mode mode, unsigned max_stop_ms, const char *exe)
{
	memset(t, 0, sizeof(*t));
	t->ops = ops;
	t->pid = pid;
	t->mode = mode;
	t->max_stop_ms = max_stop_ms;
	t->exe = strdup(exe);
	return t->exe ? NULL : &error_nomem;
}

void target_deinit(struct target *t)
{
	dwarf_destroy(t->dwarf);
	for (size_t i = 0; i < t->n_warnings; i++)
		free(t->warnings[i].message);
	cache_deinit(&t->cache);
	free(t->by_pthread);
	free(t->threads);
	for (size_t i = 0; i < t->n_debug_dirs; i++)
		free(t->debug_dirs[i]);
	free(t->exe);
}

struct error *target_add_debug_dir(struct target *t, const char *dir)
{
	if (t->n_debug_dirs == TARGET_MAX_DEBUG_DIRS)
		return error_create(ERR_LIMIT_EXCEEDED, "there are more than %d folders of debug files",
				    TARGET_MAX_DEBUG_DIRS);
	t->debug_dirs[t->n_debug_dirs] = strdup(dir);
	return t->debug_dirs[t->n_debug_dirs++] ? NULL : &error_nomem;
}

void target_add_warning(struct target *t, const char *name, const char *format, ...)
{
	va_list args;
	char *message;

	if (t->n_warnings == TARGET_MAX_WARNINGS)
		return;
	va_start(args, format);
	int n = vasprintf(&message, format, args);
	va_end(args);
	if (n >= 0)
		t->warnings[t->n_warnings++] = (struct target_warning){name, message};
}

void target_destroy(struct target *t)
{
	if (t)
		t->ops->destroy(t);
}

pid_t target_pid(const struct target *t)
{
	return t->pid;
}

enum target_mode target_mode(const struct target *t)
{
	return t->mode;
}

const char *target_exe(const struct target *t)
{
	return t->exe;
}

unsigned target_max_stop_ms(const struct target *t)
{
	return t->max_stop_ms;
}

const struct target_core *target_core(const struct target *t)
{
	return t->core;
}

const struct target_warning *target_warnings(const struct target *t, size_t *n_ret)
{
	*n_ret = t->n_warnings;
	return t->warnings;
}

/* Only stop mode can stop and resume. */
static struct error *error_mode(const struct target *t)
{
	if (t->mode == TARGET_CORE)
		return error_hint(error_create(ERR_MODE_UNSUPPORTED, "the target is a core file: it does not run"),
				  "only a process, attached with mode \"stop\", can be stopped and resumed");
	return error_create(ERR_MODE_UNSUPPORTED, "the target was attached in mode \"observe\"");
}

struct error *target_check(struct target *t)
{
	return t->ops->check(t);
}

struct error *target_stop(struct target *t, unsigned budget_ms)
{
	if (t->mode != TARGET_STOP)
		return error_mode(t);
	return t->ops->stop(t, budget_ms);
}

struct error *target_resume(struct target *t, int64_t *stopped_us_ret)
{
	if (t->mode != TARGET_STOP)
		return error_mode(t);
	return t->ops->resume(t, stopped_us_ret);
}

bool target_is_stopped(const struct target *t)
{
	return t->ops->is_stopped && t->ops->is_stopped(t);
}

int64_t target_stopped_us(const struct target *t)
{
	return t->ops->stopped_us ? t->ops->stopped_us(t) : 0;
}

void target_poll(struct target *t)
{
	if (t->ops->poll)
		t->ops->poll(t);
}

int target_exit_fd(const struct target *t)
{
	return t->ops->exit_fd ? t->ops->exit_fd(t) : -1;
}

bool target_is_stopped_by_other(struct target *t)
{
	return t->ops->is_stopped_by_other && t->ops->is_stopped_by_other(t);
}

void target_view_begin(struct target *t)
{
	t->view++;
	cache_begin_view(&t->cache);
	t->threads_valid = false;
	t->pthreads_valid = false;
	t->by_pthread_valid = false;
}

/* Threads */

static int compare_tids(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a;
	pid_t y = *(const pid_t *)b;

	return x < y ? -1 : x > y;
}

/* Binary search in the list without its first entry, which is the main thread wherever its tid sorts. */
struct target_thread *target_find_thread(struct target *t, pid_t tid)
{
	size_t low = 0, high = t->n_threads;

	if (high && t->threads[0].tid == tid)
		return &t->threads[0];
	if (high && t->threads[0].tid == t->pid)
		low = 1;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->threads[mid].tid == tid)
			return &t->threads[mid];
		if (t->threads[mid].tid < tid)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

struct error *target_set_threads(struct target *t, const pid_t *tids, size_t n, bool *changed_ret)
{
	_cleanup_free_ pid_t *sorted = malloc((n ? n : 1) * sizeof(*sorted));
	struct target_thread *threads = calloc(n ? n : 1, sizeof(*threads));

	if (!sorted || !threads) {
		free(threads);
		return &error_nomem;
	}
	memcpy(sorted, tids, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_tids);
	size_t k = 0, kept = 0;
	bool has_main = bsearch(&t->pid, sorted, n, sizeof(*sorted), compare_tids) != NULL;
	if (has_main)
		threads[k++].tid = t->pid;
	for (size_t i = 0; i < n; i++) {
		if (sorted[i] != t->pid && (i == 0 || sorted[i] != sorted[i - 1]))
			threads[k++].tid = sorted[i];
	}
	for (size_t i = 0; i < k; i++) {
		const struct target_thread *old = target_find_thread(t, threads[i].tid);

		if (old) {
			threads[i] = *old;
			kept++;
		}
	}
	*changed_ret = kept != k || kept != t->n_threads;
	if (*changed_ret)
		t->threads_generation++;
	free(t->threads);
	t->threads = threads;
	t->n_threads = k;
	t->by_pthread_valid = false;
	return NULL;
}

static struct error *need_threads(struct target *t)
{
	if (!t->threads_valid) {
		struct error *err = t->ops->list_threads(t);

		if (err)
			return err;
		t->threads_valid = true;
	}
	if (!t->pthreads_valid) {
		/* Set first: filling reads memory and may come here again. */
		t->pthreads_valid = true;
		if (t->ops->fill_pthreads)
			t->ops->fill_pthreads(t);
	}
	return NULL;
}

struct error *target_threads(struct target *t, const struct target_thread **ret, size_t *n_ret)
{
	struct error *err = need_threads(t);

	if (err)
		return err;
	*ret = t->threads;
	*n_ret = t->n_threads;
	return NULL;
}

const struct target_thread *target_thread_by_tid(struct target *t, pid_t tid)
{
	struct error *err = need_threads(t);

	if (err) {
		error_destroy(err);
		return NULL;
	}
	return target_find_thread(t, tid);
}

static int compare_pthreads(const void *a, const void *b)
{
	const struct target_thread *x = *(const struct target_thread *const *)a;
	const struct target_thread *y = *(const struct target_thread *const *)b;

	return x->pthread < y->pthread ? -1 : x->pthread > y->pthread;
}

static bool index_pthreads(struct target *t)
{
	const struct target_thread **by =
		realloc(t->by_pthread, (t->n_threads ? t->n_threads : 1) * sizeof(*by));

	if (!by)
		return false;
	t->by_pthread = by;
	t->n_by_pthread = 0;
	for (size_t i = 0; i < t->n_threads; i++) {
		if (t->threads[i].pthread)
			by[t->n_by_pthread++] = &t->threads[i];
	}
	qsort(by, t->n_by_pthread, sizeof(*by), compare_pthreads);
	t->by_pthread_valid = true;
	return true;
}

const struct target_thread *target_thread_by_pthread(struct target *t, uint64_t pthread)
{
	struct target_thread key = {.pthread = pthread};
	const struct target_thread *keyp = &key;
	struct error *err = need_threads(t);

	if (err) {
		error_destroy(err);
		return NULL;
	}
	if (!pthread || (!t->by_pthread_valid && !index_pthreads(t)))
		return NULL;
	const struct target_thread **found = bsearch(&keyp, t->by_pthread, t->n_by_pthread,
						     sizeof(*t->by_pthread), compare_pthreads);
	return found ? *found : NULL;
}

void target_activity(struct target *t, pid_t tid, struct target_activity *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (t->ops->activity)
		t->ops->activity(t, tid, ret);
}

bool target_registers(struct target *t, pid_t tid, struct target_registers *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (t->ops->registers)
		t->ops->registers(t, tid, ret);
	if (ret->known)
		return true;
	struct target_activity activity;
	target_activity(t, tid, &activity);
	if (!activity.known)
		return false;
	ret->value[TARGET_REGISTER_SP] = activity.sp;
	ret->value[TARGET_REGISTER_PC] = activity.pc;
	ret->known = 1u << TARGET_REGISTER_SP | 1u << TARGET_REGISTER_PC;
	return true;
}

/* Memory */

static struct error *error_unreadable(uint64_t addr)
{
	return error_detail(error_create(ERR_MEMORY_UNREADABLE, "memory at 0x%llx cannot be read",
					 (unsigned long long)addr),
			    "address", "0x%llx", (unsigned long long)addr);
}

/* Fetch @n pages that are not in the cache; those that do not fit in stay out. */
static struct error *fetch(struct target *t, const uint64_t *addrs, size_t n)
{
	unsigned char *pages[READ_BATCH];
	bool ok[READ_BATCH];
	size_t first = t->cache.n_slots;
	size_t k = 0;

	for (; k < n; k++) {
		struct cache_slot *slot = cache_add(&t->cache, addrs[k]);

		if (!slot)
			break;
		pages[k] = slot->page;
	}
	if (!k)
		return NULL;
	struct error *err = t->ops->read_pages(t, addrs, pages, k, ok);
	if (err) {
		cache_truncate(&t->cache, first);
		return err;
	}
	for (size_t i = 0; i < k; i++)
		t->cache.slots[first + i].valid = ok[i];
	return NULL;
}

/* Read the pages of the previous view again, together. */
static struct error *prime(struct target *t)
{
	struct cache *c = &t->cache;
	size_t n = c->n_prime;
	unsigned char **pages = malloc(n * sizeof(*pages));
	bool *ok = malloc(n * sizeof(*ok));
	struct error *err = NULL;
	size_t k = 0;

	c->n_prime = 0;
	if (!pages || !ok || c->n_slots) {
		free(pages);
		free(ok);
		return NULL;
	}
	for (; k < n; k++) {
		struct cache_slot *slot = cache_add(c, c->prime[k]);

		if (!slot)
			break;
		pages[k] = slot->page;
	}
	err = t->ops->read_pages(t, c->prime, pages, k, ok);
	for (size_t i = 0; i < k && !err; i++)
		c->slots[i].valid = ok[i];
	if (err)
		cache_truncate(c, 0);
	free(pages);
	free(ok);
	return err;
}

static struct error *fetch_missing(struct target *t, uint64_t addr, size_t len)
{
	uint64_t missing[READ_BATCH];
	size_t n = 0;
	uint64_t last = (addr + len - 1) & ~(uint64_t)(CACHE_PAGE - 1);

	if (t->cache.n_prime) {
		struct error *err = prime(t);

		if (err)
			return err;
	}
	for (uint64_t page = addr & ~(uint64_t)(CACHE_PAGE - 1);; page += CACHE_PAGE) {
		if (!cache_find(&t->cache, page))
			missing[n++] = page;
		if (n == READ_BATCH || (page == last && n)) {
			struct error *err = fetch(t, missing, n);

			if (err)
				return err;
			n = 0;
		}
		if (page == last)
			return NULL;
	}
}

struct error *target_read(struct target *t, uint64_t addr, void *buf, size_t len)
{
	unsigned char *to = buf;

	if (!len)
		return NULL;
	if (addr + len < addr)
		return error_unreadable(addr);
	struct error *err = t->ops->readable ? t->ops->readable(t) : NULL;
	if (err)
		return err;
	struct cache_slot *slot = cache_find(&t->cache, addr & ~(uint64_t)(CACHE_PAGE - 1));
	if (!slot || (addr & (CACHE_PAGE - 1)) + len > CACHE_PAGE) {
		err = fetch_missing(t, addr, len);
		if (err)
			return err;
	}
	while (len) {
		uint64_t off = addr & (CACHE_PAGE - 1);
		size_t n = len < CACHE_PAGE - off ? len : CACHE_PAGE - off;

		slot = cache_find(&t->cache, addr - off);
		if (slot && slot->valid) {
			memcpy(to, slot->page + off, n);
			slot->used = true;
		} else {
			err = t->ops->read(t, addr, to, n);
			if (err)
				return err;
		}
		addr += n;
		to += n;
		len -= n;
	}
	return NULL;
}

bool target_try_read(struct target *t, uint64_t addr, void *buf, size_t len)
{
	struct error *err = target_read(t, addr, buf, len);

	error_destroy(err);
	return !err;
}

bool target_try_read_raw(struct target *t, uint64_t addr, void *buf, size_t len)
{
	struct error *err = t->ops->read(t, addr, buf, len);

	error_destroy(err);
	return !err;
}

struct error *target_read_string(struct target *t, uint64_t addr, char *buf, size_t size)
{
	uint64_t start = addr;

	for (size_t len = 0; len < size;) {
		size_t n = CACHE_PAGE - (addr & (CACHE_PAGE - 1));

		if (n > size - len)
			n = size - len;
		struct error *err = target_read(t, addr, buf + len, n);
		if (error_is(err, ERR_MEMORY_UNREADABLE) && n > 1) {
			/* The string may end before what cannot be read. */
			error_destroy(err);
			n = 1;
			err = target_read(t, addr, buf + len, n);
		}
		if (err)
			return err;
		if (memchr(buf + len, '\0', n))
			return NULL;
		len += n;
		addr += n;
	}
	return error_detail(error_create(ERR_MEMORY_UNREADABLE,
					 "the string at 0x%llx is longer than %zu bytes",
					 (unsigned long long)start, size ? size - 1 : 0),
			    "address", "0x%llx", (unsigned long long)start);
}

/* Modules, symbols, thread-local storage */

struct error *target_modules(struct target *t, const struct target_module **ret, size_t *n_ret)
{
	return t->ops->modules(t, ret, n_ret);
}

const struct target_module *target_module_at(struct target *t, uint64_t addr)
{
	const struct target_module *modules;
	size_t n;
	struct error *err = t->ops->modules(t, &modules, &n);

	if (err) {
		error_destroy(err);
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		if (addr >= modules[i].start && addr < modules[i].end)
			return &modules[i];
	}
	return NULL;
}

struct error *target_missing(struct target *t, uint64_t addr)
{
	return t->ops->missing ? t->ops->missing(t, addr) : NULL;
}

struct error *target_symbol(struct target *t, const char *name, const char *file_name,
			    struct target_symbol *ret)
{
	return t->ops->symbol(t, name, file_name, ret);
}

bool target_symbol_at(struct target *t, uint64_t addr, char *name, size_t size, uint64_t *offset_ret)
{
	return size && t->ops->symbol_at && t->ops->symbol_at(t, addr, name, size, offset_ret);
}

struct error *target_tls_address(struct target *t, const struct target_thread *thread,
				 const struct target_symbol *sym, uint64_t *ret)
{
	if (!t->ops->tls_address)
		return error_create(ERR_SYMBOL_NOT_FOUND, "this target has no thread-local storage");
	return t->ops->tls_address(t, thread, sym, ret);
}
