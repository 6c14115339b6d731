# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GET /metrics: in Prometheus' format, correct, and of bounded size."""
import math
import os
import pathlib
import re
import resource
import shutil
import subprocess
import time

import pytest
from conftest import fails
from targets import wait_until

SAMPLE = re.compile(r'([a-z_]+)(?:\{((?:[a-z_]+="[^"]*",?)*)\})? (\S+)')
# Limit for one target, whatever it does and however many threads it has.
MAX_SERIES = 60


def fetch(daemon):
    with daemon.wire() as wire:
        wire.send(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        answer = b"".join(iter(lambda: wire.socket.recv(65536), b"")).decode()
    head, _, text = answer.partition("\r\n\r\n")
    assert " 200 " in head.splitlines()[0] and "text/plain; version=0.0.4" in head
    return text


def parse(text):
    """Return {(name, labels): value}. Each line must be a comment or a sample."""
    samples = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        name, labels, value = SAMPLE.fullmatch(line).groups()
        key = name, labels or ""
        assert key not in samples, f"twice: {line}"
        samples[key] = float(value)
    return samples


def value(daemon, name, labels=""):
    return parse(fetch(daemon)).get((name, labels))


def buckets(samples, name, label=""):
    """Return [(bound, count)] of one histogram, whose parts must agree."""
    rows = []
    for (full, labels), n in samples.items():
        if full == f"{name}_bucket" and label in labels:
            rows.append((float(re.search(r'le="([^"]+)"', labels)[1]), n))
    assert rows and rows == sorted(rows) and [n for _, n in rows] == sorted(n for _, n in rows)
    assert rows[-1] == (math.inf, samples[f"{name}_count", label])
    return rows


def test_promtool_has_no_complaint(program, daemon, client):
    """The check of Prometheus itself: format, names, units, help."""
    promtool = os.environ.get("PROMTOOL") or shutil.which("promtool")
    if not promtool:
        pytest.skip("promtool is not here: apt install prometheus")
    target = client.target.attach(pid=program("flat", 2).pid, mode="stop")["target"]
    client.snapshot.get(target=target)
    done = subprocess.run([promtool, "check", "metrics"], input=fetch(daemon), capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_every_family_says_what_it_is(program, daemon, client):
    target = client.target.attach(pid=program("flat", 2).pid, mode="stop")["target"]
    client.snapshot.get(target=target)
    text = fetch(daemon)
    helps = re.findall(r"^# HELP (\S+) \S.*$", text, re.M)
    kinds = dict(re.findall(r"^# TYPE (\S+) (counter|gauge|histogram)$", text, re.M))
    assert len(helps) == len(set(helps)) and set(helps) == set(kinds)
    for name, _ in parse(text):
        family = name if name in kinds else re.sub("_(bucket|sum|count)$", "", name)
        assert family in kinds and (family == name) == (kinds[family] != "histogram"), name
        assert (kinds[family] == "counter") == family.endswith("_total"), name


def test_build_info(daemon, client):
    info = client.daemon.info()
    assert value(daemon, "ompdd_build_info", f'version="{info["version"]}",api="{info["api"]}"') == 1


def test_process(daemon):
    before = time.time()
    samples = parse(fetch(daemon))
    proc = pathlib.Path(f"/proc/{daemon.pid}")
    age = before - samples["process_start_time_seconds", ""]
    assert 0 <= age + 1 and age < before - os.stat(proc).st_ctime + 600, "it was started by this test"
    assert 0 < samples["process_cpu_seconds_total", ""] < 600
    page = resource.getpagesize()
    size, resident = (int(n) * page for n in (proc / "statm").read_text().split()[:2])
    assert 1 << 20 < samples["process_resident_memory_bytes", ""] < 4 * resident
    assert samples["process_resident_memory_bytes", ""] <= samples["process_virtual_memory_bytes", ""] < 4 * size
    # The connection of the request may or may not be closed already.
    assert abs(samples["process_open_fds", ""] - len(list((proc / "fd").iterdir()))) <= 2
    assert samples["process_open_fds", ""] < samples["process_max_fds", ""]


def test_requests_are_timed(program, daemon, client):
    target = client.target.attach(pid=program("flat", 2).pid, mode="observe")["target"]
    for _ in range(5):
        client.thread.list(target=target)
    with fails("no_such_target"):
        client.thread.list(target="t77")
    cursor = client.event.poll(timeout_ms=0)["cursor"]
    client.event.poll(since=cursor, timeout_ms=1)
    samples = parse(fetch(daemon))
    name = "ompdd_target_request_duration_seconds"
    assert buckets(samples, name, f'target="{target}"')[-1][1] == 6, "attach and five lists"
    assert buckets(samples, "ompdd_request_duration_seconds")[-1][1] == 8, \
        "they, the error, and the poll that did not wait"
    assert 0 < samples[f"{name}_sum", f'target="{target}"'] < samples["ompdd_request_duration_seconds_sum", ""]


def test_stops_are_timed(program, daemon, client):
    """A hold is one stop, of the length in the answer to target.resume."""
    name = "ompdd_target_stop_duration_seconds"
    one = program("flat", 2, 1)  # A snapshot of sleeping threads alone needs no stop.
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    label = f'target="{target}"'
    before = parse(fetch(daemon))
    client.target.stop(target=target)
    client.snapshot.get(target=target)
    assert parse(fetch(daemon))[f"{name}_count", label] == before[f"{name}_count", label], "it still stands"
    us = client.target.resume(target=target)["stopped_us"]
    after = parse(fetch(daemon))
    assert after[f"{name}_count", label] == before[f"{name}_count", label] + 1
    assert after[f"{name}_sum", label] - before[f"{name}_sum", label] == pytest.approx(us / 1e6, abs=2e-6)
    changed = [bound for (bound, n), (_, old) in zip(buckets(after, name, label), buckets(before, name, label)) if n != old]
    assert changed[0] * 1e6 >= us, "the class that it belongs to"
    client.snapshot.get(target=target)
    stops = parse(fetch(daemon))[f"{name}_count", label]
    assert stops > after[f"{name}_count", label]
    # Detaching resumes, too. The sum over all targets stays.
    client.target.stop(target=target)
    client.target.detach(target=target)
    samples = parse(fetch(daemon))
    assert (f"{name}_count", label) not in samples
    assert samples["ompdd_stop_duration_seconds_count", ""] == stops + 1


def test_hits_are_stops(program, daemon, client):
    """A target with breakpoints, which is traced all the time."""
    count, total = (f"ompdd_target_stop_duration_seconds_{part}" for part in ("count", "sum"))
    one = program("rounds", 2)
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    label = f'target="{target}"'
    cursor = client.event.poll(timeout_ms=0)["cursor"]
    client.breakpoint.set(target=target, function="chore")
    for _ in range(3):
        wait_until(lambda: client.target.info(target=target)["state"] == "breakpoint", "a thread comes there")
        before = parse(fetch(daemon))
        us = client.target.resume(target=target)["stopped_us"]
        # The next hit may have arrived already.
        after = parse(fetch(daemon))
        assert after[count, label] >= before[count, label] + 1
        assert after[total, label] - before[total, label] >= us / 1e6 - 2e-6
    assert [event["type"] for event in client.event.poll(since=cursor)["events"]].count("breakpoint") >= 3
    client.target.detach(target=target)


def test_series_of_a_target_are_few(program, daemon, client):
    """A target with 300 threads has as many as a target with two."""
    none = len(parse(fetch(daemon)))
    first = client.target.attach(pid=program("flat", 2).pid, mode="observe")["target"]
    few = len(parse(fetch(daemon))) - none
    second = client.target.attach(pid=program("flat", 300).pid, mode="observe")["target"]
    assert len(client.snapshot.get(target=second)["threads"]) == 300
    client.snapshot.get(target=first)
    samples = parse(fetch(daemon))
    assert len(samples) - none - few == few <= MAX_SERIES
    assert len([labels for _, labels in samples if f'target="{second}"' in labels]) == few
    for target in (first, second):
        client.target.detach(target=target)
    wait_until(lambda: len(parse(fetch(daemon))) == none, "nothing is left of them")
