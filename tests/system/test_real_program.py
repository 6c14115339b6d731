# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GraphicsMagick from Debian, a program of other authors: examined while it blurs an image with several threads."""
import hashlib
import os
import shutil
import subprocess

import ompdd
import pytest
from snapshots import check_structure, has_rc, icv_number
from targets import alive, stopped_threads, tracer, wait_until

pytestmark = pytest.mark.skipif(not shutil.which("gm"), reason="graphicsmagick is not installed")
THREADS = 4



def convolve(source, output):
    return ["gm", "convert", str(source), "-gaussian", "0x6", "-blur", "0x20", str(output)]


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """An input that takes gm a few seconds with every core."""
    path = tmp_path_factory.mktemp("gm") / "input.pgm"
    width = 1400
    rows = [bytes((x * y + (x ^ y)) & 0xff for x in range(width)) for y in range(0, width, 2)]
    with open(path, "wb") as file:
        file.write(b"P5 %d %d 255\n" % (width, len(rows)))
        file.write(b"".join(rows))
    return path


def start(image, output):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("OMP_", "GOMP_"))}
    return subprocess.Popen(convolve(image, output), env={**env, "OMP_NUM_THREADS": str(THREADS), "OMP_SCHEDULE": "dynamic,8"},
                            stdin=subprocess.DEVNULL)


def test_inspected_while_it_works(image, tmp_path, client, mode):
    undisturbed = tmp_path / "undisturbed.pgm"
    assert start(image, undisturbed).wait(600) == 0
    parallel = looks = 0
    # On a busy machine it may have ended after a few views.
    while looks < 10 or parallel < 5:
        watched = tmp_path / "watched.pgm"
        looks, parallel = (sum(pair) for pair in zip((looks, parallel), watch(image, watched, client, mode)))
        # The views changed nothing: the same picture.
        assert digest(watched) == digest(undisturbed)


def watch(image, watched, client, mode):
    """Take views while it works. Return their number, and how many saw its team at work."""
    parallel = looks = 0
    process = start(image, watched)
    try:
        target = wait_until(lambda: process.poll() is not None or attach(client, process.pid, mode), "gm has loaded libgomp")
        while target is not True and alive(process.pid):
            try:
                result = client.snapshot.get(target=target)
            except ompdd.Error as error:
                # It may not have started, or have ended between request and answer.
                assert error.name in ("openmp_not_started", "target_exited", "target_exiting", "memory_unreadable"), error
                continue
            looks += 1
            if mode == "stop":
                parallel += check_working(result)
            else:
                parallel += any(region["level"] == 1 and region["team_size"] == THREADS for region in result["parallels"])
        assert process.wait(600) == 0
        if target is not True:
            client.target.detach(target=target)
        return looks, parallel
    finally:
        process.kill()
        process.wait()


def attach(client, pid, mode):
    try:
        info = client.target.attach(pid=pid, mode=mode)
    except ompdd.Error as error:
        assert error.name in ("no_such_process", "target_exec", "target_exiting", "permission_denied"), error
        return None
    if has_rc(info["runtime"]):
        client.target.detach(target=info["target"])
        return None
    assert info["runtime"]["kind"] == "libgomp" and info["exe"].endswith("/gm")
    return info["target"]


def check_working(result):
    """Take one consistent view of gm. Check everything about it; return whether its team was at work."""
    snapshot = check_structure(result, parked=False)
    assert result["consistency"] in ("stopped", "proven") and (result["stopped_us"] > 0) == (result["consistency"] == "stopped")
    teams = [region for region in result["parallels"] if region["level"] == 1]
    assert len(teams) <= 1
    if not teams:
        return 0
    team = teams[0]
    assert team["team_size"] in (1, THREADS), "gm asks for one thread where more do not pay"
    assert team["active_level"] == (team["team_size"] > 1)
    numbers = [snapshot.threads[tid]["thread_num"] for tid in team["threads"]]
    assert numbers[0] == 0 and numbers == sorted(set(numbers)) and numbers[-1] < team["team_size"]
    for tid in team["threads"]:
        thread = snapshot.threads[tid]
        assert thread["comm"] == "gm"
        icvs = snapshot.icvs(tid)
        assert icv_number(icvs["nthreads-var"]) == THREADS
        assert icvs["run-sched-var"]["value"].startswith("dynamic") and icvs["run-sched-var"]["value"].endswith("8")
        assert snapshot.chain(snapshot.task_of(tid))[-2:] == ["implicit", "initial"]
        assert has_rc(thread["state"]) or thread["state"]["name"].startswith("ompt_state_")
    return team["team_size"] == THREADS


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_gm_is_left_running(image, tmp_path, daemon):
    """A client disappears while it holds gm: gm finishes its picture."""
    process = start(image, tmp_path / "out.pgm")
    try:
        with daemon.connect() as client:
            target = wait_until(lambda: attach(client, process.pid, "stop"), "gm has loaded libgomp")
            client.target.stop(target=target)
            assert stopped_threads(process.pid)
        wait_until(lambda: not stopped_threads(process.pid) and not tracer(process.pid), "gm runs")
        assert process.wait(600) == 0
    finally:
        process.kill()
        process.wait()
