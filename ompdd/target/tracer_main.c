/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ompdd-tracer: the only tracer of a target while it is held stopped, has breakpoints, or was just launched.
 * ompdd-worker (target/tracer.c) starts it and communicates with it by tracer_protocol.h. It does nothing when started
 * by hand.
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
#include "target/aside.h"
#include "target/keeper.h"
#include "target/reach.h"
#include "target/tracee.h"

/* A stop longer than this is assumed to be examined by a user. */
#define SETTLE_MS 2
/* The time limit after which a hit is reported although some threads are in an uninterruptible sleep. */
#define HIT_LIMIT_MS 2000
/*
 * The time limit for the worker's answer about a thread. Then it is a hit, and the worker has no time limit any more.
 */
#define ASK_MS 20

struct tracer {
	struct tracee tracee; /* first: see on_event() */
	struct tracer_board_thread *board;
	size_t board_max;
	uint32_t n_board;
	uint32_t lost;
	bool hurries;
	bool has_asked;	      /* some threads may wait for the worker's answer */
	int64_t resume_at_us; /* the end of the present stop's budget; 0: none */
	bool exit_told;
	bool kept;  /* TRACER_KEEP was received */
	pid_t only; /* the only process that may be traced: a worker's OMPD library may be hostile */
};

/*
 * Raise the priority while all threads are stopped, or are about to be. Not while hits pass that do not count:
 * returning from that priority puts this process behind all others, while a thread waits for it.
 */
static void hurry(struct tracer *g, bool do_hurry)
{
	if (g->hurries != do_hurry)
		aside_hurry(do_hurry);
	g->hurries = do_hurry;
}

/* Return false if the worker has exited. */
static bool send_message(const struct tracer_message *m, bool may_drop)
{
	ssize_t n;

	do
		n = send(TRACER_FD_SOCKET, m, sizeof(*m), MSG_NOSIGNAL | (may_drop ? MSG_DONTWAIT : 0));
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(*m);
}

static void on_event(struct tracee *p, enum tracer_message_kind kind, pid_t tid, uint64_t value)
{
	struct tracer *g = (struct tracer *)p;
	struct tracer_message m = {.kind = kind, .tid = tid, .value = value, .lost = g->lost};

	/* These events may be many, and arrive while the worker does not read. */
	if (send_message(&m, true))
		g->lost = 0;
	else
		g->lost++;
}

static void fill_board(struct tracer *g, bool with_regs)
{
	uint32_t n = 0;

	for (size_t i = 0; i < g->tracee.n_threads && n < g->board_max; i++) {
		const struct tracee_thread *t = &g->tracee.threads[i];
		struct tracer_board_thread *b = &g->board[n];

		if (t->other_process || (t->state != TRACEE_STOPPED && t->state != TRACEE_IN_VFORK))
			continue;
		n++;
		b->tid = t->tid;
		b->has_regs = with_regs && t->state == TRACEE_STOPPED && arch_host.read_registers(t->tid, &b->regs);
	}
	g->n_board = n;
}

/* Record a stop of all threads, the first of them stopped since @began_us. */
static void begin_stop(struct tracer *g, uint32_t budget_ms, int64_t began_us)
{
	g->tracee.stop++;
	g->tracee.stopped_at_us = began_us;
	g->resume_at_us = budget_ms ? g->tracee.stopped_at_us + (int64_t)budget_ms * 1000 : 0;
	fill_board(g, false);
}

/* Return whether the worker has exited: it sends nothing else while it waits for a reply. */
static bool is_alone(struct tracee *p)
{
	struct pollfd fd = {.fd = TRACER_FD_SOCKET, .events = POLLIN};

	(void)p;
	return poll(&fd, 1, 0) > 0;
}

static void tell_end(struct tracer *g)
{
	struct tracee *p = &g->tracee;
	struct tracer_message m = {.lost = g->lost, .tid = p->pid};

	if (p->execed) {
		m.kind = TRACER_EXECED;
		send_message(&m, false);
		tracee_release(p);
	}
	if (p->exited && !g->exit_told) {
		g->exit_told = true;
		m.kind = TRACER_EXITED;
		m.value = (uint64_t)(int64_t)p->exit_status;
		send_message(&m, false);
		tracee_release(p);
	}
}

