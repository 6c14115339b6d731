/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The operations of a target over arrays that a test fills. */
#include "fake_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/target_ops.h"

#define MAX_PLANTED 256
#define MAX_EVENTS  64

#define FAKE_PID 4711

struct fake_block {
	uint64_t addr;
	size_t len;
	unsigned char *bytes;
};

struct fake_thread {
	pid_t tid;
	uint64_t pthread;
	char comm[16];
	struct target_registers registers;
	bool parked;
};

struct fake_planted {
	uint64_t address;
	size_t users;
	bool refused;
	struct target_filter filters[FILTERS_MAX]; /* of the users that have one */
	size_t n_filters;
};

struct fake_symbol {
	size_t module;
	char *name;
	uint64_t address;
	uint64_t size;
	bool is_tls;
};

struct fake_tls {
	size_t module;
	uint64_t pthread;
	uint64_t block;
};

struct fake {
	struct target base;
	struct fake_block *blocks;
	size_t n_blocks;
	struct fake_thread *threads;
	size_t n_threads;
	struct target_module *modules;
	size_t n_modules;
	struct fake_symbol *symbols;
	size_t n_symbols;
	struct fake_tls *tls;
	size_t n_tls;
	bool stopped;
	bool stopped_by_other;
	bool failing;
	enum error_code failure;
	int64_t stopped_us;
	size_t n_reads;
	size_t n_calls;
	size_t n_stops;
	size_t n_resumes;
	struct fake_planted planted[MAX_PLANTED];
	size_t n_planted;
	pid_t answered; /* 0: nobody */
	bool answer;
	struct target_event events[MAX_EVENTS];
	size_t n_events, first_event;
	size_t n_steps;
};

static struct fake *fake_of(struct target *t)
{
	return (struct fake *)t;
}

/* A test that is out of memory has nothing to say. */
static void *grow(void *array, size_t n, size_t size)
{
	void *bigger = realloc(array, (n + 1) * size);

	if (!bigger)
		abort();
	memset((char *)bigger + n * size, 0, size);
	return bigger;
}

static char *copy(const char *text)
{
	char *s = text ? strdup(text) : NULL;

	if (text && !s)
		abort();
	return s;
}

static struct error *fake_failure(struct fake *f)
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

static struct error *fake_resume(struct target *t, int64_t *stopped_us_ret)
{
	struct fake *f = fake_of(t);

	if (!f->stopped)
		return error_create(ERR_NOT_STOPPED, "the target is not stopped");
	f->stopped = false;
	f->n_resumes++;
	struct error *err = fake_failure(f);
	if (!err)
		*stopped_us_ret = f->stopped_us;
	return err;
}

static bool fake_is_stopped(const struct target *t)
{
	return ((const struct fake *)t)->stopped;
}

static int64_t fake_stopped_us(const struct target *t)
{
	const struct fake *f = (const struct fake *)t;

	return f->stopped ? f->stopped_us : 0;
}

static bool fake_is_stopped_by_other(struct target *t)
{
	return fake_of(t)->stopped_by_other;
}

static struct fake_thread *find_thread(struct fake *f, pid_t tid)
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
		const struct fake_thread *from = find_thread(f, t->threads[i].tid);

		t->threads[i].pthread = from->pthread;
		t->threads[i].state = f->stopped ? 't' : 'S';
		memcpy(t->threads[i].comm, from->comm, sizeof(from->comm));
	}
	return err;
}

/* Unknown. */
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

static struct error *fake_modules(struct target *t, const struct target_module **ret, size_t *n_ret)
{
	struct fake *f = fake_of(t);
	struct error *err = fake_failure(f);

	if (err)
		return err;
	*ret = f->modules;
	*n_ret = f->n_modules;
	return NULL;
}

static bool matches_file(const char *path, const char *file_name)
{
	const char *slash = strrchr(path, '/');

	return !file_name || !strncmp(slash ? slash + 1 : path, file_name, strlen(file_name));
}

static struct error *fake_symbol(struct target *t, const char *name, const char *file_name, struct target_symbol *ret)
{
	struct fake *f = fake_of(t);

	for (size_t i = 0; i < f->n_symbols; i++) {
		const struct fake_symbol *s = &f->symbols[i];

		if (strcmp(s->name, name) || !matches_file(f->modules[s->module].path, file_name))
			continue;
		*ret = (struct target_symbol){
			.address = s->address,
			.size = s->size,
			.is_tls = s->is_tls,
			.module = &f->modules[s->module],
		};
		return NULL;
	}
	return error_create(ERR_SYMBOL_NOT_FOUND, "the process has no symbol %s", name);
}

static bool fake_symbol_at(struct target *t, uint64_t addr, char *name, size_t size, uint64_t *offset_ret)
{
	struct fake *f = fake_of(t);

	for (size_t i = 0; i < f->n_symbols; i++) {
		const struct fake_symbol *s = &f->symbols[i];

		if (s->is_tls || addr < s->address || addr - s->address >= (s->size ? s->size : 1))
			continue;
		snprintf(name, size, "%s", s->name);
		*offset_ret = addr - s->address;
		return true;
	}
	return false;
}

