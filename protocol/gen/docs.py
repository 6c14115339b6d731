# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Documents: openrpc.json (OpenRPC 1.2) and METHODS.md."""
import json

from schema import API_VERSION, ref_name

# Errors of every method; METHODS.md lists them once.
COMMON_ERRORS = ["parse_error", "invalid_request", "method_not_found", "invalid_params",
                 "internal_error", "limit_exceeded", "request_cancelled", "unauthorized",
                 "not_allowed", "shutting_down"]
OMPD_RCS = ["unavailable", "stale_handle", "bad_input", "error", "unsupported",
            "needs_state_tracking", "incompatible", "device_read_error", "device_write_error",
            "nomem", "incomplete", "callback_error", "incompatible_handle"]


def camel(name):
    """Return target.attach as TargetAttach: names of types that every language accepts."""
    return "".join(part[:1].upper() + part[1:] for part in name.replace(".", "_").split("_"))


def clean(node, title):
    """Return a schema node for other programs: references into components, no x-c.

    Every node gets a title of its own, since generators of clients derive type names from it. (Some do not accept
    different titles of equal nodes: so a reference stays a reference.)
    """
    if "$ref" in node:
        ref = {"$ref": f"#/components/schemas/{ref_name(node['$ref'])}"}
        extra = {k: v for k, v in node.items() if k in ("description", "default")}
        # draft-07 ignores members beside a $ref, so they go around it.
        return {"title": title, **extra, "allOf": [ref]} if extra else ref
    if isinstance(node.get("type"), list):
        rest = {k: v for k, v in node.items() if k not in ("type", "description", "default")}
        outer = {k: v for k, v in node.items() if k in ("description", "default")}
        return clean({**outer, "anyOf": [{"type": kind, **(rest if kind == "string" else {})} for kind in node["type"]]}, title)
    out = {"title": title, **{k: v for k, v in node.items() if not k.startswith("x-")}}
    if "const" in node and "type" not in node:
        out["type"] = "boolean" if isinstance(node["const"], bool) else "string"
    if "properties" in node:
        out["properties"] = {k: clean(v, title + camel(k)) for k, v in node["properties"].items()}
    if "anyOf" in node:
        out["anyOf"] = [clean(part, f"{title}{variant(part, i)}") for i, part in enumerate(node["anyOf"])]
    if "items" in node:
        out["items"] = clean(node["items"], title + "Item")
    if isinstance(node.get("additionalProperties"), dict):
        out["additionalProperties"] = clean(node["additionalProperties"], title + "Member")
    if "propertyNames" in node:
        out["propertyNames"] = clean(node["propertyNames"], title + "Name")
    return out


def definition_title(protocol, name):
    """Generators name a method's type after the method: target.info is TargetInfo."""
    taken = {camel(m.name) for m in protocol.methods}
    return camel(name) + ("Object" if camel(name) in taken else "")


def variant(node, i):
    """Return the part of a title that distinguishes the parts of an anyOf."""
    if "enum" in node:
        return "Word"
    if "const" in node:
        return camel(str(node["const"]))
    kind = node.get("type", "")
    return f"Variant{i + 1}" if kind == "object" or not isinstance(kind, str) else camel(kind)


def error_rows(protocol, names):
    """Return (number, name, meaning) of each error; ompd_rc_* stands for all of OMPD's."""
    rows = []
    for name in names:
        if name == "ompd_rc_*":
            rows += [(2001 + i, f"ompd_rc_{rc}", f"The OMPD library returned ompd_rc_{rc}.")
                     for i, rc in enumerate(OMPD_RCS)]
        elif name.startswith("ompd_rc_"):
            rows.append((2001 + OMPD_RCS.index(name[8:]), name, f"The OMPD return code {name}."))
        else:
            rows.append((protocol.errors[name]["code"], name, protocol.errors[name]["summary"]))
    return rows


def hint(protocol, name):
    return protocol.errors.get(name, {}).get("hint", "")


