# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Answers of a daemon that lies: the schemas' own examples, with a part replaced, left out or repeated.

fake_ompdd.py sends them.
"""
import copy
import json
import pathlib

SCHEMA = pathlib.Path(__file__).parents[2] / "protocol" / "schema"
TEXTS = ["\x1b]0;owned\x07\x1b[2J", "\u202eevil\u2066", "\x9b31m", "a\nb\rc\td", "\x7f\0x", "A" * 5000, "", "%s%n%d", "../../etc/passwd", "-rf", "t1",
         "ffffffffffffffff", "0x" + "f" * 40, "\u2028\u2029\x85", "\U0001f980" * 50, "\ud800", "\u0300" * 40]
VALUES = [None, True, False, 0, -1, 1, 1 << 31, -(1 << 31), 1 << 53, (1 << 63) - 1, -(1 << 63), (1 << 64) - 1, 1 << 70, 1e308, -1e308, 0.5, [], {}, [[]],
          {"": None}, [None] * 3, [1] * 300]
MOST = 3000  # elements
EVENTS = [{"type": kind, "target": "t1", "reason": "request", "thread": 1, "breakpoint": 1, "seq": 1, "status": 3, "signal": "SIGSEGV"}
          for kind in ("stopped", "exited", "resumed", "hit", "lost", "attached")]


def deep(n=20):
    """The maximum depth of JSON here."""
    value = "x"
    for i in range(n):
        value = [value] if i % 2 else {"a": value}
    return value


def mutate(value, rng, rate):
    """Return a similar value, with about this share replaced."""
    if rng.random() < rate:
        kind = rng.random()
        if kind < 0.35:
            return rng.choice(TEXTS)
        if kind < 0.75:
            return copy.deepcopy(rng.choice(VALUES))
        if kind < 0.8:
            return deep()
        if isinstance(value, list):
            return (value * rng.choice([2, 50, 1000]))[:MOST]
        return value
    if isinstance(value, dict):
        return {key if rng.random() > rate / 4 else rng.choice(TEXTS): mutate(one, rng, rate)
                for key, one in value.items() if rng.random() > rate / 2}
    if isinstance(value, list):
        return [mutate(one, rng, rate) for one in value]
    return value


class Liar:
    """Sends such answers, and events without a subscription."""

    def __init__(self, rng, pid):
        self.rng, self.pid = rng, pid
        schemas = (json.loads(path.read_text()) for path in sorted(SCHEMA.glob("*.json")))
        self.results = {schema["title"]: [example.get("result", {}) for example in schema["examples"]] for schema in schemas}

    def answer(self, request):
        """Return its text as one line."""
        rng = self.rng
        rate = rng.choice([0, 0.02, 0.1, 0.3])
        said = {"jsonrpc": "2.0", "id": request.get("id")}
        if rng.random() < 0.05:
            said["error"] = mutate({"code": 1003, "message": rng.choice(TEXTS), "data": {"name": rng.choice(TEXTS), "hint": rng.choice(TEXTS)}}, rng, rate)
        else:
            result = copy.deepcopy(rng.choice(self.results.get(request["method"], [{}])))
            if "pid" in result:
                result["pid"] = self.pid
            said["result"] = mutate(result, rng, rate)
        lines = [said]
        while rng.random() < 0.3:
            lines.insert(0, {"jsonrpc": "2.0", "method": "event", "params": mutate(rng.choice(EVENTS), rng, 0.2)})
        return "".join(json.dumps(line, ensure_ascii=rng.random() < 0.5) + "\n" for line in lines).encode(errors="surrogatepass")
