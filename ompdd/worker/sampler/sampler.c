/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sampling timer, and the handling of samples that fail. */
#include "worker/sampler/sampler.h"

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
#include "worker/context/context.h"
#include "worker/context/emit.h"

/* The processor time of this process that one sample may use. */
#define SAMPLE_CPU_US INT64_C(2000000)
/* Samples use at most one part in SAMPLE_SHARE of the time, at any requested rate. */
#define SAMPLE_SHARE 4
/* A sample represents at most this many periods: activity in a longer gap is not known. */
#define MAX_WEIGHT     16
#define LONG_SAMPLE_US 1000
/* Memory that is kept between samples: as much as a sample of some thousand threads needs. */
#define KEPT_BYTES (4 << 20)
/* The number of consecutive failed samples after which the profile is abandoned. */
#define MAX_FAILURES 1000

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
static void set_timer(struct sampler *s)
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
	process_sampler_deinit(&s->process);
	region_calls_deinit(&s->calls);
	kernel_times_deinit(&s->before);
	kernel_times_deinit(&s->after);
	tally_deinit(&s->tally);
	error_destroy(s->why);
	free(s);
}

struct error *sampler_start(struct worker *w, const struct sampler_options *options)
{
	if (target_mode(w->target) == TARGET_CORE)
		return error_hint(error_create(ERR_MODE_UNSUPPORTED, "the target is a core file: it does not run"),
				  "only a process can be profiled");
	if (w->sampler && w->sampler->end == SAMPLER_RECORDING)
		return error_create(ERR_PROFILE_RUNNING, "target %s has a running profile already", w->target_id);
	struct sampler *s = calloc(1, sizeof(*s));
	if (!s)
		return &error_nomem;
	s->fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	struct error *err = s->fd < 0 ? error_create_errno(errno, "timerfd_create") : NULL;
	if (!err && !tally_init(&s->tally, options->keeps_stacks, options->keeps_timeline))
		err = &error_nomem;
	if (!err)
		err = process_sampler_init(&s->process, &s->tally, 1000000 / options->rate_hz);
	if (err) {
		sampler_destroy(s);
		return err;
	}
	s->options = *options;
	s->client = w->client;
	s->end = SAMPLER_RECORDING;
	s->begun_unix_us = clock_read_us(CLOCK_REALTIME);
	s->begun_us = s->last_us = clock_now_us();
	s->period_us = 1000000 / options->rate_hz;
	s->seed = (uint64_t)s->begun_unix_us * 2654435761u + (uint64_t)getpid() * 2 + 1;
	region_calls_begin(&s->calls, w->runtimes, w->plugin_options.timeout_ms);
	error_destroy(kernel_times_read(w->target, &s->before));
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
	set_timer(s);
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

void sampler_read_times(struct worker *w)
{
	struct sampler *s = w->sampler;

	if (s->end != SAMPLER_RECORDING || !w->target)
		return;
	struct error *err = worker_check_target(w);
	kernel_times_deinit(&s->after);
	if (!err)
		err = kernel_times_read(w->target, &s->after);
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
	if (end == SAMPLER_STOPPED || end == SAMPLER_DURATION)
		sampler_read_times(w);
	s->end = end;
	s->ended_us = clock_now_us();
	close(s->fd);
	s->fd = -1;
	slice_set(SLICE_DEFAULT);
	process_sampler_settle(&s->process, (uint64_t)(s->ended_us - s->begun_us));
	process_sampler_end(&s->process);
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
static void adapt_period(struct sampler *s, int64_t took_us)
{
	int64_t wanted = 1000000 / s->options.rate_hz;
	int64_t for_stops = s->stop_us * 1000 / s->options.max_overhead_permille;
	int64_t most = s->took_us * 4 + LONG_SAMPLE_US;

	/* A sample that reads debug information for the first time takes much longer than the next one. */
	s->took_us += ((took_us < most ? took_us : most) - s->took_us) / 4;
	s->period_us = s->took_us * SAMPLE_SHARE;
	if (s->period_us < wanted)
		s->period_us = wanted;
	if (s->period_us < for_stops)
		s->period_us = for_stops;
}

bool sampler_stops(const struct worker *w)
{
	const struct sampler *s = w->sampler;

	return s->process.perf_refused && process_sampler_wants_stacks(&s->process) && w->target &&
	       target_mode(w->target) == TARGET_STOP;
}

struct stopped_sample {
	struct worker *w;
	bool runs; /* the target runs again */
};

static struct error *resume_target(void *arg)
{
	struct stopped_sample *st = arg;
	int64_t us = 0;
	struct error *err = target_resume(st->w->target, &us);

	st->runs = true;
	struct sampler *s = st->w->sampler;
	s->stopped_us += (uint64_t)us;
	s->stop_us = s->stop_us ? s->stop_us + (us - s->stop_us) / 4 : us;
	return err;
}

/* Take a sample within a stop, because the kernel gives no stacks of running threads. */
static struct error *take_stopped_sample(struct worker *w, uint64_t t_us, uint64_t us)
{
	struct stopped_sample st = {.w = w};
	struct process_sampler *ls = &w->sampler->process;
	struct error *err = target_stop(w->target, target_max_stop_ms(w->target));

	if (err)
		return err;
	ls->resume = resume_target;
	ls->resume_arg = &st;
	err = process_sampler_take(ls, w->runtimes, w->plugin_options.timeout_ms, t_us, us);
	if (st.runs)
		return err;
	/* process_sampler_take() failed before it resumed the target: resume it now. */
	struct error *late = resume_target(&st);
	if (!late)
		return err;
	error_destroy(err);
	return late;
}

static struct error *take_sample(struct worker *w, int64_t now)
{
	struct sampler *s = w->sampler;
	int64_t us = now - s->last_us, max = s->period_us * MAX_WEIGHT;

	if (!sampler_stops(w))
		process_sampler_read_ahead(&s->process, w->runtimes, (uint64_t)(now - s->begun_us));
	struct error *err = worker_check_target(w);
	if (err)
		return err;
	if (us > max) {
		s->missed += (uint64_t)(us / s->period_us) - 1;
		tally_pause(&s->tally, (uint64_t)(s->last_us - s->begun_us));
		us = s->period_us;
	}
	cpu_budget_begin(SAMPLE_CPU_US);
	if (sampler_stops(w))
		return take_stopped_sample(w, (uint64_t)(now - s->begun_us), (uint64_t)us);
	return process_sampler_take(&s->process, w->runtimes, w->plugin_options.timeout_ms,
				    (uint64_t)(now - s->begun_us), (uint64_t)us);
}

void sampler_tick(struct worker *w)
{
	struct sampler *s = w->sampler;
	int64_t now = clock_now_us(), cpu = clock_read_us(CLOCK_THREAD_CPUTIME_ID);
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
		set_timer(s);
		return;
	}
	struct error *err = take_sample(w, now);
	s->last_us = now;
	cpu = clock_read_us(CLOCK_THREAD_CPUTIME_ID) - cpu;
	s->cpu_us += (uint64_t)cpu;
	if (err)
		on_failure(w, err);
	if (s->end != SAMPLER_RECORDING)
		return;
	adapt_period(s, cpu);
	set_timer(s);
}
