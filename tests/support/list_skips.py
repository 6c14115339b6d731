# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the skipped tests with their reasons. ctest runs this at the end of each run (CTestCustom.cmake).

With OMPDD_SKIPS=listed in the environment, as .ci/run has it, each skip must be in tests/skips.txt: else ctest fails.
"""
import collections
import os
import pathlib
import re
import sys

LIST = pathlib.Path(__file__).parents[1] / "skips.txt"
LOGS = pathlib.Path(sys.argv[1]) / "Testing" / "Temporary"
TEST = re.compile(r"^\d+/\d+ Testing: (?P<name>\S+)\n(?P<rest>.*?)^<end of output>", re.M | re.S)
OUTPUT = re.compile(r"^Output:\n-+\n(.*)", re.M | re.S)
# The lines of pytest -rs.
REASON = re.compile(r"^SKIPPED \[(\d+)\] (?:\S+:\d+|\S+\.py): (.*)", re.M)


def whole_tests():
    """Return the tests that ctest reports as skipped. The file is from the last run that skipped any: remove it."""
    path = LOGS / "LastTestsDisabled.log"
    if not path.exists():
        return set()
    names = {line.partition(":")[2] for line in path.read_text().splitlines()}
    path.unlink()
    return names


def skips(log, whole):
    """Return {(test, reason): count}. For a repeated test, the last run counts."""
    found = {}
    for match in TEST.finditer(log):
        name, output = match["name"], OUTPUT.search(match["rest"])[1]
        reasons = collections.Counter()
        for count, reason in REASON.findall(output):
            reasons[reason.strip()] += int(count)
        if name in whole and not reasons:
            reasons[(output.strip().splitlines() or ["it does not say why"])[-1]] = 1
        found[name] = reasons
    return {(name, reason): n for name, reasons in found.items() for reason, n in reasons.items()}


def accepted():
    """The patterns of the list: each matches the start of "TEST: REASON"."""
    lines = [line.strip() for line in LIST.read_text().splitlines()]
    return [re.compile(line) for line in lines if line and not line.startswith("#")]


def main():
    log = LOGS / "LastTest.log.tmp"
    if not log.exists():
        log = LOGS / "LastTest.log"
    found, patterns = skips(log.read_text(errors="replace"), whole_tests()), accepted()
    if found:
        print("\nSkipped, and why:")
    unlisted = 0
    for (name, reason), n in sorted(found.items()):
        is_listed = any(pattern.match(f"{name}: {reason}") for pattern in patterns)
        unlisted += not is_listed
        print(f"\t{name}: {reason}{f' ({n} tests)' if n > 1 else ''}{'' if is_listed else ' [not in tests/skips.txt]'}")
    if unlisted and os.environ.get("OMPDD_SKIPS") == "listed":
        print(f"{unlisted} skips are not in tests/skips.txt: install what they name, or add them with the reason why they are right")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
