/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ompdd(1): the command line. The daemon itself is server/server.c. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <linux/close_range.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "server/server.h"
#include "session/limits.h"

#define DEFAULT_REQUEST_TIMEOUT_MS 30000
#define DEFAULT_PLUGIN_TIMEOUT_MS  10000
/* In bytes: what is as large is mapped by itself. */
#define LARGE_ALLOCATION (128 * 1024)
#define MAX_TIMEOUT_MS	 (24 * 3600 * 1000)
#define MAX_MB		 (1 << 24)
#define EXIT_USAGE	 2

static const char usage[] =
	"usage: ompdd [options]\n"
	"Answers questions about running OpenMP programs, in JSON-RPC 2.0.\n"
	"\n"
	"  --listen URI            unix:PATH, tcp:[HOST:]PORT, tls:, http: or https: likewise, or\n"
	"                          stdio; may be repeated (default\n"
	"                          unix:$XDG_RUNTIME_DIR/ompdd/ompdd.sock)\n"
	"  --token-file FILE       written at the start, removed at the end: the token of all but\n"
	"                          unix: and stdio, and the certificate of tls: and https:\n"
	"  --allow-remote          listen with tls: and https: on addresses that other machines\n"
	"                          reach, too\n"
	"  --tls-cert FILE         the certificate of tls: and https:, with its chain, and\n"
	"  --tls-key FILE          its key, both PEM (default: made at the start)\n"
	"  --allow-origin ORIGIN   answer HTTP requests of web pages of ORIGIN; may be repeated\n"
	"  --allow TIER            what who connects may do: observe, inspect (stops), control\n"
	"                          (breakpoints, launch) or admin (default); TIER:user=NAME and\n"
	"                          TIER:group=NAME for some, --listen URI,allow=TIER for one\n"
	"                          listener; may be repeated\n"
	"  --exit-when WHEN        never (default), last-client, or idle:SECONDS\n"
	"  --libompd PATH          the OMPD library to use, whatever a target names\n"
	"  --plugin-dir DIR        a directory from which a target may name an OMPD library\n"
	"  --debug-dir DIR         where separate debug files are, as in /usr/lib/debug\n"
	"  --worker PATH           the ompdd-worker program\n"
	"  --request-timeout MS    end a worker that does not answer in time (default 30000)\n"
	"  --plugin-timeout MS     end a worker whose OMPD library does not return (default 10000)\n"
	"  --worker-memory MB      address space of each worker, for debug information mostly\n"
	"                          (default 2048)\n"
	"  --worker-cpu SECONDS    processor time of one request in a worker (default 10)\n"
	"  --core-space MB         room that a compressed core may take unpacked (default 4096)\n"
	"  --user-connections N    connections of one user of a daemon of root (default 16)\n"
	"  --user-targets N        targets of one user of a daemon of root (default 16)\n"
	"  --log-level LEVEL       error, warn (default), info or debug\n"
	"  --version               print the version\n"
	"  --help                  print this text\n"
	"\n"
	"Prints one line \"listening on URI\" per listener. SIGTERM ends it; targets run on.\n";

enum option_id {
	OPT_LISTEN = 256,
	OPT_TOKEN_FILE,
	OPT_ALLOW_REMOTE,
	OPT_TLS_CERT,
	OPT_TLS_KEY,
	OPT_ALLOW_ORIGIN,
	OPT_ALLOW,
	OPT_EXIT_WHEN,
	OPT_LIBOMPD,
	OPT_PLUGIN_DIR,
	OPT_DEBUG_DIR,
	OPT_WORKER,
	OPT_REQUEST_TIMEOUT,
	OPT_PLUGIN_TIMEOUT,
	OPT_WORKER_MEMORY,
	OPT_WORKER_CPU,
	OPT_CORE_SPACE,
	OPT_USER_CONNECTIONS,
	OPT_USER_TARGETS,
	OPT_LOG_LEVEL,
	OPT_VERSION,
	OPT_HELP,
};

