/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Operations of a target over arrays that a test fills: memory, threads, stops. */
#include "fake_target_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/unwind/dwarf.h"

#define FAKE_PID 4711

void *fake_grow(void *array, size_t n, size_t size)
{
	void *bigger = realloc(array, (n + 1) * size);

	if (!bigger)
		abort();
	memset((char *)bigger + n * size, 0, size);
	return bigger;
}

struct error *fake_failure(struct fake *f)
{
	return f->failing ? error_create(f->failure, "the fake target fails") : NULL;
}

static void fake_destroy(struct target *t)
{
	struct fake *f = fake_of(t);

	for (size_t i = 0; i < f->n_blocks; i++)
		free(f->blocks[i].bytes);
	for (size_t i = 0; i < f->n_modules; i++) {
		free(f->modules[i].path);
		free(f->modules[i].compiler);
	}
	for (size_t i = 0; i < f->n_symbols; i++)
		free(f->symbols[i].name);
	free(f->blocks);
	free(f->threads);
	free(f->modules);
	free(f->symbols);
	free(f->tls);
	dwarf_destroy(t->dwarf);
	target_deinit(t);
	free(f);
}

static struct error *fake_check(struct target *t)
{
	return fake_failure(fake_of(t));
}

static struct error *fake_stop(struct target *t, unsigned budget_ms)
{
	struct fake *f = fake_of(t);
	struct error *err = fake_failure(f);

	(void)budget_ms;
	if (err)
		return err;
	f->stopped = true;
	f->n_stops++;
	return NULL;
}

static bool fake_is_stopped_by_other(struct target *t)
{
	return fake_of(t)->stopped_by_other;
}

struct fake_thread *fake_find_thread(struct fake *f, pid_t tid)
{
	for (size_t i = 0; i < f->n_threads; i++) {
		if (f->threads[i].tid == tid)
			return &f->threads[i];
	}
	return NULL;
}

static struct error *fake_list_threads(struct target *t)
{
	struct fake *f = fake_of(t);
	_cleanup_free_ pid_t *tids = calloc(f->n_threads + 1, sizeof(*tids));
	bool changed;
	struct error *err = tids ? fake_failure(f) : &error_nomem;

	for (size_t i = 0; tids && i < f->n_threads; i++)
		tids[i] = f->threads[i].tid;
	if (!err)
		err = target_set_threads(t, tids, f->n_threads, &changed);
	for (size_t i = 0; !err && i < t->n_threads; i++) {
		const struct fake_thread *from = fake_find_thread(f, t->threads[i].tid);

		t->threads[i].pthread = from->pthread;
		t->threads[i].state = f->stopped ? 't' : 'S';
		memcpy(t->threads[i].comm, from->comm, sizeof(from->comm));
	}
	return err;
}

/* Leave the activity unknown. */
static void fake_activity(struct target *t, pid_t tid, struct target_activity *ret)
{
	(void)t, (void)tid, (void)ret;
}

static bool read_byte(struct fake *f, uint64_t addr, unsigned char *ret)
{
	/* The newest mapping wins. */
	for (size_t i = f->n_blocks; i-- > 0;) {
		if (addr >= f->blocks[i].addr && addr - f->blocks[i].addr < f->blocks[i].len) {
			*ret = f->blocks[i].bytes[addr - f->blocks[i].addr];
			return true;
		}
	}
	return false;
}

static struct error *fake_read(struct target *t, uint64_t addr, void *buf, size_t len)
{
	struct fake *f = fake_of(t);
	struct error *err = fake_failure(f);

	f->n_reads++;
	for (size_t i = 0; !err && i < len; i++) {
		if (!read_byte(f, addr + i, (unsigned char *)buf + i))
			err = error_detail(error_create(ERR_MEMORY_UNREADABLE, "memory at 0x%llx cannot be read",
							(unsigned long long)(addr + i)),
					   "address", "0x%llx", (unsigned long long)(addr + i));
	}
	return err;
}

static struct error *fake_read_pages(struct target *t, const uint64_t *addrs, unsigned char *const *pages, size_t n,
				     bool *ok)
{
	struct error *err = fake_failure(fake_of(t));

	fake_of(t)->n_calls++;
	for (size_t i = 0; !err && i < n; i++) {
		struct error *missing = fake_read(t, addrs[i], pages[i], CACHE_PAGE);

		ok[i] = !missing;
		error_destroy(missing);
	}
	return err;
}

static struct error *fake_readable(struct target *t)
{
	return fake_failure(fake_of(t));
}

static void fake_registers(struct target *t, pid_t tid, struct target_registers *ret)
{
	const struct fake_thread *thread = fake_find_thread(fake_of(t), tid);

	if (thread && fake_of(t)->stopped)
		*ret = thread->registers;
}

static struct error *fake_read_pieces(struct target *t, struct target_piece *pieces, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct error *err = fake_read(t, pieces[i].addr, pieces[i].to, pieces[i].len);

		pieces[i].ok = !err;
		error_destroy(err);
	}
	return NULL;
}

