/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ompdd-tracer: the only tracer of a target while it is held stopped, has breakpoints, or was just launched.
 * ompdd-worker (target/stop/tracer.c) starts it and communicates with it by tracer_protocol.h. It does nothing when
 * started by hand.
 *
 * Reasons for a separate process: a thread that hits a breakpoint instruction with no tracer attached is killed by
 * SIGTRAP. The worker runs foreign plugins and may be killed at any moment. This program does nothing but trace, has
 * its own session, and ignores every signal that requests its end. When the worker's socket closes, it undoes
 * everything and exits.
 *
 * Alternatives:
 * - uprobes (perf_event_open) vanish with their descriptor, but need CAP_PERFMON and do not stop the thread.
 * - Hardware breakpoints are four per thread, and kill the thread too when the tracer has exited.
 * - A jump to itself would be harmless, but requires polling.
 * If this process is killed itself, its watchdog repairs the program.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/helper_thread.h"
#include "target/memory/timed_reader.h"
#include "tracer/tracee.h"
#include "tracer/tracer_hits.h"
#include "tracer/watchdog.h"

/* A stop longer than this is assumed to be examined by a user. */
#define SETTLE_MS 2

static int do_stop(struct tracer *g, const struct tracer_request *r, pid_t *tid_ret)
{
	struct tracee *p = &g->tracee;

	if (p->mode == TRACEE_STOPS)
		return EALREADY;
	if (p->mode == TRACEE_NONE)
		return p->exited ? ESRCH : ENOENT;
	int64_t began_us = clock_now_us();
	int err = tracee_stop(p, (unsigned)r->value, tid_ret);
	if (p->exited)
		return ESRCH;
	if (p->execed)
		return ENOEXEC;
	if (err)
		tracer_hits_end_stop(g);
	else
		tracer_hits_begin_stop(g, r->budget_ms, began_us);
	return err;
}

/* *@next_ret: a thread whose hit continues the stop. */
static int do_resume(struct tracer *g, const struct tracer_request *r, int64_t *us_ret, struct tracee_thread **next_ret)
{
	struct tracee *p = &g->tracee;

	if (p->exited)
		return ESRCH;
	if (p->mode != TRACEE_STOPS || p->stop != r->value)
		return ESTALE;
	*next_ret = tracee_next_trapped(p);
	if (!*next_ret)
		tracee_resume(p);
	*us_ret = clock_now_us() - p->stopped_at_us;
	return 0;
}

static int do_park(struct tracer *g, const struct tracer_request *r)
{
	struct tracee_thread *t = tracee_find(&g->tracee, r->tid);

	if (!t || t->state != TRACEE_STOPPED)
		return ESRCH;
	t->parked = r->value != 0;
	return 0;
}

static int do_step(struct tracer *g, pid_t tid)
{
	struct tracee_thread *t = g->tracee.mode == TRACEE_STOPS ? tracee_find(&g->tracee, tid) : NULL;
	int err = t ? tracee_step(&g->tracee, t) : ESRCH;

	if (t)
		tracee_leave_trap(&g->tracee, t);
	/* That may have been the process's last thread. */
	tracee_compact(&g->tracee);
	tracer_hits_fill_board(g, false);
	return err;
}

/*
 * Kill the launched process. It is an unreaped child of ours, so its id is not reused. A failed launch leaves nothing
 * behind: the process began a session, so its children are in its group.
 */
static int kill_launched(const struct tracer *g)
{
	if (!g->kept)
		kill(-g->tracee.pid, SIGKILL);
	return kill(g->tracee.pid, SIGKILL);
}

