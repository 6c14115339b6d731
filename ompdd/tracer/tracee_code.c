/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Breakpoint instructions in a traced process's text, and switches in its data. Part of ompdd-tracer. */
#include "tracer/tracee.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "tracer/watchdog.h"
#include "target/memory/timed_reader.h"

struct tracee_planted *tracee_planted_at(struct tracee *p, uint64_t address)
{
	for (size_t i = 0; i < p->n_planted; i++) {
		if (p->planted[i].address == address)
			return &p->planted[i];
	}
	return NULL;
}

bool tracee_read(struct tracee *p, uint64_t address, void *buf, size_t len)
{
	return p->reader && timed_reader_read(p->reader, address, buf, len, TRACEE_READ_MS);
}

/* Return the reason of a failed read: the page may still arrive, from a file or on a busy machine. */
static int no_memory(const struct tracee *p)
{
	return p->reader && timed_reader_is_late(p->reader) ? EAGAIN : EFAULT;
}

/* Write with ptrace: it works where writing through /proc is forbidden (proc_mem.force_override). */
static bool poke_code(pid_t tid, uint64_t address, const unsigned char *bytes, unsigned len)
{
	uint64_t aligned = address & ~(uint64_t)7;

	errno = 0;
	unsigned long word = (unsigned long)ptrace(PTRACE_PEEKDATA, tid, (void *)aligned, NULL);
	/* A planted instruction never crosses a word boundary. */
	if (errno || (address & 7) + len > sizeof(word))
		return false;
	memcpy((unsigned char *)&word + (address & 7), bytes, len);
	return ptrace(PTRACE_POKEDATA, tid, (void *)aligned, (void *)word) == 0;
}

static int write_code(struct tracee *p, uint64_t address, const unsigned char *bytes, unsigned len)
{
	ssize_t n = pwrite(p->memfd, bytes, len, (off_t)address);
	int errnum = n < 0 ? errno : EFAULT;

	if (n == (ssize_t)len)
		return 0;
	for (size_t i = 0; i < p->n_threads; i++) {
		if (p->threads[i].state == TRACEE_STOPPED)
			return poke_code(p->threads[i].tid, address, bytes, len) ? 0 : errnum;
	}
	return errnum;
}

static int write_in(struct tracee *p, struct tracee_planted *at)
{
	watchdog_begin(p);
	at->is_in = true;
	int err = write_code(p, at->address, at->bytes, at->len);
	at->is_in = !err;
	return err;
}

int tracee_put(struct tracee *p, struct tracee_planted *at, bool in)
{
	unsigned char now[ARCH_BREAKPOINT_BYTES];

	if (at->is_in == in)
		return 0;
	/* The program has written there itself, or the page is gone: the bytes are not ours. */
	if (!tracee_read(p, at->address, now, at->len))
		return no_memory(p);
	int err = 0;
	if (memcmp(now, in ? at->code : at->bytes, at->len))
		err = in ? ENOEXEC : 0;
	else if (in)
		err = write_in(p, at);
	else
		err = write_code(p, at->address, at->code, at->len);
	if (err)
		return err;
	at->is_in = in;
	p->n_in += in ? 1 : (size_t)-1;
	return 0;
}

static uint64_t original_bytes(const struct tracee_planted *at)
{
	uint64_t value = 0;

	memcpy(&value, at->code, at->len);
	return value;
}

