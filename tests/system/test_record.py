# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ompdctl record` and `ompdctl top`: files for the programs that read them, and the screen."""
import fcntl
import gzip
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import struct
import subprocess
import termios
import xml.dom.minidom

import browsers
import pytest
import validator
from daemons import BIN
from targets import BUILD, OMPRT, alive, read_text, stopped_threads, tracer, wait_until

# google/pprof's profile.proto: field number, type, and whether it is repeated.
PROFILE_PROTO = {
    "ValueType": {"type": (1, "int64"), "unit": (2, "int64")},
    "Label": {"key": (1, "int64"), "str": (2, "int64"), "num": (3, "int64"), "num_unit": (4, "int64")},
    "Sample": {"location_id": (1, "*uint64"), "value": (2, "*int64"), "label": (3, "*Label")},
    "Mapping": {"id": (1, "uint64"), "memory_start": (2, "uint64"), "memory_limit": (3, "uint64"), "file_offset": (4, "uint64"),
                "filename": (5, "int64"), "build_id": (6, "int64"), "has_functions": (7, "bool"), "has_filenames": (8, "bool"),
                "has_line_numbers": (9, "bool"), "has_inline_frames": (10, "bool")},
    "Line": {"function_id": (1, "uint64"), "line": (2, "int64")},
    "Location": {"id": (1, "uint64"), "mapping_id": (2, "uint64"), "address": (3, "uint64"), "line": (4, "*Line"), "is_folded": (5, "bool")},
    "Function": {"id": (1, "uint64"), "name": (2, "int64"), "system_name": (3, "int64"), "filename": (4, "int64"), "start_line": (5, "int64")},
    "Profile": {"sample_type": (1, "*ValueType"), "sample": (2, "*Sample"), "mapping": (3, "*Mapping"), "location": (4, "*Location"),
                "function": (5, "*Function"), "string_table": (6, "*string"), "drop_frames": (7, "int64"), "keep_frames": (8, "int64"),
                "time_nanos": (9, "int64"), "duration_nanos": (10, "int64"), "period_type": (11, "ValueType"), "period": (12, "int64"),
                "comment": (13, "*int64"), "default_sample_type": (14, "int64")},
}


def profile_message():
    """Return the class of this message, created by protobuf itself."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    file = descriptor_pb2.FileDescriptorProto(name="profile.proto", package="p", syntax="proto3")
    kinds = descriptor_pb2.FieldDescriptorProto
    for name, fields in PROFILE_PROTO.items():
        message = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            plain = kind.lstrip("*")
            one = message.field.add(name=field, number=number, label=kinds.LABEL_REPEATED if kind[0] == "*" else kinds.LABEL_OPTIONAL)
            if plain in PROFILE_PROTO:
                one.type, one.type_name = kinds.TYPE_MESSAGE, f".p.{plain}"
            else:
                one.type = getattr(kinds, f"TYPE_{plain.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    profile = pool.FindMessageTypeByName("p.Profile")
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(profile)
    return message_factory.MessageFactory(pool).GetPrototype(profile)


@pytest.fixture
def turns(program):
    return program("turns")


OURS = {} if OMPRT else {"LD_LIBRARY_PATH": str(BUILD / "lib" / "ompdd")}


def is_of_turns(names):
    """Return whether the text has functions of the program, its regions and its threads' states."""
    text = " ".join(names)
    return all(part in text for part in ("turns_solve", "parallel region turns_solve._omp_fn.0", "[work]"))


def record(ompdctl, one, path, read, *args):
    """Return the file as `read` parses it, and ompdctl's output, once the file has names of the program, however slow
    this machine is.
    """
    for seconds in (1, 2, 4, 8, 16, 32, 64):
        said = ompdctl("-p", one.pid, "record", "-d", seconds, "-o", path, *args).stdout
        names, contents = read()
        if is_of_turns(names):
            break
    assert is_of_turns(names), names
    return contents, said


def test_folded(ompdctl, turns, tmp_path):
    def read():
        stacks = [line.rsplit(" ", 1) for line in (tmp_path / "x.folded").read_text().splitlines()]
        return [frame for stack, _ in stacks for frame in stack.split(";")], stacks
    stacks, said = record(ompdctl, turns, tmp_path / "x.folded", read)
    assert "x.folded: " in said and "of turns (pid" in said
    assert stacks and all(int(weight) > 0 and stack for stack, weight in stacks)
    assert any(stack.split(";")[-1] == "[work]" for stack, _ in stacks)
    assert not stopped_threads(turns.pid) and not tracer(turns.pid)


