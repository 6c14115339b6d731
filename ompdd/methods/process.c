/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * process.*: OpenMP processes that are not targets. The result has what the kernel shows to the user who runs this
 * worker. A process's memory is read only to find out whether the process is in a region.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "methods/begin.h"
#include "methods/json/json.h"
#include "methods/process_filter.h"
#include "methods_worker.h"
#include "openmp/model/walk/region_probe.h"
#include "openmp/runtimes/present.h"
#include "rpc/json_write.h"
#include "target/elf/code_files.h"
#include "target/elf/symbols_shared.h"
#include "target/proc/job.h"
#include "target/proc/proc.h"
#include "target/sandbox/broker.h"
#include "target/sandbox/sandbox.h"
#include "worker/worker.h"

/* The limit of processes in one answer. */
#define MAX_LISTED 16384
/* After this time in microseconds, further processes are not asked whether they are in a region. */
#define MAX_PROBES_US 4000000
/* The number of users whose names are cached while a list is built. */
#define MAX_USERS 64

struct known_user {
	uid_t uid;
	char *name; /* NULL: the user has no name */
};

struct listing {
	const struct process_filter *filter;
	const struct plugin_options *plugin_options;
	bool with_regions;
	int64_t begun_us;
	int proc; /* /proc */
	struct code_cache *cache;
	struct known_user users[MAX_USERS];
	size_t n_users;
	struct json_object *processes;
	size_t n_hidden;
	bool truncated;
};

/* A process in /proc. */
struct seen {
	pid_t pid;
	int dirfd; /* directory of a living thread of the process */
	struct proc_status status;
	char comm[16];
	char program[PATH_MAX];
	pid_t inner_pid; /* 0: the same as the pid */
	struct code_files files;
	struct present runtimes;
	struct job job;
};

static void seen_deinit(struct seen *p)
{
	cleanup_close(&p->dirfd);
	code_files_deinit(&p->files);
	present_deinit(&p->runtimes);
}

static void list_deinit(struct listing *l)
{
	for (size_t i = 0; i < l->n_users; i++)
		free(l->users[i].name);
	json_object_put(l->processes);
	code_cache_destroy(l->cache);
	symbols_shared_end();
	cleanup_close(&l->proc);
}

static const char *user_name(struct listing *l, uid_t uid)
{
	for (size_t i = 0; i < l->n_users; i++) {
		if (l->users[i].uid == uid)
			return l->users[i].name;
	}
	if (l->n_users == MAX_USERS)
		free(l->users[--l->n_users].name);
	struct known_user *user = &l->users[l->n_users++];
	*user = (struct known_user){uid, NULL};
	/* The system's name services may use a server, which the sandbox cannot reach. */
	char name[256];
	broker_user_name(uid, name, sizeof(name));
	user->name = name[0] ? strdup(name) : NULL;
	return user->name;
}

/* Return the pid in the process's own namespace, the last one in that line. */
static pid_t inner_pid(const char *status, pid_t pid)
{
	const char *line = strstr(status, "\nNSpid:");
	const char *end = line ? strchr(line + 1, '\n') : NULL;

	while (end && end > line && end[-1] >= '0' && end[-1] <= '9')
		end--;
	long inner = end ? strtol(end, NULL, 10) : pid;
	return inner > 0 && inner <= INT_MAX && inner != pid ? (pid_t)inner : 0;
}

/* Read the identity of the process. Returns false if it has exited or is not visible. */
static bool read_status(struct seen *p)
{
	char text[8192];
	struct proc_stat st;
	ssize_t n = proc_read(p->dirfd, "status", text, sizeof(text));

	if (n <= 0 || !proc_parse_status(text, &p->status))
		return false;
	p->inner_pid = inner_pid(text, p->pid);
	if (!proc_read_stat(p->dirfd, "stat", &st))
		return false;
	memcpy(p->comm, st.comm, sizeof(p->comm));
	return true;
}