static void answer_request(struct tracer *g, const struct tracer_request *r)
{
	struct tracee *p = &g->tracee;
	struct tracer_message m = {.kind = TRACER_REPLY, .seq = r->seq};
	struct tracee_thread *next = NULL, *judged = NULL;
	int64_t began_us = clock_now_us();
	uint64_t old = 0;
	bool stood;

	switch (r->op) {
	case TRACER_ATTACH:
		m.error = r->tid != g->only	   ? EPERM
			  : p->mode != TRACEE_NONE ? EALREADY
						   : tracee_attach(p, r->tid, (unsigned)r->value, &m.tid);
		if (!m.error)
			tracer_hits_begin_stop(g, r->budget_ms, began_us);
		break;
	case TRACER_STOP:
		m.error = do_stop(g, r, &m.tid);
		break;
	case TRACER_RESUME:
		m.error = do_resume(g, r, &m.stopped_us, &next);
		break;
	case TRACER_PLANT:
		m.error = p->mode == TRACEE_STOPS ? tracee_plant(p, r->address, (unsigned char)r->value, &old) : EBUSY;
		m.value = old;
		break;
	case TRACER_LIFT:
		m.error = p->mode == TRACEE_STOPS ? tracee_lift(p, r->address) : EBUSY;
		break;
	case TRACER_PLANT_IF:
		m.error = p->mode == TRACEE_STOPS ? tracee_plant_if(p, &r->filter, r->address, &old) : EBUSY;
		m.value = old;
		break;
	case TRACER_LIFT_IF:
		m.error = p->mode == TRACEE_STOPS ? tracee_lift_if(p, (uint32_t)r->value, r->address) : EBUSY;
		break;
	case TRACER_WORD:
		m.error = p->mode == TRACEE_STOPS ? tracee_set_word(p, r->address, r->value) : EBUSY;
		break;
	case TRACER_PASSED:
		m.value = tracee_passed(p, (uint32_t)r->value);
		break;
	case TRACER_VERDICT:
		judged = tracee_find(p, r->tid);
		m.error = tracer_hits_take_verdict(g, judged, r->value != 0) ? 0 : ESRCH;
		break;
	case TRACER_REGISTERS:
		m.error = p->mode == TRACEE_STOPS ? 0 : EBUSY;
		if (!m.error)
			tracer_hits_fill_board(g, true);
		break;
	case TRACER_PARK:
		m.error = do_park(g, r);
		break;
	case TRACER_STEP:
		m.error = do_step(g, r->tid);
		break;
	case TRACER_RELEASE:
		stood = p->mode == TRACEE_STOPS;
		tracee_release(p);
		m.stopped_us = stood ? clock_now_us() - p->stopped_at_us : 0;
		break;
	case TRACER_KILL:
		m.error = !p->launched ? EPERM : p->exited ? ESRCH : kill_launched(g) ? errno : 0;
		break;
	case TRACER_KEEP:
		g->kept = r->value != 0;
		break;
	default:
		m.error = ENOSYS;
		break;
	}
	m.stop = p->mode == TRACEE_STOPS ? p->stop : 0;
	m.noticed_us = p->stopped_at_us;
	m.n_threads = g->n_board;
	tracer_hits_send(&m, false);
	if (next)
		tracer_hits_report(g, next, clock_now_us());
	if (judged && !m.error && (judged->verdict == TRACEE_REPORT || !tracee_pass_by(p, judged)))
		tracer_hits_stop_for(g, judged);
}

/*
 * Return whether @r was the last request: the worker ends a tracer that traces nothing and has launched nothing. This
 * process then exits at once, so that the kernel detaches the threads that have not stopped.
 */
static bool is_done(const struct tracer *g, const struct tracer_request *r)
{
	return (r->op == TRACER_ATTACH || r->op == TRACER_RELEASE) && g->tracee.mode == TRACEE_NONE &&
	       !g->tracee.launched;
}

/* Return false if the worker has exited, or sent its last request. */
static bool read_request(struct tracer *g)
{
	struct tracer_request r;
	ssize_t n = recv(TRACER_FD_SOCKET, &r, sizeof(r), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n <= 0)
		return false;
	if (n != (ssize_t)sizeof(r))
		return true;
	answer_request(g, &r);
	return !is_done(g, &r);
}

static int poll_timeout(const struct tracer *g)
{
	if (g->tracee.mode != TRACEE_STOPS || !g->resume_at_us)
		return -1;
	int64_t left_us = g->resume_at_us - clock_now_us();
	return left_us > 0 ? (int)((left_us + 999) / 1000) : 0;
}

