# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every command of ompdctl with a daemon that lies: it ends with its own status, and prints nothing that controls a
terminal. OMPDD_TRIALS / 10 daemons with different lies: 4 in the suite, 40 in the soak preset.
"""
import re
import signal
import subprocess

import pytest
from conftest import TRIALS
from test_cli_fake import OMPDCTL, Server, environment

LOOK = ["threads", "threads --columns=tid,state", "threads --json", "tree", "tasks", "icvs", "devices", "devices --json", "bt", "bt 4711", "bt --logical", "why", "why --json", "snapshot",
        "snapshot --pretty", "info", "info --json", "call target.info", "top --once -d 0.1", "record -d 0.1 -o /dev/null --format folded", "serialize"]
OTHERS = ["targets", "targets --json", "attach -p 1", "detach t1", "kill t1", "launch -- /bin/true", "ps", "ps --json", "call daemon.info"]
# Commands that follow events continue until an event ends them.
FOLLOW = ["break parallel_begin", "step into 1", "events"]
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
STATUSES = {0, 1, 2}


def judge(argv, status, said):
    text = said.decode()
    assert status in STATUSES, f"{argv}: {status}: {text[-3000:]}"
    assert "Sanitizer" not in text and "runtime error" not in text, f"{argv}: {text[-3000:]}"
    found = CONTROL.search(text)
    assert not found, f"{argv}: {text[max(0, found.start() - 200):found.start() + 200]!r}"


@pytest.fixture(params=range(max(1, TRIALS // 10)))
def liar(request, tmp_path):
    one = Server(f"unix:{tmp_path}/s", FAKE_OMPDD="mutated", FAKE_OMPDD_SEED=str(request.param))
    yield one
    one.close()


def command(liar, words):
    target = [] if words in OTHERS else ["-t", "t1"]
    return [str(OMPDCTL), "-s", liar.uri, *target, *words.split()]


def test_answers(liar):
    for words in LOOK + OTHERS:
        argv = command(liar, words)
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600, env=environment(), check=False)
        judge(argv, done.returncode, done.stdout)


def test_events(liar):
    for words in FOLLOW:
        argv = command(liar, words)
        with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment()) as one:
            try:
                said = one.communicate(timeout=1)[0]
            except subprocess.TimeoutExpired:
                one.send_signal(signal.SIGINT)
                said = one.communicate(timeout=600)[0]
                if one.returncode in (128 + signal.SIGINT, -signal.SIGINT):
                    one.returncode = 0
            judge(argv, one.returncode, said)
