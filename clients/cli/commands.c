/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tables of all commands and options of ompdctl, with their help. */
#include "commands.h"

#include <string.h>

#include "rpc/suggest.h"

#define ONE_OF_THREE (GROUP_PID | GROUP_CORE | GROUP_TARGET)
#define EVERY	     (GROUP_SERVER | GROUP_PATIENCE | GROUP_JSON | GROUP_SHOW | GROUP_HELP)
#define VIEW	     (ONE_OF_THREE | GROUP_LOOK | GROUP_PRIVATE | EVERY)
/* Views that are also available for a whole job. */
#define JOB_VIEW (VIEW | GROUP_ALL | GROUP_FILTER | GROUP_JOB)

const char *const command_events[] = {
	"parallel_begin",
	"parallel_end",
	"task_begin",
	"task_end",
	"thread_begin",
	"thread_end",
	"teams_begin",
	"teams_end",
	"target_begin",
	"target_end",
	"device_begin",
	"device_end",
	"barrier_enter",
	"barrier_exit",
	"barrier_all_entered",
	"implicit_barrier_enter",
	"implicit_barrier_exit",
	"taskwait_enter",
	"taskwait_exit",
	"ordered_acquire",
	"ordered_acquired",
	"ordered_release",
	"critical_acquire",
	"critical_acquired",
	"critical_release",
	"atomic_acquire",
	"atomic_acquired",
	"atomic_release",
	"lock_acquire",
	"lock_acquired",
	"lock_release",
	"single_enter",
	"single_begin",
	"task_create",
	"ompd_dll_locations_valid",
	NULL,
};

const char *const command_steps[] = {"into", "over", "out", "instruction", NULL};
const char *const command_step_kinds[] = {"into_parallel", "over_parallel", "out_of_parallel", "instruction", NULL};