def read_boxes(path):
    """Return the boxes of a flame graph, outermost first: (row, start, width, name)."""
    boxes = [g for g in xml.dom.minidom.parse(str(path)).getElementsByTagName("g") if g.hasAttribute("data-x")]
    return [(int(g.getAttribute("data-d")), float(g.getAttribute("data-x")), float(g.getAttribute("data-w")), g.getAttribute("data-n")) for g in boxes]


def test_flame_graph(ompdctl, turns, tmp_path):
    """Each box lies within its caller's. The widths are the times of the same recording's folded stacks."""
    def read():
        boxes = read_boxes(tmp_path / "x.svg")
        return [box[3] for box in boxes], boxes
    boxes, said = record(ompdctl, turns, tmp_path / "x.svg", read)
    assert "open it in a browser" in said
    assert boxes[0] == (0, 0.0, 1.0, "all threads")
    above = []
    for row, start, width, _ in boxes:
        del above[row:]
        assert not above or (above[-1][0] - 1e-5 <= start and start + width <= above[-1][1] + 1e-5), boxes
        above.append((start, start + width))
        assert len(above) == row + 1
    assert sum(width for row, _, width, _ in boxes if row == 1) > 0.95


def test_without_a_file_name(ompdctl, turns, tmp_path):
    """It is a flame graph in the working folder, named by program, process and time."""
    said = ompdctl("record", "-d", "0.5", turns.pid, cwd=tmp_path).stdout
    (path,) = tmp_path.iterdir()
    assert re.fullmatch(rf"turns-{turns.pid}-\d{{8}}-\d{{6}}\.svg", path.name) and said.startswith(f"{path.name}: ")
    assert read_boxes(path)
    ompdctl("record", "-d", "0.5", "--format", "folded", turns.pid, cwd=tmp_path)
    assert [path.suffix for path in tmp_path.iterdir()].count(".folded") == 1


@pytest.mark.skipif(bool(browsers.missing()), reason=browsers.missing())
@pytest.mark.parametrize("name", ("x.svg", "x.html"))
def test_flame_graph_in_a_browser(name, ompdctl, turns, tmp_path):
    def read():
        text = (tmp_path / name).read_text()
        return re.findall(r'data-n="([^"]*)"', text), text
    record(ompdctl, turns, tmp_path / name, read)
    browser = browsers.Browser(tmp_path / "chromium")
    try:
        browser.open(f"file://{tmp_path / name}")
        widths = """return Object.fromEntries([...document.querySelectorAll("g[data-n]")].filter((g) => g.style.display !== "none")
                    .map((g) => [g.dataset.n, Number(g.querySelector("rect").getAttribute("width"))]))"""
        before = browser.run(widths)
        region = "parallel region turns_solve._omp_fn.0"
        assert before["all threads"] > 1190 and before[region] < 1199
        click = "[...document.querySelectorAll('g[data-n]')].find((g) => g.dataset.n === arguments[0]).dispatchEvent(new MouseEvent('click'))"
        browser.run(click, region)
        assert browser.run(widths)[region] > 1190 and browser.run(widths)["all threads"] > 1190
        browser.run("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}))")
        assert browser.run(widths) == pytest.approx(before, abs=0.1)
        browser.run("window.prompt = () => 'turns_solve'; document.querySelector('.search').dispatchEvent(new MouseEvent('click'))")
        assert re.match(r'\d+ frames? contains? "turns_solve": [0-9.]+ % of the time', browser.run("return document.querySelector('.status').textContent"))
        assert browser.run("return document.querySelectorAll('g.marked').length") >= 2
    finally:
        browser.driver.quit()


def test_folded_on_standard_output(ompdctl, turns):
    out = ompdctl("-p", turns.pid, "record", "-d", "1", "-o", "-", "--format", "folded").stdout
    assert all(line.rsplit(" ", 1)[1].isdigit() for line in out.splitlines())