static struct error *fake_tls_address(struct target *t, const struct target_thread *thread,
				      const struct target_symbol *sym, uint64_t *ret)
{
	struct fake *f = fake_of(t);

	for (size_t i = 0; i < f->n_tls; i++) {
		if (f->tls[i].pthread == thread->pthread && &f->modules[f->tls[i].module] == sym->module) {
			*ret = f->tls[i].block + sym->address;
			return NULL;
		}
	}
	return error_create(ERR_SYMBOL_NOT_FOUND, "thread %d has no such TLS block", thread->tid);
}

static void fake_registers(struct target *t, pid_t tid, struct target_registers *ret)
{
	const struct fake_thread *thread = find_thread(fake_of(t), tid);

	if (thread && fake_of(t)->stopped)
		*ret = thread->registers;
}

/* Control */

static int fake_event_fd(const struct target *t)
{
	(void)t;
	return -1;
}

static bool fake_next_event(struct target *t, struct target_event *ret)
{
	struct fake *f = fake_of(t);

	if (f->first_event == f->n_events)
		return false;
	*ret = f->events[f->first_event++];
	return true;
}

static struct error *fake_change_begin(struct target *t, bool *held_ret)
{
	*held_ret = fake_of(t)->stopped;
	return *held_ret ? NULL : fake_stop(t, 0);
}

static struct error *fake_change_end(struct target *t, bool held)
{
	int64_t us;

	return held ? NULL : fake_resume(t, &us);
}

static struct fake_planted *find_planted(struct fake *f, uint64_t address)
{
	for (size_t i = 0; i < f->n_planted; i++) {
		if (f->planted[i].address == address)
			return &f->planted[i];
	}
	if (f->n_planted == MAX_PLANTED)
		abort();
	f->planted[f->n_planted].address = address;
	return &f->planted[f->n_planted++];
}

/* The two that the tracer refuses while the target runs. */
static struct error *fake_plant(struct target *t, uint64_t address)
{
	struct fake_planted *at = find_planted(fake_of(t), address);

	if (!fake_of(t)->stopped)
		abort();
	if (at->refused)
		return error_create(ERR_BREAKPOINT_IMPOSSIBLE, "no breakpoint there");
	at->users++;
	return NULL;
}

static void fake_lift(struct target *t, uint64_t address)
{
	struct fake_planted *at = find_planted(fake_of(t), address);

	if (!fake_of(t)->stopped || !at->users)
		abort();
	at->users--;
}

static struct error *fake_plant_if(struct target *t, uint64_t address, const struct target_filter *filter)
{
	struct fake_planted *at = find_planted(fake_of(t), address);

	if (at->n_filters == FILTERS_MAX)
		return error_create(ERR_LIMIT_EXCEEDED, "too many filters there");
	struct error *err = fake_plant(t, address);
	if (!err)
		at->filters[at->n_filters++] = *filter;
	return err;
}

static void fake_lift_if(struct target *t, uint64_t address, uint32_t group)
{
	struct fake_planted *at = find_planted(fake_of(t), address);
	size_t i = 0;

	while (i < at->n_filters && at->filters[i].group != group)
		i++;
	if (i == at->n_filters)
		abort();
	at->filters[i] = at->filters[--at->n_filters];
	fake_lift(t, address);
}

/* It counts nothing: which hits pass is what the test says. */
static uint64_t fake_passed(struct target *t, uint32_t group)
{
	(void)t, (void)group;
	return 0;
}

static struct error *fake_set_word(struct target *t, uint64_t address, uint64_t value)
{
	if (!fake_of(t)->stopped)
		abort();
	fake_target_poke_u64(t, address, value);
	return NULL;
}

static bool fake_answer(struct target *t, pid_t tid, bool counts)
{
	fake_of(t)->answered = tid;
	fake_of(t)->answer = counts;
	return true;
}

static struct error *fake_park(struct target *t, pid_t tid, bool park)
{
	struct fake_thread *thread = find_thread(fake_of(t), tid);

	if (!thread)
		return error_create(ERR_TARGET_EXITED, "there is no thread %d", tid);
	thread->parked = park;
	return NULL;
}

static struct error *fake_step(struct target *t, pid_t tid)
{
	struct fake_thread *thread = find_thread(fake_of(t), tid);

	if (!thread)
		return error_create(ERR_STEP_IMPOSSIBLE, "there is no thread %d", tid);
	thread->registers.value[TARGET_REGISTER_PC]++;
	fake_of(t)->n_steps++;
	return NULL;
}

