# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of the suite on a runtime that was built with a sanitizer: its library is preloaded, and each report fails the
test, except for the reports in exceptions.txt. Used by suite.py.
"""
import ctypes
import os
import re
import shlex

OPTIONS = {  # The variable and its fixed options: an exit status that no test has, and a shorter wait at exit for TSan.
    "thread": ("TSAN_OPTIONS", ["exitcode=66", "atexit_sleep_ms=50"]),
    "address": ("ASAN_OPTIONS", ["exitcode=66"]),
}
SUMMARY = re.compile(r"^SUMMARY: (.*)$", re.M)
ANY_REPORT = re.compile(r"(FATAL|ERROR|WARNING): (Thread|Address|Leak)Sanitizer:")
ADDR_NO_RANDOMIZE = 0x0040000


class Sanitizer:
    def __init__(self, kind, library, exceptions):
        if not os.path.exists(library):
            raise SystemExit("no %s: gcc's sanitizers are not installed" % library)
        self.kind, self.library = kind, library
        self.options, self.reports = {}, {}  # by test
        for number, line in enumerate(open(exceptions), 1):
            words = shlex.split(line, comments=True)
            if not words or words[0] != kind:
                continue
            _, test, what, value = words
            if what == "option": self.options.setdefault(test, []).append(value)
            elif what == "report": self.reports[test] = value
            else: raise SystemExit("%s:%d: neither option nor report" % (exceptions, number))
        # gcc 12's libtsan does not run where the kernel randomises addresses further than it expects. Not all
        # containers allow this fix.
        if kind == "thread":
            ctypes.CDLL(None).personality(ADDR_NO_RANDOMIZE)

    def environment(self, test):
        variable, options = OPTIONS[self.kind]
        return {"LD_PRELOAD": self.library, variable: ":".join(options + self.options.get(test, []))}

    def verdict(self, test, rc, text):
        """Return the exit status without known reports, and the first unknown report or None."""
        if not ANY_REPORT.search(text):
            return rc, None
        known = self.reports.get(test)
        unknown = [s for s in SUMMARY.findall(text) or ["a report without summary"] if not known or not re.search(known, s)]
        if unknown:
            return rc, unknown[0]
        return 0 if rc == 66 else rc, None