int tracee_plant(struct tracee *p, uint64_t address, unsigned char byte, uint64_t *old_ret)
{
	struct tracee_planted *at = tracee_planted_at(p, address);
	unsigned len = byte ? 1 : arch->breakpoint_len;

	if (address % len)
		return EINVAL;
	if (at && at->wanted) {
		at->is_plain = true;
		*old_ret = original_bytes(at);
		return 0;
	}
	if (!at) {
		/* Remove unused entries when the table is full. */
		for (size_t i = 0; i < p->n_planted && p->n_planted == TRACER_MAX_PLANTED; i++) {
			if (p->planted[i].wanted || p->planted[i].is_in)
				continue;
			p->planted[i] = p->planted[p->n_planted - 1];
			p->n_planted--;
		}
		if (p->n_planted == TRACER_MAX_PLANTED)
			return ENOSPC;
		at = &p->planted[p->n_planted++];
	}
	p->settled = false;
	*at = (struct tracee_planted){.address = address, .bytes = {byte}, .len = len};
	if (!byte)
		memcpy(at->bytes, arch->breakpoint, len);
	/* The end of the mapping may be near. */
	for (at->code_len = TRACEE_CODE_BYTES; at->code_len; at->code_len--) {
		if (tracee_read(p, address, at->code, at->code_len))
			break;
		if (no_memory(p) == EAGAIN)
			return EAGAIN;
	}
	int err = at->code_len < len ? EFAULT : !byte && !memcmp(at->code, at->bytes, len) ? EEXIST : 0;
	if (!err)
		err = tracee_put(p, at, true);
	if (err)
		return err;
	at->wanted = at->is_plain = true;
	*old_ret = original_bytes(at);
	return 0;
}

int tracee_lift(struct tracee *p, uint64_t address)
{
	struct tracee_planted *at = tracee_planted_at(p, address);

	if (!at || !at->wanted)
		return ENOENT;
	at->is_plain = false;
	if (at->n_filters)
		return 0;
	at->wanted = false;
	return tracee_put(p, at, false);
}

int tracee_set_word(struct tracee *p, uint64_t address, uint64_t value)
{
	uint64_t now;

	if (value ? p->word != 0 : p->word != address || !address)
		return value ? EBUSY : ENOENT;
	if (!tracee_read(p, address, &now, sizeof(now)))
		return no_memory(p);
	if (value && now)
		return EEXIST;
	if (value) {
		watchdog_begin(p);
		p->word = address;
	}
	bool done = now == value || pwrite(p->memfd, &value, sizeof(value), (off_t)address) == (ssize_t)sizeof(value);
	if (done != (value != 0))
		p->word = 0;
	return done ? 0 : EFAULT;
}

void tracee_clean_child(struct tracee *p, pid_t child)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", child);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	for (size_t i = 0; i < p->n_planted; i++) {
		const struct tracee_planted *at = &p->planted[i];
		unsigned char now[ARCH_BREAKPOINT_BYTES];

		if (!at->wanted)
			continue;
		if (fd >= 0 && (pread(fd, now, at->len, (off_t)at->address) != (ssize_t)at->len ||
				memcmp(now, at->bytes, at->len)))
			continue;
		if (fd < 0 || pwrite(fd, at->code, at->len, (off_t)at->address) != (ssize_t)at->len)
			poke_code(child, at->address, at->code, at->len);
	}
	uint64_t zero = 0;
	if (p->word && fd >= 0)
		(void)!pwrite(fd, &zero, sizeof(zero), (off_t)p->word);
	if (fd >= 0)
		close(fd);
}

/* Most first instructions of functions are emulated: a step would require removing the breakpoint. */
bool tracee_emulate(struct tracee *p, pid_t tid, const struct tracee_planted *at)
{
	struct arch_registers regs;
	struct arch_store store;
	uint64_t words[ARCH_STORE_WORDS];

	if (!arch_host.read_registers(tid, &regs) || arch_pc(&regs) != at->address ||
	    !arch->emulate(at->code, at->code_len, &regs, &store))
		return false;
	/* The stack may have to grow, which only the thread itself can do. */
	if (store.n && !tracee_read(p, store.address, words, store.n * sizeof(words[0])))
		return false;
	for (unsigned i = 0; i < store.n; i++) {
		if (ptrace(PTRACE_POKEDATA, tid, (void *)(store.address + i * sizeof(words[0])),
			   (void *)store.value[i]))
			return false;
	}
	return arch_host.write_registers(tid, &regs);
}