static struct error *fake_keep_threads(struct target *t, bool with_registers, bool *changed_ret)
{
	(void)t, (void)with_registers;
	*changed_ret = false;
	return NULL;
}

static const struct target_ops fake_ops = {
	.registers = fake_registers,
	.destroy = fake_destroy,
	.check = fake_check,
	.stop = fake_stop,
	.is_stopped_by_other = fake_is_stopped_by_other,
	.list_threads = fake_list_threads,
	.activity = fake_activity,
	.read_pages = fake_read_pages,
	.read = fake_read,
	.readable = fake_readable,
};

struct target *fake_target_create(enum target_mode mode)
{
	struct fake *f = calloc(1, sizeof(*f));

	if (!f || target_init(&f->base, &fake_ops, FAKE_PID, mode, 200, "/fake/program"))
		abort();
	f->stopped_us = 100;
	f->stopper.ops = &fake_stopper_ops;
	f->base.stopper = &f->stopper;
	f->module_ops.ops = &fake_modules_ops;
	f->base.modules = &f->module_ops;
	return &f->base;
}

struct target *fake_target_create_copying(void)
{
	static struct target_ops ops;
	struct target *t = fake_target_create(TARGET_STOP);

	ops = fake_ops;
	ops.read_pieces = fake_read_pieces;
	ops.keep_threads = fake_keep_threads;
	t->ops = &ops;
	return t;
}

void fake_target_map(struct target *t, uint64_t addr, const void *data, size_t len)
{
	struct fake *f = fake_of(t);

	f->blocks = fake_grow(f->blocks, f->n_blocks, sizeof(*f->blocks));
	struct fake_block *b = &f->blocks[f->n_blocks++];
	*b = (struct fake_block){addr, len, calloc(1, len ? len : 1)};
	if (!b->bytes)
		abort();
	if (data)
		memcpy(b->bytes, data, len);
}

void fake_target_poke(struct target *t, uint64_t addr, const void *data, size_t len)
{
	struct fake *f = fake_of(t);

	for (size_t i = f->n_blocks; i-- > 0;) {
		struct fake_block *b = &f->blocks[i];

		if (addr >= b->addr && addr - b->addr < b->len && b->len - (addr - b->addr) >= len) {
			memcpy(b->bytes + (addr - b->addr), data, len);
			return;
		}
	}
	abort(); /* a mistake in the test */
}

void fake_target_poke_u64(struct target *t, uint64_t addr, uint64_t value)
{
	fake_target_poke(t, addr, &value, sizeof(value));
}

void fake_target_poke_u32(struct target *t, uint64_t addr, uint32_t value)
{
	fake_target_poke(t, addr, &value, sizeof(value));
}

void fake_target_unmap(struct target *t, uint64_t addr)
{
	struct fake *f = fake_of(t);

	for (size_t i = f->n_blocks; i-- > 0;) {
		if (f->blocks[i].addr != addr)
			continue;
		free(f->blocks[i].bytes);
		f->blocks[i] = f->blocks[--f->n_blocks];
		return;
	}
	abort();
}

void fake_target_add_thread(struct target *t, pid_t tid, uint64_t pthread, const char *comm)
{
	struct fake *f = fake_of(t);

	f->threads = fake_grow(f->threads, f->n_threads, sizeof(*f->threads));
	struct fake_thread *thread = &f->threads[f->n_threads++];
	thread->tid = tid;
	thread->pthread = pthread;
	snprintf(thread->comm, sizeof(thread->comm), "%s", comm);
	/* The first thread is the main one. */
	if (f->n_threads == 1)
		t->pid = tid;
}

void fake_target_remove_thread(struct target *t, pid_t tid)
{
	struct fake *f = fake_of(t);
	struct fake_thread *thread = fake_find_thread(f, tid);

	if (!thread)
		abort();
	*thread = f->threads[--f->n_threads];
}

void fake_target_set_registers(struct target *t, pid_t tid, const struct target_registers *registers)
{
	struct fake_thread *thread = fake_find_thread(fake_of(t), tid);

	if (!thread)
		abort();
	thread->registers = *registers;
}

void fake_target_fail(struct target *t, enum error_code code)
{
	fake_of(t)->failing = true;
	fake_of(t)->failure = code;
}

void fake_target_recover(struct target *t)
{
	fake_of(t)->failing = false;
}

void fake_target_set_stopped_us(struct target *t, int64_t us)
{
	fake_of(t)->stopped_us = us;
}

void fake_target_set_stopped_by_other(struct target *t, bool stopped)
{
	fake_of(t)->stopped_by_other = stopped;
}

size_t fake_target_n_calls(struct target *t)
{
	return fake_of(t)->n_calls;
}

size_t fake_target_n_reads(struct target *t)
{
	return fake_of(t)->n_reads;
}

size_t fake_target_n_stops(struct target *t)
{
	return fake_of(t)->n_stops;
}

size_t fake_target_n_resumes(struct target *t)
{
	return fake_of(t)->n_resumes;
}
