/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* /proc/PID as text: reading and parsing. */
#include "target/proc/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/vector.h"

/* Bytes of one read of a whole file. */
#define READ_SIZE (64u << 10)

static ssize_t read_text(int dirfd, const char *path, bool is_line, char *buf, size_t size)
{
	int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	size_t len = 0;
	while (len < size - 1 && !(is_line && len && buf[len - 1] == '\n')) {
		ssize_t n = read(fd, buf + len, size - 1 - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int errnum = errno;

			close(fd);
			return -errnum;
		}
		if (n == 0)
			break;
		len += (size_t)n;
	}
	close(fd);
	buf[len] = '\0';
	return (ssize_t)len;
}

ssize_t proc_read(int dirfd, const char *path, char *buf, size_t size)
{
	return read_text(dirfd, path, false, buf, size);
}

ssize_t proc_read_line(int dirfd, const char *path, char *buf, size_t size)
{
	return read_text(dirfd, path, true, buf, size);
}

struct error *proc_read_all(int dirfd, const char *path, size_t max, char **ret, size_t *len_ret)
{
	_cleanup_close_ int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return error_create_errno(errno, "open %s", path);
	_cleanup_(buf_deinit) struct buf text = {0};
	ssize_t n = 1;
	while (n != 0 && text.len < max) {
		char *where;
		struct error *err = buf_reserve(&text, READ_SIZE, &where);

		if (err)
			return err;
		n = read(fd, where, READ_SIZE);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_create_errno(errno, "read %s", path);
		buf_commit(&text, (size_t)n);
	}
	*ret = text.data;
	*len_ret = text.len;
	text = (struct buf){0};
	return NULL;
}

/* Parse an unsigned number in @base at *@p (before @end) and advance; return false without one. */
static bool parse_number(const char **p, const char *end, int base, uint64_t *ret)
{
	uint64_t value = 0;
	const char *q = *p;

	for (; q < end; q++) {
		int digit;

		if (*q >= '0' && *q <= '9')
			digit = *q - '0';
		else if (*q >= 'a' && *q <= 'f')
			digit = *q - 'a' + 10;
		else
			break;
		if (digit >= base)
			break;
		if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit, &value))
			return false;
	}
	if (q == *p)
		return false;
	*p = q;
	*ret = value;
	return true;
}

static bool parse_char(const char **p, const char *end, char c)
{
	if (*p == end || **p != c)
		return false;
	++*p;
	return true;
}

/*
 * Parse the number after blanks and @skip other fields. Written by hand: it runs for each thread of a view, and
 * sscanf() is slow.
 */
static bool parse_field(const char **p, const char *end, int skip, uint64_t *ret)
{
	const char *at = *p;

	for (int i = 0;; i++) {
		while (at < end && *at == ' ')
			at++;
		if (i == skip)
			break;
		while (at < end && *at != ' ')
			at++;
	}
	if (!parse_number(&at, end, 10, ret))
		return false;
	*p = at;
	return true;
}

bool proc_parse_stat(const char *text, struct proc_stat *ret)
{
	/* The name may contain blanks and parentheses: it ends at the last one. */
	const char *open = strchr(text, '(');
	const char *close = strrchr(text, ')');
	uint64_t ppid, flags, faults, start, pending = 0;

	if (!open || !close || close < open)
		return false;
	memset(ret, 0, sizeof(*ret));
	size_t len = (size_t)(close - open - 1);
	memcpy(ret->comm, open + 1, len < sizeof(ret->comm) - 1 ? len : sizeof(ret->comm) - 1);
	if (close[1] != ' ' || !close[2])
		return false;
	ret->state = close[2];
	/* Fields 4 (ppid), 9 (flags), 12 (majflt), 22 (starttime) and 31 (signal) of proc(5). */
	const char *p = close + 3, *end = p + strlen(p);
	if (!parse_field(&p, end, 0, &ppid) || !parse_field(&p, end, 4, &flags) || !parse_field(&p, end, 2, &faults) ||
	    !parse_field(&p, end, 9, &start))
		return false;
	parse_field(&p, end, 8, &pending);
	ret->ppid = (pid_t)ppid;
	ret->major_faults = faults;
	ret->start_time = start;
	ret->flags = flags;
	ret->is_fork = flags & PROC_FORKNOEXEC;
	/* PF_EXITING, or a pending SIGKILL: the other threads learn of the process's end that way. */
	ret->dying = ret->state == 'Z' || ret->state == 'X' || flags & 0x4 || pending & 1ul << (SIGKILL - 1);
	return true;
}

static const char *status_field(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		if (*line == '\n')
			line++;
		if (!strncmp(line, name, len) && line[len] == ':')
			return line + len + 1;
	}
	return NULL;
}

bool proc_read_stat(int dirfd, const char *path, struct proc_stat *ret)
{
	char text[1024];

	return proc_read_line(dirfd, path, text, sizeof(text)) > 0 && proc_parse_stat(text, ret);
}

