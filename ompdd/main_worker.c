/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ompdd-worker: inspects one process on behalf of ompdd. ompdd starts it with a socket as standard input and output. By
 * hand: `ompdd-worker < request.json`, with a target.attach first.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory_limit.h"
#include "base/number.h"
#include "base/path.h"
#include "methods/event.h"
#include "methods_worker.h"
#include "openmp/plugin/guard.h"
#include "rpc/message.h"
#include "target/sandbox/broker.h"
#include "worker/loop.h"
#include "worker/worker.h"

/* The protocol's descriptors move to high numbers, as far as the limit allows: a plugin may misuse small numbers. */
static const int protocol_fds[] = {64, 24, 3};
#define EXIT_USAGE 3
/* The maximum time of one request in the OMPD library. */
#define PLUGIN_TIMEOUT_MS 5000
/* Limit of address space: enough for the debug information of a large program. */
#define MEMORY_MB 2048
/* Limit of processor time for one request. */
#define CPU_S 10

struct options {
	const char *target_id;
	struct plugin_options plugin;
	const char *debug_dirs[WORKER_MAX_DEBUG_DIRS];
	size_t n_debug_dirs;
	unsigned memory_mb;
	unsigned cpu_s;
	unsigned core_space_mb;
	int dump_fd; /* 0: none */
};

static void print_usage(FILE *to)
{
	fputs("usage: ompdd-worker [--target ID] [--libompd PATH] [--plugin-dir DIR]...\n"
	      "                    [--debug-dir DIR]... [--plugin-timeout-ms N]\n"
	      "                    [--memory-mb N] [--cpu-s N] [--core-space-mb N] [--dump-fd N]\n"
	      "                    [--log-level error|warn|info|debug]\n"
	      "Reads JSON-RPC requests from standard input, one per line, and answers on standard output.\n"
	      "ompdd starts it; by hand, let the first request be target.attach.\n",
	      to);
}

static bool parse_unsigned(const char *text, unsigned *ret)
{
	int64_t value;

	if (!number_parse(text, 0, INT_MAX, &value))
		return false;
	*ret = (unsigned)value;
	return true;
}

/* Returns false to exit with *@status_ret. */
static bool parse_options(int argc, char **argv, struct options *o, int *status_ret)
{
	static const struct option longs[] = {
		{"target", required_argument, NULL, 't'},
		{"libompd", required_argument, NULL, 'l'},
		{"plugin-dir", required_argument, NULL, 'd'},
		{"debug-dir", required_argument, NULL, 'D'},
		{"plugin-timeout-ms", required_argument, NULL, 'p'},
		{"memory-mb", required_argument, NULL, 'm'},
		{"cpu-s", required_argument, NULL, 'u'},
		{"core-space-mb", required_argument, NULL, 'c'},
		{"dump-fd", required_argument, NULL, 'F'},
		{"log-level", required_argument, NULL, 'v'},
		{"version", no_argument, NULL, 'V'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	enum log_level level;
	unsigned fd;
	int c;

	*status_ret = EXIT_USAGE;
	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		bool ok = true;

		switch (c) {
		case 't':
			o->target_id = optarg;
			break;
		case 'l':
			o->plugin.libompd = optarg;
			break;
		case 'd':
			ok = o->plugin.n_dirs < PLUGIN_MAX_DIRS;
			if (ok)
				o->plugin.dirs[o->plugin.n_dirs++] = optarg;
			break;
		case 'D':
			ok = o->n_debug_dirs < WORKER_MAX_DEBUG_DIRS;
			if (ok)
				o->debug_dirs[o->n_debug_dirs++] = optarg;
			break;
		case 'p':
			ok = parse_unsigned(optarg, &o->plugin.timeout_ms);
			break;
		case 'm':
			ok = parse_unsigned(optarg, &o->memory_mb);
			break;
		case 'u':
			ok = parse_unsigned(optarg, &o->cpu_s);
			break;
		case 'c':
			ok = parse_unsigned(optarg, &o->core_space_mb);
			break;
		case 'F':
			ok = parse_unsigned(optarg, &fd) && fd > STDERR_FILENO;
			if (ok)
				o->dump_fd = (int)fd;
			break;
		case 'v':
			ok = log_level_parse(optarg, &level);
			if (ok)
				log_set_level(level);
			break;
		case 'V':
			puts("ompdd-worker " OMPDD_VERSION);
			*status_ret = EXIT_SUCCESS;
			return false;
		case 'h':
			print_usage(stdout);
			*status_ret = EXIT_SUCCESS;
			return false;
		default:
			print_usage(stderr);
			return false;
		}
		if (!ok) {
			fprintf(stderr, "ompdd-worker: bad or too many values: %s\n", optarg);
			return false;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "ompdd-worker: unexpected argument %s\n", argv[optind]);
		return false;
	}
	return true;
}

/* Find our own libompd.so, in the build folder or installed; NULL if it is in neither. Never freed. */
static const char *find_own_libompd(void)
{
	static const char *const places[] = {
		"../lib/libompd.so",
		LIBOMPD_FROM_WORKER,
	};
	char folder[PATH_MAX], path[PATH_MAX + 64];

	if (!path_own_folder(folder, sizeof(folder)))
		return NULL;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, places[i]);
		char *real = realpath(path, NULL);
		if (real)
			return real;
	}
	return NULL;
}

