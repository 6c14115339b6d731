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
	"target_data",
	"target_data_end",
	"target_submit",
	"ompd_dll_locations_valid",
	NULL,
};

const char *const command_steps[] = {"into", "over", "out", "instruction", NULL};
const char *const command_step_kinds[] = {"into_parallel", "over_parallel", "out_of_parallel", "instruction", NULL};

const struct command_row command_rows[] = {
	{"threads", COMMAND_THREADS, "", WORD_NONE, JOB_VIEW | GROUP_COLUMNS | GROUP_SAMPLE | GROUP_NAMES,
	 "threads with state, team, region and what they wait for",
	 "Threads in the same place share one line; --all gives each thread a line.\n"
	 "A ~ marks an inferred state: it comes from the kernel's view of the wait, or\n"
	 "from the program counter.\n",
	 "ompdctl threads 4711               # every thread of a process\n"
	 "ompdctl threads a.out --all        # by name; a line for each thread\n"
	 "ompdctl threads 4711 -o TID,STATE --no-headers\n"
	 "ompdctl threads 4711 -m observe --sample 100 # without a stop\n",
	 "thread.list", "view.get"},
	{"tree", COMMAND_TREE, "", WORD_NONE, JOB_VIEW | GROUP_NAMES, "tree of regions, teams, threads and tasks",
	 "Each parallel region is below its encountering thread; its team is below it.\n",
	 "ompdctl tree 4711\n"
	 "ompdctl tree --core core.4711      # of a core file\n"
	 "ompdctl tree 4711 -m observe       # without stopping the process\n"
	 "ompdctl --nodes node[1-8] --name a.out tree # of programs on many nodes\n",
	 "snapshot.get", "view.get"},
	{"tasks", COMMAND_TASKS, "", WORD_NONE, VIEW | GROUP_ALL | GROUP_NAMES, "tasks and their creators", NULL,
	 "ompdctl tasks 4711\n", "task.list", "view.get"},
	{"icvs", COMMAND_ICVS, "", WORD_NONE, VIEW | GROUP_ALL | GROUP_NAMES,
	 "control variables (ICVs) of the process and its tasks",
	 "Values that differ between tasks are listed with their tasks.\n"
	 "Then come settings, such as OMP_PLACES, and where each value is from: the\n"
	 "environment at the start, the runtime's memory, or the kernel.\n",
	 "ompdctl icvs 4711\n", "icv.list", "view.get"},
	{"devices", COMMAND_DEVICES, "", WORD_NONE, VIEW | GROUP_NAMES,
	 "devices with their map tables, device images, target regions",
	 "Shows what the runtime's memory on the host has, and the stacks of its threads.\n"
	 "-v adds host addresses, and the functions of the regions.\n",
	 "ompdctl devices 4711\n", "device.list", "view.get"},
	{"bt", COMMAND_BT, "[TID]", WORD_ANY, JOB_VIEW | GROUP_LOGICAL | GROUP_NAMES,
	 "call stacks of all threads or of one; equal stacks once",
	 "--logical omits the frames of the runtime. At a region or task, it goes on\n"
	 "at the construct that created it, on any thread's stack.\n",
	 "ompdctl bt 4711 --logical          # what the program does\n"
	 "ompdctl bt 4711 4713               # one thread\n",
	 "stack.groups", "view.get"},
	{"why", COMMAND_WHY, "", WORD_NONE, JOB_VIEW | GROUP_SLOW | GROUP_WAIT | GROUP_CHILDREN,
	 "why the program hangs or, with --slow, is slow",
	 "Examines the threads twice, half a second apart. Each line names its source in\n"
	 "[]: the runtime's memory (plugin, memory), the program's code, the kernel.\n"
	 "A line marked [inferred] is not proven. --slow records for some seconds, and\n"
	 "shows what costs time, with figures and what to change.\n",
	 "ompdctl why 4711                   # of a process\n"
	 "ompdctl why --slow 4711            # what makes it slow\n"
	 "ompdctl why --core core.4711       # of a core file\n"
	 "ompdctl --job 1234 why             # of all processes of a Slurm job\n",
	 "diagnose.get", "view.get"},
	{"snapshot", COMMAND_SNAPSHOT, "", WORD_NONE, VIEW | GROUP_ALL | GROUP_NAMES,
	 "everything (with --json: the result of snapshot.get)", NULL, "ompdctl snapshot 4711 --json > state.json\n",
	 "snapshot.get", "view.get"},
	{"info", COMMAND_INFO, "", WORD_NONE, VIEW, "the process and its OpenMP runtime", NULL, "ompdctl info 4711\n",
	 "target.info", "target.info"},
	{"ps", COMMAND_PS, "", WORD_NONE, GROUP_FILTER | GROUP_COLUMNS | EVERY,
	 "OpenMP processes that you may examine; needs no running ompdd",
	 "REGION: whether a thread is in a parallel region. RANK and JOB come from the\n"
	 "environment at the start of the program (MPI, Slurm, Flux).\n",
	 "ompdctl ps\n"
	 "ompdctl ps -u ada --name a.out     # ada's processes of that program\n"
	 "ompdctl ps --job 1234 --rank 0-63  # of a Slurm job, on this node\n",
	 "process.list", "process.list"},
	{"top", COMMAND_TOP, "", WORD_NONE,
	 GROUP_PID | GROUP_TARGET | GROUP_LOOK | GROUP_PRIVATE | GROUP_RECORD | GROUP_ONCE | GROUP_ALL | GROUP_FILTER |
		 GROUP_JOB | GROUP_WAIT | GROUP_CHILDREN | EVERY,
	 "live table of where the program spends its time",
	 "A table of its parallel regions, and the last states of each thread. Keys:\n"
	 "q: quit, s: sort, t: last interval or total, ?: help.\n",
	 "ompdctl top 4711\n"
	 "ompdctl top 4711 --once -d 5       # one screen, after five seconds\n",
	 NULL, NULL},
	{"record", COMMAND_RECORD, "", WORD_NONE,
	 GROUP_PID | GROUP_TARGET | GROUP_LOOK | GROUP_PRIVATE | GROUP_RECORD | GROUP_FILE | GROUP_OUTPUT | GROUP_WAIT |
		 GROUP_CHILDREN | EVERY,
	 "record where the program spends its time, for flame graphs",
	 "Without -o it writes a flame graph for browsers, NAME-PID-TIME.svg.\n"
	 "The file's name selects the format, or --format: .svg, .html, .folded, .json\n"
	 "(speedscope), .pprof, .otf2. ^C ends the recording and writes the file.\n",
	 "ompdctl record 4711 -d 30\n"
	 "ompdctl record --wait solver       # from its start\n"
	 "ompdctl record --children 4711      # mpirun, a shell, a test driver\n"
	 "ompdctl record 4711 -o out.json     # for speedscope\n"
	 "ompdctl record 4711 -o - --format folded | flamegraph.pl > out.svg\n",
	 NULL, NULL},
	{"dump", COMMAND_DUMP, "", WORD_NONE,
	 GROUP_PID | GROUP_LOOK | GROUP_OUTPUT | GROUP_PATIENCE | GROUP_JSON | GROUP_SHOW | GROUP_HELP,
	 "write a core file of the running program, which goes on",
	 "Without -o the file is core.PID in this folder. The program is stopped for at\n"
	 "most a second (--max-stop-ms N). If that does not suffice for its memory, the\n"
	 "rest is copied while it runs; dump then says so, and so does the core. ^C ends\n"
	 "the dump without a file.\n",
	 "ompdctl dump 4711 -o a.core        # later: ompdctl --core a.core why\n"
	 "ompdctl dump 4711 --max-stop-ms 60000 # all memory at one moment\n",
	 NULL, NULL},
	{"page", COMMAND_PAGE, "", WORD_NONE,
	 GROUP_PID | GROUP_CORE | GROUP_LOOK | GROUP_PRIVATE | GROUP_PATIENCE | GROUP_SHOW | GROUP_HELP,
	 "show processes or a core in the browser, until ^C",
	 "Starts an ompdd of its own on a free port of this machine, prints the address\n"
	 "of the page, and opens it on a desktop. Processes are only observed. With\n"
	 "--mode stop you can stop and step them from the page.\n",
	 "ompdctl page                       # which processes there are\n"
	 "ompdctl page 4711\n"
	 "ompdctl page 4711,4712             # side by side\n"
	 "ompdctl page --core core.4711\n",
	 NULL, NULL},
	{"targets", COMMAND_TARGETS, "", WORD_NONE, EVERY, "targets of a running ompdd", NULL, "ompdctl targets\n",
	 "target.list", "target.list"},
	{"attach", COMMAND_ATTACH, "", WORD_NONE, GROUP_PID | GROUP_CORE | GROUP_LOOK | EVERY,
	 "attach a running ompdd to a process or a core", "Prints the id of the target, for -t.\n",
	 "ompdctl attach 4711\n"
	 "ompdctl attach --core core.4711\n",
	 NULL, NULL},
	{"detach", COMMAND_DETACH, "TARGET", WORD_ANY, GROUP_TARGET | EVERY, "detach from a target", NULL,
	 "ompdctl detach t4\n", "target.detach", "target.detach"},
	{"launch", COMMAND_LAUNCH, "-- PROGRAM [ARGUMENTS]", WORD_FILE, GROUP_PROGRAM | GROUP_LOOK | EVERY,
	 "start a program from a running ompdd; it can outlive ompdd", NULL,
	 "ompdctl launch --stdout out.txt -- ./a.out 1000\n", "target.launch", "target.launch"},
	{"kill", COMMAND_KILL, "TARGET", WORD_ANY, GROUP_TARGET | EVERY, "end a program that was launched", NULL,
	 "ompdctl kill t4\n", "target.kill", "target.kill"},
	{"timeout", COMMAND_TIMEOUT, "DURATION PROGRAM [ARGUMENTS]", WORD_FILE,
	 GROUP_LIMIT | GROUP_LOOK | GROUP_PATIENCE | GROUP_SHOW | GROUP_HELP,
	 "like timeout(1), but explains the hang before it ends the program",
	 "After the time (30, 1.5m, 2h), examines each OpenMP process below the program,\n"
	 "and ends the program. Exit status: 124 after the time, else the program's own;\n"
	 "125: ompdctl failed, 126: cannot run the program, 127: no such program.\n",
	 "ompdctl timeout 60 ctest\n"
	 "ompdctl timeout 10m -k 30 --report hang.json mpirun -n 4 ./a.out\n",
	 NULL, NULL},
	{"break", COMMAND_BREAK, "PLACE...", WORD_EVENT,
	 GROUP_PID | GROUP_TARGET | GROUP_LOOK | GROUP_PRIVATE | GROUP_LOGICAL | GROUP_COUNT | GROUP_PROGRAM |
		 GROUP_CONDITION | GROUP_WAIT | GROUP_CHILDREN | EVERY,
	 "report each thread that arrives at a place, then continue",
	 "A place is an OpenMP event (parallel_begin, parallel_end, task_begin, task_end,\n"
	 "thread_begin, thread_end, teams_begin, teams_end, target_begin, target_end),\n"
	 "one of a construct (barrier_enter, barrier_exit, taskwait_enter, task_create,\n"
	 "single_enter, single_begin; ordered_acquire, ordered_acquired, ordered_release,\n"
	 "the same for critical, atomic, lock), one of a device's data (target_data,\n"
	 "target_data_end, target_submit), a function, FILE:LINE or 0xADDRESS. Hits\n"
	 "that do not count cost little. The program continues after each hit. With\n"
	 "--children each line names its process.\n",
	 "ompdctl break task_begin -p 4711\n"
	 "ompdctl break barrier_enter --thread-num 3 --after 1000 -p 4711\n"
	 "ompdctl break target_data --device 0 -p 4711\n"
	 "ompdctl break solve.c:120 -n 5 -p 4711 # the next five hits\n"
	 "ompdctl break parallel_begin --children -p 4711 # mpirun, a shell\n"
	 "ompdctl break parallel_begin -- ./a.out 10 # in a program that it starts\n",
	 NULL, NULL},
	{"step", COMMAND_STEP, "KIND [TID]", WORD_STEP,
	 GROUP_PID | GROUP_TARGET | GROUP_LOOK | GROUP_PRIVATE | GROUP_LOGICAL | GROUP_PROGRAM | EVERY,
	 "run a thread into, over or out of a region",
	 "Kinds: into: until all members of the next region's team are at its start;\n"
	 "over: until after the next region; out: until after the thread's own region;\n"
	 "instruction. Default: the main thread. The program continues afterwards.\n",
	 "ompdctl step into -p 4711\n"
	 "ompdctl step out 4713 -p 4711      # of the region in which thread 4713 is\n"
	 "ompdctl step over -- ./a.out 10    # its first region\n",
	 NULL, NULL},
	{"serialize", COMMAND_SERIALIZE, "", WORD_NONE,
	 GROUP_PID | GROUP_TARGET | GROUP_LOOK | GROUP_PRIVATE | GROUP_COUNT | GROUP_PROGRAM | EVERY,
	 "give the next parallel regions one thread each",
	 "Changes the program's behaviour, to find out whether a fault depends on\n"
	 "threads. Works on ompdd's own runtime only. ^C ends it.\n",
	 "ompdctl serialize 4711             # the next region\n"
	 "ompdctl serialize -n 100 -- ./a.out\n",
	 NULL, NULL},
	{"events", COMMAND_EVENTS, "", WORD_NONE,
	 GROUP_PID | GROUP_TARGET | GROUP_LOOK | GROUP_PRIVATE | GROUP_COUNT | EVERY,
	 "events of a target, or of all targets, as they happen", NULL,
	 "ompdctl events\n"
	 "ompdctl events -t t1 -n 10 --json\n",
	 NULL, NULL},
	{"call", COMMAND_CALL, "METHOD ['JSON']", WORD_ANY, VIEW, "call any method of the protocol",
	 "The parameters are a JSON object, or - to read it from stdin; -p and -t fill\n"
	 "in the member \"target\". rpc.discover lists the methods.\n",
	 "ompdctl call daemon.info --pretty\n"
	 "ompdctl call stack.get -p 4711 '{\"thread\":4713}'\n",
	 NULL, NULL},
	{"node-summary", COMMAND_NODE_SUMMARY, "", WORD_NONE,
	 GROUP_SUMMARY | GROUP_FILTER | GROUP_LOOK | GROUP_PATIENCE | GROUP_HELP,
	 "summary of the processes of this node, for merge",
	 "One line of JSON: classes of threads, without addresses and ids, with the ranks\n"
	 "in each class. Views with --job or --nodes run it on each node.\n",
	 "ompdctl node-summary --job 1234 > node1.json\n", NULL, NULL},
	{"node-metrics", COMMAND_NODE_METRICS, "", WORD_NONE,
	 GROUP_METRICS | GROUP_OUTPUT | GROUP_FILTER | GROUP_PATIENCE | GROUP_HELP,
	 "metrics of the OpenMP teams of this node, for Prometheus",
	 "Stops nothing. Run it by a timer with --output: the time that threads have\n"
	 "slept at a barrier is counted from the previous call. ompdd --metrics-file\n"
	 "FILE shows the result.\n",
	 "ompdctl node-metrics --output /run/ompdd/node.prom\n", NULL, NULL},
	{"merge", COMMAND_MERGE, "[FILE...]", WORD_FILE, GROUP_SUMMARY | GROUP_ALL | GROUP_JSON | GROUP_HELP,
	 "merge summaries, and show or write the result", "The order and the grouping do not change the result.\n",
	 "ompdctl merge node1.json node2.json\n"
	 "clush -w node[1-100] ompdctl node-summary | ompdctl merge --json > job.json\n",
	 NULL, NULL},
	{"watch", COMMAND_WATCH, "[PID|NAME]", WORD_PROCESS,
	 GROUP_WATCH | GROUP_PID | GROUP_LOOK | GROUP_COUNT | GROUP_FILTER | GROUP_PATIENCE | GROUP_JSON | GROUP_SHOW |
		 GROUP_HELP,
	 "act when a process hangs: keep why and stacks, run a program",
	 "Without a process: all OpenMP processes that are yours and match the filters.\n"
	 "Conditions: deadlock, barrier>60s (a thread sleeps that long at one barrier),\n"
	 "no-progress>5m, metric:NAME>X or <X; NAME: team_threads, busy_threads,\n"
	 "barrier_threads, barrier_seconds, cpu_seconds_total. Actions: keep=DIR (why and\n"
	 "stacks, as JSON), core (in DIR), profile=10s (pprof, in DIR), push=URL (the\n"
	 "profile, to Pyroscope), run=PROGRAM (facts are in OMPDD_WATCH_*). Limits:\n"
	 "files=64 and size=64M of DIR, limit=60s of PROGRAM, every=10m between two\n"
	 "actions of a rule for a process.\n",
	 "ompdctl watch 4711 --when deadlock --then keep=hangs\n"
	 "ompdctl watch --when 'barrier>5m' --then keep=hangs --then run=./notify\n"
	 "ompdctl watch --job 1234 --rules rules.conf --json\n",
	 NULL, NULL},
	{"completion", COMMAND_COMPLETION, "bash|zsh|fish", WORD_SHELL, GROUP_HELP,
	 "print the completion script of a shell", NULL,
	 "ompdctl completion bash > ~/.local/share/bash-completion/completions/ompdctl\n", NULL, NULL},
	{"help", COMMAND_HELP, "[COMMAND|commands|options]", WORD_COMMAND, GROUP_HELP,
	 "an overview, or the help of a command", NULL,
	 "ompdctl help threads\n"
	 "ompdctl help options               # all options and exit codes\n",
	 NULL, NULL},
};
const size_t n_command_rows = sizeof(command_rows) / sizeof(*command_rows);