const struct command_row command_rows[] = {
	{"threads", COMMAND_THREADS, "", WORD_NONE, JOB_VIEW | GROUP_COLUMNS | GROUP_SAMPLE,
	 "the threads: state, team and region, what they wait for",
	 "Threads that are in the same place share a line, unless --all is given.\n"
	 "A ~ marks a state that was inferred: from what the thread waits for in the\n"
	 "kernel, or from where its program counter is.\n",
	 "ompdctl -p 4711 threads            # every thread of a process\n"
	 "ompdctl -p a.out threads --all     # by name; a line for each thread\n"
	 "ompdctl -p 4711 threads -o TID,STATE --no-headers\n"
	 "ompdctl -p 4711 -m observe threads --sample 100    # without a stop\n",
	 "thread.list", "snapshot.get"},
	{"tree", COMMAND_TREE, "", WORD_NONE, JOB_VIEW, "regions, teams, threads and tasks as a tree",
	 "Each parallel region stands below the thread that met it, its team below it.\n",
	 "ompdctl -p 4711 tree\n"
	 "ompdctl --core core.4711 tree      # of a core file\n"
	 "ompdctl -p 4711 -m observe tree    # without stopping the process\n"
	 "ompdctl --nodes node[1-8] --name a.out tree  # of programs on many nodes\n",
	 "snapshot.get", "snapshot.get"},
	{"tasks", COMMAND_TASKS, "", WORD_NONE, VIEW | GROUP_ALL, "the tasks and where they come from", NULL,
	 "ompdctl -p 4711 tasks\n", "task.list", "snapshot.get"},
	{"icvs", COMMAND_ICVS, "", WORD_NONE, VIEW | GROUP_ALL,
	 "the control variables, of the process and of its tasks",
	 "Values that differ between tasks are shown with the tasks that have them.\n", "ompdctl -p 4711 icvs\n",
	 "icv.list", "snapshot.get"},
	{"bt", COMMAND_BT, "[TID]", WORD_ANY, JOB_VIEW | GROUP_LOGICAL,
	 "the call stacks, of all threads or of one; equal ones once",
	 "With --logical the runtime's own frames are left out, and a stack goes on from\n"
	 "a region or task to where that was met or generated, on any thread's stack.\n",
	 "ompdctl -p 4711 bt --logical       # what the program does\n"
	 "ompdctl -p 4711 bt 4713            # one thread\n",
	 "stack.groups", "stack.groups"},
	{"why", COMMAND_WHY, "", WORD_NONE, JOB_VIEW, "why it hangs, or that it does not: who waits for whom",
	 "The threads are looked at twice, half a second apart. Each line says in [] where\n"
	 "it is from: the runtime's memory (plugin, memory), the program's code, the\n"
	 "kernel; what is [inferred] is not proven.\n",
	 "ompdctl -p 4711 why                # of a process\n"
	 "ompdctl --core core.4711 why       # of a core file\n"
	 "ompdctl --job 1234 why             # of all processes of a Slurm job\n",
	 "diagnose.get", "diagnose.get"},
	{"snapshot", COMMAND_SNAPSHOT, "", WORD_NONE, VIEW | GROUP_ALL,
	 "all of it (with --json: the result of snapshot.get)", NULL, "ompdctl -p 4711 snapshot --json > state.json\n",
	 "snapshot.get", "snapshot.get"},
	{"info", COMMAND_INFO, "", WORD_NONE, VIEW, "what is known of the process and its OpenMP runtime", NULL,
	 "ompdctl -p 4711 info\n", "target.info", "target.info"},
	{"ps", COMMAND_PS, "", WORD_NONE, GROUP_FILTER | GROUP_COLUMNS | EVERY,
	 "the OpenMP processes that you may look at; needs no running ompdd",
	 "REGION says whether a thread is in a parallel region; RANK and JOB are what the\n"
	 "environment said at the start of the program (MPI, Slurm, Flux).\n",
	 "ompdctl ps\n"
	 "ompdctl ps -u ada --name a.out     # ada's processes of that program\n"
	 "ompdctl ps --job 1234 --rank 0-63  # of a Slurm job, on this node\n",
	 "process.list", "process.list"},
	{"top", COMMAND_TOP, "", WORD_NONE,
	 GROUP_PID | GROUP_TARGET | GROUP_LOOK | GROUP_PRIVATE | GROUP_RECORD | GROUP_ONCE | GROUP_ALL | GROUP_FILTER |
		 GROUP_JOB | EVERY,
	 "where the time of a running program goes, as it goes",
	 "A table of its parallel regions, and what each thread did last. The keys are\n"
	 "q: leave, s: sort, t: last interval or all, ?: help.\n",
	 "ompdctl -p 4711 top\n"
	 "ompdctl -p 4711 top --once -d 5    # one screen, after five seconds\n",
	 NULL, NULL},
	{"record", COMMAND_RECORD, "", WORD_NONE,
	 GROUP_PID | GROUP_TARGET | GROUP_LOOK | GROUP_PRIVATE | GROUP_RECORD | GROUP_FILE | EVERY,
	 "record where its time goes into a file, for flame graphs",
	 "The file's name says the format, or --format: .folded (flame graphs), .json\n"
	 "(speedscope), .pprof, .otf2. ^C ends it, and what there is is written.\n",
	 "ompdctl -p 4711 record -d 30 -o out.json\n"
	 "ompdctl -p 4711 record -o - --format folded | flamegraph.pl > out.svg\n",
	 NULL, NULL},
	{"page", COMMAND_PAGE, "", WORD_NONE,
	 GROUP_PID | GROUP_CORE | GROUP_LOOK | GROUP_PRIVATE | GROUP_PATIENCE | GROUP_SHOW | GROUP_HELP,
	 "show processes or a core in the browser, until ^C",
	 "Starts an ompdd of its own on a free port of this machine, prints the page's\n"
	 "address, and opens it where there is a desktop. Processes are only observed;\n"
	 "with --mode stop the page may stop and step them, when you tell it to.\n",
	 "ompdctl page                       # which processes there are\n"
	 "ompdctl page -p 4711\n"
	 "ompdctl page -p 4711,4712          # side by side\n"
	 "ompdctl page --core core.4711\n",
	 NULL, NULL},
	{"targets", COMMAND_TARGETS, "", WORD_NONE, EVERY, "what a running ompdd is attached to", NULL,
	 "ompdctl targets\n", "target.list", "target.list"},
	{"attach", COMMAND_ATTACH, "", WORD_NONE, GROUP_PID | GROUP_CORE | GROUP_LOOK | EVERY,
	 "attach a running ompdd to a process, or let it open a core",
	 "Prints the id of the target, which -t takes from then on.\n",
	 "ompdctl attach -p 4711\n"
	 "ompdctl attach --core core.4711\n",
	 NULL, NULL},
	{"detach", COMMAND_DETACH, "TARGET", WORD_ANY, GROUP_TARGET | EVERY, "let go of a target", NULL,
	 "ompdctl detach t4\n", "target.detach", "target.detach"},
	{"launch", COMMAND_LAUNCH, "-- PROGRAM [ARGUMENTS]", WORD_FILE, GROUP_PROGRAM | GROUP_LOOK | EVERY,
	 "let a running ompdd start a program; it runs on without ompdd", NULL,
	 "ompdctl launch --stdout out.txt -- ./a.out 1000\n", "target.launch", "target.launch"},
	{"kill", COMMAND_KILL, "TARGET", WORD_ANY, GROUP_TARGET | EVERY, "end a program that was launched", NULL,
	 "ompdctl kill t4\n", "target.kill", "target.kill"},
	{"timeout", COMMAND_TIMEOUT, "DURATION -- PROGRAM [ARGUMENTS]", WORD_FILE,
	 GROUP_LIMIT | GROUP_LOOK | GROUP_PATIENCE | GROUP_SHOW | GROUP_HELP,
	 "like timeout(1), but says why before it ends the program",
	 "When the time is over (30, 1.5m, 2h), each OpenMP process below the program is\n"
	 "looked at; then the program is ended. Exit code 124 then, else its own;\n"
	 "125: ompdctl failed, 126: the program cannot be run, 127: there is no such.\n",
	 "ompdctl timeout 60 -- ctest\n"
	 "ompdctl timeout 10m -k 30 --report hang.json -- mpirun -n 4 ./a.out\n",
	 NULL, NULL},
	{"break", COMMAND_BREAK, "PLACE...", WORD_EVENT,
	 GROUP_PID | GROUP_TARGET | GROUP_LOOK | GROUP_PRIVATE | GROUP_LOGICAL | GROUP_COUNT | GROUP_PROGRAM |
		 GROUP_CONDITION | EVERY,
	 "stop where a thread comes to a place, say who and where, go on",
	 "A place is an OpenMP event (parallel_begin, parallel_end, task_begin, task_end,\n"
	 "thread_begin, thread_end, teams_begin, teams_end, target_begin, target_end),\n"
	 "one of a construct (barrier_enter, barrier_exit, taskwait_enter, task_create,\n"
	 "single_enter, single_begin; ordered_acquire, ordered_acquired, ordered_release,\n"
	 "and so for critical, atomic, lock), a function, FILE:LINE or 0xADDRESS. Hits\n"
	 "that do not count cost little. The program runs on after each that does.\n",
	 "ompdctl break task_begin -p 4711\n"
	 "ompdctl break barrier_enter --thread-num 3 --after 1000 -p 4711\n"
	 "ompdctl break solve.c:120 -n 5 -p 4711     # the next five hits\n"
	 "ompdctl break parallel_begin -- ./a.out 10 # in a program that it starts\n",
	 NULL, NULL},
	{"step", COMMAND_STEP, "KIND [TID]", WORD_STEP,
	 GROUP_PID | GROUP_TARGET | GROUP_LOOK | GROUP_PRIVATE | GROUP_LOGICAL | GROUP_PROGRAM | EVERY,
	 "let a thread come into, over or out of a region, say where",
	 "The kinds: into: all members of the next region's team stand at its beginning;\n"
	 "over: behind the next region; out: behind the one in which the thread is;\n"
	 "instruction. The main thread, unless another is given. The program runs on then.\n",
	 "ompdctl step into -p 4711\n"
	 "ompdctl step out 4713 -p 4711      # of the region in which thread 4713 is\n"
	 "ompdctl step over -- ./a.out 10    # its first region\n",
	 NULL, NULL},
	{"serialize", COMMAND_SERIALIZE, "", WORD_NONE,
	 GROUP_PID | GROUP_TARGET | GROUP_LOOK | GROUP_PRIVATE | GROUP_COUNT | GROUP_PROGRAM | EVERY,
	 "make the next parallel regions have one thread, wait for them",
	 "This changes what the program does: to see whether a fault has to do with\n"
	 "threads. Only on ompdd's own runtime. ^C ends it.\n",
	 "ompdctl serialize -p 4711          # the next region\n"
	 "ompdctl serialize -n 100 -- ./a.out\n",
	 NULL, NULL},
	{"events", COMMAND_EVENTS, "", WORD_NONE,
	 GROUP_PID | GROUP_TARGET | GROUP_LOOK | GROUP_PRIVATE | GROUP_COUNT | EVERY,
	 "what happens to the target, or to all, as it happens", NULL,
	 "ompdctl events\n"
	 "ompdctl events -t t1 -n 10 --json\n",
	 NULL, NULL},
	{"call", COMMAND_CALL, "METHOD ['JSON']", WORD_ANY, VIEW, "call any method of the protocol",
	 "The params are a JSON object, or - to read it from stdin; with -p or -t, their\n"
	 "member \"target\" is filled in. rpc.discover lists the methods.\n",
	 "ompdctl call daemon.info --pretty\n"
	 "ompdctl -p 4711 call stack.get '{\"thread\":4713}'\n",
	 NULL, NULL},
	{"node-summary", COMMAND_NODE_SUMMARY, "", WORD_NONE,
	 GROUP_SUMMARY | GROUP_FILTER | GROUP_LOOK | GROUP_PATIENCE | GROUP_HELP,
	 "what the processes of this node do, as a summary that merges",
	 "One line of JSON: what threads do, without addresses and ids, and which ranks'\n"
	 "threads do it. Views with --job or --nodes start it on each node.\n",
	 "ompdctl node-summary --job 1234 > node1.json\n", NULL, NULL},
	{"node-metrics", COMMAND_NODE_METRICS, "", WORD_NONE,
	 GROUP_METRICS | GROUP_FILTER | GROUP_PATIENCE | GROUP_HELP,
	 "what the OpenMP teams of this node do, for Prometheus",
	 "Nothing is stopped. With --output it is for a timer: how long threads have\n"
	 "slept at a barrier is known from the call before. ompdd --metrics-file FILE\n"
	 "shows what was written.\n",
	 "ompdctl node-metrics --output /run/ompdd/node.prom\n", NULL, NULL},
	{"merge", COMMAND_MERGE, "[FILE...]", WORD_FILE, GROUP_SUMMARY | GROUP_ALL | GROUP_JSON | GROUP_HELP,
	 "bring summaries together, and show them or write one", "In any order and grouping the result is the same.\n",
	 "ompdctl merge node1.json node2.json\n"
	 "clush -w node[1-100] ompdctl node-summary | ompdctl merge --json > job.json\n",
	 NULL, NULL},
	{"completion", COMMAND_COMPLETION, "bash|zsh|fish", WORD_SHELL, GROUP_HELP,
	 "print the completion script of a shell", NULL,
	 "ompdctl completion bash > ~/.local/share/bash-completion/completions/ompdctl\n", NULL, NULL},
	{"help", COMMAND_HELP, "[COMMAND]", WORD_COMMAND, GROUP_HELP, "this text, or that of a command", NULL,
	 "ompdctl help threads\n", NULL, NULL},
};
const size_t n_command_rows = sizeof(command_rows) / sizeof(*command_rows);

