# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program that uses SIGTRAP itself: breakpoints and steps leave its handler and its signal masks unchanged."""
import pytest
from control import attach, rounds

HITS = 30


USES = pytest.mark.parametrize("use", ["caught", "ignored", "default", "pending"])


@USES
def test_the_program_keeps_its_own_sigtrap(program, client, use):
    one = program("trapped", use)
    assert rounds(one)["own_handler"]
    target, hits = attach(client, one)
    number = client.breakpoint.set(target=target, function="leaf")["breakpoint"]
    for _ in range(HITS):
        hits.next()
        client.target.resume(target=target)
    hits.next()
    client.breakpoint.delete(target=target, breakpoint=number)
    client.target.resume(target=target)
    check(one, use, asked=2)
    client.target.detach(target=target)
    check(one, use, asked=3)


@USES
def test_hits_that_do_not_count(program, client, use):
    """Threads pass them while all other threads run; one of these sends itself SIGTRAPs."""
    one = program("trapped", use)
    rounds(one)
    target, _ = attach(client, one)
    client.breakpoint.set(target=target, function="leaf", after=1 << 50)
    for asked in range(2, 2 + HITS):
        check(one, use, asked, planted=True)
    client.target.detach(target=target)
    check(one, use, 2 + HITS)


@USES
def test_steps_keep_it(program, client, use):
    one = program("trapped", use)
    target, hits = attach(client, one)
    client.breakpoint.set(target=target, function="leaf")
    hit = hits.next()
    for _ in range(HITS):
        client.target.step(target=target, thread=hit["tid"], kind="instruction")
    client.target.detach(target=target)
    check(one, use, asked=1)


def check(one, use, asked, planted=False):
    """It reports, so it lives.

    Its handler saw each of its own SIGTRAPs, and no others. While a breakpoint is planted, its report may fall between
    a hit and the repair.
    """
    report = rounds(one)
    assert (report["own_handler"] or planted) and report["wrong_masks"] == 0, report
    assert report["caught"] == (asked if use in ("caught", "pending") else 0), report
