# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C++ functions have the names of their source in stacks, tasks, regions and breakpoints, also as parameters."""
import pytest
from conftest import fails
from control import Hits

NAMES = {
    # Accepted forms of a name, and the function that each names.
    "_ZN2ns4workEi": "ns::work(int)",
    "ns::work(int)": "ns::work(int)",
    "ns::work": "ns::work(int)",
    " ns :: work ( int ) ": "ns::work(int)",
    "ns::same(char const*)": "ns::same(char const*)",
    "double ns::largest<double>(double, double)": "double ns::largest<double>(double, double)",
    "ns::largest<int>": "int ns::largest<int>(int, int)",
    "ns::largest<int>(int,int)": "int ns::largest<int>(int, int)",
    "ns::counter::counter": "ns::counter::counter(int)",
    "ns::counter::operator()": "ns::counter::operator()(int) const",
    "ns::counter::operator()(int) const": "ns::counter::operator()(int) const",
}


@pytest.fixture
def target(client, program):
    one = program("names_cpp")
    return client.target.attach(pid=one.pid, mode="stop")["target"]


@pytest.mark.parametrize("name", NAMES)
def test_breakpoint(client, target, name):
    hits = Hits(client, target)
    made = client.breakpoint.set(target=target, function=name)
    assert made["function"] == name
    assert {place["function"] for place in made["places"]} == {NAMES[name]}
    hits.next()
    assert client.target.info(target=target)["stop"]["function"] == NAMES[name]


@pytest.mark.parametrize("name", ["ns::same", "ns::largest", "same"])
def test_several(client, target, name):
    code = "ambiguous_name" if "::" in name else "symbol_not_found"
    with fails(code) as caught:
        client.breakpoint.set(target=target, function=name)
    if code == "ambiguous_name":
        kinds = ("int", "char const*") if name == "ns::same" else ("int, int", "double, double")
        assert all(f"({kind})" in str(caught.error) for kind in kinds)


@pytest.mark.parametrize("name", ["ns::sum", "sum", "ns::work(", "ns::work()", "ns::work(int", "operator", "operator()", "::", "<", ")", "(", "_ZN2ns4work",
                                  "ns::work(int) [clone", "<" * 4096, "a::" * 1365])
def test_none(client, target, name):
    with fails("symbol_not_found"):
        client.breakpoint.set(target=target, function=name)


def test_stacks(client, target):
    hits = Hits(client, target)
    client.breakpoint.set(target=target, function="ns::same(int)")
    thread = hits.next()["tid"]
    frames = client.stack.get(target=target, thread=thread)["frames"]
    functions = [frame["function"] for frame in frames]
    assert functions[:3] == ["ns::same(int)", "ns::work(int)", "main._omp_fn.0"]


def test_ompdctl(client, daemon, target, ompdctl):
    hits = Hits(client, target)
    client.breakpoint.set(target=target, function="ns::largest<int>")
    thread = hits.next()["tid"]
    command = ("-s", daemon.uris[0], "-t", target, "bt", thread)
    text = ompdctl(*command).stdout
    assert " ns::largest<…>() at " in text and " ns::work() at " in text and " main._omp_fn.0() at " in text, text
    text = ompdctl(*command, "--full-names").stdout
    assert " int ns::largest<int>(int, int) at " in text and " ns::work(int) at " in text, text
    view = client.view.get(target=target, view="stacks", thread=thread, raw=True)
    assert view["raw"]["frames"][0]["function"] == "int ns::largest<int>(int, int)"


def test_regions_and_tasks(client, program):
    one = program("languages_cpp")
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    snapshot = client.snapshot.get(target=target, stacks="all")
    symbols = {task["function"]["symbol"] for task in snapshot["tasks"] if "symbol" in task.get("function", {})}
    symbols |= {region["function"]["symbol"] for region in snapshot["parallels"] if "symbol" in region.get("function", {})}
    readable = {symbol for symbol in symbols if isinstance(symbol, str)}
    assert any("in_team<" in symbol for symbol in readable), symbols
    assert not any(symbol.startswith("_Z") for symbol in readable)