def openrpc(protocol):
    """Return the OpenRPC document as an object."""
    methods = []
    for m in protocol.methods:
        raw = m.raw["properties"]["params"]
        params = [{"name": p.name, "description": p.doc, "required": p.required,
                   "schema": clean(raw["properties"][p.name], f"{camel(m.name)}{camel(p.name)}")} for p in m.params]
        params.sort(key=lambda param: not param["required"])  # Generators turn them into positional parameters.
        methods.append({
            "name": m.name, "summary": m.doc, "x-tier": m.tier, "paramStructure": "by-name", "params": params,
            "result": {"name": "result", "schema": clean(m.result, f"{camel(m.name)}Result")},
            "errors": [{"$ref": f"#/components/errors/{name}"} for _, name, _
                       in error_rows(protocol, ["invalid_params"] + m.errors)],
            "examples": [{"name": f"example {i + 1}",
                          "params": [{"name": k, "value": v} for k, v in e["params"].items()],
                          "result": {"name": "result", "value": e["result"]}}
                         for i, e in enumerate(m.examples)],
        })
    return {
        "openrpc": "1.2.6",  # Version 1.3 adds nothing that we use, and more tools support 1.2.
        "info": {"title": "ompdd", "version": API_VERSION,
                 "description": "A debugger service for OpenMP programs. See PROTOCOL.md.",
                 "license": {"name": "Apache-2.0 WITH LLVM-exception"}},
        "methods": methods,
        "x-notifications": [{"name": n.name, "summary": n.doc, "params": clean(n.params, f"{camel(n.name)}Params")}
                            for n in protocol.notifications],
        "components": {
            "schemas": {name: clean(node, definition_title(protocol, name)) for name, node in protocol.definitions.items()},
            "errors": {name: {"code": number, "message": text, "data": {"name": name, "hint": hint(protocol, name)}}
                       for number, name, text in error_rows(protocol, [*protocol.errors, "ompd_rc_*"])},
        },
    }


def openrpc_text(protocol):
    return pretty(openrpc(protocol)) + "\n"


def pretty(value, indent=0, lead=0):
    """Return JSON for people: a value that fits after the `lead` characters of its key is one line."""
    text = json.dumps(value, ensure_ascii=False)
    if len(text) + indent + lead <= 100 or not value or not isinstance(value, (dict, list)):
        return text
    pad = " " * (indent + 1)
    if isinstance(value, list):
        items = [pad + pretty(item, indent + 1) for item in value]
        return "[\n" + ",\n".join(items) + "\n" + " " * indent + "]"
    items = [f"{pad}{json.dumps(k)}: {pretty(v, indent + 1, len(k) + 4)}" for k, v in value.items()]
    return "{\n" + ",\n".join(items) + "\n" + " " * indent + "}"


def type_text(node):
    """Return a schema node in a few words of Markdown."""
    if "$ref" in node:
        name = ref_name(node["$ref"])
        return f"[{name}](#{name})"
    if "anyOf" in node:
        return " or ".join(type_text(part) for part in node["anyOf"])
    if "const" in node:
        return f"`{json.dumps(node['const'])}`"
    if "enum" in node:
        return " / ".join(f"`\"{value}\"`" for value in node["enum"])
    kind = node.get("type", "any")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        limit = f", {node.get('minItems', 0)}..{node['maxItems']} items" if "maxItems" in node else ""
        return f"array of ({type_text(node['items'])}){limit}" if "items" in node else "array"
    if kind == "integer" and ("minimum" in node or "maximum" in node):
        return f"integer {node.get('minimum', '')}..{node.get('maximum', '')}"
    if kind == "object" and node.get("properties"):
        inner = ", ".join(f"`{k}`: {type_text(v)}" for k, v in node["properties"].items())
        return "{ " + inner + " }"
    return kind


def member_rows(node, definitions):
    """Return the table of an object's members."""
    rows = ["| member | type | |", "|---|---|---|"]
    required = node.get("required", [])
    for name, part in node["properties"].items():
        target = definitions[ref_name(part["$ref"])] if "$ref" in part else part
        doc = part.get("description", target.get("description", ""))
        if "default" in part:
            doc += f" Default `{json.dumps(part['default'])}`."
        elif name not in required:
            doc = f"*Optional.* {doc}"
        rows.append(f"| `{name}` | {type_text(part)} | {doc.strip()} |".replace("|  |", "| |"))
    return rows