static void set_counted(struct tracer_message *m, const struct tracee_thread *t)
{
	m->n_counted = t->n_counted;
	memcpy(m->counted, t->counted, sizeof(m->counted));
}

/* Report the hit of @t after all threads have stopped. */
static void report_hit(struct tracer *g, struct tracee_thread *t, int64_t noticed_us)
{
	struct tracee *p = &g->tracee;
	struct tracer_message m = {
		.kind = TRACER_HIT,
		.tid = t->tid,
		.address = t->reported,
		.noticed_us = noticed_us,
		.lost = g->lost,
	};

	begin_stop(g, 0, noticed_us);
	set_counted(&m, t);
	t->sifted = TRACEE_UNSIFTED;
	arch_host.read_registers(m.tid, &m.regs);
	m.stop = p->stop;
	m.n_threads = g->n_board;
	g->lost = 0;
	send_message(&m, false);
}

/* End a stop whose requester does not need it any more. */
static void go_on(struct tracer *g)
{
	struct tracee_thread *t = tracee_next_trapped(&g->tracee);

	if (t)
		report_hit(g, t, clock_now_us());
	else
		tracee_resume(&g->tracee);
}

/*
 * @t has hit a breakpoint, and the others run: stop all and report it or, if it does not count, resume it past the
 * breakpoint.
 */
static void stop_for(struct tracer *g, struct tracee_thread *t)
{
	int64_t noticed_us = clock_now_us();
	struct tracee *p = &g->tracee;
	pid_t tid = t->tid, slow;
	bool counts = t->sifted != TRACEE_PASS;

	hurry(g, true);
	tracee_reach_stop(p, HIT_LIMIT_MS, &slow);
	if (p->execed || p->exited)
		return;
	/* The stop may have moved the thread in the table, or the thread has exited. */
	t = tracee_find(p, tid);
	const struct tracee_planted *at = t ? tracee_planted_at(p, t->reported) : NULL;
	if (counts && at && at->wanted && t->state == TRACEE_STOPPED && !t->other_process) {
		report_hit(g, t, noticed_us);
		/*
		 * Examining many threads takes a good part of the stop's time, and the next request is read after it.
		 */
		tracee_examine(p);
		return;
	}
	tracee_examine(p);
	t = tracee_find(p, tid);
	/*
	 * The thread has not been scheduled since it hit the breakpoint. Its hit is reported, or resumed, when it is.
	 */
	if (t && t->state == TRACEE_RUNNING) {
		t->trapped = t->reported;
		t->reported = 0;
	}
	go_on(g);
}

/* Ask the worker whether @t counts while the others run: @t waits like a thread whose hit is not reported yet. */
static bool ask(struct tracer *g, struct tracee_thread *t)
{
	struct tracer_message m = {.kind = TRACER_ASK, .tid = t->tid, .address = t->reported, .lost = g->lost};

	set_counted(&m, t);
	if (!arch_host.read_registers(m.tid, &m.regs) || !send_message(&m, true))
		return false;
	g->lost = 0;
	g->has_asked = true;
	t->asked_us = clock_now_us();
	t->trapped = t->reported;
	t->reported = 0;
	return true;
}

/* Handle the hit of @t while the process runs. */
static void on_hit(struct tracer *g, struct tracee_thread *t)
{
	const struct tracee_planted *at = tracee_planted_at(&g->tracee, t->reported);

	if (!t->sifted)
		t->sifted = at && at->wanted && !t->other_process ? tracee_sift(&g->tracee, t, at) : TRACEE_REPORT;
	if ((t->sifted == TRACEE_PASS && tracee_pass_by(&g->tracee, t)) || (t->sifted == TRACEE_ASK && ask(g, t)))
		return;
	stop_for(g, t);
}

/* Process the worker's answer about @t, if @t still waits for it. */
static bool take_verdict(struct tracer *g, struct tracee_thread *t, bool counts)
{
	if (!t || !t->asked_us || g->tracee.mode != TRACEE_RUNS || t->state != TRACEE_STOPPED)
		return false;
	t->asked_us = 0;
	t->sifted = counts ? TRACEE_REPORT : TRACEE_PASS;
	t->reported = t->trapped;
	t->trapped = 0;
	return true;
}

