/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sampling timer, and the handling of samples that fail. */
#include "worker/sampler.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpu_budget.h"
#include "base/log.h"
#include "base/slice.h"
#include "openmp/model/model.h"
#include "worker/emit.h"
#include "worker/worker.h"

/* The processor time of this process that one sample may use. */
#define LOOK_CPU_US INT64_C(2000000)
/* Samples use at most one part in LOOK_SHARE of the time, at any requested rate. */
#define LOOK_SHARE 4
/* A sample represents at most this many periods: activity in a longer gap is not known. */
#define MAX_WEIGHT   16
#define LONG_LOOK_US 1000
/* Memory that is kept between samples: as much as a sample of some thousand threads needs. */
#define KEPT_BYTES (4 << 20)
/* The number of consecutive failed samples after which the profile is abandoned. */
#define MAX_FAILURES 1000

static int64_t cpu_now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * INT64_C(1000000) + ts.tv_nsec / 1000;
}

/* xorshift: evenly spaced samples would see only one phase of a periodic program. */
static uint64_t next_random(struct sampler *s)
{
	s->seed ^= s->seed << 13;
	s->seed ^= s->seed >> 7;
	s->seed ^= s->seed << 17;
	return s->seed;
}

/*
 * Set the timer to 0.5 to 1.5 periods after the last sample started, and never to now: missed samples are not made up
 * for.
 */
static void arm(struct sampler *s)
{
	int64_t us = s->period_us / 2 + (int64_t)(next_random(s) % (uint64_t)(s->period_us + 1));
	int64_t left = s->last_us + us - clock_now_us();

	us = left < s->period_us / 4 ? s->period_us / 4 : left;
	struct itimerspec spec = {
		.it_value = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 + 1},
	};

	timerfd_settime(s->fd, 0, &spec, NULL);
}

void sampler_destroy(struct sampler *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	looks_deinit(&s->looks);
	region_calls_deinit(&s->calls);
	tally_deinit(&s->tally);
	error_destroy(s->why);
	free(s);
}

struct error *sampler_start(struct worker *w, const struct sampler_options *options)
{
	struct timespec now;

	if (target_mode(w->target) == TARGET_CORE)
		return error_hint(error_create(ERR_MODE_UNSUPPORTED, "the target is a core file: it does not run"),
				  "only a process can be profiled");
	if (w->sampler && w->sampler->end == SAMPLER_RECORDING)
		return error_create(ERR_PROFILE_RUNNING, "target %s is being profiled already", w->target_id);
	struct sampler *s = calloc(1, sizeof(*s));
	if (!s)
		return &error_nomem;
	s->fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	struct error *err = s->fd < 0 ? error_create_errno(errno, "timerfd_create") : NULL;
	if (!err && !tally_init(&s->tally, options->keeps_stacks, options->keeps_timeline))
		err = &error_nomem;
	if (!err)
		err = looks_init(&s->looks, &s->tally, 1000000 / options->rate_hz);
	if (err) {
		sampler_destroy(s);
		return err;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	s->options = *options;
	s->client = w->client;
	s->end = SAMPLER_RECORDING;
	s->begun_unix_us = now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
	s->begun_us = s->last_us = clock_now_us();
	s->period_us = 1000000 / options->rate_hz;
	s->seed = (uint64_t)now.tv_nsec * 2654435761u + (uint64_t)getpid() * 2 + 1;
	region_calls_begin(&s->calls, w->runtimes, w->plugin_options.timeout_ms);
	sampler_destroy(w->sampler);
	w->sampler = s;
	/*
	 * If a sample waits for a processor until a thread of the target sleeps, the profile shows too many sleeping
	 * threads.
	 */
	slice_set(SLICE_SHORTEST_NS);
	/* Keep memory that a sample has freed: the next sample needs it again. */
	mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
	mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
	arm(s);
	return NULL;
}

int sampler_fd(const struct worker *w)
{
	return w->sampler ? w->sampler->fd : -1;
}

void sampler_count_calls(struct worker *w)
{
	struct sampler *s = w->sampler;

	if (s->end != SAMPLER_RECORDING || !w->target)
		return;
	struct error *err = worker_check_target(w);
	if (err)
		region_calls_forget(&s->tally);
	else
		region_calls_count(&s->calls, w->runtimes, w->plugin_options.timeout_ms, &s->tally);
	error_destroy(err);
}

void sampler_finish(struct worker *w, enum sampler_end end)
{
	struct sampler *s = w->sampler;

	if (!s || s->end != SAMPLER_RECORDING)
		return;
	/* A program after an exec has counted other regions. */
	if (end == SAMPLER_EXITED || end == SAMPLER_EXEC)
		region_calls_forget(&s->tally);
	else
		sampler_count_calls(w);
	s->end = end;
	s->ended_us = clock_now_us();
	close(s->fd);
	s->fd = -1;
	slice_set(SLICE_DEFAULT);
	looks_settle(&s->looks, (uint64_t)(s->ended_us - s->begun_us));
	looks_end(&s->looks);
}

void sampler_client_gone(struct worker *w, int64_t client)
{
	if (w->sampler && w->sampler->client == client && !w->sampler->options.keep)
		sampler_finish(w, SAMPLER_DISCONNECTED);
}

/* Handle a failed sample. The error may end the target, the profile, or only this sample. */
static void on_failure(struct worker *w, struct error *err TAKES)
{
	struct sampler *s = w->sampler;

	s->failed++;
	if (error_is(err, ERR_TARGET_EXITED) || error_is(err, ERR_TARGET_EXITING)) {
		sampler_finish(w, SAMPLER_EXITED);
	} else if (error_is(err, ERR_TARGET_EXEC)) {
		sampler_finish(w, SAMPLER_EXEC);
	} else if (s->failed > MAX_FAILURES && s->failed > s->tally.samplings &&
		   !error_is(err, ERR_OPENMP_NOT_STARTED)) {
		s->why = err;
		sampler_finish(w, SAMPLER_FAILED);
		return;
	}
	error_destroy(err);
}

/* Adapt the period: as requested, unless samples or their stops take too much of the time. */
static void adapt(struct sampler *s, int64_t took_us)
{
	int64_t wanted = 1000000 / s->options.rate_hz;
	int64_t for_stops = s->stop_us * 1000 / s->options.max_overhead_permille;
	int64_t most = s->took_us * 4 + LONG_LOOK_US;

	/* A sample that reads debug information for the first time takes much longer than the next one. */
	s->took_us += ((took_us < most ? took_us : most) - s->took_us) / 4;
	s->period_us = s->took_us * LOOK_SHARE;
	if (s->period_us < wanted)
		s->period_us = wanted;
	if (s->period_us < for_stops)
		s->period_us = for_stops;
}

bool sampler_stops(const struct worker *w)
{
	const struct sampler *s = w->sampler;

	return s->looks.perf_refused && looks_want_stacks(&s->looks) && w->target &&
	       target_mode(w->target) == TARGET_STOP;
}

struct standing {
	struct worker *w;
	bool runs; /* the target runs again */
};

static struct error *let_go(void *arg)
{
	struct standing *st = arg;
	int64_t us = 0;
	struct error *err = target_resume(st->w->target, &us);

