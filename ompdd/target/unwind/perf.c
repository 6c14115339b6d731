/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens one software event for each thread, with a ring buffer for its samples. */
#include "target/unwind/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/by_tid.h"
#include "base/clock.h"
#include "base/file_limit.h"
#include "base/vector.h"
#include "target/arch/arch.h"
#include "target/sandbox/broker.h"
#include "target/sandbox/perf_event.h"

/* The size of a ring: three samples; one if the kernel permits no more. */
#define RING_BYTES	 (32u << 10)
#define RING_LEAST_BYTES (16u << 10)
/*
 * The period is varied after one in this many samples; with more than FEW_RINGS threads, after one in VARY_EACH_MANY.
 */
#define VARY_EACH      4
#define VARY_EACH_MANY 8
#define FEW_RINGS      32
/* More than the longest record: its length has 16 bits. */
#define MAX_RECORD (64u << 10)

struct ring {
	pid_t tid;
	int fd;
	struct perf_event_mmap_page *page;
	size_t size; /* of the data after the page */
};

struct perf {
	unsigned period_us;
	size_t ring_bytes;
	struct ring *rings; /* sorted by tid */
	size_t n, cap;
	size_t found; /* index of the last ring found */
	uint64_t lost;
	uint64_t seed;
	unsigned char record[MAX_RECORD];
};

struct error *perf_create(unsigned period_us, struct perf **ret)
{
	struct perf *p = calloc(1, sizeof(*p));

	if (!p)
		return &error_nomem;
	p->period_us = period_us;
	p->seed = (uint64_t)clock_now_us() * 2654435761u + (uint64_t)getpid() * 2 + 1;
	p->ring_bytes = RING_BYTES;
	/* Raise the limit: each thread needs a descriptor. */
	file_limit_raise();
	*ret = p;
	return NULL;
}

static void close_ring(struct ring *r)
{
	munmap(r->page, (size_t)sysconf(_SC_PAGESIZE) + r->size);
	close(r->fd);
}

void perf_destroy(struct perf *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		close_ring(&p->rings[i]);
	free(p->rings);
	free(p);
}

static struct ring *find_ring(struct perf *p, pid_t tid)
{
	size_t i = BY_TID_PLACE_NEAR(p->rings, p->n, tid, &p->found);

	return i < p->n && p->rings[i].tid == tid ? &p->rings[i] : NULL;
}

bool perf_watches(struct perf *p, pid_t tid)
{
	return find_ring(p, tid) != NULL;
}

static struct error *error_refused(int errnum, const char *what)
{
	struct error *err = error_create(ERR_PERF_REFUSED, "%s: %s", what, strerror(errnum));

	if (errnum == EPERM && !strcmp(what, "mmap"))
		return error_hint(err, "raise ulimit -l, or kernel.perf_event_mlock_kb");
	if (errnum == EACCES || errnum == EPERM)
		return error_hint(
			err, "set kernel.perf_event_paranoid to 2 or less (sysctl), or give ompdd-worker CAP_PERFMON");
	return err;
}

struct error *perf_watch(struct perf *p, pid_t tid)
{
	size_t at = BY_TID_PLACE(p->rings, p->n, tid), head = (size_t)sysconf(_SC_PAGESIZE);

	if (find_ring(p, tid))
		return NULL;
	if (!VECTOR_GROW(p->rings, p->n, p->cap))
		return &error_nomem;
	struct ring r = {.tid = tid, .fd = broker_open_perf(tid, p->period_us), .page = MAP_FAILED};
	if (r.fd < 0 && errno == ESRCH)
		return error_create(ERR_NO_SUCH_THREAD, "there is no thread %d", (int)tid);
	if (r.fd < 0)
		return error_refused(errno, "perf_event_open");
	for (;; p->ring_bytes /= 2) {
		r.size = p->ring_bytes;
		r.page = mmap(NULL, head + r.size, PROT_READ | PROT_WRITE, MAP_SHARED, r.fd, 0);
		if (r.page != MAP_FAILED || errno != EPERM || p->ring_bytes == RING_LEAST_BYTES)
			break;
	}
	if (r.page == MAP_FAILED) {
		struct error *err = error_refused(errno, "mmap");

		close(r.fd);
		return err;
	}
	memmove(&p->rings[at + 1], &p->rings[at], (p->n - at) * sizeof(*p->rings));
	p->rings[at] = r;
	p->n++;
	return NULL;
}

void perf_keep(struct perf *p, const pid_t *tids, size_t n)
{
	size_t kept = 0, k = 0;

	for (size_t i = 0; i < p->n; i++) {
		while (k < n && tids[k] < p->rings[i].tid)
			k++;
		if (k < n && tids[k] == p->rings[i].tid)
			p->rings[kept++] = p->rings[i];
		else
			close_ring(&p->rings[i]);
	}
	p->n = kept;
}