def test_speedscope(ompdctl, turns, tmp_path):
    (tmp_path / "x.json").write_text("a longer text than what comes, of an old file\n" * 10000)
    def read():
        file = json.loads((tmp_path / "x.json").read_text())
        return [frame["name"] for frame in file["shared"]["frames"]], file
    file, _ = record(ompdctl, turns, tmp_path / "x.json", read)
    assert file["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames, [profile] = file["shared"]["frames"], file["profiles"]
    assert all(isinstance(frame["name"], str) and set(frame) <= {"name", "file", "line", "col"} for frame in frames)
    assert profile["type"] == "sampled" and profile["unit"] == "microseconds" and profile["startValue"] == 0
    assert len(profile["samples"]) == len(profile["weights"]) > 0 and sum(profile["weights"]) == profile["endValue"]
    assert all(0 <= index < len(frames) for sample in profile["samples"] for index in sample)
    assert any(frame.get("file", "").endswith("turns.c") and frame["line"] > 0 for frame in frames)


def test_pprof(ompdctl, turns, tmp_path):
    message = profile_message()

    def read():
        profile = message.FromString(gzip.decompress((tmp_path / "x.pprof").read_bytes()))
        return [profile.string_table[f.name] for f in profile.function], profile
    profile, _ = record(ompdctl, turns, tmp_path / "x.pprof", read)
    strings = profile.string_table
    assert strings[0] == "" and [(strings[t.type], strings[t.unit]) for t in profile.sample_type] == [
        ("samples", "count"), ("time", "nanoseconds")]
    functions, locations = {f.id: f for f in profile.function}, {x.id: x for x in profile.location}
    mappings = {m.id for m in profile.mapping}
    assert 0 not in functions and 0 not in locations and len(functions) == len(profile.function)
    for sample in profile.sample:
        assert len(sample.value) == 2 and sample.value[0] > 0 and sample.value[1] > 0
        for location in sample.location_id:
            [line] = locations[location].line
            assert strings[functions[line.function_id].name]
            assert locations[location].mapping_id in mappings | {0}
        # The innermost frame is the first, and shows the state.
        [label] = sample.label
        assert strings[label.key] == "state"
        assert strings[functions[locations[sample.location_id[0]].line[0].function_id].name] == f"[{strings[label.str]}]"
    assert profile.duration_nanos > 5e8 and profile.period == 10 ** 7 and strings[profile.default_sample_type] == "time"


def test_formats_agree(ompdctl, turns, daemon, client, tmp_path):
    """They agree on the same profile."""
    target = client.target.attach(pid=turns.pid, mode="observe")["target"]
    done = ompdctl("-s", daemon.uris[0], "-t", target, "record", "-d", "0.5", "-o", tmp_path / "x", "--format", "folded", "--json")
    validator.check("profile.stop", "result", {"target": target, "pid": turns.pid, "profile": json.loads(done.stdout)})
    tree = client.profile.get(target=target, stacks=True)["stacks"]
    weights = [int(line.rsplit(" ", 1)[1]) for line in (tmp_path / "x").read_text().splitlines()]
    assert sorted(weights) == sorted(us for us in tree["nodes"]["self_us"] if us)
    assert client.target.info(target=target)["target"] == target, "it is not ours to let go"


def read_status(pid, key):
    return next(line for line in read_text(f"/proc/{pid}/status").splitlines() if line.startswith(key)).split()[1]


def is_recording(pid):
    """It sleeps in ppoll() without descriptors, as it does only between two updates of its progress line."""
    return read_text(f"/proc/{pid}/syscall").split()[1:3] == ["0x0", "0x0"]


def test_interrupted_recording_is_written(turns, tmp_path):
    process = subprocess.Popen([BIN / "ompdctl", "-p", str(turns.pid), "record", "-d", "600", "-o", tmp_path / "x.folded"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: is_recording(process.pid), "it records")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0 and "x.folded: " in out, err
    assert alive(turns.pid)


FILES = ["x.folded", "x.json", "x.pprof"] + (["x.otf2"] if (BIN / "ompdctl-otf2").exists() else [])


@pytest.mark.parametrize("name", FILES)
def test_interrupt_key_at_a_terminal_ends_the_recording(name, turns, tmp_path):
    """The terminal sends SIGINT to the whole foreground group: the children of ompdctl must survive it."""
    screen = Screen("-p", turns.pid, "record", "-d", "600", "-o", tmp_path / name)
    screen.until("of 600 s")
    screen.type("\x03")
    assert screen.end() == 0
    text = "".join(screen.screen.display)
    assert f"{name}: " in text and "of turns (pid" in text, text
    assert (tmp_path / name).stat().st_size > 0 and alive(turns.pid)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_to_the_whole_group_end_the_recording(number, turns, tmp_path):
    process = subprocess.Popen([BIN / "ompdctl", "-p", str(turns.pid), "record", "-d", "600", "-o", tmp_path / "x.folded"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    wait_until(lambda: is_recording(process.pid), "it records")
    os.killpg(process.pid, number)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0 and "x.folded: " in out, err
    assert [path.name for path in tmp_path.iterdir()] == ["x.folded"]


def test_nohup_recording_goes_on(turns, tmp_path):
    process = subprocess.Popen(["nohup", BIN / "ompdctl", "-p", str(turns.pid), "record", "-d", "600", "-o", tmp_path / "x.folded"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: is_recording(process.pid), "it records")
    process.send_signal(signal.SIGHUP)
    assert not int(read_status(process.pid, "SigPnd"), 16) & 1 and not int(read_status(process.pid, "ShdPnd"), 16) & 1
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=600)[0].startswith(str(tmp_path)) and process.returncode == 0


def test_top_once_prints_what_was_seen_until_an_interrupt(turns):
    process = subprocess.Popen([BIN / "ompdctl", "-p", str(turns.pid), "top", "--once", "-d", "600"], stdout=subprocess.PIPE, text=True,
                               start_new_session=True)
    wait_until(lambda: is_recording(process.pid), "it looks")
    os.killpg(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=600)
    assert process.returncode == 0 and f"turns (pid {turns.pid})" in out


@pytest.mark.parametrize("name", FILES)
def test_a_pipe_without_reader_is_an_error_at_once(name, ompdctl, turns, tmp_path):
    os.mkfifo(tmp_path / name)
    done = ompdctl("-p", turns.pid, "record", "-d", "600", "-o", tmp_path / name, status=4)
    assert f"cannot write {tmp_path / name}: it is a pipe, and no program reads from it" in done.stderr


def test_a_pipe_with_a_reader(ompdctl, turns, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert "pipe: " in ompdctl("-p", turns.pid, "record", "-d", "1", "-o", tmp_path / "pipe", "--format", "folded").stdout
    with open(reader) as lines:
        assert all(line.rsplit(" ", 1)[1].strip().isdigit() for line in lines)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes links of other users")
@pytest.mark.parametrize("name", FILES)
def test_links_of_other_users_are_not_followed(name, ompdctl, turns, tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    (tmp_path / "precious").write_text("precious")
    (shared / name).symlink_to(tmp_path / "precious")
    os.chown(shared / name, 65534, 65534, follow_symlinks=False)
    assert "belongs to another user" in ompdctl("-p", turns.pid, "record", "-d", "600", "-o", shared / name, status=4).stderr
    assert (tmp_path / "precious").read_text() == "precious" and [path.name for path in shared.iterdir()] == [name]


@pytest.mark.skipif(not (BIN / "ompdctl-otf2").exists(), reason="built without libotf2")
@pytest.mark.parametrize("there", ["x.otf2", "x.def", "x"])
def test_an_archive_is_not_overwritten(there, ompdctl, turns, tmp_path):
    (tmp_path / there).write_text("old")
    done = ompdctl("-p", turns.pid, "record", "-d", "600", "-o", tmp_path / "x.otf2", status=4)
    assert "an archive of this name exists" in done.stderr
    assert (tmp_path / there).read_text() == "old" and len(list(tmp_path.iterdir())) == 1
    assert "several files" in ompdctl("-p", turns.pid, "record", "-o", "-", "--format", "otf2", status=4).stderr


def test_recording_ends_with_the_program(program, tmp_path):
    one = program("turns")
    one.expect_end = True
    process = subprocess.Popen([BIN / "ompdctl", "-p", str(one.pid), "record", "-d", "600", "-o", tmp_path / "x.folded"],
                               stdout=subprocess.PIPE, text=True)
    wait_until(lambda: is_recording(process.pid), "it records")
    one.process.kill()
    assert process.wait(600) == 0
    process.stdout.close()


@pytest.mark.parametrize("args,message", [
    (["record", "--format", "otf2"], "record --format otf2 needs -o FILE"), (["record", "-o", "x"], "cannot derive the format"),
    (["record", "-o", "x", "--format", "otf9"], "unknown format 'otf9'"), (["record", "-o", "x.json", "-d", "0"], "-d needs seconds"),
    (["top", "--json"], "top --json needs --once"), (["top"], "top needs a terminal"), (["top", "-o", "x"], "belongs to"),
])
def test_mistakes(args, message, ompdctl):
    assert message in ompdctl("-p", os.getpid(), *args, status=3).stderr


def test_no_process_no_file(ompdctl, tmp_path):
    assert "cannot write" in ompdctl("-p", os.getpid(), "record", "-o", tmp_path / "no" / "x.json", status=4).stderr


@pytest.mark.skipif(not (BIN / "ompdctl-otf2").exists() or not shutil.which("otf2-print"), reason="no libotf2, or not its tools")
def test_otf2(ompdctl, turns, tmp_path):
    for seconds in (1, 4, 16, 64):
        path = tmp_path / f"x{seconds}.otf2.otf2"
        said = ompdctl("-p", turns.pid, "record", "-d", seconds, "-o", path).stdout
        assert f"{path}: " in said and "of turns (pid" in said
        events = subprocess.run(["otf2-print", path], capture_output=True, text=True, check=True).stdout
        names = re.findall(r"^(ENTER|LEAVE) +(\d+) +(\d+) +Region: \"([^\"]*)\"", events, re.M)
        if {name for *_, name in names} >= {"turns_solve._omp_fn.0", "work"}:
            break
    assert {name for *_, name in names} >= {"turns_solve._omp_fn.0", "work"}
    inside = {}
    for what, location, time, name in names:
        stack = inside.setdefault(location, [])
        if what == "ENTER":
            stack.append(name)
        else:
            assert stack.pop() == name
    assert inside and not any(inside.values()), "what is entered is left"
    definitions = subprocess.run(["otf2-print", "-G", path], capture_output=True, text=True, check=True).stdout
    assert "turns.c" in definitions and f"thread {turns.pid}" in definitions
    done = ompdctl("-p", turns.pid, "record", "-d", "0.2", "-o", path, status=4)
    assert "an archive of this name exists" in done.stderr


# top

def test_top_once(ompdctl, turns):
    for seconds in (1, 4, 16, 64):
        lines = ompdctl("-p", turns.pid, "top", "--once", "-d", seconds).stdout.splitlines()
        if any(line.startswith("turns_solve") for line in lines) and any(line.split()[:1] == [str(turns.pid)] for line in lines):
            break
    assert lines[0].startswith(f"turns (pid {turns.pid})")
    head = lines[2].split()
    assert head == ["REGION", "LEVEL", "THREADS", "TIME%", "WORK%", "BARR%", "LOCK%", "TASK%", "TARGET%", "IDLE%", "SLEEP%", "REST%", "SPIN%", "IMBAL", "CALLS"]
    solve = dict(zip(head, next(line.split() for line in lines[3:] if line.startswith("turns_solve._omp_fn.0 "))))
    shares = {title: 0 if cell == "-" else float(cell) for title, cell in solve.items() if title.endswith("%")}
    assert (solve["LEVEL"], solve["THREADS"]) == ("1", "3") and 0 < shares["TIME%"] <= 100 and float(solve["IMBAL"]) >= 1
    assert sum(shares[title] for title in head[4:12]) == pytest.approx(100, abs=1)
    assert any(line.split()[:1] == [str(turns.pid)] for line in lines), "its strip"


def test_top_names_locks(ompdctl, program):
    """Waiting threads with lock and place, and the place of the holder, which our runtime knows."""
    one = program("waits", "named", env=OURS)
    for seconds in (1, 4, 16, 64):
        lines = ompdctl("-p", one.pid, "top", "--once", "-d", seconds).stdout.splitlines()
        if any(line.startswith("residual") for line in lines):
            break
    head = next(line for line in lines if line.startswith("LOCK "))
    assert head.split() == ["LOCK", "KIND", "WAIT%", "WAITERS", "MOST", "WAITED", "FOR", "AT", "HELD", "AT"]
    row = lines[lines.index(head) + 1]
    name, kind, share, mean, most, *_ = row.split()
    assert (name, kind, mean, most) == ("residual", "critical", "2.0", "2") and float(share) == pytest.approx(200 / 3, abs=0.1)
    assert row[head.index("WAITED FOR AT"):].startswith("mutexes waits.c:") and row[head.index("HELD AT"):].startswith("park park.c:")


def test_top_counts_calls(ompdctl, turns):
    """If the runtime counts them: in the interval on the screen."""
    for seconds in (1, 4, 16, 64):
        lines = ompdctl("-p", turns.pid, "top", "--once", "-d", seconds).stdout.splitlines()
        calls = [line.split()[-1] for line in lines if line.startswith("turns_solve._omp_fn.") and len(line.split()) == len(lines[2].split())]
        if calls:
            break
    assert all(n.isdigit() and int(n) > 0 if OMPRT else n == "-" for n in calls) and calls, lines


def test_top_once_for_scripts(ompdctl, turns):
    result = json.loads(ompdctl("-p", turns.pid, "top", "--once", "--json", "-d", "0.5").stdout)
    validator.check("profile.get", "result", result)


# ncurses itself leaves these.
LEAKS = pathlib.Path(__file__).parents[1] / "support" / "lsan.txt"


class Screen:
    """A terminal of 80x24 with its screen, in an emulator."""

    def __init__(self, *args):
        import pyte
        self.screen = pyte.Screen(80, 24)
        self.stream = pyte.ByteStream(self.screen)
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
            env = {"TERM": "linux", "LC_ALL": "C.UTF-8", "LSAN_OPTIONS": f"suppressions={LEAKS}:print_suppressions=0"}
            os.execve(BIN / "ompdctl", ["ompdctl", *map(str, args)], {**os.environ, **env})

    def read(self):
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b""
        self.stream.feed(data)
        return data

    def until(self, *parts):
        """Feed the emulator until the screen shows all of these. Return its lines."""
        while not all(part in "\n".join(self.screen.display) for part in parts):
            assert self.read(), "\n".join(self.screen.display)
        return [line.rstrip() for line in self.screen.display]

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def resize(self, lines, columns):
        self.screen.resize(lines, columns)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def end(self):
        while self.read():
            pass
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.fd)
        return status


@pytest.mark.skipif(not (BIN / "ompdctl-top").exists(), reason="built without ncurses")
def test_top_on_a_terminal(turns):
    screen = Screen("-p", turns.pid, "top")
    lines = screen.until("turns_solve._omp_fn.0", "by time, last interval", "q quit")
    assert lines[0].startswith(f"turns (pid {turns.pid})") and lines[23].startswith(" q quit")
    assert lines[2].split()[:3] == ["REGION", "LEVEL", "THREADS"]
    screen.type("s")
    screen.until("by work")
    screen.type("t")
    while "last interval" in screen.screen.display[0]:
        assert screen.read()
    screen.type("?")
    screen.until("Keys", "sort by the next column")
    screen.type("x")
    screen.until("by work", "turns_solve")
    screen.resize(12, 60)
    lines = screen.until("by work")
    while not (lines[11].startswith(" q quit") and lines[0].startswith("turns (pid")):
        assert screen.read()
        lines = [line.rstrip() for line in screen.screen.display]
    screen.type("q")
    assert screen.end() == 0
    assert alive(turns.pid) and not tracer(turns.pid)


@pytest.mark.skipif(not (BIN / "ompdctl-top").exists(), reason="built without ncurses")
def test_top_leaves_the_terminal_as_it_was(turns):
    screen = Screen("-p", turns.pid, "top")
    screen.until("turns_solve._omp_fn.0")
    os.kill(screen.pid, signal.SIGTERM)
    assert screen.end() == 0
    done = subprocess.run([BIN / "ompdctl-top", "-p", "999999999", "top"], capture_output=True, text=True, timeout=600, env={**os.environ, "TERM": "linux"})
    assert done.returncode == 1 and "no_such_process" in done.stderr
