/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The parameters of process.list, parsed once and applied to each process. */
#include "methods/process_filter.h"

#include <ctype.h>
#include <pwd.h>
#include <string.h>

#include "base/number.h"
#include "base/path.h"
#include "methods.h"
#include "openmp/runtimes/present.h"
#include "target/proc/job.h"

/* The number of digits of a container's id that count as all 64. */
#define CONTAINER_ID_MIN 12

static struct error *refuse_value(const char *pointer, const char *expected, const char *got)
{
	struct error *err = error_create(ERR_INVALID_PARAMS, "%s is %s, not \"%.64s\"", pointer + 1, expected, got);

	error_detail(err, "pointer", "%s", pointer);
	return error_detail(err, "expected", "%s", expected);
}

/* Parse "0-3,7". */
static struct error *parse_ranks(const char *text, struct process_filter *f)
{
	static const char expected[] = "a set of ranks, as \"0-3,7\"";

	for (const char *p = text;; p++) {
		int64_t first, last;
		bool ok = number_skip(&p, INT32_MAX, &first);

		last = first;
		if (ok && *p == '-') {
			p++;
			ok = number_skip(&p, INT32_MAX, &last) && last >= first;
		}
		if (!ok || (*p && *p != ','))
			return refuse_value("/ranks", expected, text);
		if (f->n_ranks == PROCESS_FILTER_MAX_RANGES)
			return refuse_value("/ranks", "of 256 ranges at most", text);
		f->ranks[f->n_ranks].first = first;
		f->ranks[f->n_ranks++].last = last;
		if (!*p)
			return NULL;
	}
}

static struct error *find_user(const char *user, struct process_filter *f)
{
	const struct passwd *pw = getpwnam(user);
	int64_t uid;

	f->by_user = true;
	if (pw) {
		f->uid = pw->pw_uid;
		return NULL;
	}
	if (!number_parse(user, 0, UINT32_MAX - INT64_C(1), &uid))
		return refuse_value("/user", "the name or number of a user", user);
	f->uid = (uid_t)uid;
	return NULL;
}

struct error *process_filter_make(const struct process_list_params *p, struct process_filter *ret)
{
	struct process_filter f = {.name = p->name, .runtime = p->runtime, .job = p->job, .cgroup = p->cgroup};
	struct error *err = NULL;

	if (p->user)
		err = find_user(p->user, &f);
	if (!err && p->ranks)
		err = parse_ranks(p->ranks, &f);
	if (!err)
		*ret = f;
	return err;
}

bool process_filter_user(const struct process_filter *f, uid_t uid)
{
	return !f->by_user || f->uid == uid;
}

/* Return whether @path (@len bytes) is @group or below it. */
static bool is_below(const char *path, size_t len, const char *group)
{
	size_t n = strlen(group);

	while (n > 1 && group[n - 1] == '/')
		n--;
	return n == 1 || (len >= n && !memcmp(path, group, n) && (len == n || path[n] == '/'));
}

/*
 * Return whether a component of @path (@len bytes) is @name, or contains it as a container's id: docker-ID.scope,
 * libpod-ID.
 */
static bool has_part(const char *path, size_t len, const char *name)
{
	size_t n = strlen(name);
	bool is_id = n >= CONTAINER_ID_MIN && strspn(name, "0123456789abcdef") == n;

	for (size_t i = 0; n && i + n <= len; i++) {
		if (memcmp(path + i, name, n) != 0)
			continue;
		bool begins = i && (path[i - 1] == '/' || (is_id && !isalnum((unsigned char)path[i - 1])));
		if (begins && (is_id || i + n == len || path[i + n] == '/'))
			return true;
	}
	return false;
}

bool process_filter_cgroup(const struct process_filter *f, const char *text)
{
	if (!f->cgroup)
		return true;
	/* Lines are NUMBER:CONTROLLERS:PATH. */
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");
		const char *path = memchr(line, ':', len);

		if (path)
			path = memchr(path + 1, ':', len - (size_t)(path + 1 - line));
		if (path) {
			size_t n = len - (size_t)(++path - line);

			if (*f->cgroup == '/' ? is_below(path, n, f->cgroup) : has_part(path, n, f->cgroup))
				return true;
		}
		line += len + (line[len] == '\n');
	}
	return false;
}

bool process_filter_name(const struct process_filter *f, const char *comm, const char *program)
{
	return !f->name || !strcmp(f->name, comm) || !strcmp(f->name, path_file_name(program));
}

bool process_filter_runtime(const struct process_filter *f, const struct present *runtimes)
{
	for (size_t i = 0; f->runtime && i < runtimes->n; i++) {
		if (!strcmp(f->runtime, runtimes->runtimes[i].kind))
			return true;
	}
	return !f->runtime;
}

bool process_filter_job(const struct process_filter *f, const struct job *job)
{
	if (f->job && !job_is(job, f->job))
		return false;
	for (size_t i = 0; i < f->n_ranks; i++) {
		if (job->rank >= f->ranks[i].first && job->rank <= f->ranks[i].last)
			return true;
	}
	return !f->n_ranks;
}
