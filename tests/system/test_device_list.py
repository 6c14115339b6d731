# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""device.list and `ompdctl devices`: libgomp's devices, map tables and images agree with what the program itself sees."""
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest
from conftest import fails
from cores import gcore
from snapshots import has_rc
from targets import BUILD, LIBGOMP, OMPRT, PROGRAMS, RUNTIME, stand_in_environment, wait_until

SOURCE = pathlib.Path(__file__).parents[1] / "programs" / "offload_maps.c"
STAND_IN = PROGRAMS / "stand_in"
ON_LIBGOMP = pytest.mark.skipif(OMPRT, reason="it is our runtime already")
N_DEVICES = 2
OMPTARGET = os.environ.get("OMPDD_OMPTARGET_DIR")  # of another release: tests/matrix/libomp.sh --target


def start(program, *args):
    """Start a program that has devices. Returns it and its own view of them."""
    one = program("offload_maps", *args, env=stand_in_environment())
    own = one.lines[one.pid]
    if LIBGOMP and not own["devices"]:
        pytest.skip("this libgomp was built without plugins: remove its folder and run build.sh")
    return one, own


def table_of(result):
    assert len(result["tables"]) == 1, result
    return result["tables"][0]


def line_of(source, text):
    return next(n for n, line in enumerate(source.read_text().splitlines(), 1) if text in line)


def assert_names_of_locals(result, own, is_observed):
    """Objects on stack and heap have the variables of main(). Without registers, its frame is not found."""
    maps = {one["variable"]: one for one in table_of(result)["devices"][1]["maps"] if "certainty" in one}
    wanted = {"local": ("proven", "main", "int local[100]"), "varying": ("proven", "main", "int local[100]"),
              "heap": ("candidate", "main", "int *volatile heap"), "grid": ("candidate", None, "static int *grid")}
    assert set(maps) == set(wanted) or (is_observed and {"grid"} <= set(maps) <= set(wanted)), maps
    for name, one in maps.items():
        certainty, function, text = wanted[name]
        assert (one["certainty"], one.get("in_function"), one["location"]["line"]) == (certainty, function, line_of(SOURCE, text)), one
        assert (one.get("tid"), one.get("thread_num")) == ((own["tid"], 0) if function else (None, None)), one


def assert_agrees(result, own, is_observed=False):
    """The answer has the devices, objects and counts that the program prints."""
    table = table_of(result)
    assert table["default_device"] == own["default"], table
    assert [device["number"] for device in table["devices"]] == list(range(own["devices"])), table
    for device in table["devices"]:
        assert (device["kind"], device["name"], device["state"], device["locked"]) == ("nvptx", "nvptx", "initialised", False), device
        assert device["plugin"] == str(STAND_IN / "libgomp-plugin-nvptx.so.1"), device
        assert device["plugin_number"] == device["number"] and device["complete"], device
        maps = {one["host"]: one for one in device["maps"]}
        present = {one["host"]: one for one in own["objects"] if one["present"][device["number"]]}
        functions = [one for one in device["maps"] if "function" in one]
        assert len(maps) == len(device["maps"]) == len(present) + len(functions), device
        for host, one in present.items():
            name = maps[host].get("variable")
            assert maps[host]["size"] == one["size"] and (name == one["name"] or (not name and is_observed)), (maps[host], one)
    counts = [{one["variable"]: one["references"] for one in device["maps"] if "variable" in one and "certainty" not in one} for device in table["devices"]]
    assert counts == [{"shared_table": "infinite", "b+0x20": 1, "a": 2}, {"shared_table": "infinite", "c": "infinite"}], counts
    addresses = [one["device_address"] for one in table["devices"][1]["maps"] if one.get("variable") == "c"]
    assert addresses == [own["own"]], addresses


def assert_has_image(result):
    line = next(n for n, text in enumerate(SOURCE.read_text().splitlines(), 1) if "/* kernel */" in text)
    image, = table_of(result)["images"]
    kernel, = image["kernels"]
    variable, = image["variables"]
    assert (image["kind"], image["module"], image["complete"]) == ("nvptx", str(PROGRAMS / "offload_maps"), True), image
    assert kernel["function"].startswith("run_kernel._omp_fn"), kernel
    assert has_rc(kernel["location"]) or kernel["location"]["line"] in (line, line + 1), kernel
    assert (variable["variable"], variable["size"], variable["link"]) == ("shared_table", 256, False), variable


