/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ompdd(1): the command line. The daemon itself is server/server.c. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <linux/close_range.h>
#include <malloc.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/path.h"
#include "server/config.h"
#include "server/settings.h"

#define DEFAULT_REQUEST_TIMEOUT_MS 30000
#define DEFAULT_PLUGIN_TIMEOUT_MS  10000
/* Bytes. malloc() maps each allocation of at least this size separately. */
#define LARGE_ALLOCATION (128 * 1024)
#define EXIT_USAGE	 2
/* Maximum bytes of a message that are shown. */
#define MAX_SHOWN 4096

static const char usage[] =
	"usage: ompdd [options]\n"
	"Answers questions about running OpenMP programs, in JSON-RPC 2.0.\n"
	"\n"
	"  --listen URI            unix:PATH, stdio, or tcp:, tls:, http: or https: and [HOST:]PORT;\n"
	"                          may be repeated (default unix:$XDG_RUNTIME_DIR/ompdd/ompdd.sock)\n"
	"  --config FILE           also read settings from FILE (ompdd.conf(5)), again at SIGHUP;\n"
	"                          the command line overrides them\n"
	"  --check-config          report the errors of that file, and exit\n"
	"  --socket-mode MODE      mode of unix sockets (default 0600); a daemon of root serves each\n"
	"                          user under that user's id\n"
	"  --socket-group GROUP    group of unix sockets\n"
	"  --token-file FILE       receives the token for tcp:, tls:, http: and https:, and the\n"
	"                          certificate for tls: and https:; removed at exit\n"
	"  --auth munge            also accept MUNGE credentials; munge:SOCKET for another munged\n"
	"  --allow-remote          tls: and https: may listen on addresses that other machines reach\n"
	"  --tls-cert FILE         certificate of tls: and https: with its chain, in PEM (default:\n"
	"                          created at the start)\n"
	"  --tls-key FILE          its key, in PEM\n"
	"  --allow-origin ORIGIN   answer HTTP requests of web pages of ORIGIN; may be repeated\n"
	"  --allow TIER            what clients may do: observe, inspect (stops), control\n"
	"                          (breakpoints, launch) or admin (default); for some clients:\n"
	"                          TIER:user=NAME, TIER:group=NAME; for one listener:\n"
	"                          --listen URI,allow=TIER; may be repeated\n"
	"  --metrics-for WHOM      user=NAME or group=NAME: users of this machine who may also read\n"
	"                          /metrics of http: and https: without a token; may be repeated\n"
	"  --metrics-file FILE     also show at /metrics what ompdctl node-metrics wrote to FILE\n"
	"  --rule RULE             when CONDITION then ACTION...: what to do when a program hangs, in\n"
	"                          the words of ompdctl watch; may be repeated\n"
	"  --exit-when WHEN        never (default), last-client, or idle:SECONDS\n"
	"  --libompd PATH          use this OMPD library, whatever library a target names\n"
	"  --plugin-dir DIR        folder from which a target may name an OMPD library\n"
	"  --debug-dir DIR         folder of separate debug files, for example /usr/lib/debug\n"
	"  --worker PATH           the program ompdd-worker\n"
	"  --request-timeout MS    end a worker that does not answer in time (default 30000)\n"
	"  --plugin-timeout MS     end a worker whose OMPD library does not return (default 10000)\n"
	"  --worker-memory MB      address space of each worker, mostly for debug information\n"
	"                          (default 2048)\n"
	"  --worker-cpu SECONDS    processor time of one request in a worker (default 10)\n"
	"  --core-space MB         disk space for an unpacked core (default 4096)\n"
	"  --user-connections N    connections per user of a daemon of root (default 16)\n"
	"  --user-targets N        targets per user of a daemon of root (default 16)\n"
	"  --log-level LEVEL       error, warn (default), info or debug\n"
	"  --version               print the version\n"
	"  --help                  print this text\n"
	"\n"
	"Prints a line \"listening on URI\" for each listener. SIGTERM ends ompdd; targets continue\n"
	"to run.\n";

enum option_id { OPT_SETTING = 256, OPT_CONFIG, OPT_CHECK_CONFIG, OPT_VERSION, OPT_HELP };

/* The options that are not in settings.h. */
static const struct option more_options[] = {
	{"config", required_argument, NULL, OPT_CONFIG},
	{"check-config", no_argument, NULL, OPT_CHECK_CONFIG},
	{"version", no_argument, NULL, OPT_VERSION},
	{"help", no_argument, NULL, OPT_HELP},
	{NULL, 0, NULL, 0},
};
#define N_MORE (sizeof(more_options) / sizeof(more_options[0]))

/* The unchanged command line. */
struct line {
	int argc;
	char **argv;
	char worker[PATH_MAX + 64]; /* the default path of the worker */
	struct rlimit files;
	const char *config; /* --config; NULL: no file */
	bool checks;	    /* --check-config */
};

/* Options, and the text of the file that they point into. */
struct loaded {
	struct server_options options;
	char *text;
};

static struct option *make_options(void)
{
	size_t n;
	const struct setting *settings = settings_list(&n);
	struct option *all = calloc(n + N_MORE, sizeof(*all));

	if (!all)
		abort();
	for (size_t i = 0; i < n; i++)
		all[i] = (struct option){settings[i].name, settings[i].is_flag ? no_argument : required_argument, NULL,
					 OPT_SETTING};
	memcpy(all + n, more_options, sizeof(more_options));
	return all;
}

/*
 * Parse the command line. If @o is not NULL, stores the settings in it; otherwise handles the options that are not
 * settings. Returns -1 to continue, else the exit status.
 */
