/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The daemon as a whole: its loop, its start, its time limits and its end. */
#include "server/server.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/audit.h"
#include "base/cleanup.h"
#include "server/conn.h"
#include "server/http.h"
#include "server/internal.h"
#include "server/journal.h"
#include "server/listener.h"
#include "server/rules.h"
#include "server/settings.h"
#include "server/systemd.h"
#include "server/tls.h"
#include "server/token.h"
#include "server/worker_proc.h"

/* How long answers may take to be sent at the end. */
#define STOP_MS 2000

static int64_t get_now_ms(void *context)
{
	struct server *s = context;

	return (int64_t)uv_now(&s->loop);
}

static void arm_server_tick(void *context)
{
	server_arm(context);
}

static void on_tick(uv_poll_t *poll, int status, int events)
{
	struct server *s = poll->data;
	uint64_t n;

	(void)status, (void)events;
	if (read(s->tick_fd, &n, sizeof(n)) != sizeof(n))
		return;
	int64_t now = (int64_t)uv_now(&s->loop);
	bool more = session_tick(s->session);

	more |= conn_tick_all(s, now);
	more |= http_tick(s, now);
	more |= worker_proc_tick_all(s, now);
	list_for_each (it, tmp, &s->listeners)
		listener_tick(list_entry(it, struct listener, link));
	if (s->stopping && now - s->stopping_since_ms >= STOP_MS)
		conn_finish_all(s, true);
	if (!more && !s->stopping) {
		server_disarm(s);
		audit_flush();
	}
	server_check_done(s);
}

/* Accept no connections, answer pending requests, end the workers. The loop ends when all are closed. */
static void server_stop(struct server *s)
{
	if (s->stopping)
		return;
	s->stopping = true;
	systemd_stopping();
	s->stopping_since_ms = (int64_t)uv_now(&s->loop);
	list_for_each (it, tmp, &s->listeners)
		listener_close(list_entry(it, struct listener, link));
	session_shutdown(s->session);
	rules_stop(s);
	conn_finish_all(s, false);
	http_close(s);
	server_arm(s);
	server_check_done(s);
}

static void on_stop_signal(uv_signal_t *handle, int number)
{
	struct server *s = handle->data;

	log_info("signal %d: stopping", number);
	if (s->stopping)
		conn_finish_all(s, true); /* second signal: do not wait for slow readers */
	server_stop(s);
}

static void on_child(uv_signal_t *handle, int number)
{
	(void)number;
	worker_proc_reap_all(handle->data);
	rules_reap(handle->data);
}

static struct quota get_user_quota(const struct server_options *o)
{
	return (struct quota){(size_t)o->user_connections, (size_t)o->user_targets};
}

/* Set the access rules; all or nothing. */
static struct error *set_rules(struct server *s, const struct server_options *o)
{
	struct allow_rule rules[ALLOW_MAX_RULES];
	struct allow_users users = {.n = 0};
	struct error *err = NULL;

	for (size_t i = 0; !err && i < o->n_allow; i++)
		err = allow_parse(o->allow[i], &rules[i]);
	for (size_t i = 0; !err && i < o->n_metrics_for; i++)
		err = allow_add_users(o->metrics_for[i], &users);
	if (err)
		return err;
	memcpy(s->allow, rules, o->n_allow * sizeof(rules[0]));
	s->n_allow = o->n_allow;
	s->metrics_for = users;
	return NULL;
}

static void set_log_level(const struct server_options *o)
{
	enum log_level level = LOG_WARN;

	if (o->log_level)
		log_level_parse(o->log_level, &level);
	log_set_level(level);
}

static void take_options(struct server *s, const struct server_options *o)
{
	const struct server_options *old = s->options;

	s->options = o;
	session_set_limits(s->session, o->request_timeout_ms, get_user_quota(o));
	set_log_level(o);
	s->source->release(s->source->arg, old);
}

/*
 * Apply all of the new options, or nothing. Open connections keep their rights; running workers keep their old options.
 */