const struct option_row option_rows[] = {
	{"pid", 'p', "PID", WORD_PROCESS, GROUP_PID, "the process: its id, its name, or several: 12,13"},
	{"core", OPT_CORE, "FILE", WORD_FILE, GROUP_CORE, "the core file"},
	{"exe", OPT_EXE, "FILE", WORD_FILE, GROUP_CORE, "its program, where it is not where the core says"},
	{"sysroot", OPT_SYSROOT, "DIR", WORD_FOLDER, GROUP_CORE,
	 "the files of the core's machine, when it was another"},
	{"debug-dir", OPT_DEBUG_DIR, "DIR", WORD_FOLDER, GROUP_LOOK, "separate debug files, as in /usr/lib/debug"},
	{"target", 't', "TARGET", WORD_ANY, GROUP_TARGET, "a target of a running ompdd, like t1"},
	{"server", 's', "URI", WORD_ANY, GROUP_SERVER,
	 "the running ompdd: unix:PATH, http+unix:PATH, or\n"
	 "tcp:, tls:, http: or https: and HOST:PORT; default:\n"
	 "$OMPDD_URI, else where ompdd listens by itself, mostly\n"
	 "$XDG_RUNTIME_DIR/ompdd/ompdd.sock, else the node's,\n"
	 "$OMPDD_NODE_URI or unix:/run/ompdd/ompdd.sock"},
	{"token-file", OPT_TOKEN_FILE, "FILE", WORD_FILE, GROUP_SERVER,
	 "its token, for tcp: and http: (or $OMPDD_TOKEN_FILE)"},
	{"mode", 'm', "MODE", WORD_MODE, GROUP_LOOK,
	 "observe: do not stop the process, so the picture may be\n"
	 "torn; stop (default): stop it while its state is read,\n"
	 "mostly for less than a millisecond"},
	{"max-stop-ms", OPT_MAX_STOP_MS, "N", WORD_ANY, GROUP_LOOK, "never stop the process for longer than this"},
	{"timeout", OPT_TIMEOUT, "SECONDS", WORD_ANY, GROUP_PATIENCE,
	 "give up when ompdd does not answer (default 60)"},
	{"ompdd", OPT_OMPDD, "PATH", WORD_FILE, GROUP_PRIVATE, "the ompdd to start (else beside ompdctl, or in $PATH)"},
	{"libompd", OPT_LIBOMPD, "PATH", WORD_FILE, GROUP_PRIVATE, "passed on to the ompdd that is started"},
	{"plugin-dir", OPT_PLUGIN_DIR, "DIR", WORD_FOLDER, GROUP_PRIVATE, "passed on to the ompdd that is started"},
	{"count", 'n', "N", WORD_ANY, GROUP_COUNT,
	 "break: end after N hits (default 1); events: after N;\n"
	 "serialize: N regions"},
	{"thread-num", OPT_THREAD_NUM, "N", WORD_ANY, GROUP_CONDITION,
	 "only hits of a thread with this number in its team"},
	{"level", OPT_LEVEL, "N", WORD_ANY, GROUP_CONDITION, "only hits at this level of nested regions; 0: outside"},
	{"after", OPT_AFTER, "N", WORD_ANY, GROUP_CONDITION, "let N hits pass before one counts"},
	{"every", OPT_EVERY, "N", WORD_ANY, GROUP_CONDITION, "then each Nth one counts"},
	{"region", OPT_REGION, "FUNCTION", WORD_ANY, GROUP_CONDITION,
	 "only hits within a region that is or is in FUNCTION;\n"
	 "parallel_begin: that begins"},
	{"signal", OPT_SIGNAL, "SIGNAL", WORD_ANY, GROUP_LIMIT, "timeout: what ends it (also -s SIGNAL); default TERM"},
	{"kill-after", 'k', "DURATION", WORD_ANY, GROUP_LIMIT, "and SIGKILL if it is still there after that time"},
	{"foreground", OPT_FOREGROUND, NULL, WORD_NONE, GROUP_LIMIT,
	 "let it read the terminal and get ^C there; what it\n"
	 "started in its turn is not ended then"},
	{"preserve-status", OPT_PRESERVE_STATUS, NULL, WORD_NONE, GROUP_LIMIT, "exit with its status, not with 124"},
	{"report", OPT_REPORT, "FILE", WORD_FILE, GROUP_LIMIT, "write what was seen to that file as well, as JSON"},
	{"seconds", 'd', "SECONDS", WORD_ANY, GROUP_RECORD, "for how long; record: 10, top --once: 2"},
	{"rate", OPT_RATE, "HZ", WORD_ANY, GROUP_RECORD, "looks in a second, 1 to 1000; default 100"},
	{"once", OPT_ONCE, NULL, WORD_NONE, GROUP_ONCE, "print one screen and leave"},
	{"output", OPT_OUTPUT, "FILE", WORD_FILE, GROUP_FILE | GROUP_METRICS,
	 "record: the file (also -o FILE); - is standard output"},
	{"format", OPT_FORMAT, "NAME", WORD_ANY, GROUP_FILE, "folded, speedscope, pprof, otf2; else by FILE"},
	{"cwd", OPT_CWD, "DIR", WORD_FOLDER, GROUP_PROGRAM, "of a launched program; default: the present folder"},
	{"stdin", OPT_STDIN, "FILE", WORD_FILE, GROUP_PROGRAM, "its standard input; default: /dev/null"},
	{"stdout", OPT_STDOUT, "FILE", WORD_FILE, GROUP_PROGRAM,
	 "break: default: where ompdctl writes (with --json: its\n"
	 "standard error); launch: this terminal, else /dev/null"},
	{"stderr", OPT_STDERR, "FILE", WORD_FILE, GROUP_PROGRAM, "likewise"},
	{"json", 'j', NULL, WORD_NONE, GROUP_JSON,
	 "print the result object alone, on one line; break and\n"
	 "events: one object for each"},
	{"pretty", OPT_PRETTY, NULL, WORD_NONE, GROUP_JSON, "the same, indented"},
	{"user", 'u', "USER", WORD_ANY, GROUP_FILTER, "only the processes of this user, by name or number"},
	{"name", OPT_NAME, "NAME", WORD_PROCESS, GROUP_FILTER, "only those of this program"},
	{"runtime", OPT_RUNTIME, "KIND", WORD_ANY, GROUP_FILTER | GROUP_CONDITION,
	 "ps: only those with libgomp, libomp or omprt (ours);\n"
	 "break: only this one's events; or its number"},
	{"rank", OPT_RANK, "SET", WORD_ANY, GROUP_FILTER, "only those with these ranks: 0-63,70"},
	{"job", OPT_JOB, "JOB", WORD_ANY, GROUP_FILTER, "only those of this job, or job and step: 1234.0"},
	{"cgroup", OPT_CGROUP, "GROUP", WORD_ANY, GROUP_FILTER,
	 "only those in this control group or below: its path, a\npart of it, or a container's id"},
	{"nodes", OPT_NODES, "SET", WORD_ANY, GROUP_JOB, "of all processes on these nodes: node[1-100]"},
	{"engine", OPT_ENGINE, "NAME", WORD_ANY, GROUP_JOB,
	 "who runs ompdctl there: slurm, clustershell, openmpi,\n"
	 "mpich; default: what is here"},
	{"remote-ompdctl", OPT_REMOTE_OMPDCTL, "PATH", WORD_FILE, GROUP_JOB, "ompdctl there, where it is not as here"},
	{"kind", OPT_KIND, "KIND", WORD_ANY, GROUP_SUMMARY, "node-summary: stacks (default), why or top"},
	{"node-name", OPT_NODE_NAME, "NAME", WORD_ANY, GROUP_SUMMARY, "node-summary: what this node is called"},
	{"view", OPT_VIEW, "VIEW", WORD_ANY, GROUP_SUMMARY, "merge: tree (default), threads, bt, why or top"},
	{"columns", 'o', "NAME,...", WORD_ANY, GROUP_COLUMNS, "these columns of the table only, in this order"},
	{"no-headers", OPT_NO_HEADERS, NULL, WORD_NONE, GROUP_COLUMNS, "the table without its first line"},
	{"sample", OPT_SAMPLE, "MS", WORD_ANY, GROUP_SAMPLE,
	 "with -m observe: for so long let the kernel sample\n"
	 "running threads; the column AT says where all are"},
	{"all", 'a', NULL, WORD_NONE, GROUP_ALL,
	 "one line for each thread, however alike they are;\n"
	 "bt: one stack for each"},
	{"logical", 'l', NULL, WORD_NONE, GROUP_LOGICAL,
	 "leave the runtime out, go on from regions and tasks to\n"
	 "where they were met or generated, on any stack"},
	{"verbose", 'v', NULL, WORD_NONE, GROUP_SHOW, "say why a value is missing; show the log of ompdd"},
	{"color", OPT_COLOUR, "WHEN", WORD_WHEN, GROUP_SHOW, "auto, always or never"},
	{"help", 'h', NULL, WORD_NONE, GROUP_HELP, "this text; behind a command: of that command"},
	{"version", 'V', NULL, WORD_NONE, GROUP_HELP, "the version"},
};
const size_t n_option_rows = sizeof(option_rows) / sizeof(*option_rows);

const struct command_row *command_find(const char *name)
{
	for (size_t i = 0; i < n_command_rows; i++) {
		if (!strcmp(command_rows[i].name, name))
			return &command_rows[i];
	}
	return NULL;
}

const struct command_row *command_row(enum command command)
{
	for (size_t i = 0; i < n_command_rows; i++) {
		if (command_rows[i].command == command)
			return &command_rows[i];
	}
	return NULL;
}

const struct option_row *option_row(int code)
{
	for (size_t i = 0; i < n_option_rows; i++) {
		if (option_rows[i].code == code)
			return &option_rows[i];
	}
	return NULL;
}

const char *command_suggest(const char *name)
{
	const char *best = NULL;

	for (size_t i = 0; i < n_command_rows; i++)
		suggest_consider(name, command_rows[i].name, &best);
	return best;
}

const char *command_suggest_event(const char *name)
{
	const char *best = NULL;

	for (const char *const *event = command_events; *event; event++)
		suggest_consider(name, *event, &best);
	return best;
}
