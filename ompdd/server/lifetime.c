/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The conditions that keep the daemon's loop running: time limits to check, connections, and the time without any. */
#include <sys/timerfd.h>
#include <time.h>

#include "base/log.h"
#include "server/internal.h"

/*
 * Use a kernel timer, not one of the loop. With a loop timer each poll would start and stop a timer, twice per request.
 */
static void set_tick(struct server *s, bool on)
{
	const struct timespec t = {.tv_nsec = on ? SERVER_TICK_MS * 1000000L : 0};

	s->ticking = on;
	timerfd_settime(s->tick_fd, 0, &(struct itimerspec){.it_interval = t, .it_value = t}, NULL);
}

void server_arm(struct server *s)
{
	if (s->ticking || s->closing)
		return;
	set_tick(s, true);
}

void server_disarm(struct server *s)
{
	set_tick(s, false);
}

void server_close_handles(struct server *s)
{
	s->closing = true;
	if (s->tick_fd >= 0)
		uv_close((uv_handle_t *)&s->tick, NULL);
	uv_close((uv_handle_t *)&s->idle, NULL);
	uv_close((uv_handle_t *)&s->sigterm, NULL);
	uv_close((uv_handle_t *)&s->sigint, NULL);
	uv_close((uv_handle_t *)&s->sigchld, NULL);
	uv_close((uv_handle_t *)&s->sighup, NULL);
}

void server_check_done(struct server *s)
{
	if (!s->stopping || s->closing)
		return;
	if (list_is_empty(&s->conns) && list_is_empty(&s->workers) && !s->http)
		server_close_handles(s);
}

static void on_idle(uv_timer_t *timer)
{
	log_info("no connection for %lld s", (long long)((struct server *)timer->data)->options->idle_seconds);
	((struct server *)timer->data)->stop(timer->data);
}

void server_start_idle(struct server *s)
{
	if (s->options->exit_when == EXIT_IDLE && !s->stopping)
		uv_timer_start(&s->idle, on_idle, (uint64_t)s->options->idle_seconds * 1000, 0);
}

void server_connection_opened(struct server *s)
{
	s->n_connections++;
	if (s->options->exit_when == EXIT_IDLE)
		uv_timer_stop(&s->idle);
}

void server_connection_closed(struct server *s)
{
	if (--s->n_connections || s->stopping)
		return;
	if (s->options->exit_when == EXIT_LAST_CLIENT)
		s->stop(s);
	else
		server_start_idle(s);
}