def object_lines(node, definitions):
    if "$ref" in node:
        return [f"{type_text(node)}"]
    if not node.get("properties"):
        return ["`{}`" if "properties" in node else type_text(node)]
    return member_rows(node, definitions)


def method_lines(protocol, m):
    params = m.raw["properties"]["params"]
    lines = [f"### {m.name}", "", m.doc, ""]
    lines += [f"Tier `{m.tier}`" + (", `inspect` for mode `stop`." if m.role == "attach" else "."), ""]
    if m.routine:
        lines += [f"Calls `{m.routine}`.", ""]
    lines += ["**Parameters**", "", *object_lines(params, protocol.definitions), ""]
    lines += ["**Result**", "", *object_lines(m.result, protocol.definitions), ""]
    if m.errors:
        lines += ["**Errors** " + ", ".join(f"`{name}`" for name in m.errors), ""]
    for example in m.examples:
        request = {"jsonrpc": "2.0", "id": 1, "method": m.name, "params": example["params"]}
        answer = {"jsonrpc": "2.0", "id": 1, "result": example["result"]}
        lines += ["```json", json.dumps(request, ensure_ascii=False),
                  json.dumps(answer, ensure_ascii=False), "```", ""]
    return lines


def definition_lines(protocol, name, node):
    lines = [f"### {name}", ""]
    if node.get("description"):
        lines += [node["description"], ""]
    variants = [part for part in node.get("anyOf", []) if part.get("properties")]
    if node.get("properties"):
        lines += [*member_rows(node, protocol.definitions), ""]
    elif variants and len(variants) == len(node["anyOf"]):
        for i, part in enumerate(variants):
            lines += ["or" if i else "Either", "", *member_rows(part, protocol.definitions), ""]
    elif isinstance(node.get("additionalProperties"), dict):
        lines += [f"object, each member: {type_text(node['additionalProperties'])}", ""]
    else:
        text = type_text(node)
        if "pattern" in node:
            text += f", `{node['pattern']}`".replace("|", "\\|")
        lines += [text, ""]
    return lines


def methods_md(protocol):
    """METHODS.md"""
    lines = ["# Methods", "",
             "Generated by `protocol/gen/generate.py --docs` from `protocol/schema`: do not edit. "
             "The rules that hold for all methods are in [PROTOCOL.md](PROTOCOL.md).", "",
             "| method | |", "|---|---|"]
    for m in protocol.methods:
        lines.append(f"| [{m.name}](#{m.name.replace('.', '')}) | {m.doc} |")
    lines += ["", "Every method may also give these errors: "
              + ", ".join(f"`{name}`" for name in COMMON_ERRORS) + ".", ""]
    for m in protocol.methods:
        lines += method_lines(protocol, m)
    lines += ["## Notifications", ""]
    for n in protocol.notifications:
        lines += [f"### {n.name}", "", n.doc, "", "**Parameters**", "",
                  *object_lines(n.params, protocol.definitions), ""]
        for example in n.examples:
            message = {"jsonrpc": "2.0", "method": n.name, "params": example["params"]}
            lines += ["```json", json.dumps(message, ensure_ascii=False), "```", ""]
    lines += ["## Errors", "", "| code | data.name | meaning | hint |", "|---|---|---|---|"]
    for name, e in protocol.errors.items():
        lines.append(f"| {e['code']} | `{name}` | {e['summary']} | {e['hint']} |")
    for number, name, text in error_rows(protocol, ["ompd_rc_*"]):
        lines.append(f"| {number} | `{name}` | {text} | |")
    lines += ["", "## Types", ""]
    for name, node in protocol.definitions.items():
        lines += definition_lines(protocol, name, node)
    return "\n".join(lines).rstrip() + "\n"