static const struct target_control_ops fake_control = {
	.event_fd = fake_event_fd,
	.next_event = fake_next_event,
	.change_begin = fake_change_begin,
	.change_end = fake_change_end,
	.plant = fake_plant,
	.lift = fake_lift,
	.plant_if = fake_plant_if,
	.lift_if = fake_lift_if,
	.set_word = fake_set_word,
	.passed = fake_passed,
	.answer = fake_answer,
	.park = fake_park,
	.step = fake_step,
};

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
	.control = &fake_control,
	.registers = fake_registers,
	.destroy = fake_destroy,
	.check = fake_check,
	.stop = fake_stop,
	.resume = fake_resume,
	.is_stopped = fake_is_stopped,
	.stopped_us = fake_stopped_us,
	.is_stopped_by_other = fake_is_stopped_by_other,
	.list_threads = fake_list_threads,
	.activity = fake_activity,
	.read_pages = fake_read_pages,
	.read = fake_read,
	.readable = fake_readable,
	.modules = fake_modules,
	.symbol = fake_symbol,
	.symbol_at = fake_symbol_at,
	.tls_address = fake_tls_address,
};

struct target *fake_target_create(enum target_mode mode)
{
	struct fake *f = calloc(1, sizeof(*f));

	if (!f || target_init(&f->base, &fake_ops, FAKE_PID, mode, 200, "/fake/program"))
		abort();
	f->stopped_us = 100;
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

	f->blocks = grow(f->blocks, f->n_blocks, sizeof(*f->blocks));
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
	abort(); /* a mistake of the test */
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

	f->threads = grow(f->threads, f->n_threads, sizeof(*f->threads));
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
	struct fake_thread *thread = find_thread(f, tid);

	if (!thread)
		abort();
	*thread = f->threads[--f->n_threads];
}

void fake_target_set_registers(struct target *t, pid_t tid, const struct target_registers *registers)
{
	struct fake_thread *thread = find_thread(fake_of(t), tid);

	if (!thread)
		abort();
	thread->registers = *registers;
}

void fake_target_push_event(struct target *t, const struct target_event *e)
{
	struct fake *f = fake_of(t);

	if (f->first_event == f->n_events)
		f->first_event = f->n_events = 0;
	if (f->n_events == MAX_EVENTS)
		abort();
	struct target_event *kept = &f->events[f->n_events++];
	*kept = *e;
	for (size_t i = 0; i < f->n_planted && e->address; i++) {
		const struct fake_planted *at = &f->planted[i];

		/* All but what is only for another thread. */
		for (size_t k = 0; at->address == e->address && k < at->n_filters; k++) {
			if (!at->filters[k].tid || at->filters[k].tid == e->tid)
				kept->counted[kept->n_counted++] = at->filters[k].group;
		}
	}
	f->stopped |= e->kind == TARGET_EVENT_HIT;
}

pid_t fake_target_answered(struct target *t, bool *ret)
{
	pid_t tid = fake_of(t)->answered;

	*ret = fake_of(t)->answer;
	fake_of(t)->answered = 0;
	return tid;
}

size_t fake_target_n_planted(struct target *t, uint64_t address)
{
	return find_planted(fake_of(t), address)->users;
}

size_t fake_target_n_planted_all(struct target *t)
{
	size_t n = 0;

	for (size_t i = 0; i < fake_of(t)->n_planted; i++)
		n += fake_of(t)->planted[i].users;
	return n;
}

void fake_target_refuse_plant(struct target *t, uint64_t address)
{
	find_planted(fake_of(t), address)->refused = true;
}

bool fake_target_is_parked(struct target *t, pid_t tid)
{
	const struct fake_thread *thread = find_thread(fake_of(t), tid);

	return thread && thread->parked;
}

size_t fake_target_n_steps(struct target *t)
{
	return fake_of(t)->n_steps;
}

size_t fake_target_add_module(struct target *t, const char *path, uint64_t start, uint64_t end, const char *build_id,
			      const char *compiler)
{
	struct fake *f = fake_of(t);

	f->modules = grow(f->modules, f->n_modules, sizeof(*f->modules));
	struct target_module *m = &f->modules[f->n_modules];
	m->path = copy(path);
	m->base = m->start = start;
	m->end = end;
	snprintf(m->build_id, sizeof(m->build_id), "%s", build_id ? build_id : "");
	m->compiler = copy(compiler);
	return f->n_modules++;
}

void fake_target_add_symbol(struct target *t, size_t module, const char *name, uint64_t address, uint64_t size,
			    bool is_tls)
{
	struct fake *f = fake_of(t);

	f->symbols = grow(f->symbols, f->n_symbols, sizeof(*f->symbols));
	f->symbols[f->n_symbols++] = (struct fake_symbol){module, copy(name), address, size, is_tls};
}

void fake_target_set_tls(struct target *t, size_t module, uint64_t pthread, uint64_t block)
{
	struct fake *f = fake_of(t);

	f->tls = grow(f->tls, f->n_tls, sizeof(*f->tls));
	f->tls[f->n_tls++] = (struct fake_tls){module, pthread, block};
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