static const struct option long_options[] = {
	{"listen", required_argument, NULL, OPT_LISTEN},
	{"token-file", required_argument, NULL, OPT_TOKEN_FILE},
	{"allow-remote", no_argument, NULL, OPT_ALLOW_REMOTE},
	{"allow", required_argument, NULL, OPT_ALLOW},
	{"tls-cert", required_argument, NULL, OPT_TLS_CERT},
	{"tls-key", required_argument, NULL, OPT_TLS_KEY},
	{"allow-origin", required_argument, NULL, OPT_ALLOW_ORIGIN},
	{"exit-when", required_argument, NULL, OPT_EXIT_WHEN},
	{"libompd", required_argument, NULL, OPT_LIBOMPD},
	{"plugin-dir", required_argument, NULL, OPT_PLUGIN_DIR},
	{"debug-dir", required_argument, NULL, OPT_DEBUG_DIR},
	{"worker", required_argument, NULL, OPT_WORKER},
	{"request-timeout", required_argument, NULL, OPT_REQUEST_TIMEOUT},
	{"plugin-timeout", required_argument, NULL, OPT_PLUGIN_TIMEOUT},
	{"worker-memory", required_argument, NULL, OPT_WORKER_MEMORY},
	{"worker-cpu", required_argument, NULL, OPT_WORKER_CPU},
	{"core-space", required_argument, NULL, OPT_CORE_SPACE},
	{"user-connections", required_argument, NULL, OPT_USER_CONNECTIONS},
	{"user-targets", required_argument, NULL, OPT_USER_TARGETS},
	{"log-level", required_argument, NULL, OPT_LOG_LEVEL},
	{"version", no_argument, NULL, OPT_VERSION},
	{"help", no_argument, NULL, OPT_HELP},
	{NULL, 0, NULL, 0},
};

static bool parse_number(const char *text, int64_t max, int64_t *ret)
{
	char *end;

	errno = 0;
	long long value = strtoll(text, &end, 10);
	if (errno || end == text || *end || value < 1 || value > max)
		return false;
	*ret = value;
	return true;
}

static bool add_string(const char **list, size_t *n, size_t max, const char *value)
{
	if (*n == max)
		return false;
	list[(*n)++] = value;
	return true;
}

static bool parse_exit_when(const char *text, struct server_options *o)
{
	if (!strcmp(text, "never"))
		o->exit_when = EXIT_NEVER;
	else if (!strcmp(text, "last-client"))
		o->exit_when = EXIT_LAST_CLIENT;
	else if (!strncmp(text, "idle:", 5) && parse_number(text + 5, MAX_TIMEOUT_MS / 1000, &o->idle_seconds))
		o->exit_when = EXIT_IDLE;
	else
		return false;
	return true;
}

/* One option that takes a value; false when the value is wrong or one too many. */
static bool apply(enum option_id id, const char *value, struct server_options *o)
{
	enum log_level level;

	switch (id) {
	case OPT_LISTEN:
		return add_string(o->listen, &o->n_listen, SERVER_MAX_LISTENERS, value);
	case OPT_TOKEN_FILE:
		o->token_file = value;
		return true;
	case OPT_ALLOW_REMOTE:
		o->allow_remote = true;
		return true;
	case OPT_TLS_CERT:
		o->tls_cert = value;
		return true;
	case OPT_TLS_KEY:
		o->tls_key = value;
		return true;
	case OPT_ALLOW_ORIGIN:
		return add_string(o->allow_origins, &o->n_allow_origins, SERVER_MAX_ORIGINS, value);
	case OPT_ALLOW:
		return add_string(o->allow, &o->n_allow, SERVER_MAX_ALLOW, value);
	case OPT_EXIT_WHEN:
		return parse_exit_when(value, o);
	case OPT_LIBOMPD:
		o->libompd = value;
		return true;
	case OPT_PLUGIN_DIR:
		return add_string(o->plugin_dirs, &o->n_plugin_dirs, SERVER_MAX_PLUGIN_DIRS, value);
	case OPT_DEBUG_DIR:
		return add_string(o->debug_dirs, &o->n_debug_dirs, SERVER_MAX_DEBUG_DIRS, value);
	case OPT_WORKER:
		o->worker = value;
		return true;
	case OPT_REQUEST_TIMEOUT:
		return parse_number(value, MAX_TIMEOUT_MS, &o->request_timeout_ms);
	case OPT_PLUGIN_TIMEOUT:
		return parse_number(value, MAX_TIMEOUT_MS, &o->plugin_timeout_ms);
	case OPT_WORKER_MEMORY:
		return parse_number(value, MAX_MB, &o->worker_memory_mb);
	case OPT_WORKER_CPU:
		return parse_number(value, MAX_TIMEOUT_MS / 1000, &o->worker_cpu_s);
	case OPT_CORE_SPACE:
		return parse_number(value, MAX_MB, &o->core_space_mb);
	case OPT_USER_CONNECTIONS:
		return parse_number(value, LIMIT_CONNECTIONS, &o->user_connections);
	case OPT_USER_TARGETS:
		return parse_number(value, LIMIT_TARGETS, &o->user_targets);
	case OPT_LOG_LEVEL:
		if (!log_level_parse(value, &level))
			return false;
		log_set_level(level);
		o->log_level = value;
		return true;
	case OPT_VERSION:
	case OPT_HELP:
		break;
	}
	return false;
}