static void on_reload(uv_signal_t *handle, int number)
{
	struct server *s = handle->data;
	const struct server_options *o = NULL;
	const struct setting *fixed;

	(void)number;
	if (s->stopping)
		return;
	systemd_reloading();
	struct error *err = s->source->load(s->source->arg, &o);
	fixed = err ? NULL : settings_find_fixed(s->options, o);
	if (fixed)
		err = error_hint(error_create(ERR_INVALID_PARAMS, "cannot change %s while ompdd runs", fixed->name),
				 "restart ompdd (systemctl restart ompdd): targets continue to run");
	if (!err)
		err = set_rules(s, o);
	if (!err) {
		take_options(s, o);
		log_print(LOG_WARN, "the configuration was reloaded");
	} else {
		log_err(LOG_ERROR, err, "nothing is changed");
		log_print(LOG_ERROR, "hint: %s", error_hint_text(err));
		if (o)
			s->source->release(s->source->arg, o);
		error_destroy(err);
	}
	systemd_ready();
}

static struct error *watch_signals(struct server *s)
{
	const struct {
		uv_signal_t *handle;
		uv_signal_cb callback;
		int number;
	} signals[] = {
		{&s->sigterm, on_stop_signal, SIGTERM},
		{&s->sigint, on_stop_signal, SIGINT},
		{&s->sigchld, on_child, SIGCHLD},
	};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		signals[i].handle->data = s;
		int rc = uv_signal_start(signals[i].handle, signals[i].callback, signals[i].number);
		if (rc)
			return error_uv(rc, "watch signal %d", signals[i].number);
	}
	signal(SIGPIPE, SIG_IGN);
	/* A service must survive the end of the terminal that started it. */
	if (!s->source) {
		signal(SIGHUP, SIG_IGN);
		return NULL;
	}
	s->sighup.data = s;
	int rc = uv_signal_start(&s->sighup, on_reload, SIGHUP);
	return rc ? error_uv(rc, "watch signal %d", SIGHUP) : NULL;
}

/* Select the output of the audit log: not twice into the journal, and not to the parent that uses stdio. */
static void set_audit(const struct server *s)
{
	if (s->stdio) {
		audit_set(log_is_shown(LOG_INFO), NULL);
		return;
	}
	bool has_journal = journal_open(JOURNAL_SOCKET);
	audit_set(!has_journal || !journal_has_stderr(), has_journal ? journal_send : NULL);
}

/* Parse unix:PATH,allow=TIER and so on. */
static struct error *parse_listen(const char *uri, struct address *ret, enum method_tier *tier_ret)
{
	size_t len;

	struct error *err = allow_split_uri(uri, &len, tier_ret);
	if (err)
		return err;
	_cleanup_free_ char *address = strndup(uri, len);
	return address ? address_parse(address, ret) : &error_nomem;
}

static struct error *listen_all(struct server *s)
{
	const struct server_options *o = s->options;
	struct address addresses[SERVER_MAX_LISTENERS];
	enum method_tier tiers[SERVER_MAX_LISTENERS];
	struct systemd_sockets passed = {0};
	struct error *err = NULL;

	for (size_t i = 0; !err && i < o->n_listen; i++) {
		err = parse_listen(o->listen[i], &addresses[i], &tiers[i]);
		if (!err && addresses[i].kind == ADDRESS_STDIO) {
			s->stdio = true;
			s->stdio_tier = tiers[i];
		}
	}
	if (!err)
		err = systemd_take_sockets(&passed);
	if (!err && passed.n > SERVER_MAX_LISTENERS)
		err = error_create(ERR_LIMIT_EXCEEDED, "systemd has passed %d sockets; at most %d are served", passed.n,
				   SERVER_MAX_LISTENERS);
	if (!err && passed.n)
		err = listener_adopt_systemd(s, passed.first_fd, passed.n, passed.names);
	free(passed.names);
	for (size_t i = 0; !err && i < o->n_listen; i++) {
		if (addresses[i].kind != ADDRESS_STDIO)
			err = listener_create(s, &addresses[i], tiers[i]);
	}
	if (!err && !o->n_listen && !passed.n) {
		err = unix_socket_default_address(o->socket_mode, &addresses[0]);
		if (!err)
			err = listener_create(s, &addresses[0], TIER_ADMIN);
	}
	set_audit(s);
	if (!err && s->stdio)
		err = session_add_listener(s->session, "stdio");
	if (!err && s->stdio)
		err = conn_create_stdio(s);
	return err;
}