static int parse_command_line(struct line *l, struct server_options *o)
{
	_cleanup_free_ struct option *options = make_options();
	int index, id;

	optind = 0; /* restart, also for the second pass */
	while ((id = getopt_long(l->argc, l->argv, "", options, &index)) != -1) {
		if (id == OPT_HELP) {
			fputs(usage, stdout);
			return EXIT_SUCCESS;
		}
		if (id == OPT_VERSION) {
			printf("ompdd %s\n", OMPDD_VERSION);
			return EXIT_SUCCESS;
		}
		if (id == '?') {
			/* getopt has printed the reason */
			fprintf(stderr, "ompdd: see --help\n");
			return EXIT_USAGE;
		}
		if (id == OPT_CONFIG)
			l->config = optarg;
		l->checks |= id == OPT_CHECK_CONFIG;
		if (id != OPT_SETTING || !o)
			continue;
		_cleanup_error_ struct error *err =
			settings_apply(settings_find(options[index].name), optarg ? optarg : "yes", o);
		if (err) {
			fprintf(stderr, "ompdd: --%s; see --help\n", err->message);
			return EXIT_USAGE;
		}
	}
	if (optind < l->argc) {
		fprintf(stderr, "ompdd: unexpected argument %s; see --help\n", l->argv[optind]);
		return EXIT_USAGE;
	}
	return -1;
}

static void loaded_free(struct loaded *l)
{
	free(l->text);
	free(l);
}

/* Load the options. The command line overrides the file. *@status_ret: as for parse_command_line(). */
static struct error *load_options(struct line *l, struct loaded **ret, int *status_ret)
{
	struct loaded *new = calloc(1, sizeof(*new));

	if (!new)
		return &error_nomem;
	struct server_options *o = &new->options;
	*o = (struct server_options){
		.request_timeout_ms = DEFAULT_REQUEST_TIMEOUT_MS,
		.plugin_timeout_ms = DEFAULT_PLUGIN_TIMEOUT_MS,
		.files = l->files,
	};
	*status_ret = -1;
	struct error *err = l->config ? config_read(l->config, o, &new->text) : NULL;
	if (!err)
		*status_ret = parse_command_line(l, o);
	if (err || *status_ret >= 0) {
		loaded_free(new);
		return err;
	}
	if (!o->worker)
		o->worker = l->worker;
	/* Keep the plugin's limit the shorter one, so that the error names the plugin. */
	if (o->plugin_timeout_ms >= o->request_timeout_ms)
		o->plugin_timeout_ms = (o->request_timeout_ms * 2 + 2) / 3;
	*ret = new;
	return NULL;
}

static struct error *on_load(void *arg, const struct server_options **ret)
{
	struct loaded *new = NULL;
	int status;

	struct error *err = load_options(arg, &new, &status);
	if (!err && !new)
		err = error_create(ERR_INTERNAL_ERROR, "the command line has changed since the start");
	if (!err)
		*ret = &new->options;
	return err;
}

static void on_release(void *arg, const struct server_options *options)
{
	(void)arg;
	loaded_free((struct loaded *)((char *)options - offsetof(struct loaded, options)));
}

/* Find the worker beside this program, as in the build folder, or in its installed place. */
static void find_worker(char *path, size_t size)
{
	static const char *const places[] = {"ompdd-worker", "../libexec/ompdd/ompdd-worker"};
	char folder[PATH_MAX];

	(void)path_own_folder(folder, sizeof(folder));
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, size, "%s/%s", folder, places[i]);
		if (access(path, X_OK) == 0)
			return;
	}
	/* Not found: target.attach reports that, with a hint. */
}

/* Prepare the daemon's process before it opens any file. *@files_ret: the limit for our children. */
static void prepare_process(struct rlimit *files_ret)
{
	struct rlimit files;

	/* The first socket would get a closed 0, 1 or 2, and output would go to it. */
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
			exit(EXIT_FAILURE);
	}
	/* Inherited descriptors must not reach a worker. */
	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur < files.rlim_max && files.rlim_cur < 4096) {
		*files_ret = files;
		files.rlim_cur = files.rlim_max < 4096 ? files.rlim_max : 4096;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	/* Return large buffers to the system as soon as they are freed, whatever else was allocated meanwhile. */
	mallopt(M_MMAP_THRESHOLD, LARGE_ALLOCATION);
	/* Forbid core dumps and debuggers of the same user: this process holds other users' data and a token. */
	prctl(PR_SET_DUMPABLE, 0);
}

/* Escape the message: it quotes the configuration file, which must not control the terminal. */
static int report_failure(struct error *err)
{
	char text[MAX_SHOWN];

	log_escape(text, sizeof(text), err->message);
	fprintf(stderr, "ompdd: %s\n", text);
	/* The default hints of error codes are for clients. */
	if (err->hint) {
		log_escape(text, sizeof(text), err->hint);
		fprintf(stderr, "hint: %s\n", text);
	}
	error_destroy(err);
	return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	struct line line = {.argc = argc, .argv = argv};
	const struct server_source source = {on_load, on_release, &line};
	struct loaded *first = NULL;
	int status;

	status = parse_command_line(&line, NULL);
	if (status >= 0)
		return status;
	if (line.checks && !line.config) {
		fprintf(stderr, "ompdd: --check-config needs --config FILE\n");
		return EXIT_USAGE;
	}
	find_worker(line.worker, sizeof(line.worker));
	if (!line.checks)
		prepare_process(&line.files);
	struct error *err = load_options(&line, &first, &status);
	if (err)
		return report_failure(err);
	if (!first)
		return status;
	if (line.checks) {
		printf("%s: no mistakes\n", line.config);
		loaded_free(first);
		return EXIT_SUCCESS;
	}
	err = server_run(&first->options, line.config ? &source : NULL);
	if (!line.config)
		loaded_free(first);
	return err ? report_failure(err) : EXIT_SUCCESS;
}