/* Return the same time, or the time until the process must be settled. */
static int settle_timeout(const struct tracer *g)
{
	int ms = poll_timeout(g);

	if (g->has_asked)
		ms = TRACER_ASK_MS;
	return tracee_is_settled(&g->tracee) || (ms >= 0 && ms < SETTLE_MS) ? ms : SETTLE_MS;
}

static void serve_worker(struct tracer *g, int signals)
{
	struct signalfd_siginfo infos[16];

	for (;;) {
		struct pollfd fds[] = {
			{.fd = TRACER_FD_SOCKET, .events = POLLIN},
			{.fd = signals, .events = POLLIN},
		};

		tracer_hits_set_hurry(g, false);
		watchdog_go_home(&g->tracee);
		int n = poll(fds, 2, settle_timeout(g));
		if (g->tracee.mode == TRACEE_STOPS || (fds[0].revents && !g->has_asked))
			tracer_hits_set_hurry(g, true);
		if (n == 0)
			tracee_settle(&g->tracee);
		if (fds[1].revents) {
			while (read(signals, infos, sizeof(infos)) > 0)
				;
		}
		tracer_hits_poll(g);
		tracer_hits_end_requests(g);
		if (fds[0].revents && !read_request(g))
			return;
		/* The time limit is over: the process that should have resumed hangs. */
		if (poll_timeout(g) == 0)
			tracer_hits_end_stop(g);
		tracer_hits_report_end(g);
	}
}

static bool map_board(struct tracer *g)
{
	struct stat st;

	if (fstat(TRACER_FD_BOARD, &st) || st.st_size < (off_t)sizeof(*g->board))
		return false;
	void *board = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, TRACER_FD_BOARD, 0);
	if (board == MAP_FAILED)
		return false;
	g->board = board;
	g->board_max = (size_t)st.st_size / sizeof(*g->board);
	return true;
}

static void launch_program(struct tracer *g)
{
	struct tracer_message m = {.kind = TRACER_LAUNCHED};
	enum tracer_stage stage;

	m.error = tracee_launch(&g->tracee, TRACER_FD_LAUNCH, &stage);
	m.stage = stage;
	m.tid = g->only = g->tracee.pid;
	if (!m.error) {
		tracer_hits_begin_stop(g, 0, clock_now_us());
		m.stop = g->tracee.stop;
		m.n_threads = g->n_board;
	}
	tracer_hits_send(&m, false);
}

int main(int argc, char **argv)
{
	/* Shared with the watchdog, which reads the planted breakpoints. Untouched pages cost nothing. */
	struct tracer *tracer =
		mmap(NULL, sizeof(*tracer), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct stat st;
	sigset_t set;

	if (argc < 1 || argc > 2 || tracer == MAP_FAILED || fstat(TRACER_FD_SOCKET, &st) || !S_ISSOCK(st.st_mode) ||
	    !map_board(tracer)) {
		fputs("ompdd-tracer: started by ompdd-worker, not by hand\n", stderr);
		return EXIT_FAILURE;
	}
	for (int fd = TRACER_FD_SOCKET; fd <= TRACER_FD_LAUNCH; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	setsid();
	/* Named so that `pkill -9 ompdd` spares this process: it exits by itself after the others. */
	prctl(PR_SET_NAME, TRACER_NAME);
	/* Only SIGKILL ends this process at any point. SIGCHLD arrives through the descriptor. */
	sigfillset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	int signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (signals < 0 || tracee_init(&tracer->tracee))
		return EXIT_FAILURE;
	watchdog_init(&tracer->tracee);
	tracer->tracee.event = tracer_hits_on_event;
	tracer->tracee.is_alone = tracer_hits_is_alone;
	tracer->only = argc == 2 ? (pid_t)strtol(argv[1], NULL, 10) : 0;
	if (fstat(TRACER_FD_LAUNCH, &st) == 0 && S_ISREG(st.st_mode))
		launch_program(tracer);
	close(TRACER_FD_LAUNCH);
	serve_worker(tracer, signals);
	/* The worker exited before it received its reply. */
	if (tracer->tracee.launched && !tracer->kept && !tracer->tracee.exited)
		kill_launched(tracer);
	tracee_release(&tracer->tracee);
	timed_reader_destroy(tracer->tracee.reader);
	return EXIT_SUCCESS;
}