@ON_LIBGOMP
def test_tables_agree_with_the_program(mode, program, client):
    one, own = start(program)
    # Before OpenMP 5.1, libgomp's number of the host was -2.
    assert own["devices"] == N_DEVICES and own["initial"] in (N_DEVICES, *([-2] if LIBGOMP else []))
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    result = client.device.list(target=target)
    assert result["consistency"] != "racy", result
    with fails("ompd_rc_unsupported") as failure:
        client.ompd.device_initialize(target=target, kind="OMPD_DEVICE_KIND_HOST", id=0)
    assert "a device of kind nvptx needs the debugger interface of its vendor" in failure.error.message, failure.error
    assert_agrees(result, own, mode == "observe")
    assert_names_of_locals(result, own, mode == "observe")
    assert_has_image(result)


@ON_LIBGOMP
def test_tables_of_a_core(program, client, tmp_path):
    one, own = start(program)
    result = client.device.list(target=client.target.open_core(core=str(gcore(one, tmp_path)))["target"])
    assert_agrees(result, own)
    assert_names_of_locals(result, own, False)
    assert_has_image(result)


def count_whole(client, target, names):
    """Return how many of 30 views of a table that changes have all names. Each is sorted, or unavailable with a reason."""
    whole = 0
    for _ in range(30):
        device = table_of(client.device.list(target=target))["devices"][0]
        if has_rc(device["maps"]):
            assert device["maps"]["message"].startswith("cannot read "), device
            continue
        starts = [int(entry["host"], 16) for entry in device["maps"]]
        assert starts == sorted(starts), device
        whole += names <= {entry.get("variable") for entry in device["maps"]}
    return whole


@ON_LIBGOMP
def test_tables_that_change(mode, program, client):
    """No view of a table that changes is wrong: it is sorted, or unavailable with the reason."""
    one, own = start(program, "again")
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    assert count_whole(client, target, {"a", "b+0x20"}) or mode == "observe", own


@pytest.mark.skipif(bool(LIBGOMP), reason="once, with the system's libgomp, is enough")
def test_a_device_that_waits_for_a_copy_is_locked(program, client):
    """libgomp holds the lock of the table while it copies."""
    one = program("offload", "data", env={"LD_LIBRARY_PATH": str(STAND_IN), "STAND_IN_COPY": "sleep"})
    target = client.target.attach(pid=one.pid, mode="stop")["target"]

    def answer():
        device = table_of(client.device.list(target=target))["devices"]
        return device[0] if device and device[0]["locked"] else None
    assert wait_until(answer, "it copies")["state"] == "initialised"


@ON_LIBGOMP
def test_limit_of_a_table(program, client):
    one, _ = start(program)
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    first = table_of(client.device.list(target=target, max_maps=1))["devices"][0]
    assert len(first["maps"]) == 1 and not first["complete"], first


def test_no_device(program, client):
    """A program that never asked for a device has none. Our runtime never has."""
    one = program("flat", 2)
    table = table_of(client.device.list(target=client.target.attach(pid=one.pid, mode="stop")["target"]))
    assert (table["runtime"]["kind"], table["devices"], table["images"]) == (RUNTIME, [], []), table


@pytest.mark.skipif(bool(LIBGOMP), reason="once, with the system's libgomp, is enough")
def test_our_runtime_has_no_devices(program, client):
    """The same program, whose functions are registered, on our runtime."""
    one = program("offload_maps", env={"LD_LIBRARY_PATH": f"{BUILD / 'lib' / 'ompdd'}:{STAND_IN}"})
    table = table_of(client.device.list(target=client.target.attach(pid=one.pid, mode="stop")["target"]))
    assert one.lines[one.pid]["devices"] == 0, one.lines
    assert (table["runtime"]["kind"], table["devices"], table["images"]) == ("omprt", [], []), table


def release_of_llvm():
    return int(OMPTARGET.rpartition("-")[2]) if OMPTARGET else 14


def libraries_of_llvm():
    """Return clang's options and the environment for the tested libomptarget. Another release has its own C library."""
    if not OMPTARGET:
        return [], {}
    loader = f"-Wl,--dynamic-linker={OMPTARGET}/ld-linux-x86-64.so.2"
    return [f"-L{OMPTARGET}", "-Wl,--allow-shlib-undefined", loader], {"LD_LIBRARY_PATH": OMPTARGET}