/* Returns -1 to go on, else the exit status. */
static int parse_command_line(int argc, char **argv, struct server_options *o)
{
	int index, id;

	while ((id = getopt_long(argc, argv, "", long_options, &index)) != -1) {
		if (id == OPT_HELP) {
			fputs(usage, stdout);
			return EXIT_SUCCESS;
		}
		if (id == OPT_VERSION) {
			printf("ompdd %s\n", OMPDD_VERSION);
			return EXIT_SUCCESS;
		}
		if (id == '?') {
			/* getopt has said why. */
			fprintf(stderr, "ompdd: see --help\n");
			return EXIT_USAGE;
		}
		if (!apply((enum option_id)id, optarg, o)) {
			fprintf(stderr, "ompdd: --%s %s: wrong value, or one too many; see --help\n",
				long_options[index].name, optarg);
			return EXIT_USAGE;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "ompdd: unexpected argument %s; see --help\n", argv[optind]);
		return EXIT_USAGE;
	}
	return -1;
}

/* Beside us, as in the build folder, or where it is installed. */
static void find_worker(char *path, size_t size)
{
	static const char *const places[] = {"ompdd-worker", "../libexec/ompdd/ompdd-worker"};
	char self[PATH_MAX];

	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[n > 0 ? n : 0] = '\0';
	char *slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, size, "%s/%s", self, places[i]);
		if (access(path, X_OK) == 0)
			return;
	}
	/* Not found: target.attach will say so, and how to name the worker. */
}

/* A daemon's own hygiene, before it opens anything. *@files_ret: what our children shall have. */
static void prepare_process(struct rlimit *files_ret)
{
	struct rlimit files;

	/* A closed 0, 1 or 2 would be given to the first socket, and then written to. */
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
			exit(EXIT_FAILURE);
	}
	/* Nothing that we happened to inherit gets into a worker. */
	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur < files.rlim_max && files.rlim_cur < 4096) {
		*files_ret = files;
		files.rlim_cur = files.rlim_max < 4096 ? files.rlim_max : 4096;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	/* Large buffers go back to the system as soon as they are freed, whatever else was allocated meanwhile. */
	mallopt(M_MMAP_THRESHOLD, LARGE_ALLOCATION);
	/* No core dumps and no debugger of the same user: this process holds other people's data and a token. */
	prctl(PR_SET_DUMPABLE, 0);
}

int main(int argc, char **argv)
{
	char worker[PATH_MAX + 64];
	struct server_options options = {
		.request_timeout_ms = DEFAULT_REQUEST_TIMEOUT_MS,
		.plugin_timeout_ms = DEFAULT_PLUGIN_TIMEOUT_MS,
	};

	int status = parse_command_line(argc, argv, &options);
	if (status >= 0)
		return status;
	if (!options.worker) {
		find_worker(worker, sizeof(worker));
		options.worker = worker;
	}
	/* The plugin's limit is the shorter one, so that the answer names the plugin. */
	if (options.plugin_timeout_ms >= options.request_timeout_ms)
		options.plugin_timeout_ms = (options.request_timeout_ms * 2 + 2) / 3;
	prepare_process(&options.files);
	struct error *err = server_run(&options);
	if (!err)
		return EXIT_SUCCESS;
	fprintf(stderr, "ompdd: %s\n", err->message);
	/* The hints that a code has by itself are for clients. */
	if (err->hint)
		fprintf(stderr, "hint: %s\n", err->hint);
	error_destroy(err);
	return EXIT_FAILURE;
}