/* Use another thread if the main thread has exited: the mappings are visible only there. */
static void follow_thread(struct seen *p)
{
	_cleanup_close_ int tasks = openat(p->dirfd, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_free_ pid_t *tids = NULL;
	size_t n = 0;

	if (tasks < 0 || p->status.has_mm || p->status.threads < 2)
		return;
	error_destroy(proc_list_tasks(tasks, &tids, &n));
	for (size_t i = 0; i < n; i++) {
		char name[16];
		struct proc_stat st;

		snprintf(name, sizeof(name), "%d", (int)tids[i]);
		int fd = openat(tasks, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (proc_read_stat(fd, "stat", &st) && !st.dying) {
			close(p->dirfd);
			p->dirfd = fd;
			return;
		}
		close(fd);
	}
}

static void read_program(struct seen *p)
{
	ssize_t n = readlinkat(p->dirfd, "exe", p->program, sizeof(p->program) - 1);

	p->program[n > 0 ? n : 0] = '\0';
}

/* Read the job from the environment. Returns whether the environment was readable. */
static bool read_job(struct seen *p)
{
	char *text;
	size_t len;
	struct error *err = proc_read_all(p->dirfd, "environ", JOB_MAX_ENVIRON, &text, &len);

	if (err) {
		error_destroy(err);
		job_parse("", 0, &p->job);
		return false;
	}
	job_parse(text, len, &p->job);
	free(text);
	return true;
}

static bool is_in_cgroup(const struct listing *l, const struct seen *p)
{
	char text[8192] = "";

	if (!l->filter->cgroup)
		return true;
	ssize_t n = proc_read(p->dirfd, "cgroup", text, sizeof(text));
	return n > 0 && process_filter_cgroup(l->filter, text);
}

/* Set *@ret to whether @p belongs to the list. Stops reading as soon as the answer is no. */
static struct error *check_listed(struct listing *l, struct seen *p, bool *ret)
{
	*ret = false;
	if (!read_status(p) || !process_filter_user(l->filter, p->status.uid[1]) || !is_in_cgroup(l, p))
		return NULL;
	follow_thread(p);
	/*
	 * Mappings take ten times as long to read as all the rest. A process whose program is unreadable has unreadable
	 * mappings.
	 */
	read_program(p);
	if (*p->program && !process_filter_name(l->filter, p->comm, p->program))
		return NULL;
	bool by_job = l->filter->job || l->filter->n_ranks;
	if (by_job && read_job(p) && !process_filter_job(l->filter, &p->job))
		return NULL;
	struct error *err = code_files_read(p->dirfd, &p->files);
	if (error_catch(&err, ERR_PERMISSION_DENIED)) {
		/* A kernel thread has nothing to hide. */
		l->n_hidden += p->status.has_mm;
		return NULL;
	}
	if (error_catch(&err, ERR_TARGET_EXITED))
		return NULL;
	if (!err)
		err = present_find(l->cache, p->dirfd, &p->files, &p->runtimes);
	if (err || !p->runtimes.n || !process_filter_runtime(l->filter, &p->runtimes))
		return err;
	if (!by_job)
		read_job(p);
	*ret = process_filter_name(l->filter, p->comm, p->program) && process_filter_job(l->filter, &p->job);
	return NULL;
}

static struct json_object *runtimes_json(const struct seen *p)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < p->runtimes.n; i++) {
		const struct present_runtime *r = &p->runtimes.runtimes[i];
		struct json_object *o = json_object_new_object();

		json_put(o, "kind", json_object_new_string(r->kind));
		json_put(o, "path", json_text(r->path ? r->path : p->program));
		json_object_array_add(array, o);
	}
	return array;
}

/*
 * Ask whether the process is in a region. With several runtimes one of them is asked: its "no" is not an answer for the
 * others.
 */
static struct error *probe_region(const struct listing *l, struct seen *p, bool *ret)
{
	struct region_probe probe;

	if (!l->with_regions)
		return error_create(ERR_MODE_UNSUPPORTED, "it was not requested");
	for (size_t i = 0; i < p->runtimes.n; i++) {
		if (!p->runtimes.runtimes[i].is_read_by_own)
			return error_create(
				ERR_PLUGIN_NOT_FOUND,
				"only the runtime's own OMPD library can read it, and process.list loads none");
	}
	if (clock_now_us() - l->begun_us > MAX_PROBES_US)
		return error_create(ERR_LIMIT_EXCEEDED, "the list had taken %d s by then", MAX_PROBES_US / 1000000);
	struct error *err = region_probe_process(p->pid, l->plugin_options, &probe);
	if (err)
		return err;
	/* The file did not show which runtime it is; memory does. */
	if (p->runtimes.n == 1 && probe.kind)
		p->runtimes.runtimes[0].kind = probe.kind;
	if (p->runtimes.n > 1 && !probe.in_region)
		return error_create(ERR_PLUGIN_NOT_FOUND, "it is in no region of %s; its other runtimes were not read",
				    probe.kind);
	*ret = probe.in_region;
	return NULL;
}

static struct json_object *in_region_json(const struct listing *l, struct seen *p)
{
	bool in_region = false;
	_cleanup_error_ struct error *err = probe_region(l, p, &in_region);

	return err ? json_reason(err) : json_object_new_boolean(in_region);
}