/* Reading */

/* Copy the @len bytes at @at of the ring into one piece. */
static void copy_out(const struct ring *r, uint64_t at, void *to, size_t len)
{
	const unsigned char *data = (const unsigned char *)r->page + sysconf(_SC_PAGESIZE);
	size_t from = (size_t)(at % r->size), first = r->size - from < len ? r->size - from : len;

	memcpy(to, data + from, first);
	memcpy((unsigned char *)to + first, data, len - first);
}

/* A reader of a record's words. */
struct reader {
	const unsigned char *at, *end;
};

static bool take_bytes(struct reader *r, void *to, size_t len)
{
	if ((size_t)(r->end - r->at) < len)
		return false;
	memcpy(to, r->at, len);
	r->at += len;
	return true;
}

/* Parse the fields in the order of the bits of sample_type. */
static bool parse_sample(struct reader *r, struct perf_sample *ret)
{
	uint64_t mask = perf_event_registers(), time, abi, size, used = 0, values[64] = {0};
	uint32_t ids[2];

	if (!take_bytes(r, ids, sizeof(ids)) || !take_bytes(r, &time, sizeof(time)) ||
	    !take_bytes(r, &abi, sizeof(abi)))
		return false;
	/* Without registers the thread was in the kernel only, or the ABI is another one. */
	if (abi != PERF_SAMPLE_REGS_ABI_64)
		return false;
	for (unsigned i = 0; i < 64; i++) {
		if (mask >> i & 1 && !take_bytes(r, &values[i], sizeof(values[i])))
			return false;
	}
	if (!take_bytes(r, &size, sizeof(size)) || size > (size_t)(r->end - r->at))
		return false;
	const unsigned char *bytes = r->at;
	r->at += size;
	if (size && !take_bytes(r, &used, sizeof(used)))
		return false;
	*ret = (struct perf_sample){
		.time_us = (int64_t)(time / 1000),
		.copy = {.tid = (pid_t)ids[1], .racy = true},
	};
	for (unsigned i = 0; i < arch->n_registers; i++)
		ret->copy.registers.value[i] = values[arch_host.perf[i]];
	ret->copy.registers.known = TARGET_ALL_REGISTERS;
	ret->copy.start = ret->copy.registers.value[TARGET_REGISTER_SP];
	ret->copy.bytes = (unsigned char *)bytes;
	ret->copy.len = used <= size ? (size_t)used : 0;
	return true;
}

/*
 * Choose half to one and a half periods until the next sample. Constant periods would miss phases of a program that
 * repeats itself at a similar rate. Not after each sample: it interrupts a processor of the target.
 */
static void vary_period(struct perf *p, const struct ring *r)
{
	uint64_t period = (uint64_t)p->period_us * 1000, next;

	p->seed ^= p->seed << 13;
	p->seed ^= p->seed >> 7;
	p->seed ^= p->seed << 17;
	if (p->seed >> 32 & ((p->n > FEW_RINGS ? VARY_EACH_MANY : VARY_EACH) - 1))
		return;
	next = period / 2 + p->seed % (period + 1);
	/* On failure the period stays constant. */
	ioctl(r->fd, PERF_EVENT_IOC_PERIOD, &next);
}

void perf_read(struct perf *p, pid_t tid, void (*fn)(void *arg, const struct perf_sample *sample), void *arg)
{
	struct ring *r = find_ring(p, tid);

	if (!r)
		return;
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE), tail = r->page->data_tail;

	if (tail < head)
		vary_period(p, r);
	while (tail < head) {
		struct perf_event_header header;
		struct perf_sample sample;
		uint64_t lost[2];

		copy_out(r, tail, &header, sizeof(header));
		if (header.size < sizeof(header) || header.size > head - tail)
			break;
		copy_out(r, tail, p->record, header.size);
		tail += header.size;
		struct reader reader = {p->record + sizeof(header), p->record + header.size};
		if (header.type == PERF_RECORD_SAMPLE && parse_sample(&reader, &sample))
			fn(arg, &sample);
		else if (header.type == PERF_RECORD_LOST && take_bytes(&reader, lost, sizeof(lost)))
			p->lost += lost[1];
	}
	__atomic_store_n(&r->page->data_tail, head, __ATOMIC_RELEASE);
}

/*
 * The kernel increments `lock` around each change of the page. It changes the page when it starts the event, which is
 * when the thread gets a processor.
 */
uint32_t perf_runs(struct perf *p, pid_t tid)
{
	const struct ring *r = find_ring(p, tid);

	return r ? __atomic_load_n(&r->page->lock, __ATOMIC_ACQUIRE) + 1 : 0;
}

uint64_t perf_lost(const struct perf *p)
{
	return p->lost;
}