static bool needs_tls(const struct server_options *o)
{
	const char *names = getenv("LISTEN_FDNAMES");
	bool needs = o->tls_cert || o->tls_key || (names && (strstr(names, "tls") || strstr(names, "https")));

	for (size_t i = 0; i < o->n_listen; i++)
		needs |= !strncmp(o->listen[i], "tls:", 4) || !strncmp(o->listen[i], "https:", 6);
	return needs;
}

static struct error *server_start(struct server *s)
{
	struct error *err =
		needs_tls(s->options) ? tls_create(s->options->tls_cert, s->options->tls_key, &s->tls) : NULL;
	if (!err && s->options->token_file)
		err = token_make(s->options->token_file, s->tls ? tls_certificate(s->tls) : NULL, &s->token,
				 &s->token_fd);
	if (!err && s->options->auth)
		err = credential_begin(s->options->auth, &s->credentials);
	if (err)
		return err;
	err = set_rules(s, s->options);
	if (err)
		return err;
	struct session_options options = {
		.request_timeout_ms = s->options->request_timeout_ms,
		.quota = get_user_quota(s->options),
		.token = s->token,
		.challenge = s->options->auth ? s->credentials.challenge : NULL,
		.workers = &worker_proc_ops,
		.workers_context = s,
		.now_ms = get_now_ms,
		.arm = arm_server_tick,
		.context = s,
	};
	err = session_create(&options, &s->session);
	if (!err)
		err = watch_signals(s);
	if (!err)
		err = rules_start(s);
	if (!err)
		err = listen_all(s);
	if (!err) {
		server_start_idle(s);
		systemd_ready();
	}
	return err;
}

static struct error *start_tick(struct server *s)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	int rc = fd < 0 ? UV_EMFILE : uv_poll_init(&s->loop, &s->tick, fd);

	if (rc) {
		close(fd);
		return error_uv(rc, "timer");
	}
	s->tick_fd = fd;
	uv_poll_start(&s->tick, UV_READABLE, on_tick);
	return NULL;
}

struct error *server_run(const struct server_options *options, const struct server_source *source)
{
	struct server s = {.options = options, .source = source, .stop = server_stop, .tick_fd = -1, .token_fd = -1};

	set_log_level(options);

	int rc = uv_loop_init(&s.loop);
	if (rc)
		return error_uv(rc, "event loop");
	list_init(&s.listeners);
	list_init(&s.conns);
	guests_init(&s.guests);
	list_init(&s.workers);
	/* These cannot fail after the first signal handle has created the loop's signal pipe. */
	rc = uv_signal_init(&s.loop, &s.sigterm);
	if (rc) {
		uv_loop_close(&s.loop);
		return error_uv(rc, "signals");
	}
	uv_signal_init(&s.loop, &s.sigint);
	uv_signal_init(&s.loop, &s.sigchld);
	uv_signal_init(&s.loop, &s.sighup);
	uv_timer_init(&s.loop, &s.idle);
	s.tick.data = s.idle.data = &s;
	struct error *err = start_tick(&s);
	if (!err)
		err = server_start(&s);
	if (err && s.session) {
		conn_finish_all(&s, true);
		server_stop(&s);
	} else if (err) {
		server_close_handles(&s);
	}
	uv_run(&s.loop, UV_RUN_DEFAULT);
	uv_loop_close(&s.loop);
	if (s.tick_fd >= 0)
		close(s.tick_fd);
	session_destroy(s.session);
	rules_destroy(s.rules);
	audit_flush();
	if (s.token_fd >= 0)
		token_remove(s.options->token_file, s.token_fd);
	if (s.token)
		explicit_bzero(s.token, strlen(s.token));
	free(s.token);
	tls_destroy(s.tls);
	if (source)
		source->release(source->arg, s.options);
	return err;
}