	st->runs = true;
	struct sampler *s = st->w->sampler;
	s->stopped_us += (uint64_t)us;
	s->stop_us = s->stop_us ? s->stop_us + (us - s->stop_us) / 4 : us;
	return err;
}

/* Take a sample within a stop, because the kernel gives no stacks of running threads. */
static struct error *look_stopped(struct worker *w, uint64_t t_us, uint64_t us)
{
	struct standing st = {.w = w};
	struct looks *ls = &w->sampler->looks;
	struct error *err = target_stop(w->target, target_max_stop_ms(w->target));

	if (err)
		return err;
	ls->let_go = let_go;
	ls->let_go_arg = &st;
	err = looks_take(ls, w->runtimes, w->plugin_options.timeout_ms, t_us, us);
	if (st.runs)
		return err;
	/* looks_take() failed before it resumed the target: resume it now. */
	struct error *late = let_go(&st);
	if (!late)
		return err;
	error_destroy(err);
	return late;
}

static struct error *look(struct worker *w, int64_t now)
{
	struct sampler *s = w->sampler;
	int64_t us = now - s->last_us, max = s->period_us * MAX_WEIGHT;

	if (!sampler_stops(w))
		looks_read_ahead(&s->looks, w->runtimes, (uint64_t)(now - s->begun_us));
	struct error *err = worker_check_target(w);
	if (err)
		return err;
	if (us > max) {
		s->missed += (uint64_t)(us / s->period_us) - 1;
		tally_pause(&s->tally, (uint64_t)(s->last_us - s->begun_us));
		us = s->period_us;
	}
	cpu_budget_begin(LOOK_CPU_US);
	if (sampler_stops(w))
		return look_stopped(w, (uint64_t)(now - s->begun_us), (uint64_t)us);
	return looks_take(&s->looks, w->runtimes, w->plugin_options.timeout_ms, (uint64_t)(now - s->begun_us),
			  (uint64_t)us);
}

void sampler_tick(struct worker *w)
{
	struct sampler *s = w->sampler;
	int64_t now = clock_now_us(), cpu = cpu_now_us();
	uint64_t expirations;

	if (read(s->fd, &expirations, sizeof(expirations)) < 0)
		return;
	if (now - s->begun_us > s->options.duration_s * INT64_C(1000000)) {
		sampler_finish(w, SAMPLER_DURATION);
		return;
	}
	/* The view belongs to the holder, and the threads make no progress. */
	if (target_is_stopped(w->target)) {
		tally_pause(&s->tally, (uint64_t)(s->last_us - s->begun_us));
		s->held_us += (uint64_t)(now - s->last_us);
		s->last_us = now;
		arm(s);
		return;
	}
	struct error *err = look(w, now);
	s->last_us = now;
	cpu = cpu_now_us() - cpu;
	s->cpu_us += (uint64_t)cpu;
	if (err)
		on_failure(w, err);
	if (s->end != SAMPLER_RECORDING)
		return;
	adapt(s, cpu);
	arm(s);
}