const struct option_row option_rows[] = {
	{"pid", 'p', "PID", WORD_PROCESS, GROUP_PID, "process id, name, or several ids: 12,13"},
	{"wait", OPT_WAIT, "NAME", WORD_ANY, GROUP_WAIT,
	 "wait for a process of that name that uses an OpenMP\n"
	 "runtime; one that runs already counts"},
	{"children", OPT_CHILDREN, NULL, WORD_NONE, GROUP_CHILDREN,
	 "also the OpenMP processes that the process starts;\n"
	 "it need not use OpenMP itself"},
	{"core", OPT_CORE, "FILE", WORD_FILE, GROUP_CORE, "the core file"},
	{"exe", OPT_EXE, "FILE", WORD_FILE, GROUP_CORE, "program of the core, if it is not at its recorded path"},
	{"sysroot", OPT_SYSROOT, "DIR", WORD_FOLDER, GROUP_CORE, "root of the files of the core's machine"},
	{"debug-dir", OPT_DEBUG_DIR, "DIR", WORD_FOLDER, GROUP_LOOK,
	 "folder of separate debug files, such as /usr/lib/debug"},
	{"target", 't', "TARGET", WORD_ANY, GROUP_TARGET, "target of a running ompdd, such as t1"},
	{"server", 's', "URI", WORD_ANY, GROUP_SERVER,
	 "the running ompdd: unix:PATH, http+unix:PATH, or\n"
	 "tcp:, tls:, http: or https: and HOST:PORT; default:\n"
	 "$OMPDD_URI, else ompdd's own default, mostly\n"
	 "$XDG_RUNTIME_DIR/ompdd/ompdd.sock, else the node's:\n"
	 "$OMPDD_NODE_URI or unix:/run/ompdd/ompdd.sock"},
	{"token-file", OPT_TOKEN_FILE, "FILE", WORD_FILE, GROUP_SERVER,
	 "its token, for tcp: and http: (or $OMPDD_TOKEN_FILE)"},
	{"mode", 'm', "MODE", WORD_MODE, GROUP_LOOK,
	 "observe: do not stop the process; the view may be\n"
	 "torn. stop (default): stop it while its state is read,\n"
	 "mostly for less than a millisecond"},
	{"max-stop-ms", OPT_MAX_STOP_MS, "N", WORD_ANY, GROUP_LOOK, "maximum length of a stop"},
	{"timeout", OPT_TIMEOUT, "SECONDS", WORD_ANY, GROUP_PATIENCE, "maximum time to wait for ompdd (default 60)"},
	{"ompdd", OPT_OMPDD, "PATH", WORD_FILE, GROUP_PRIVATE, "ompdd to start (default: beside ompdctl, or in $PATH)"},
	{"libompd", OPT_LIBOMPD, "PATH", WORD_FILE, GROUP_PRIVATE, "passed to the ompdd that is started"},
	{"plugin-dir", OPT_PLUGIN_DIR, "DIR", WORD_FOLDER, GROUP_PRIVATE, "passed to the ompdd that is started"},
	{"count", 'n', "N", WORD_ANY, GROUP_COUNT,
	 "break: end after N hits (default 1); events: after N;\n"
	 "watch: after N times; serialize: N regions"},
	{"thread-num", OPT_THREAD_NUM, "N", WORD_ANY, GROUP_CONDITION,
	 "only hits of threads with this number in their team"},
	{"level", OPT_LEVEL, "N", WORD_ANY, GROUP_CONDITION, "only hits at this level of nested regions; 0: outside"},
	{"after", OPT_AFTER, "N", WORD_ANY, GROUP_CONDITION, "ignore the first N hits"},
	{"every", OPT_EVERY, "N", WORD_ANY, GROUP_CONDITION, "then count each Nth hit"},
	{"device", OPT_DEVICE, "N", WORD_ANY, GROUP_CONDITION, "only target regions and data of device N"},
	{"region", OPT_REGION, "FUNCTION", WORD_ANY, GROUP_CONDITION,
	 "only hits in a region whose function, or enclosing\n"
	 "function, is FUNCTION"},
	{"signal", OPT_SIGNAL, "SIGNAL", WORD_ANY, GROUP_LIMIT, "timeout: signal that ends it (also -s); default TERM"},
	{"kill-after", 'k', "DURATION", WORD_ANY, GROUP_LIMIT, "SIGKILL if it still runs after that time"},
	{"foreground", OPT_FOREGROUND, NULL, WORD_NONE, GROUP_LIMIT,
	 "it may read the terminal and gets ^C there; its own\n"
	 "children are not ended then"},
	{"preserve-status", OPT_PRESERVE_STATUS, NULL, WORD_NONE, GROUP_LIMIT, "exit with its status, not with 124"},
	{"report", OPT_REPORT, "FILE", WORD_FILE, GROUP_LIMIT, "also write the findings to this file, as JSON"},
	{"seconds", 'd', "SECONDS", WORD_ANY, GROUP_RECORD | GROUP_SLOW | GROUP_WATCH,
	 "duration; default: record 10, why --slow 3,\ntop --once 2, watch without end"},
	{"rate", OPT_RATE, "HZ", WORD_ANY, GROUP_RECORD, "samples per second, 1 to 1000; default 100"},
	{"slow", OPT_SLOW, NULL, WORD_NONE, GROUP_SLOW, "why: explain what makes the program slow"},
	{"once", OPT_ONCE, NULL, WORD_NONE, GROUP_ONCE, "print one screen and exit"},
	{"output", OPT_OUTPUT, "FILE", WORD_FILE, GROUP_OUTPUT,
	 "record, dump: the file (also -o FILE); of record,\n- is standard output"},
	{"format", OPT_FORMAT, "NAME", WORD_ANY, GROUP_FILE, "svg, html, folded, speedscope, pprof, otf2"},
	{"when", OPT_WHEN, "CONDITION", WORD_ANY, GROUP_WATCH, "start of a rule: deadlock, barrier>60s, ..."},
	{"then", OPT_THEN, "ACTION", WORD_ANY, GROUP_WATCH, "action or limit of that rule; may be repeated"},
	{"rules", OPT_RULES, "FILE", WORD_FILE, GROUP_WATCH, "rules from a file: when CONDITION then ACTION..."},
	{"check-rules", OPT_CHECK_RULES, NULL, WORD_NONE, GROUP_WATCH, "report mistakes of the rules, and exit"},
	{"interval", OPT_INTERVAL, "TIME", WORD_ANY, GROUP_WATCH, "time between two examinations; default 10s"},
	{"cwd", OPT_CWD, "DIR", WORD_FOLDER, GROUP_PROGRAM, "working folder of the program; default: this folder"},
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
	{"name", OPT_NAME, "NAME", WORD_PROCESS, GROUP_FILTER, "only processes of this program"},
	{"runtime", OPT_RUNTIME, "KIND", WORD_ANY, GROUP_FILTER | GROUP_CONDITION,
	 "ps: only this runtime, by its name in ps;\n"
	 "break: only events of this runtime, by kind or number"},
	{"rank", OPT_RANK, "SET", WORD_ANY, GROUP_FILTER, "only processes with these ranks: 0-63,70"},
	{"job", OPT_JOB, "JOB", WORD_ANY, GROUP_FILTER, "only processes of this job, or job and step: 1234.0"},
	{"cgroup", OPT_CGROUP, "GROUP", WORD_ANY, GROUP_FILTER,
	 "only processes in this control group or below: its\npath, a part of its path, or a container's id"},
	{"nodes", OPT_NODES, "SET", WORD_ANY, GROUP_JOB, "all processes on these nodes: node[1-100]"},
	{"engine", OPT_ENGINE, "NAME", WORD_ANY, GROUP_JOB,
	 "how to run ompdctl there: slurm, clustershell, openmpi,\n"
	 "mpich; default: the engine that is installed"},
	{"remote-ompdctl", OPT_REMOTE_OMPDCTL, "PATH", WORD_FILE, GROUP_JOB, "path of ompdctl there, if it differs"},
	{"kind", OPT_KIND, "KIND", WORD_ANY, GROUP_SUMMARY, "node-summary: stacks (default), why or top"},
	{"node-name", OPT_NODE_NAME, "NAME", WORD_ANY, GROUP_SUMMARY, "node-summary: name of this node"},
	{"view", OPT_VIEW, "VIEW", WORD_ANY, GROUP_SUMMARY, "merge: tree (default), threads, bt, why or top"},
	{"columns", 'o', "NAME,...", WORD_ANY, GROUP_COLUMNS, "only these columns, in this order"},
	{"no-headers", OPT_NO_HEADERS, NULL, WORD_NONE, GROUP_COLUMNS, "omit the table's header line"},
	{"sample", OPT_SAMPLE, "MS", WORD_ANY, GROUP_SAMPLE,
	 "with -m observe: the kernel samples running threads for\n"
	 "this time; the column AT shows where all threads are"},
	{"full-names", OPT_FULL_NAMES, NULL, WORD_NONE, GROUP_NAMES,
	 "C++ names with return type, template arguments and\nparameters"},
	{"all", 'a', NULL, WORD_NONE, GROUP_ALL,
	 "one line for each thread, even for equal ones;\n"
	 "bt: one stack for each thread"},
	{"logical", 'l', NULL, WORD_NONE, GROUP_LOGICAL,
	 "omit the runtime; continue from regions and tasks at\n"
	 "the construct that created them, on any stack"},
	{"verbose", 'v', NULL, WORD_NONE, GROUP_SHOW, "explain missing values; show the log of ompdd"},
	{"color", OPT_COLOUR, "WHEN", WORD_WHEN, GROUP_SHOW, "auto, always or never"},
	{"help", 'h', NULL, WORD_NONE, GROUP_HELP, "after a command: its help"},
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
