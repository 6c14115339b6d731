# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ompdd-dap's scope "Devices": devices, map tables and images as `ompdctl devices` shows them."""
import contextlib
import re

import pytest
from cores import gcore
from dap import NATIVE
from targets import alive, wait_until
from test_dap_steps import pause
from test_device_list import N_DEVICES, ON_LIBGOMP, start

COMPANION = pytest.param("companion", marks=pytest.mark.skipif(not NATIVE, reason="no native debug adapter is installed (package lldb)"))


@contextlib.contextmanager
def attached(adapter, mode, **arguments):
    """A session whose process is stopped, or shown, and the id of a frame of its first thread."""
    dap = adapter()
    dap.initialize()
    number = dap.send("attach", mode=mode, **arguments)
    dap.event("initialized")
    dap.ask("configurationDone")
    assert dap.answer(number)["success"]
    if mode == "observe":
        dap.event("stopped")
    else:
        pause(dap, arguments["pid"])
    thread = dap.threads()[0]["id"]
    yield dap, dap.stack(thread)[0]["id"]
    dap.end()


def scope_names(dap, frame):
    return [one["name"] for one in dap.ask("scopes", frameId=frame)["scopes"]]


def opened(dap, reference):
    """Return the variables of @reference by name: (value, own reference)."""
    variables = dap.ask("variables", variablesReference=reference)["variables"]
    by_name = {one["name"]: (one["value"], one["variablesReference"]) for one in variables}
    assert len(by_name) == len(variables), variables
    return by_name


def open_runtime(dap, frame):
    """Return the lines below the only runtime of the scope, and its text."""
    scope, = (one for one in dap.ask("scopes", frameId=frame)["scopes"] if one["name"] == "Devices")
    (name, (text, reference)), = opened(dap, scope["variablesReference"]).items()
    assert name == "runtime", name
    return text, opened(dap, reference)


def assert_shows(dap, frame, own):
    """The scope has what the program prints of its devices."""
    text, lines = open_runtime(dap, frame)
    assert f", {N_DEVICES} devices, default device {own['default']}" in text, text
    assert list(lines) == ["device 0", "device 1", "image"], lines
    for number in range(N_DEVICES):
        value, reference = lines[f"device {number}"]
        assert value == "nvptx, initialised, libgomp-plugin-nvptx.so.1", value
        maps = opened(dap, reference)
        assert list(maps) == ["map", *(f"map {i}" for i in range(2, len(maps) + 1))], maps
        assert not any(inner for _, inner in maps.values()), maps
        texts = [value for value, _ in maps.values()]
        present = [one for one in own["objects"] if one["present"][number]]
        for one in present:
            # An object on stack or heap has its place, or without registers its host address.
            name, place = re.escape(one["name"]), r"( of main\(\))? at offload_maps\.c:\d+(, thread 0)?"
            pattern = rf"({name}|(candidate \*)?{name}{place}|{one['host']}), {one['size']} bytes, device 0x"
            assert any(re.match(pattern, shown) for shown in texts), (one, texts)
        assert len([shown for shown in texts if "._omp_fn" not in shown]) == len(present), texts
    assert any(value == f"c, 256 bytes, device {own['own']}, infinite references" for value, _ in opened(dap, lines["device 1"][1]).values())
    value, reference = lines["image"]
    assert value == "for nvptx, of offload_maps", value
    image = opened(dap, reference)
    assert image["kernel"][0].startswith("run_kernel._omp_fn") and image["variable"][0] == "shared_table, 256 bytes", image


@ON_LIBGOMP
@pytest.mark.parametrize("mode", ["observe", "stop", COMPANION])
def test_devices_of_a_process(mode, adapter, program):
    one, own = start(program)
    with attached(adapter, mode, pid=one.pid) as (dap, frame):
        assert_shows(dap, frame, own)
        assert scope_names(dap, frame)[-1] == "Devices"
    wait_until(lambda: alive(one.pid), "it runs on")


@ON_LIBGOMP
def test_devices_of_a_core(adapter, program, tmp_path):
    one, own = start(program)
    with attached(adapter, "observe", coreFile=str(gcore(one, tmp_path))) as (dap, frame):
        assert_shows(dap, frame, own)


@ON_LIBGOMP
def test_devices_are_those_of_the_stop(adapter, program):
    """References end with the stop; the next stop has new ones. Requests that wait together get the same answer."""
    one, own = start(program)
    with attached(adapter, "stop", pid=one.pid) as (dap, frame):
        waiting = [dap.send("scopes", frameId=frame) for _ in range(4)]
        names = [[scope["name"] for scope in dap.answer(number)["body"]["scopes"]] for number in waiting]
        assert all(each == names[0] and each[-1] == "Devices" for each in names), names
        scope = dap.ask("scopes", frameId=frame)["scopes"][-1]
        dap.ask("continue", threadId=one.pid)
        assert "earlier stop" in dap.fail("variables", variablesReference=scope["variablesReference"])
        pause(dap, one.pid)
        thread = dap.threads()[0]["id"]
        assert_shows(dap, dap.stack(thread)[0]["id"], own)


@pytest.mark.parametrize("mode", ["observe", "stop", COMPANION])
def test_without_devices_there_is_no_scope(mode, adapter, program):
    one = program("flat", 2)
    with attached(adapter, mode, pid=one.pid) as (dap, frame):
        names = scope_names(dap, frame)
        assert {"Thread", "Task ICVs", "Region"} <= set(names) and "Devices" not in names, names
    wait_until(lambda: alive(one.pid), "it runs on")