/* Count a thread that has waited too long for the answer as a hit. */
static void end_asking(struct tracer *g)
{
	struct tracee *p = &g->tracee;
	bool any = false;

	for (size_t i = 0; g->has_asked && i < p->n_threads && p->mode == TRACEE_RUNS; i++) {
		struct tracee_thread *t = &p->threads[i];

		if (!t->asked_us)
			continue;
		any = true;
		if (clock_now_us() - t->asked_us >= ASK_MS * 1000 && take_verdict(g, t, true)) {
			stop_for(g, t);
			return;
		}
	}
	g->has_asked = any;
}

static void look(struct tracer *g)
{
	struct tracee_thread *t;

	while ((t = tracee_reap(&g->tracee)))
		on_hit(g, t);
	tell_end(g);
}

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
		go_on(g);
	else
		begin_stop(g, r->budget_ms, began_us);
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
	fill_board(g, false);
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

static void answer(struct tracer *g, const struct tracer_request *r)
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
			begin_stop(g, r->budget_ms, began_us);
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
		m.error = take_verdict(g, judged, r->value != 0) ? 0 : ESRCH;
		break;
	case TRACER_REGISTERS:
		m.error = p->mode == TRACEE_STOPS ? 0 : EBUSY;
		if (!m.error)
			fill_board(g, true);
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
	send_message(&m, false);
	if (next)
		report_hit(g, next, clock_now_us());
	if (judged && !m.error && (judged->sifted == TRACEE_REPORT || !tracee_pass_by(p, judged)))
		stop_for(g, judged);
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
	answer(g, &r);
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
		ms = ASK_MS;
	return tracee_is_settled(&g->tracee) || (ms >= 0 && ms < SETTLE_MS) ? ms : SETTLE_MS;
}

static void serve(struct tracer *g, int signals)
{
	struct signalfd_siginfo infos[16];

	for (;;) {
		struct pollfd fds[] = {
			{.fd = TRACER_FD_SOCKET, .events = POLLIN},
			{.fd = signals, .events = POLLIN},
		};

		hurry(g, false);
		keeper_go_home(&g->tracee);
		int n = poll(fds, 2, settle_timeout(g));
		if (g->tracee.mode == TRACEE_STOPS || (fds[0].revents && !g->has_asked))
			hurry(g, true);
		if (n == 0)
			tracee_settle(&g->tracee);
		if (fds[1].revents) {
			while (read(signals, infos, sizeof(infos)) > 0)
				;
		}
		look(g);
		end_asking(g);
		if (fds[0].revents && !read_request(g))
			return;
		/* The time limit is over: the process that should have resumed hangs. */
		if (poll_timeout(g) == 0)
			go_on(g);
		tell_end(g);
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

static void launch(struct tracer *g)
{
	struct tracer_message m = {.kind = TRACER_LAUNCHED};
	enum tracer_stage stage;

	m.error = tracee_launch(&g->tracee, TRACER_FD_LAUNCH, &stage);
	m.stage = stage;
	m.tid = g->only = g->tracee.pid;
	if (!m.error) {
		begin_stop(g, 0, clock_now_us());
		m.stop = g->tracee.stop;
		m.n_threads = g->n_board;
	}
	send_message(&m, false);
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
	keeper_init(&tracer->tracee);
	tracer->tracee.event = on_event;
	tracer->tracee.is_alone = is_alone;
	tracer->only = argc == 2 ? (pid_t)strtol(argv[1], NULL, 10) : 0;
	if (fstat(TRACER_FD_LAUNCH, &st) == 0 && S_ISREG(st.st_mode))
		launch(tracer);
	close(TRACER_FD_LAUNCH);
	serve(tracer, signals);
	/* The worker exited before it received its reply. */
	if (tracer->tracee.launched && !tracer->kept && !tracer->tracee.exited)
		kill_launched(tracer);
	tracee_release(&tracer->tracee);
	reach_destroy(tracer->tracee.reach);
	return EXIT_SUCCESS;
}