/*
 * Close inherited descriptors except @kept, and disable core dumps, which would hold another process's memory.
 * *@core_ret: the limit for launched programs. methods/begin.c drops further rights when there is a target.
 */
static void drop_inherited(int kept, struct rlimit *core_ret)
{
	struct rlimit none;
	unsigned first = kept ? (unsigned)kept + 1 : 3;

	if (!getrlimit(RLIMIT_CORE, core_ret)) {
		none = (struct rlimit){0, core_ret->rlim_max};
		setrlimit(RLIMIT_CORE, &none);
	}
#ifdef SYS_close_range
	if (syscall(SYS_close_range, first, ~0u, 0) == 0 && (kept <= 3 || !syscall(SYS_close_range, 3, kept - 1, 0)))
		return;
#endif
	for (int fd = 3; fd < 1024; fd++) {
		if (fd != kept)
			close(fd);
	}
}

/* Copy @fd; -1 only if no descriptor is free. */
static int copy_fd(int fd)
{
	int copy = -1;

	for (size_t i = 0; copy < 0 && i < sizeof(protocol_fds) / sizeof(protocol_fds[0]); i++)
		copy = fcntl(fd, F_DUPFD_CLOEXEC, protocol_fds[i]);
	return copy;
}

/*
 * Separate the protocol from standard input and output: a plugin then reads /dev/null and prints to our standard error.
 */
static bool take_protocol(int *in_ret, int *out_ret)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int in = copy_fd(STDIN_FILENO);
	int out = copy_fd(STDOUT_FILENO);

	if (null < 0 || in < 0 || out < 0)
		return false;
	if (fcntl(STDERR_FILENO, F_GETFD) < 0)
		dup2(null, STDERR_FILENO);
	dup2(null, STDIN_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	if (null > STDERR_FILENO)
		close(null);
	*in_ret = in;
	*out_ret = out;
	return true;
}

static void set_signals(void)
{
	/* Otherwise each thread that stops would signal us; only exits matter (worker/loop.c). */
	struct sigaction child = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP};
	sigset_t set;

	sigaction(SIGCHLD, &child, NULL);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

int main(int argc, char **argv)
{
	struct options options = {
		.target_id = "t1",
		.plugin = {.timeout_ms = PLUGIN_TIMEOUT_MS},
		.memory_mb = MEMORY_MB,
		.cpu_s = CPU_S,
	};
	struct worker worker = {0};
	int status, in, out;

	if (!parse_options(argc, argv, &options, &status))
		return status;
	drop_inherited(options.dump_fd, &worker.core_limit);
	if (options.dump_fd)
		fcntl(options.dump_fd, F_SETFD, FD_CLOEXEC);
	worker.dump_fd = options.dump_fd;
	if (!take_protocol(&in, &out)) {
		fprintf(stderr, "ompdd-worker: standard input and output are needed\n");
		return EXIT_FAILURE;
	}
	memory_limit_set((size_t)options.memory_mb << 20);
	worker.request_cpu_s = options.cpu_s;
	worker.core_space = (uint64_t)options.core_space_mb << 20;
	set_signals();
	message_global_init();
	options.plugin.own_libompd = find_own_libompd();
	worker.plugin_options = options.plugin;
	memcpy(worker.debug_dirs, options.debug_dirs, sizeof(worker.debug_dirs));
	worker.write_event = event_write;
	worker.n_debug_dirs = options.n_debug_dirs;
	struct error *err = guard_init();
	if (!err)
		err = worker_init(&worker, options.target_id);
	if (!err)
		err = worker_loop(&worker, methods_worker, in, out);
	worker_deinit(&worker);
	broker_end();
	free((char *)options.plugin.own_libompd);
	if (!err)
		return EXIT_SUCCESS;
	log_err(LOG_ERROR, err, "worker");
	error_destroy(err);
	return EXIT_FAILURE;
}