static void put_text(struct json_object *o, const char *key, const char *text)
{
	if (*text)
		json_put(o, key, json_text(text));
}

static void put_job(struct json_object *o, const struct job *job)
{
	struct json_object *part;

	if (job->rank >= 0) {
		part = json_object_new_object();
		json_put(part, "number", json_object_new_int64(job->rank));
		if (job->size > 0)
			json_put(part, "size", json_object_new_int64(job->size));
		put_text(part, "namespace", job->name_space);
		json_put(part, "from", json_object_new_string(job->rank_from));
		json_put(o, "rank", part);
	}
	if (*job->slurm_job) {
		part = json_object_new_object();
		json_put(part, "job", json_text(job->slurm_job));
		put_text(part, "step", job->slurm_step);
		put_text(part, "node", job->slurm_node);
		if (job->slurm_node_number >= 0)
			json_put(part, "node_number", json_object_new_int64(job->slurm_node_number));
		json_put(o, "slurm", part);
	}
	if (*job->flux_job) {
		part = json_object_new_object();
		json_put(part, "job", json_text(job->flux_job));
		json_put(o, "flux", part);
	}
}

static struct json_object *process_json(struct listing *l, struct seen *p)
{
	struct json_object *o = json_object_new_object();
	/* This may find out more about the runtime than its file shows. */
	struct json_object *in_region = in_region_json(l, p);
	const char *user = user_name(l, p->status.uid[1]);

	json_put(o, "pid", json_object_new_int(p->pid));
	if (p->inner_pid)
		json_put(o, "inner_pid", json_object_new_int(p->inner_pid));
	json_put(o, "uid", json_object_new_int64(p->status.uid[1]));
	if (user)
		json_put(o, "user", json_text(user));
	json_put(o, "name", json_text(p->comm));
	json_put(o, "program", json_text(p->program));
	json_put(o, "runtimes", runtimes_json(p));
	json_put(o, "n_threads", json_object_new_int64(p->status.threads));
	json_put(o, "in_region", in_region);
	put_job(o, &p->job);
	return o;
}

static struct error *list_process(struct listing *l, pid_t pid)
{
	char name[16];
	_cleanup_(seen_deinit) struct seen p = {.pid = pid};
	bool wanted;

	snprintf(name, sizeof(name), "%d", (int)pid);
	p.dirfd = openat(l->proc, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p.dirfd < 0)
		return NULL;
	struct error *err = check_listed(l, &p, &wanted);
	if (err || !wanted)
		return err;
	if (json_object_array_length(l->processes) == MAX_LISTED) {
		l->truncated = true;
		return NULL;
	}
	struct json_object *o = process_json(l, &p);
	/* Leave out a process that has exited meanwhile. */
	if (faccessat(p.dirfd, "stat", F_OK, 0) != 0)
		json_object_put(o);
	else
		json_object_array_add(l->processes, o);
	return NULL;
}

static int compare_pids(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

struct error *handle_process_list(struct worker *w, const struct process_list_params *p, struct json_object **ret)
{
	struct process_filter filter;
	_cleanup_(list_deinit) struct listing l = {
		.filter = &filter,
		.plugin_options = &w->plugin_options,
		.with_regions = p->regions,
		.begun_us = clock_now_us(),
		.proc = -1,
	};
	_cleanup_free_ pid_t *pids = NULL;
	size_t n = 0;
	struct error *err = begin_refuse(w);

	if (!err)
		err = process_filter_make(p, &filter);
	/*
	 * Enter the sandbox after the filter, which may look up a name. The files of all these processes are opened
	 * later.
	 */
	if (!err)
		err = sandbox_enter(SANDBOX_LOOK, 0, NULL);
	if (err)
		return err;
	l.processes = json_object_new_array();
	l.cache = code_cache_create();
	symbols_shared_begin();
	if (!l.processes || !l.cache)
		return &error_nomem;
	l.proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (l.proc < 0)
		return error_create_errno(errno, "open /proc");
	err = proc_list_tasks(l.proc, &pids, &n);
	if (err)
		return err;
	qsort(pids, n, sizeof(*pids), compare_pids);
	for (size_t i = 0; i < n && !err; i++) {
		if (pids[i] != getpid())
			err = list_process(&l, pids[i]);
	}
	if (err)
		return err;
	struct json_object *o = json_object_new_object();
	if (!o)
		return &error_nomem;
	json_put(o, "processes", l.processes);
	l.processes = NULL;
	json_put(o, "n_hidden", json_object_new_int64((int64_t)l.n_hidden));
	json_put(o, "truncated", json_object_new_boolean(l.truncated));
	*ret = o;
	return NULL;
}
