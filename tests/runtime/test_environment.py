# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Environment variables: the effect of their values, compared with the system's libgomp.

Both print their settings with OMP_DISPLAY_ENV=verbose; the same program runs with each. Intended differences are listed
here: libgomp keeps half of a bad value in some cases, we keep the default.
"""
import os
import re
import subprocess

import pytest

from support import OURS, SYSTEM, environment, release_of_the_systems

GOOD = """
OMP_NUM_THREADS=4
OMP_NUM_THREADS=4,3,2
OMP_NUM_THREADS= 4 , 3
OMP_NUM_THREADS=1,1
OMP_NUM_THREADS=+4
OMP_NUM_THREADS=010
OMP_NUM_THREADS=2147483647
OMP_DYNAMIC=true
OMP_DYNAMIC=TRUE
OMP_DYNAMIC=False
OMP_DYNAMIC= true 
OMP_NESTED=true
OMP_NESTED=false
OMP_NESTED=true OMP_MAX_ACTIVE_LEVELS=3
OMP_NESTED=false OMP_MAX_ACTIVE_LEVELS=3
OMP_NESTED=false OMP_NUM_THREADS=3,2
OMP_NESTED=true OMP_MAX_ACTIVE_LEVELS=1
OMP_NESTED=false OMP_PROC_BIND=close,spread
OMP_MAX_ACTIVE_LEVELS=0
OMP_MAX_ACTIVE_LEVELS=1
OMP_MAX_ACTIVE_LEVELS=255
OMP_MAX_ACTIVE_LEVELS=256
OMP_MAX_ACTIVE_LEVELS=1000000
OMP_MAX_ACTIVE_LEVELS=1 OMP_NUM_THREADS=3,2
OMP_MAX_ACTIVE_LEVELS=2 OMP_NUM_THREADS=3,2
OMP_SCHEDULE=static
OMP_SCHEDULE=dynamic
OMP_SCHEDULE=guided
OMP_SCHEDULE=auto
OMP_SCHEDULE=auto,5
OMP_SCHEDULE=STATIC,4
OMP_SCHEDULE= static , 4 
OMP_SCHEDULE=dynamic,0
OMP_SCHEDULE=dynamic,1
OMP_SCHEDULE=static,0
OMP_SCHEDULE=guided,3
OMP_SCHEDULE=static,2147483647
OMP_SCHEDULE=monotonic:dynamic
OMP_SCHEDULE=monotonic : dynamic , 5
OMP_SCHEDULE=monotonic:static
OMP_SCHEDULE=monotonic:auto
OMP_SCHEDULE=nonmonotonic:static,2
OMP_SCHEDULE=nonmonotonic:guided
OMP_PROC_BIND=true
OMP_PROC_BIND=false
OMP_PROC_BIND=master
OMP_PROC_BIND=primary
OMP_PROC_BIND=Close
OMP_PROC_BIND=spread
OMP_PROC_BIND= spread , close 
OMP_PROC_BIND=master,primary,close,spread
OMP_PLACES=threads
OMP_PLACES=cores
OMP_PLACES=sockets
OMP_PLACES=ll_caches
OMP_PLACES=numa_domains
OMP_PLACES=threads(1)
OMP_PLACES= CORES ( 2 ) 
OMP_PLACES={0}
OMP_PLACES={1},{0}
OMP_PLACES={0,1}
OMP_PLACES={0:2}
OMP_PLACES={0}:2
OMP_PLACES={1:2:-1}
OMP_PLACES={1}:2:-1
OMP_PLACES={0:2,!1}
OMP_PLACES={0},{1},{0},!{0}
OMP_PLACES={0:2},{1},!{1},{0}
OMP_PLACES={0}:2,!{0}
OMP_PLACES=0,1
OMP_PLACES=1:2:-1
OMP_PLACES={0}:2:0
OMP_PLACES={0:2:0}
OMP_PLACES={0,0}
OMP_PLACES= { 0 , 1 } 
OMP_PLACES={0:64}
OMP_PLACES={0,5}
OMP_PLACES={1} OMP_PROC_BIND=false
OMP_PLACES={0} OMP_PROC_BIND=close
OMP_PLACES={5} OMP_PROC_BIND=false
GOMP_CPU_AFFINITY=0
GOMP_CPU_AFFINITY=1 0
GOMP_CPU_AFFINITY=0-3
GOMP_CPU_AFFINITY=1,0
GOMP_CPU_AFFINITY=0-3:2
GOMP_CPU_AFFINITY= 0 1 
GOMP_CPU_AFFINITY=0 5 1
GOMP_CPU_AFFINITY=0-1,0
GOMP_CPU_AFFINITY=1000
GOMP_CPU_AFFINITY=0 OMP_PLACES={1}
GOMP_CPU_AFFINITY=0 OMP_PROC_BIND=false
GOMP_CPU_AFFINITY=0 OMP_PROC_BIND=spread
OMP_STACKSIZE=100
OMP_STACKSIZE=100K
OMP_STACKSIZE= 2 M 
OMP_STACKSIZE=1g
GOMP_STACKSIZE=200
OMP_STACKSIZE=1M GOMP_STACKSIZE=2M
OMP_STACKSIZE=2M GOMP_STACKSIZE=y
OMP_WAIT_POLICY=active
OMP_WAIT_POLICY=PASSIVE
OMP_WAIT_POLICY=active GOMP_SPINCOUNT=5
OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=5
GOMP_SPINCOUNT=1k
GOMP_SPINCOUNT=1t
GOMP_SPINCOUNT=infinite
GOMP_SPINCOUNT=INFINITY
GOMP_SPINCOUNT= 5 k 
GOMP_SPINCOUNT=0
OMP_THREAD_LIMIT=1
OMP_THREAD_LIMIT=4294967295
OMP_THREAD_LIMIT=4294967296
OMP_THREAD_LIMIT=4 OMP_NUM_THREADS=8
OMP_NUM_TEAMS=5
OMP_TEAMS_THREAD_LIMIT=5
OMP_CANCELLATION=true
OMP_DEFAULT_DEVICE=1
OMP_DEFAULT_DEVICE=2147483647
OMP_MAX_TASK_PRIORITY=100
OMP_DISPLAY_AFFINITY=true
OMP_AFFINITY_FORMAT=foo %n
OMP_AFFINITY_FORMAT=
OMP_AFFINITY_FORMAT=%Z
OMP_ALLOCATOR=omp_large_cap_mem_alloc
OMP_ALLOCATOR= OMP_CONST_MEM_ALLOC 
OMP_ALLOCATOR=omp_thread_mem_alloc
OMP_TARGET_OFFLOAD=default
OMP_TARGET_OFFLOAD=MANDATORY
OMP_TARGET_OFFLOAD= disabled 
GOMP_DEBUG=1
GOMP_DEBUG=0
""".strip("\n").split("\n")

BAD = """
OMP_NUM_THREADS=0
OMP_NUM_THREADS=-1
OMP_NUM_THREADS=abc
OMP_NUM_THREADS=
OMP_NUM_THREADS= 
OMP_NUM_THREADS=4,
OMP_NUM_THREADS=,4
OMP_NUM_THREADS=4,0
OMP_NUM_THREADS=4x
OMP_NUM_THREADS=4;3
OMP_NUM_THREADS=0x10
OMP_NUM_THREADS=99999999999999999999
OMP_DYNAMIC=1
OMP_DYNAMIC=
OMP_DYNAMIC=yes
OMP_NESTED=1
OMP_NESTED=x OMP_NUM_THREADS=3,2
OMP_MAX_ACTIVE_LEVELS=-1
OMP_MAX_ACTIVE_LEVELS=3,4
OMP_MAX_ACTIVE_LEVELS=
OMP_MAX_ACTIVE_LEVELS=99999999999999999999
OMP_MAX_ACTIVE_LEVELS=x OMP_NUM_THREADS=3,2
OMP_SCHEDULE=runtime
OMP_SCHEDULE=
OMP_SCHEDULE=statik
OMP_SCHEDULE=4
OMP_SCHEDULE=monotonic dynamic
OMP_SCHEDULE=monotonic:
OMP_PROC_BIND=
OMP_PROC_BIND=1
OMP_PROC_BIND=close,true
OMP_PROC_BIND=true,close
OMP_PROC_BIND=spread,
OMP_PROC_BIND=spreadx
OMP_PROC_BIND=x OMP_PLACES=cores
OMP_PLACES=
OMP_PLACES=thread
OMP_PLACES=cores(x)
OMP_PLACES=cores()
OMP_PLACES=cores(1
OMP_PLACES={}
OMP_PLACES={0
OMP_PLACES={0},
OMP_PLACES={0},,{1}
OMP_PLACES={0:0}
OMP_PLACES={0}:0
OMP_PLACES={0}:99999999999
OMP_PLACES={99999999999999999999}
OMP_PLACES=threads,{0}
OMP_PLACES={0},{5}
OMP_PLACES={0}:5
OMP_PLACES={5}
OMP_PLACES={1000}
OMP_PLACES={0:65}
OMP_PLACES={0}:65
OMP_PLACES={1}:3:-1
OMP_PLACES={0:2},!{1}
OMP_PLACES={0},!{0}
OMP_PLACES={!0}
OMP_PLACES={0,!1}
OMP_PLACES={0},{1,!1}
OMP_PLACES={0}:2,!{0}:2
OMP_PLACES={0:2,!0:2}
OMP_PLACES=x OMP_PROC_BIND=close
OMP_PLACES={5} OMP_PROC_BIND=close
OMP_PLACES=x OMP_PROC_BIND=false
OMP_PLACES=x GOMP_CPU_AFFINITY=1
GOMP_CPU_AFFINITY=
GOMP_CPU_AFFINITY=x
GOMP_CPU_AFFINITY=0-
GOMP_CPU_AFFINITY=1-0
GOMP_CPU_AFFINITY=0:1
GOMP_CPU_AFFINITY=0,,1
GOMP_CPU_AFFINITY=0-1:0
GOMP_CPU_AFFINITY=65536
GOMP_CPU_AFFINITY=x OMP_PLACES={1}
OMP_STACKSIZE=0
OMP_STACKSIZE=-1
OMP_STACKSIZE=abc
OMP_STACKSIZE=
OMP_STACKSIZE=1T
OMP_STACKSIZE=1.5M
OMP_STACKSIZE=18014398509481984
GOMP_STACKSIZE=x
OMP_STACKSIZE=x GOMP_STACKSIZE=2M
OMP_STACKSIZE=x GOMP_STACKSIZE=y
OMP_WAIT_POLICY=x
OMP_WAIT_POLICY=activex
GOMP_SPINCOUNT=x
GOMP_SPINCOUNT=10b
GOMP_SPINCOUNT=inf
GOMP_SPINCOUNT=
OMP_THREAD_LIMIT=0
OMP_THREAD_LIMIT=-1
OMP_THREAD_LIMIT=
OMP_NUM_TEAMS=0
OMP_NUM_TEAMS=2147483648
OMP_TEAMS_THREAD_LIMIT=0
OMP_TEAMS_THREAD_LIMIT=x
OMP_CANCELLATION=1
OMP_DEFAULT_DEVICE=-1
OMP_DEFAULT_DEVICE=2147483648
OMP_MAX_TASK_PRIORITY=-1
OMP_MAX_TASK_PRIORITY=4294967296
OMP_DISPLAY_AFFINITY=1
OMP_ALLOCATOR=omp_null_allocator
OMP_ALLOCATOR=3
OMP_ALLOCATOR=omp_const_mem_allocx
OMP_TARGET_OFFLOAD=mandatoryx
OMP_TARGET_OFFLOAD=
GOMP_DEBUG=true
GOMP_DEBUG=
""".strip("\n").split("\n")

EVERYTHING = """OMP_DYNAMIC OMP_NESTED OMP_NUM_THREADS OMP_SCHEDULE OMP_PROC_BIND OMP_PLACES OMP_STACKSIZE OMP_WAIT_POLICY
OMP_THREAD_LIMIT OMP_MAX_ACTIVE_LEVELS OMP_NUM_TEAMS OMP_TEAMS_THREAD_LIMIT OMP_CANCELLATION OMP_DEFAULT_DEVICE
OMP_MAX_TASK_PRIORITY OMP_DISPLAY_AFFINITY OMP_ALLOCATOR OMP_TARGET_OFFLOAD GOMP_CPU_AFFINITY GOMP_STACKSIZE GOMP_SPINCOUNT
GOMP_DEBUG""".split()

# (settings, the one warning, settings that stay at their default in the display)
STRICTER = [
    ("OMP_DYNAMIC=truex", "Invalid value for environment variable OMP_DYNAMIC"),
    ("OMP_DYNAMIC=true x", "Invalid value for environment variable OMP_DYNAMIC"),
    ("OMP_SCHEDULE=static 4", "Invalid value for environment variable OMP_SCHEDULE"),
    ("OMP_SCHEDULE=static,", "Invalid value for chunk size in environment variable OMP_SCHEDULE"),
    ("OMP_SCHEDULE=static,x", "Invalid value for chunk size in environment variable OMP_SCHEDULE"),
    ("OMP_SCHEDULE=static,-1", "Invalid value for chunk size in environment variable OMP_SCHEDULE"),
    ("OMP_NUM_THREADS=2147483648", "Invalid value for environment variable OMP_NUM_THREADS"),
    ("OMP_STACKSIZE=100B", "Stack size less than minimum of 16k"),
    ("OMP_PLACES=cores(0)", "Invalid value for environment variable OMP_PLACES"),
    ("OMP_PLACES=cores(-1)", "Invalid value for environment variable OMP_PLACES"),
    ("OMP_PLACES={-1}", "Invalid value for environment variable OMP_PLACES"),
    ("OMP_PLACES={0:-1}", "Invalid value for environment variable OMP_PLACES"),
    ("GOMP_SPINCOUNT=-1", "Invalid value for environment variable GOMP_SPINCOUNT"),
    ("OMP_TOOL=x", "Invalid value for environment variable OMP_TOOL"),
    ("OMP_DEBUG=x", "Invalid value for environment variable OMP_DEBUG"),
]

ONLY_OURS = re.compile(r"  \[host\] OMP_(TOOL|TOOL_LIBRARIES|TOOL_VERBOSE_INIT|DEBUG) = .*\n")


def settings(line):
    """'A=1 B=x y' to {'A': '1', 'B': 'x y'}; blanks belong to values."""
    parts = re.split(r" ?\b(G?OMP_[A-Za-z_0-9-]+)=", line)
    return dict(zip(parts[1::2], parts[2::2]))


# Differences of libgomp's output since gcc 13: the devices of a variable, the error in a value, its default if only
# another variable changes it, and a newer OpenMP version.
NEWER = release_of_the_systems() > 12
FOLLOWING = ("OMP_NUM_THREADS", "OMP_NESTED", "OMP_MAX_ACTIVE_LEVELS", "OMP_PROC_BIND", "OMP_DEFAULT_DEVICE")


def as_gcc_12(text, variables):
    """Lines that only newer ones print, and lines that only ours prints: compare the rest."""
    text = re.sub(r"^  \[(host|all)\] ", "  ", text, flags=re.M)
    text = re.sub(r"_OPENMP = '\d+'", "_OPENMP = '201511'", text)
    text = re.sub(r"(?<= environment variable )(\w+)(=.*|: .*| when parsing: .*)?$", r"\1", text, flags=re.M)
    text = text.replace("Unknown value for", "Invalid value for")
    if not NEWER:
        return text
    for name in FOLLOWING:
        if name not in variables or name == "OMP_NESTED" or f"environment variable {name}" in text:
            text = re.sub(rf"  {name} = .*\n", "", text)
    return text


def show(program, runtime, variables, **options):
    run = subprocess.run([program], env=environment(runtime, OMP_DISPLAY_ENV="verbose", **variables), capture_output=True,
                         text=True, timeout=600, **options)
    assert run.returncode == 0
    return as_gcc_12(ONLY_OURS.sub("", run.stderr).replace("enviroment", "environment"), variables)


@pytest.fixture(scope="module")
def plain(compiled):
    return show(compiled("int main(void) { return 0; }", "empty"), OURS, {})


@pytest.fixture(scope="module")
def empty(compiled):
    return compiled("int main(void) { return 0; }", "empty")


@pytest.mark.parametrize("line", GOOD + BAD)
def test_same_as_libgomp(empty, line):
    variables = settings(line)
    ours = show(empty, OURS, variables)
    libgomps = show(empty, SYSTEM, variables)
    if variables.get("OMP_TARGET_OFFLOAD") == "MANDATORY" and not NEWER:
        libgomps = libgomps.replace("OMP_DEFAULT_DEVICE = '0'", "OMP_DEFAULT_DEVICE = '-4'")  # OpenMP 5.2, 2.4
    assert ours == libgomps
    # Some virtual machines hide the caches of their processors.
    if "Error reading core/socket topology" not in libgomps:
        assert ("libgomp:" in ours) == (line in BAD)


def test_everything_bad_is_said_in_the_same_order(empty):
    variables = {name: "x" for name in EVERYTHING}
    ours, libgomps = (show(empty, runtime, variables).split("\n") for runtime in (OURS, SYSTEM))
    assert ours == libgomps or NEWER and sorted(ours) == sorted(libgomps)


@pytest.mark.parametrize("line,warning", STRICTER)
def test_bad_value_leaves_the_default(empty, plain, line, warning):
    variables = settings(line)
    assert show(empty, OURS, variables) == as_gcc_12(f"\nlibgomp: {warning}\n" + plain, variables)


@pytest.mark.parametrize("value,warns,length", [("true", False, "short"), (" TRUE ", False, "short"), ("verbose", False, "long"),
                                                ("false", False, None), ("1", True, None), ("", True, None),
                                                ("true x", True, None)])
def test_display_env(empty, value, warns, length):
    run = subprocess.run([empty], env=environment(OURS, OMP_DISPLAY_ENV=value), capture_output=True, text=True, timeout=600)
    assert ("libgomp: Invalid value for environment variable OMP_DISPLAY_ENV\n" in run.stderr) == warns
    assert ("  _OPENMP = '202111'\n" in run.stderr) == (length is not None)
    assert ("GOMP_SPINCOUNT" in run.stderr) == (length == "long")


def test_values_for_all_devices(empty):
    """NAME_ALL also applies to the host, unless NAME is set.

    A variable of the whole process has no such form (OpenMP 5.2, 21). NAME_DEV is for devices alone.
    """
    values = {"OMP_NUM_TEAMS_ALL": "3", "OMP_TEAMS_THREAD_LIMIT_ALL": "2", "OMP_SCHEDULE_ALL": "guided,4", "OMP_NUM_THREADS_ALL": "5,3",
              "OMP_NUM_THREADS": "6", "OMP_CANCELLATION_ALL": "true", "OMP_NUM_TEAMS_DEV": "4"}
    run = subprocess.run([empty], env=environment(OURS, OMP_DISPLAY_ENV="true", **values), capture_output=True, text=True, timeout=600)
    assert "libgomp: Invalid environment variable in OMP_CANCELLATION_ALL=true\n" in run.stderr
    for line in ("[host] OMP_NUM_TEAMS = '3'", "[all] OMP_NUM_TEAMS = '3'", "[device] OMP_NUM_TEAMS = '4'", "[host] OMP_TEAMS_THREAD_LIMIT = '2'", "[host] OMP_SCHEDULE = 'GUIDED,4'",
                 "[host] OMP_NUM_THREADS = '6'", "[all] OMP_NUM_THREADS = '5,3'", "[all] OMP_CANCELLATION = 'FALSE'"):
        assert line in run.stderr


OF_DEVICES = [("OMP_NUM_THREADS", "5", "5"), ("OMP_SCHEDULE", "guided,4", "GUIDED,4"), ("OMP_DYNAMIC", "true", "TRUE"),
              ("OMP_NUM_TEAMS", "3", "3"), ("OMP_TEAMS_THREAD_LIMIT", "2", "2"), ("OMP_THREAD_LIMIT", "9", "9"),
              ("OMP_MAX_ACTIVE_LEVELS", "7", "7"), ("OMP_PROC_BIND", "close", "CLOSE"), ("OMP_PLACES", "{0}", "{0}"),
              ("OMP_STACKSIZE", "1M", "1048576"), ("OMP_WAIT_POLICY", "active", "ACTIVE"),
              ("OMP_AFFINITY_FORMAT", "x %n", "x %n"), ("OMP_ALLOCATOR", "omp_const_mem_alloc", "omp_const_mem_alloc")]


# NAME_ALL of these sets the value of the host. The runtime ignores their forms for devices.
HOST_ALONE = ("OMP_PLACES", "OMP_AFFINITY_FORMAT", "OMP_ALLOCATOR")


def display(program, **variables):
    run = subprocess.run([program], env=environment(OURS, OMP_DISPLAY_ENV="true", **variables), capture_output=True, text=True,
                         timeout=600)
    assert run.returncode == 0
    return run.stderr


def without_devices(text):
    return re.sub(r"  \[(device|\d+)\] .*\n", "", text)


@pytest.mark.parametrize("name,value,shown", OF_DEVICES)
def test_variables_of_devices(empty, name, value, shown):
    """NAME overrides NAME_ALL if it is valid. NAME_DEV and NAME_DEV_0 are not for the host."""
    line = f"  [host] {name} = '{shown}'\n"
    default = display(empty)
    assert line not in default
    of_all = display(empty, **{name + "_ALL": value})
    assert line in of_all and (f"  [all] {name} = '{shown}'\n" in of_all) == (name not in HOST_ALONE)
    of_devices = display(empty, **{name + "_DEV": value, name + "_DEV_0": value})
    assert without_devices(of_devices) == default
    for scope in ("device", "0"):
        assert (f"  [{scope}] {name} = '{shown}'\n" in of_devices) == (name not in HOST_ALONE)
    if name == "OMP_AFFINITY_FORMAT":  # any text is valid
        return
    said = " value for environment variable "
    # GOMP_STACKSIZE is not set, and no variable but the invalid one is named.
    both = display(empty, **{name: "?", name + "_ALL": value})
    assert line in both and re.findall(said + r"(\w+)\b", both) == [name]
    both = display(empty, **{name: "?", name + "_ALL": "?"})
    assert line not in both and sorted(re.findall(said + r"(\w+)\b", both)) == [name, name + "_ALL"]


@pytest.mark.parametrize("name,value", [(name, value) for name, value, _ in OF_DEVICES if name not in HOST_ALONE])
@pytest.mark.parametrize("form,scope", [("_ALL", None), ("_DEV", None), ("_DEV_7", "7")])
def test_an_invalid_value_beside_a_valid_one(empty, name, value, form, scope):
    """It is reported once, has no line, and changes nothing else."""
    levels = f"  [{scope}] OMP_MAX_ACTIVE_LEVELS = '1'\n"
    both = display(empty, **{name: value, name + form: "?"})
    message = f"\nlibgomp: Invalid value for environment variable {name}{form}: ?\n"
    assert both.count(message) == both.count("libgomp:") == 1 and both.count(levels) == bool(scope)
    assert both.replace(message, "").replace(levels, "") == display(empty, **{name: value})


@pytest.mark.parametrize("line,size", [("OMP_STACKSIZE_ALL=1M GOMP_STACKSIZE=3M", 3 << 20), ("OMP_STACKSIZE_ALL=1M GOMP_STACKSIZE=x", 1 << 20),
                                       ("OMP_STACKSIZE_ALL=x GOMP_STACKSIZE=3M", 3 << 20), ("OMP_STACKSIZE=1M OMP_STACKSIZE_ALL=2M", 1 << 20)])
def test_the_older_name_of_the_stack_size(empty, line, size):
    """It is the host's, and overrides OMP_STACKSIZE_ALL."""
    shown = display(empty, **settings(line))
    assert f"  [host] OMP_STACKSIZE = '{size}'\n" in shown and shown.count("libgomp:") == line.count("x")


@pytest.mark.parametrize("name", ["OMP_NUM_THREADS_DEV_x", "OMP_NUM_THREADS_DEV_", "OMP_NUM_THREADS_DEV_01", "OMP_NUM_THREADS_DEV_-1",
                                  "OMP_NUM_THREADS_DEV_1x", "OMP_NUM_THREADS_DEV_2147483648", "OMP_NUM_THREADS_DEV_99999999999999999999"])
def test_invalid_number_of_a_device(empty, name):
    message = f"\nlibgomp: Invalid device number in {name}=3\n"
    assert display(empty, **{name: "3"}) == message + display(empty)


@pytest.mark.parametrize("name", ["OMP_NUM_THREADSX", "OMP_NUM_THREADS_", "OMP_NUM_THREADS_FOO", "OMP_NUM_THREADS_ALLX",
                                  "OMP_NUM_THREADS_ALL_0", "OMP_NUM_THREADS_DEVX", "OMP_CANCELLATION_DEV", "OMP_TARGET_OFFLOAD_ALL",
                                  "OMP_MAX_TASK_PRIORITY_DEV_0", "OMP_DISPLAY_AFFINITY_X"])
def test_form_that_a_variable_does_not_have(empty, name):
    message = f"\nlibgomp: Invalid environment variable in {name}=3\n"
    assert display(empty, **{name: "3"}) == message + display(empty)


def test_display_of_several_devices(empty):
    """The scopes of a variable in a fixed order. Each device that a variable names has a line for its levels."""
    shown = display(empty, OMP_NUM_THREADS="2", OMP_NUM_THREADS_ALL="3", OMP_NUM_THREADS_DEV="4", OMP_NUM_THREADS_DEV_0="5",
                    OMP_NUM_THREADS_DEV_2147483647="6,7", OMP_MAX_ACTIVE_LEVELS_DEV_0="1000", OMP_SCHEDULE_DEV="monotonic:dynamic,5")
    assert re.findall(r"  (.*) OMP_NUM_THREADS = '(.*)'", shown) == [
        ("[host]", "2"), ("[all]", "3"), ("[device]", "4"), ("[0]", "5"), ("[2147483647]", "6,7")]
    assert re.findall(r"  (.*) OMP_MAX_ACTIVE_LEVELS = '(.*)'", shown) == [("[host]", "1"), ("[0]", "255"), ("[2147483647]", "1")]
    assert "  [device] OMP_SCHEDULE = 'MONOTONIC:DYNAMIC,5'\n" in shown


def test_default_device_for_all(compiled):
    """OMP_DEFAULT_DEVICE_ALL is a value of the host, too."""
    program = compiled("#include <omp.h>\nint main(void) { return omp_get_default_device(); }", "default_device")
    for variables, device in (({"OMP_DEFAULT_DEVICE_ALL": "3"}, 3), ({"OMP_DEFAULT_DEVICE_ALL": "3", "OMP_DEFAULT_DEVICE": "2"}, 2),
                              ({"OMP_DEFAULT_DEVICE_DEV": "3"}, 0), ({"OMP_DEFAULT_DEVICE_ALL": "x"}, 0)):
        run = subprocess.run([program], env=environment(OURS, **variables), capture_output=True, text=True, timeout=600)
        assert run.returncode == device, variables
        assert ("Invalid value for environment variable OMP_DEFAULT_DEVICE_ALL: x" in run.stderr) == ("x" in variables.values())


def test_display_of_the_tools_variables(empty):
    run = subprocess.run([empty], env=environment(OURS, OMP_DISPLAY_ENV="true", OMP_TOOL="disabled", OMP_DEBUG="on",
                                                  OMP_TOOL_LIBRARIES="/a:/b", OMP_TOOL_VERBOSE_INIT="stderr"),
                         capture_output=True, text=True, timeout=600)
    for line in ("OMP_TOOL = 'disabled'", "OMP_DEBUG = 'enabled'", "OMP_TOOL_LIBRARIES = '/a:/b'",
                 "OMP_TOOL_VERBOSE_INIT = 'stderr'"):
        assert line in run.stderr


def test_only_the_cpus_of_the_process(empty):
    """With one CPU of two, both have fewer places and threads."""
    for line in ("OMP_PLACES=threads", "OMP_PLACES={0:2}", "OMP_PLACES={0},{1}", "OMP_PLACES=ll_caches", "OMP_PROC_BIND=true"):
        outputs = [show(empty, runtime, settings(line), preexec_fn=lambda: os.sched_setaffinity(0, {max(os.sched_getaffinity(0))}))
                   for runtime in (OURS, SYSTEM)]
        assert outputs[0] == outputs[1], line
