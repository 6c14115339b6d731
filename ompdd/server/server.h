/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The daemon as a whole, started by main_daemon.c. */
#ifndef OMPDD_SERVER_SERVER_H
#define OMPDD_SERVER_SERVER_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/log.h"

#define SERVER_MAX_LISTENERS   16
#define SERVER_MAX_PLUGIN_DIRS 16
#define SERVER_MAX_DEBUG_DIRS  16
#define SERVER_MAX_ALLOW       64
#define SERVER_MAX_ORIGINS     16
#define SERVER_MAX_METRICS_FOR 16
#define SERVER_MAX_RULES       16

enum exit_when {
	EXIT_NEVER,
	EXIT_LAST_CLIENT, /* when the last one of at least one connection has closed */
	EXIT_IDLE,	  /* after idle_seconds without a connection */
};

/* The daemon's options (settings.h). All strings are borrowed while the server runs, or until a reload. */
struct server_options {
	const char *listen[SERVER_MAX_LISTENERS];
	size_t n_listen; /* 0: systemd's sockets, else the default unix socket */
	const char *allow[SERVER_MAX_ALLOW];
	size_t n_allow;
	const char *metrics_for[SERVER_MAX_METRICS_FOR];
	size_t n_metrics_for;
	const char *metrics_file; /* appended to our own metrics; NULL: no file */
	mode_t socket_mode;	  /* of unix sockets that we create; 0: 0600 */
	const char *socket_group; /* NULL: ours */
	const char *token_file;
	const char *auth;     /* see credential.h; NULL: tokens only */
	const char *tls_cert; /* if these two are NULL: created at the start */
	const char *tls_key;
	const char *worker; /* path of ompdd-worker */
	const char *libompd;
	const char *plugin_dirs[SERVER_MAX_PLUGIN_DIRS];
	size_t n_plugin_dirs;
	const char *debug_dirs[SERVER_MAX_DEBUG_DIRS];
	size_t n_debug_dirs;
	int64_t user_connections; /* these two 0: the defaults of session/quota.h */
	int64_t user_targets;
	int64_t request_timeout_ms;
	int64_t plugin_timeout_ms;
	int64_t worker_memory_mb; /* these three 0: the worker's default */
	int64_t worker_cpu_s;
	int64_t core_space_mb;
	const char *log_level; /* NULL: the default */
	enum exit_when exit_when;
	int64_t idle_seconds;
	bool allow_remote;
	const char *allow_origins[SERVER_MAX_ORIGINS];
	size_t n_allow_origins;
	const char *rules[SERVER_MAX_RULES]; /* see rules.h */
	size_t n_rules;
	struct rlimit files; /* RLIMIT_NOFILE for workers; all zeroes: the same as ours */
};

/* The source of new options at SIGHUP. */
struct server_source {
	/* Read the options again. */
	struct error *(*load)(void *arg, const struct server_options **ret);
	/* Release loaded options after other options have replaced them. */
	void (*release)(void *arg, const struct server_options *options);
	void *arg;
};

/*
 * Listen and serve until SIGTERM, SIGINT, the end of stdio or exit_when. Prints the ready lines. SIGHUP reloads
 * @options from @source; it does nothing if @source is NULL. Releases the last loaded options at the end. Returns an
 * error if the server cannot start.
 */
MUST_USE struct error *server_run(const struct server_options *options, const struct server_source *source);

#endif
