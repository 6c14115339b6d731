# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the views of the service: the texts are the service's own."""
from .model import safe

# Longer sets of thread ids are cut.
MAX_SET = 24


class Style:
    """The terminal's properties, and the debugger's selected thread, which is marked."""

    def __init__(self, utf8=True, selected=None):
        self.utf8, self.selected = utf8, selected

    def safe(self, text):
        return safe(text, self.utf8)

    def mark(self, threads):
        return "*" if self.selected in threads else " "


def head(view, style):
    """Return the lines about the target."""
    return [style.safe(f"{view['program']} {view['heading']}"), *map(style.safe, view["lines"])]


def foot(view, style):
    """Return the notes, and the service's warnings about missing parts."""
    return [*map(style.safe, view["notes"]), *(f"warning: {style.safe(one['message'])}" for one in view.get("warnings", []))]


def table(rows):
    """Format columns below their titles; the last column is not padded."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]


def rows(columns, view_rows, style, number_of=None):
    """Return the lines of a table. `number_of` returns the debugger's number of a thread, for a column of its own."""
    def text(row, column):
        return style.safe(row["cells"].get(column["key"], {}).get("text", ""))

    shown = [column for column in columns
             if column.get("optional") != "empty" or any(text(row, column) for row in view_rows)]
    lines = [["", *(["THREAD"] if number_of else []), *(style.safe(column["title"]) for column in shown)]]
    for row in view_rows:
        own = [str(number_of(row["threads"][0]) or "-")] if number_of else []
        lines.append([style.mark(row["threads"]), *own, *(text(row, column) for column in shown)])
    return table(lines)


def tables(view, style):
    """Return the lines of the tables of control variables."""
    lines = []
    for one in view["tables"]:
        lines += ["", style.safe(one["title"])]
        lines += [f"  {style.safe(item['key'])}  {style.safe(item['text'])}" for item in one["legend"]]
        lines += rows(one["columns"], one["rows"], style)
    return lines


def why(view, style):
    """Return the verdict and its evidence."""
    lines = []
    for node in view["nodes"]:
        lead = "  - " if node["kind"] == "claim" else f"{node['label']}: " if node["label"] else ""
        lines.append(f"{lead}{style.safe(node.get('text', ''))}")
    return lines


class Branch:
    """A node of a tree, with its children."""

    def __init__(self, node):
        self.node, self.children = node, []


def branches(nodes):
    """Nest nodes by their depth."""
    root, path = Branch(None), []
    for node in nodes:
        branch = Branch(node)
        del path[node["depth"]:]
        (path[-1] if path else root).children.append(branch)
        path.append(branch)
    return root


def cut_set(text):
    """Return a set of numbers, cut after the last number that fits."""
    if len(text) <= MAX_SET or "," not in text[:MAX_SET]:
        return text
    return text[:text.rindex(",", 0, MAX_SET) + 1] + ".."


def node_text(node, style):
    """Return "*threads 1-3 (4712-4714)  barrier  waits for ..."."""
    tids = node.get("tids", "")
    state = node.get("state", {}).get("text", "")
    # A thread without a state is in a nested region.
    text = style.mark(node["threads"] if state else ()) + style.safe(node["label"])
    if tids:
        text += f" ({cut_set(tids)})"
    if state:
        text += f"  {style.safe(state)}"
    if node.get("text"):
        text += f"{'  ' if state else ' '}{style.safe(node['text'])}"
    return text


def draw(branch, style, lead=""):
    """Return the lines of the children. A node with only a label shares its line with its only child."""
    corner, tee, bar = ("└─", "├─", "│ ") if style.utf8 else ("`-", "|-", "| ")
    lines = []
    for i, child in enumerate(branch.children):
        last = i == len(branch.children) - 1
        text = node_text(child.node, style)
        while len(child.children) == 1 and "state" not in child.node and "text" not in child.node:
            child = child.children[0]
            text += f" {'→' if style.utf8 else '->'} {node_text(child.node, style).lstrip()}"
        lines.append(f"{lead}{corner if last else tee}{text}")
        lines += draw(child, style, lead + ("  " if last else bar) + " ")
    return lines


def tree(view, style):
    return draw(branches(view["nodes"]), style)
