# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Valid requests for all methods in random order, made from the schemas and from the values in earlier answers. Used by test_soak.py."""
import collections
import json
import pathlib
import re

SCHEMA = pathlib.Path(__file__).parents[2] / "protocol" / "schema"
METHODS = {schema["title"]: schema for schema in (json.loads(path.read_text()) for path in sorted(SCHEMA.glob("*.json")))}
DEFINITIONS = json.loads((SCHEMA / "common" / "definitions.json").read_text())["definitions"]
HANDLE = re.compile(r"t\d+:e\d+:(?:r\d+:)?(as|thr|par|task):\d+")
HANDLES = ("as", "thr", "par", "task")
# Number of the newest values of each name that may become parameters.
KEPT = 32
# Parameters that accept values of other names.
FROM = {"thread": ["tid"], "thread_id": ["tid", "pthread"], "tid": ["tid"]}
# No parameter may take longer than this.
MAX_MS = 20


def resolved(schema):
    """Return the definition's name ("" without one) and the schema itself."""
    name = schema.get("$ref", "").rpartition("/")[2]
    return (name, {**DEFINITIONS[name], **schema}) if name else ("", schema)


def handles_of(schema):
    """Return the names under which its handles are stored."""
    kind = schema.get("x-c", "")
    return [f"handle:{one}" for one in HANDLES if kind in ("handle:any", f"handle:{one}")]


class RandomRequests:
    """next() creates a request; learn() reads its answer.

    `fixed` maps the name of a parameter or definition to values: such a parameter is always sent, with one of these
    values.
    """

    def __init__(self, random, fixed):
        self.random, self.fixed = random, fixed
        self.seen = collections.defaultdict(lambda: collections.deque(maxlen=KEPT))
        self.order = []

    def learn(self, value, target, name=""):
        """Store the values of an answer about `target` (None: about no target)."""
        if isinstance(value, dict):
            for key, one in value.items():
                self.learn(one, target, key)
        elif isinstance(value, list):
            for one in value:
                self.learn(one, target, name)
        elif isinstance(value, (int, str)) and not isinstance(value, bool):
            handle = isinstance(value, str) and HANDLE.fullmatch(value)
            seen = self.seen[target, f"handle:{handle[1]}" if handle else name]
            if value not in seen:
                seen.append(value)

    def known(self, target, names):
        """Return values of these names, mostly of this target, else of any target."""
        own = [one for name in names for one in self.seen[target, name]]
        if own and self.random.random() < 0.9:
            return own
        return [one for (_, name), seen in self.seen.items() if name in names for one in seen]

    def next(self):
        """Return a method and its parameters. Each method occurs once before any occurs again."""
        if not self.order:
            self.order = list(METHODS)
            self.random.shuffle(self.order)
        method = self.order.pop()
        return method, self.params(method)

    def params(self, method):
        """Return the parameters of an example of the schema, sometimes with another parameter, with stored values."""
        schema = METHODS[method]
        known = schema["properties"]["params"].get("properties", {})
        example = self.random.choice(schema["examples"])["params"]
        names = [name for name in known if name in example or name in self.fixed or self.random.random() < 0.1]
        target = self.target([name for one in names for name in handles_of(resolved(known[one])[1])]) if "target" in known else None
        return {name: target if name == "target" else self.value(known[name], name, example.get(name), target) for name in names}

    def target(self, handles):
        """Return a target with a handle of these kinds, if any."""
        targets = self.fixed["target"]
        return self.random.choice([one for one in targets if any(self.seen[one, name] for name in handles)] or targets or ["t1"])

    def value(self, schema, name, example, target=None):
        definition, schema = resolved(schema)
        for fixed in (name, definition):
            if self.fixed.get(fixed):
                return self.random.choice(self.fixed[fixed])
        if "anyOf" in schema:
            return self.value(self.random.choice(schema["anyOf"] + 4 * schema["anyOf"][:1]), name, example, target)
        if "enum" in schema:
            usual = [example] * 8 if example in schema["enum"] else []
            return self.random.choice(usual + schema["enum"])
        kind = schema.get("type")
        seen = self.known(target, handles_of(schema) or FROM.get(name, [name, definition]))
        if kind == "boolean":
            return self.random.random() < 0.5
        if kind == "integer":
            return self.integer(schema, name, seen)
        if kind == "array":
            n = self.random.randint(schema.get("minItems", 0), 3)
            return [self.value(schema["items"], name, example and example[0], target) for _ in range(n)]
        if kind == "object":
            return {}
        seen = [one for one in seen if isinstance(one, str) and re.search(schema.get("pattern", ""), one)]
        return self.random.choice(seen + [example or "0x1"])

    def integer(self, schema, name, seen):
        low, high = schema.get("minimum", -2**31), schema.get("maximum", 2**31)
        if name.endswith("_ms"):
            high = max(low, MAX_MS)
        few = [low, high, self.random.randint(low, high), *(one for one in (1, 2, 3) if low <= one <= high)]
        seen = [one for one in seen if isinstance(one, int) and low <= one <= high]
        return self.random.choice(seen) if seen and self.random.random() < 0.8 else self.random.choice(few)