@contextlib.contextmanager
def llvm_program(folder, *args, options=("-O1",)):
    """Run the program for LLVM's host plugin. Yields it, its own view of its objects, and the file with the runtime's tables."""
    binary, clang = folder / "offload_llvm_maps", shutil.which("clang")
    libraries, env = libraries_of_llvm()
    command = [clang, "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu", *options, SOURCE.with_name("offload_llvm_maps.c"), "-o", binary,
               *libraries]
    if not clang or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("clang cannot compile for its host plugin: apt install clang libomp-dev")
    log = folder / "tables"
    with log.open("w") as errors, subprocess.Popen([binary, *args], stdout=subprocess.PIPE, stderr=errors, text=True,
                                                   env={**os.environ, **env, "LIBOMPTARGET_INFO": "0" if args else "4"}) as one:
        try:
            yield one, json.loads(one.stdout.readline()), log
        finally:
            one.kill()


def printed_tables(log):
    """Return the last table of each device that LIBOMPTARGET_INFO printed: host to device address, size, counts."""
    tables = {}
    for line in log.read_text().splitlines():
        found = re.match(r"(?:Lib)?omptarget device (\d+) info: ", line)
        if not found:  # a newer runtime's message about an older compiler
            continue
        device = int(found[1])
        row = re.search(r" info: (0x\w+) (0x\w+) (\d+) +(\d+|INF) +(\d+|INF) ", line)
        if "pointer mappings after block" in line:
            tables[device] = {}
        elif row:
            total = "infinite" if "INF" in row.group(4, 5) else int(row[4]) + int(row[5])
            tables[device][int(row[1], 16)] = int(row[2], 16), int(row[3]), total
    return tables


def assert_agrees_with_llvm(result, own, log):
    table, printed = table_of(result), printed_tables(log)
    assert table["runtime"]["kind"] == "libomp" and printed, table
    assert [device["number"] for device in table["devices"]] == list(range(own["devices"])), table
    for device in table["devices"]:
        number = device["number"]
        assert (device["kind"], device["plugin_number"], device["locked"], device["complete"]) == ("x86_64", number, False, True), device
        in_library = "" if release_of_llvm() >= 19 else ".rtl.x86_64"
        assert pathlib.Path(device["plugin"]).name.startswith(f"libomptarget{in_library}.") and has_rc(device["name"]), device
        assert device["state"] == ("initialised" if number < 2 or release_of_llvm() >= 18 else "uninitialised"), device
        maps = {int(one["host"], 16): (int(one["device_address"], 16), one["size"], one["references"]) for one in device["maps"]}
        assert maps == printed.get(number, {}), device
    for one in own["objects"]:
        for device, is_present in zip(table["devices"], one["present"]):
            found = [entry for entry in device["maps"] if entry["host"] == one["host"]]
            assert len(found) == is_present, (one, device)
            name = found[0].get("variable", "") if found else None
            assert not found or name == one["name"] or (name == "local" and found[0]["certainty"] == "proven"), (one, found)
    addresses = [one["device_address"] for one in table["devices"][1]["maps"] if one.get("variable") == "c"]
    assert addresses == [own["own"]], addresses


def assert_opens_devices(client, target):
    """Each device whose code the host executes, and the initial one, has an address space with the process's variables and threads."""
    handles = [client.ompd.device_initialize(target=target, kind="OMPD_DEVICE_KIND_HOST", id=number)["device_handle"] for number in range(5)]
    assert len(set(handles)) == 5, handles
    with fails("ompd_rc_bad_input") as failure:
        client.ompd.device_initialize(target=target, kind="OMPD_DEVICE_KIND_HOST", id=5)
    assert "the process has 4 devices: 4 is the host's number" in failure.error.message, failure.error
    pid = client.target.info(target=target)["pid"]
    client.ompd.get_thread_handle(target=target, handle=handles[0], kind="OMPD_THREAD_ID_LWP", thread_id=pid)
    more, icv = True, 0
    while more:
        answer = client.ompd.enumerate_icvs(target=target, handle=handles[0], current=icv)
        icv, more = answer["next_id"], answer["more"]
        if answer["next_icv_name"] == "stacksize-var":
            values = [client.ompd.get_icv_from_scope(target=target, scope=answer["next_scope"], icv_id=icv, **params)["icv_value"]
                      for params in ({}, {"handle": handles[0]}, {"handle": handles[4]})]
            assert values[0] == values[1] == values[2] > 0, values
            break
    else:
        raise AssertionError("stacksize-var is not enumerated")
    for handle in handles:
        client.ompd.rel_address_space_handle(target=target, handle=handle)


