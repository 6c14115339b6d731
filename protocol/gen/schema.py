# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Load protocol/schema and errors.json into plain objects for the other generators.

Only the part of JSON Schema that the schema files use is understood; anything else is an
error here, so that no constraint is written down and then silently not enforced.
"""
import json
import pathlib

PROTOCOL = pathlib.Path(__file__).resolve().parent.parent
API_VERSION = "1.0.0"  # PROTOCOL.md, "Versions", defines when each number increases.
INT64_MIN, INT64_MAX = -(1 << 63), (1 << 63) - 1
# Facts about a method that the daemon needs besides its handler: enum method_role (rpc/dispatch.h).
ROLES = ("none", "authenticate", "poll", "attach", "open_core", "launch", "detach", "errand")
# Tiers that may call a method, from the lowest to the highest: enum method_tier.
TIERS = ("observe", "inspect", "control", "admin")
MAX_STRING = 65536  # Maximum length of a parameter without maxLength.


class SchemaError(Exception):
    """A schema file that the generator does not understand."""


class Param:
    """One parameter of a method, as the C decoder and the clients need it."""

    def __init__(self, method, name, raw, required, definitions):
        self.name = name
        self.required = required
        self.raw = raw
        node = dict(raw)
        if "$ref" in raw:
            node = dict(definitions[ref_name(raw["$ref"])])
            node.update({k: v for k, v in raw.items() if k != "$ref"})
        self.node = node
        self.doc = node.get("description", "")
        self.has_default = "default" in node
        self.default = node.get("default")
        self.min, self.max = INT64_MIN, INT64_MAX
        self.names, self.values, self.handle_kind, self.item = None, None, None, None
        self.absolute = False
        self.kind = self._classify(f"{method}: {name}", node, definitions)
        if self.required and self.has_default:
            raise SchemaError(f"{method}: {name}: required, and with a default")

    @property
    def optional(self):
        """Return whether the C struct needs a has_ member (strings and arrays use NULL)."""
        return (not self.required and not self.has_default
                and self.kind not in ("STRING", "TARGET", "HANDLE", "ARRAY", "ID", "ENV"))

    def _classify(self, where, node, definitions):
        special = node.get("x-c", "")
        if special == "hex":
            return "HEX"
        if special == "number_or_hex":
            return "NUMBER"
        if special == "target_id":
            return "TARGET"
        if special == "env":
            self.min, self.max = 0, node["maxProperties"]
            return "ENV"
        if special.startswith("handle:"):
            kind = special.split(":")[1]
            self.handle_kind = None if kind == "any" else kind
            return "HANDLE"
        if "x-values" in node:
            self.values = node["x-values"]
            self.names = list(self.values)
            self.min, self.max = 0, -1  # Not a plain integer.
            for part in node.get("anyOf", []):
                if part.get("type") == "integer":
                    self.min, self.max = part["minimum"], part["maximum"]
            return "VALUES"
        if node == dict(definitions["word"], **{k: node[k] for k in ("description", "default") if k in node}):
            return "WORD"
        kind = node.get("type")
        allowed = {"description", "type", "default"}
        if kind == "integer":
            self._only(where, node, allowed | {"minimum", "maximum"})
            self.min = node.get("minimum", INT64_MIN)
            self.max = node.get("maximum", INT64_MAX)
            return "INT"
        if kind == "boolean":
            self._only(where, node, allowed)
            return "BOOL"
        if kind == "string" and "enum" in node:
            self._only(where, node, allowed | {"enum"})
            self.names = node["enum"]
            return "ENUM"
        if kind == "string":
            self._only(where, node, allowed | {"maxLength", "minLength", "pattern"})
            if node.get("pattern", "^/") != "^/":
                raise SchemaError(f"{where}: of all patterns, only that of absolute paths is known")
            self.absolute = "pattern" in node
            self.min, self.max = node.get("minLength", 0), node.get("maxLength", MAX_STRING)
            return "STRING"
        if kind == "array":
            self._only(where, node, allowed | {"minItems", "maxItems", "items"})
            self.item = Param(where, "[]", node["items"], True, definitions)
            if self.item.kind not in ("HANDLE", "STRING", "TARGET", "ENUM"):
                raise SchemaError(f"{where}: only arrays of handles, strings, names and target ids are known")
            self.names = self.item.names
            self.min, self.max = node.get("minItems", 0), node["maxItems"]
            return "ARRAY"
        if kind == ["string", "integer"]:
            self._only(where, node, allowed | {"maxLength"})
            self.max = node["maxLength"]
            return "ID"
        raise SchemaError(f"{where}: a parameter of this kind is not known to the generator")

    @staticmethod
    def _only(where, node, allowed):
        extra = set(node) - allowed
        if extra:
            raise SchemaError(f"{where}: {', '.join(sorted(extra))}: not known to the generator")


def expand(groups, names):
    """Return the names of errors. @GROUP stands for a group of error_groups.json."""
    out = []
    for name in names:
        if name.startswith("@") and name[1:] not in groups:
            raise SchemaError(f"there is no group of errors {name}")
        out += expand(groups, groups[name[1:]]["errors"]) if name.startswith("@") else [name]
    if len(out) != len(set(out)):
        raise SchemaError(f"an error twice in {', '.join(names)}")
    return out


def refuse_closed(where, node):
    """Messages of ompdd may get members in a later version, so none of their schemas may forbid them."""
    if isinstance(node, dict):
        if node.get("additionalProperties") is False:
            raise SchemaError(f"{where}: additionalProperties false is for parameters")
        node = list(node.values())
    if isinstance(node, list):
        for part in node:
            refuse_closed(where, part)


class Method:
    """One schema file."""

    def __init__(self, path, definitions, groups):
        self.raw = json.loads(path.read_text())
        self.name = self.raw["title"]
        if path.name != f"{self.name}.json":
            raise SchemaError(f"{path}: title is {self.name}")
        self.c_name = self.name.replace(".", "_")
        self.where = self.raw["x-where"]
        if self.where not in ("daemon", "worker"):
            raise SchemaError(f"{path}: x-where")
        self.doc = self.raw["description"]
        self.routine = self.raw.get("x-routine")
        params = self.raw["properties"]["params"]
        if params.get("additionalProperties") is not False:
            raise SchemaError(f"{path}: params must have additionalProperties false")
        required = params.get("required", [])
        self.params = [Param(self.name, name, raw, name in required, definitions)
                       for name, raw in params["properties"].items()]
        self.result = self.raw["properties"]["result"]
        refuse_closed(f"{path}: result", self.result)
        self.errors = expand(groups, self.raw["x-errors"])
        self.role = self.raw.get("x-role", "none")
        if self.role not in ROLES:
            raise SchemaError(f"{path}: x-role {self.role}")
        self.tier = self.raw.get("x-tier")
        if self.tier not in TIERS:
            raise SchemaError(f"{path}: x-tier must be one of {', '.join(TIERS)}")
        # Stops nothing, also on a target in stop mode; leaves a line in the audit log.
        self.calm, self.audit = bool(self.raw.get("x-calm")), bool(self.raw.get("x-audit"))
        self.examples = self.raw["examples"]


class Notification:
    """A schema file of a notification: no handler, no decoder, only documents."""

    def __init__(self, path):
        self.raw = json.loads(path.read_text())
        self.name = self.raw["title"]
        if path.name != f"{self.name}.json":
            raise SchemaError(f"{path}: title is {self.name}")
        self.doc = self.raw["description"]
        self.params = self.raw["properties"]["params"]
        refuse_closed(f"{path}: params", self.params)
        self.examples = self.raw["examples"]


class Protocol:
    """Everything under protocol/."""

    def __init__(self):
        self.errors = json.loads((PROTOCOL / "errors.json").read_text())
        common = PROTOCOL / "schema" / "common" / "definitions.json"
        self.definitions = json.loads(common.read_text())["definitions"]
        refuse_closed(common, self.definitions)
        groups = json.loads((PROTOCOL / "error_groups.json").read_text())
        self.methods = [Method(path, self.definitions, groups)
                        for path in sorted((PROTOCOL / "schema").glob("*.json"))]
        self.methods.sort(key=lambda m: m.name)
        self.notifications = [Notification(path)
                              for path in sorted((PROTOCOL / "schema" / "notifications").glob("*.json"))]
        for method in self.methods:
            for name in method.errors:
                if not name.startswith("ompd_rc_") and name not in self.errors:
                    raise SchemaError(f"{method.name}: error {name} is not in errors.json")


def ref_name(ref):
    """Return the definition that a $ref names."""
    head, _, name = ref.partition("#/definitions/")
    if head not in ("", "common/definitions.json") or not name:
        raise SchemaError(f"$ref {ref}")
    return name
