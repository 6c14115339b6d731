# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every message that a system test sends or receives is validated against protocol/schema and protocol/errors.json.

The schemas allow unknown members in results, so that a client's validator accepts later versions. Here no later version
exists: a member that no schema names is a violation, too (strict).
"""
import functools
import json
import pathlib

import jsonschema

PROTOCOL = pathlib.Path(__file__).resolve().parents[2] / "protocol"
SCHEMA = PROTOCOL / "schema"
ERRORS = json.loads((PROTOCOL / "errors.json").read_text())
GROUPS = json.loads((PROTOCOL / "error_groups.json").read_text())
OMPD_RC = ["ok", "unavailable", "stale_handle", "bad_input", "error", "unsupported", "needs_state_tracking", "incompatible",
           "device_read_error", "device_write_error", "nomem", "incomplete", "callback_error", "incompatible_handle"]
# Errors of any method; all others must be in the method's own x-errors.
ANY_METHOD = {"parse_error", "invalid_request", "method_not_found", "invalid_params", "limit_exceeded", "request_cancelled",
              "unauthorized", "not_allowed", "shutting_down"}

# Methods with a validated message, for the test of coverage.
seen_methods = set()


class Violation(AssertionError):
    """A message that breaks the contract."""


def strict(node):
    """Return a copy of a schema in which objects have only the named members, unless it allows more, and open lists of
    words have no others.
    """
    if isinstance(node, list):
        return [strict(part) for part in node]
    if not isinstance(node, dict):
        return node
    copy = {key: strict(part) for key, part in node.items()}
    if any("enum" in part for part in node.get("anyOf", []) if isinstance(part, dict)) and {"type": "string"} in node["anyOf"]:
        copy["anyOf"] = [part for part in copy["anyOf"] if part != {"type": "string"}]
    if isinstance(node.get("properties"), dict) and "type" in node:
        copy.setdefault("additionalProperties", False)
    return copy


@functools.lru_cache(maxsize=None)
def load(method):
    return json.loads((SCHEMA / f"{method}.json").read_text()) if method in methods() else None


@functools.lru_cache(maxsize=None)
def methods():
    return sorted(path.stem for path in SCHEMA.glob("*.json"))


@functools.lru_cache(maxsize=None)
def compiled(method, part):
    resolver = jsonschema.RefResolver(SCHEMA.as_uri() + "/", load(method), store=common())
    schema = strict(load(method)["properties"][part])
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema, resolver=resolver)


@functools.lru_cache(maxsize=None)
def notification(path):
    """Return a validator of the parameters of one notification."""
    schema = json.loads(path.read_text())
    resolver = jsonschema.RefResolver(SCHEMA.as_uri() + "/", schema, store=common())
    return jsonschema.Draft7Validator(strict(schema["properties"]["params"]), resolver=resolver)


@functools.lru_cache(maxsize=None)
def common():
    return {path.as_uri(): strict(json.loads(path.read_text())) for path in SCHEMA.glob("common/*.json")}


def announced(method):
    """Return the names of errors in the method's schema, including its groups."""
    names = list(load(method)["x-errors"])
    for name in names:
        if name.startswith("@"):
            names += GROUPS[name[1:]]["errors"]
    return names


def check(method, part, value):
    for problem in compiled(method, part).iter_errors(value):
        best = jsonschema.exceptions.best_match([problem])
        raise Violation(f"{method} {part} /{'/'.join(map(str, best.absolute_path))}: {best.message[:600]}")


def check_request(message):
    if message.get("jsonrpc") != "2.0" or set(message) - {"jsonrpc", "id", "method", "params"}:
        raise Violation(f"no request of JSON-RPC 2.0: {message}")
    method = message["method"]
    if load(method) is None:
        raise Violation(f"no schema for {method}")
    seen_methods.add(method)
    check(method, "params", message.get("params", {}))


def check_error(error, method=None):
    if set(error) - {"code", "message", "data"} or not {"code", "message", "data"} <= set(error):
        raise Violation(f"an error has code, message and data: {error}")
    data, name = error["data"], error["data"].get("name")
    if not isinstance(error["message"], str) or not error["message"] or error["message"].endswith("."):
        raise Violation(f"a message is a sentence without its stop: {error}")
    if not isinstance(data.get("hint"), str):
        raise Violation(f"no hint: {error}")
    if name and name.startswith("ompd_rc_"):
        rc = OMPD_RC.index(name.removeprefix("ompd_rc_"))
        if error["code"] != 2000 + rc:
            raise Violation(f"{name} is {2000 + rc}: {error}")
    elif name not in ERRORS:
        raise Violation(f"not in errors.json: {error}")
    elif error["code"] != ERRORS[name]["code"]:
        raise Violation(f"{name} is {ERRORS[name]['code']}: {error}")
    elif ERRORS[name]["hint"] and not data["hint"]:
        raise Violation(f"the hint is missing: {error}")
    if name == "internal_error":
        raise Violation(f"ompdd failed: {error}")
    if method is not None and load(method) is not None and name not in ANY_METHOD:
        known = announced(method)
        if name not in known and not (name.startswith("ompd_rc_") and "ompd_rc_*" in known):
            raise Violation(f"{method} does not announce {name} in its schema: {error}")


def check_response(message, method=None):
    """Validate a response; `method` is the method of its request, if that was readable."""
    if message.get("jsonrpc") != "2.0" or "id" not in message or ("result" in message) == ("error" in message) \
            or set(message) - {"jsonrpc", "id", "result", "error"}:
        raise Violation(f"no response of JSON-RPC 2.0: {str(message)[:500]}")
    if "error" in message:
        check_error(message["error"], method)
    elif method is not None:
        check(method, "result", message["result"])


def check_notification(message):
    if message.get("jsonrpc") != "2.0" or "method" not in message or set(message) - {"jsonrpc", "method", "params"}:
        raise Violation(f"no notification of JSON-RPC 2.0: {message}")
    path = SCHEMA / "notifications" / f"{message['method']}.json"
    if not path.exists():
        raise Violation(f"no schema for the notification {message['method']}")
    for problem in notification(path).iter_errors(message.get("params", {})):
        raise Violation(f"notification {message['method']}: {problem.message[:600]}: {message}")