def assert_has_image_of_llvm(result, one):
    """The image has both target regions of the source, by the line in the kernel's name, and its variable."""
    source = SOURCE.with_name("offload_llvm_maps.c").read_text().splitlines()
    lines = [n for n, text in enumerate(source, 1) if "omp target " in text and "data" not in text]
    image, = table_of(result)["images"]
    variable, = image["variables"]
    assert (image["kind"], image["module"], image["complete"]) == ("x86_64", one.args[0].as_posix(), True), image
    assert [re.fullmatch(r"__omp_offloading_\w+_main_l(\d+)", kernel["function"])[1] for kernel in image["kernels"]] == \
        [str(line) for line in lines], image
    assert (variable["variable"], variable["size"], variable["link"]) == ("shared_table", 256, False), variable


@pytest.mark.skipif(bool(LIBGOMP), reason="once, with the system's libgomp, is enough")
def test_tables_of_llvm(mode, client, tmp_path):
    with llvm_program(tmp_path) as (one, own, log):
        target = client.target.attach(pid=one.pid, mode=mode)["target"]
        result = client.device.list(target=target)
        assert_agrees_with_llvm(result, own, log)
        assert_has_image_of_llvm(result, one)
        if mode == "stop":
            client.target.stop(target=target)
            assert_opens_devices(client, target)


@pytest.mark.skipif(bool(LIBGOMP), reason="once, with the system's libgomp, is enough")
def test_tables_of_llvm_in_a_core(client, tmp_path):
    """With -g, the runtime's table has the names of all objects, and the lines of their declarations."""
    with llvm_program(tmp_path, options=("-O1", "-g")) as (one, own, log):
        core = gcore(one, tmp_path, one.pid)
        result = client.device.list(target=client.target.open_core(core=str(core))["target"])
        assert_agrees_with_llvm(result, own, log)
        local = next(entry for entry in table_of(result)["devices"][1]["maps"] if entry.get("variable") == "local")
        printed = re.search(rf" {int(local['host'], 16):#018x} .* local at (\S+):(\d+):\d+$", log.read_text(), re.MULTILINE)
        assert (pathlib.Path(local["location"]["file"]).name, str(local["location"]["line"])) == printed.groups(), (local, printed)


@pytest.mark.skipif(bool(LIBGOMP), reason="once, with the system's libgomp, is enough")
def test_tables_of_llvm_that_change(mode, client, tmp_path):
    """No view of a table that changes is wrong: it is sorted, or unavailable with the reason."""
    with llvm_program(tmp_path, "again") as (one, own, _):
        target = client.target.attach(pid=one.pid, mode=mode)["target"]
        assert count_whole(client, target, {"a", "b+0x20", "shared_table"}) or mode == "observe", own


@pytest.mark.skipif(bool(LIBGOMP), reason="once, with the system's libgomp, is enough")
def test_llvm_without_devices(program, client):
    one = program("flat", 2, path=PROGRAMS / "llvm" / "flat")
    table = table_of(client.device.list(target=client.target.attach(pid=one.pid, mode="stop")["target"]))
    assert (table["runtime"]["kind"], table["devices"], table["images"]) == ("libomp", [], []), table


@pytest.mark.skipif(bool(LIBGOMP), reason="once, with the system's libgomp, is enough")
def test_another_release_of_libomptarget_is_unavailable(program, client, tmp_path):
    """A library that exports what LLVM 15 added, but not what LLVM 14 did."""
    library = tmp_path / "libomptarget.so.15"
    subprocess.run(["gcc", "-shared", "-xc", "-", "-o", library], input="void __tgt_target_kernel(void) {}", text=True, check=True)
    one = program("flat", 2, path=PROGRAMS / "llvm" / "flat", env={"LD_PRELOAD": str(library)})
    table = table_of(client.device.list(target=client.target.attach(pid=one.pid, mode="stop")["target"]))
    assert has_rc(table["devices"]) and has_rc(table["images"]), table
    assert "of an unknown release: the tables of LLVM 14 to 23 are known" in table["devices"]["message"], table


@ON_LIBGOMP
def test_ompdctl_devices(program, ompdctl):
    one, own = start(program)
    text = ompdctl("-p", one.pid, "devices").stdout
    assert ", 2 devices, default device 1" in text, text
    assert "device 0 nvptx, initialised, libgomp-plugin-nvptx.so.1" in text, text
    assert "map a, 256 bytes, device " in text and ", 2 references" in text, text
    assert "map c, 256 bytes, device " + own["own"] + ", infinite references" in text, text
    assert "image for nvptx, of offload_maps" in text and "variable shared_table, 256 bytes" in text, text
    result = json.loads(ompdctl("-p", one.pid, "devices", "--json").stdout)
    assert_agrees(result, own)
