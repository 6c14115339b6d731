# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pytest for ctest: exits with 77, "Skipped" for ctest, when tests were skipped and none ran.

Prints the reason of each skip.
"""
import os
import sys

import pytest

SKIPPED = 77


class Outcomes:
    """Counts tests by their outcome."""

    def __init__(self):
        self.skipped = self.ran = 0

    def pytest_runtest_logreport(self, report):
        self.skipped += report.skipped
        self.ran += report.when == "call" and not report.skipped

    def pytest_collectreport(self, report):
        self.skipped += report.skipped


def main():
    # As with `python -m pytest`.
    sys.path[0] = os.getcwd()
    outcomes = Outcomes()
    status = pytest.main(["-q", "-rs", "-p", "no:cacheprovider", "--tb=short", *sys.argv[1:]], plugins=[outcomes])
    only_skips = outcomes.skipped and not outcomes.ran and status in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    return SKIPPED if only_skips else int(status)


if __name__ == "__main__":
    sys.exit(main())