bool proc_parse_status(const char *text, struct proc_status *ret)
{
	const char *uid = status_field(text, "Uid");
	const char *gid = status_field(text, "Gid");
	const char *tracer = status_field(text, "TracerPid");
	const char *threads = status_field(text, "Threads");
	const char *cap = status_field(text, "CapEff");
	const char *permitted = status_field(text, "CapPrm");
	const char *tgid = status_field(text, "Tgid");
	unsigned long long bits = 0;

	memset(ret, 0, sizeof(*ret));
	if (!uid || sscanf(uid, "%u %u %u %u", &ret->uid[0], &ret->uid[1], &ret->uid[2], &ret->uid[3]) != 4)
		return false;
	if (!gid || sscanf(gid, "%u %u %u %u", &ret->gid[0], &ret->gid[1], &ret->gid[2], &ret->gid[3]) != 4)
		return false;
	if (!tracer || sscanf(tracer, "%d", &ret->tracer_pid) != 1)
		return false;
	if (!threads || sscanf(threads, "%u", &ret->threads) != 1)
		return false;
	if (cap && sscanf(cap, "%llx", &bits) == 1)
		ret->cap_eff = bits;
	if (permitted && sscanf(permitted, "%llx", &bits) == 1)
		ret->cap_prm = bits;
	if (!tgid || sscanf(tgid, "%d", &ret->tgid) != 1)
		ret->tgid = 0;
	ret->has_mm = status_field(text, "VmSize") != NULL;
	return true;
}

bool proc_parse_switches(const char *text, uint64_t *ret)
{
	const char *own_at = status_field(text, "voluntary_ctxt_switches");
	const char *forced_at = status_field(text, "nonvoluntary_ctxt_switches");
	uint64_t own, forced;

	if (!own_at || sscanf(own_at, "%" SCNu64, &own) != 1 || !forced_at ||
	    sscanf(forced_at, "%" SCNu64, &forced) != 1)
		return false;
	*ret = own + forced;
	return true;
}

bool proc_parse_syscall(const char *text, struct target_activity *ret)
{
	const char *p = text, *end = text + strlen(text);
	uint64_t nr, a[8];

	memset(ret, 0, sizeof(*ret));
	bool outside = parse_char(&p, end, '-');
	if (!parse_number(&p, end, 10, &nr))
		return false; /* "running" */
	for (int i = outside ? 6 : 0; i < 8; i++) {
		if (!parse_char(&p, end, ' ') || !parse_char(&p, end, '0') || !parse_char(&p, end, 'x') ||
		    !parse_number(&p, end, 16, &a[i]))
			return false;
	}
	if (!outside) {
		ret->in_syscall = true;
		ret->syscall = (long)nr;
		for (int i = 0; i < 6; i++)
			ret->args[i] = a[i];
	}
	ret->sp = a[6];
	ret->pc = a[7];
	ret->known = true;
	return true;
}

static bool parse_map_line(const char *p, const char *end, struct proc_map *ret)
{
	static const char deleted[] = " (deleted)";
	uint64_t major, minor;

	memset(ret, 0, sizeof(*ret));
	if (!parse_number(&p, end, 16, &ret->start) || !parse_char(&p, end, '-') ||
	    !parse_number(&p, end, 16, &ret->end) || !parse_char(&p, end, ' '))
		return false;
	if (ret->end <= ret->start || end - p < 5 || p[4] != ' ')
		return false;
	ret->read = p[0] == 'r';
	ret->write = p[1] == 'w';
	ret->exec = p[2] == 'x';
	ret->shared = p[3] == 's';
	p += 5;
	if (!parse_number(&p, end, 16, &ret->offset) || !parse_char(&p, end, ' ') ||
	    !parse_number(&p, end, 16, &major) || !parse_char(&p, end, ':') || !parse_number(&p, end, 16, &minor) ||
	    !parse_char(&p, end, ' ') || !parse_number(&p, end, 10, &ret->inode))
		return false;
	ret->dev_major = (unsigned)major;
	ret->dev_minor = (unsigned)minor;
	while (p < end && *p == ' ')
		p++;
	ret->path = p;
	ret->path_len = (size_t)(end - p);
	size_t len = sizeof(deleted) - 1;
	if (ret->path_len > len && !memcmp(end - len, deleted, len)) {
		ret->deleted = true;
		ret->path_len -= len;
	}
	return true;
}

bool proc_next_map(const char **text, const char *end, struct proc_map *ret)
{
	while (*text < end) {
		const char *line = *text;
		const char *newline = memchr(line, '\n', (size_t)(end - line));

		*text = newline ? newline + 1 : end;
		if (parse_map_line(line, newline ? newline : end, ret))
			return true;
	}
	return false;
}

struct linux_dirent64 {
	uint64_t d_ino;
	int64_t d_off;
	unsigned short d_reclen;
	unsigned char d_type;
	char d_name[];
};

struct error *proc_list_tasks(int dirfd, pid_t **ret, size_t *n_ret)
{
	_Alignas(8) char buf[32768];
	_cleanup_free_ pid_t *tids = NULL;
	size_t n = 0, cap = 0;

	if (lseek(dirfd, 0, SEEK_SET) < 0)
		return error_create_errno(errno, "rewind /proc/PID/task");
	for (;;) {
		long len = syscall(SYS_getdents64, dirfd, buf, sizeof(buf));

		if (len < 0 && (errno == ENOENT || errno == ESRCH))
			return error_create(ERR_TARGET_EXITED, "the process has exited");
		if (len < 0)
			return error_create_errno(errno, "read /proc/PID/task");
		if (len == 0)
			break;
		for (long off = 0; off < len;) {
			struct linux_dirent64 *d = (struct linux_dirent64 *)(buf + off);
			const char *p = d->d_name;
			uint64_t tid;

			off += d->d_reclen;
			if (!parse_number(&p, p + strlen(p), 10, &tid))
				continue;
			if (n == TARGET_MAX_THREADS)
				return error_create(ERR_LIMIT_EXCEEDED, "the process has more than %d threads",
						    TARGET_MAX_THREADS);
			if (!VECTOR_GROW(tids, n, cap))
				return &error_nomem;
			tids[n++] = (pid_t)tid;
		}
	}
	if (!n)
		return error_create(ERR_TARGET_EXITED, "the process has exited");
	*ret = no_cleanup(tids);
	*n_ret = n;
	return NULL;
}
